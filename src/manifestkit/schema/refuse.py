"""Whether a user's schema can be judged by, told with the place of what is wrong in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
from referencing import Resource

from manifestkit.decode import decode
from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path
from manifestkit.schema.compiling import is_pattern
from manifestkit.schema.drafts import DRAFTS, KEYWORDS, OLD, subschemas
from manifestkit.schema.evaluation_paths import EndlessError, EvaluationPaths, references
from manifestkit.schema.fields import ANNOTATION, CLOSED
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Place, Resolver
from manifestkit.schema.suggest import nearest
from manifestkit.schema.surrogates import encodable
from manifestkit.schema.validation import ValidationError

_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated"),
        *("description", "examples", "readOnly", "title", "writeOnly"),
    }
)
_REMOTE = ("http:", "https:", "ftp:")


def check_draft(document: Document, draft: str | None) -> str:
    """The draft of a schema; one that is not known here is refused.

    Raises:
        SchemaError: with the file, line and column.
    """
    if draft is None:
        raise _error(
            document,
            ("$schema",),
            f"{document.value['$schema']} is not a supported draft; use draft 6, 7, 2019-09 "
            "or https://json-schema.org/draft/2020-12/schema",
        )
    return draft


def check_has_keywords(document: Document, draft: str) -> None:
    """Refuse an object without a keyword: it would allow everything.

    Raises:
        SchemaError: with the file, line and column.
    """
    contents = document.value
    if isinstance(contents, dict):
        names = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if names and names.isdisjoint(KEYWORDS[draft]) and "$ref" not in contents:
            raise _error(
                document,
                (),
                "not a JSON Schema: it has no keywords of JSON Schema; is it a manifest?",
            )


def check_keywords(document: Document, draft: str) -> None:
    """Refuse a document that is no schema, or has a pattern that cannot be used.

    Raises:
        SchemaError: with the file, line and column of the first thing that is wrong.
    """
    wrong = _first_wrong(document.value, draft)
    if wrong is not None:
        raise _error(document, wrong[0], f"not a JSON Schema: {wrong[1]}")
    paths = dict(paths_in(document.value))
    for schema in subschemas_of(document.value):
        _check_patterns(document, schema, paths[id(schema)])


def _first_wrong(contents: Any, draft: str) -> tuple[Path, str] | None:
    """What keeps a document from being a schema of a draft, with its place; None if it is one."""
    named = encodable(contents)
    if isinstance(named, dict):  # else the engine would look for what `$schema` names
        named = {**named, "$schema": next(uri for uri in DRAFTS if DRAFTS[uri] == draft)}
    try:
        jsonschema_rs.meta.validate(named)
    except jsonschema_rs.ValidationError as error:
        return tuple(error.instance_path), error.message
    except ValueError as error:
        return (), str(error)
    return None


def check_annotations(document: Document, annotation: Schema) -> None:
    """Refuse an annotation that would be passed over: a misspelt member, a wrong type.

    Raises:
        SchemaError: with the file, line and column of the first such annotation.
    """
    paths = dict(paths_in(document.value))
    for schema in subschemas_of(document.value):
        for error in annotation.errors(schema[ANNOTATION]) if ANNOTATION in schema else ():
            path = (*paths[id(schema)], ANNOTATION, *error.path)
            raise _error(document, path, _problem(error, annotation, (ANNOTATION,)))


def decoded(data: bytes, name: str) -> Document:
    """The document in a file.

    Raises:
        SchemaError: it cannot be read; the text names file, line and column.
    """
    read = decode(data, name)
    if read.findings:
        first = read.findings[0]
        place = f"{first.path}:{first.location.line}:{first.location.column}"
        raise SchemaError(f"{place}: {first.message}")
    return read.document


def check_shape(document: Document, schema: Schema) -> None:
    """Refuse a file that is not as a schema of ours wants it.

    Raises:
        SchemaError: with the file, line and column of the first thing that is wrong.
    """
    for error in sorted(schema.errors(document.value), key=lambda each: each.keyword not in CLOSED):
        place = document.locate_key(error.path) if error.keyword in CLOSED else None
        raise _error(document, error.path, _problem(error, schema, ()), place)


def _problem(error: ValidationError, schema: Schema, outside: Path) -> str:
    """What is wrong with a value of ours, or of a user, by a schema of ours."""
    if error.keyword in CLOSED:
        field = schema.field(error.path[:-1])
        members = field.members if field else ()
        near = nearest(str(error.member), members)
        known = ", ".join(f"`{name}`" for name in members)
        hint = f"did you mean `{near}`?" if near else f"it has {known}"
        owner = ".".join(map(str, (*outside, *error.path[:-1])))
        return f"{f'`{owner}`' if owner else 'this file'} has no member `{error.member}`; {hint}"
    if "message" in error.requirement.annotations:
        message = str(error.requirement.annotations["message"])
        return message.replace("{value}", f"`{json.dumps(error.instance)}`")
    if error.keyword in ("dependentRequired", "required"):
        return f"there is no `{error.member}`"
    place = ".".join(map(str, (*outside, *error.path)))
    return f"`{place}` does not satisfy `{error.keyword}`: {json.dumps(error.expected)}"


def check_references(
    document: Document, subschemas: list[Place], draft: str, known: frozenset[int]
) -> None:
    """Refuse a schema with a reference that leads nowhere, or back to itself without end.

    So is one through which more evaluation paths lead than the engine can follow.

    Args:
        document: the schema's file, for telling places in it.
        subschemas: every object among the schema's subschemas, itself first.
        draft: what it is of, if it does not say.
        known: the ids of schemas that need no check.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    paths = dict(paths_in(document.value))
    fine = _SchemaPlaces(document.value)
    for schema, inside in subschemas:
        _check_reference(document, schema, paths[id(schema)], inside, fine, draft)
    try:
        evaluation_paths = EvaluationPaths(subschemas, known, draft)
    except EndlessError as error:
        own = [paths[id(schema)] for schema, _ in subschemas if id(schema) in error.schemas]
        if not own:
            return  # of a file beside this one, which is checked for itself
        raise _error(
            document,
            own[0],
            "this schema refers to itself in a loop: checking against it would never end",
        ) from None
    if not evaluation_paths.are_few(document.value):
        raise _error(
            document,
            (),
            "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
            "`oneOf` that lead to the same schema",
        )


def _check_patterns(document: Document, schema: dict[str, Any], path: Path) -> None:
    patterns: list[tuple[Path, str]] = [
        (("patternProperties", name), name) for name in schema.get("patternProperties", ())
    ]
    if "pattern" in schema:
        patterns.append((("pattern",), schema["pattern"]))
    for where, pattern in patterns:
        if not is_pattern(pattern):
            raise _error(
                document,
                (*path, *where),
                f"`{pattern}` is not a supported regular expression: lookaround and "
                "backreferences are not available",
            )


def _check_reference(
    document: Document,
    schema: dict[str, Any],
    path: Path,
    resolver: Resolver,
    fine: _SchemaPlaces,
    draft: str,
) -> None:
    for keyword, reference in references(schema, draft):
        try:
            target, _ = resolver.lookup(reference, keyword)
        except LookupError as error:
            raise _error(
                document,
                (*path, keyword),
                f"`{reference}` cannot be resolved: {_reason(reference, error)}",
            ) from None
        if not (isinstance(target, bool) or fine.holds(target, reference, resolver)):
            raise _error(
                document,
                (*path, keyword),
                f"`{reference}` does not lead to a schema; put schemas that others refer to into "
                f"`{'definitions' if draft in OLD else '$defs'}`",
            )


class _SchemaPlaces:
    """The places where keywords have schemas: what stands elsewhere is not checked.

    Args:
        contents: the schema that has the references.
    """

    def __init__(self, contents: Any) -> None:
        self._here = {id(schema) for schema in subschemas_of(contents)}
        self._elsewhere: dict[int, set[int]] = {}

    def holds(self, target: Any, reference: str, resolver: Resolver) -> bool:
        """Whether what a reference leads to is at such a place of its file."""
        if id(target) in self._here:
            return True
        contents, _ = resolver.lookup(reference.partition("#")[0] or "#")
        if id(contents) not in self._elsewhere:
            self._elsewhere[id(contents)] = {id(schema) for schema in subschemas_of(contents)}
        return id(target) in self._elsewhere[id(contents)]


def _reason(reference: str, error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SchemaError):
        cause = cause.__cause__
    if cause is not None:
        return str(cause)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    return "use a place in this file, a file in its folder, or the `$id` of a schema"


def subschemas_of(contents: Any) -> Iterator[dict[str, Any]]:
    """Every object among a schema's subschemas, itself first, by the keywords of all drafts."""
    todo = [contents]
    while todo:
        schema = todo.pop()
        if isinstance(schema, dict):
            yield schema
        todo.extend(each for _, each in subschemas(schema))


def resolvable_subschemas(
    whole: Resource[Any], resolver: Any, over: Callable[[Any], Resolver]
) -> Iterator[Place]:
    """Every object among a schema's subschemas, with the resolver of its references.

    Args:
        whole: the schema.
        resolver: the registry's own resolver of its references.
        over: what makes ours of such a one.
    """
    todo = [(whole, resolver)]
    while todo:
        resource, outside = todo.pop()
        inside = outside.in_subresource(resource)
        if isinstance(resource.contents, dict):
            yield resource.contents, over(inside)
        todo.extend((each, inside) for each in resource.subresources())


def paths_in(value: Any) -> Iterator[tuple[int, Path]]:
    """Each object in a value by its identity, with its path."""
    todo: list[tuple[Any, Path]] = [(value, ())]
    while todo:
        each, path = todo.pop()
        if isinstance(each, dict):
            yield id(each), path
            todo.extend((member, (*path, name)) for name, member in each.items())
        elif isinstance(each, list):
            todo.extend((item, (*path, index)) for index, item in enumerate(each))


def place_error(document: Document, path: Path, message: str) -> SchemaError:
    """The error to raise about the member at a path of a schema's file."""
    is_member = bool(path) and isinstance(path[-1], str)
    return _error(document, path, message, document.locate_key(path) if is_member else None)


def _error(
    document: Document, path: Path, message: str, place: Location | None = None
) -> SchemaError:
    try:
        place = place or document.locate(path)
    except KeyError:
        place = document.locate(())
    return SchemaError(f"{document.name}:{place.line}:{place.column}: {message}")
