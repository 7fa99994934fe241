"""Checks of a user's schema, each error with the place of what is wrong in it."""

from __future__ import annotations

import json
from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import KEYWORDS, OLD, subschemas_of
from manifestkit.schema.engine import is_pattern, not_a_schema
from manifestkit.schema.evaluation_paths import EndlessError, EvaluationPaths, references
from manifestkit.schema.fields import ANNOTATION, CLOSED
from manifestkit.schema.model import Schema
from manifestkit.schema.schema_file import SchemaFile
from manifestkit.schema.sources import Place
from manifestkit.schema.suggest import nearest
from manifestkit.schema.validation import ValidationError

_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated"),
        *("description", "examples", "readOnly", "title", "writeOnly"),
    }
)
_REMOTE = ("http:", "https:", "ftp:")


def check_has_keywords(file: SchemaFile) -> None:
    """Refuse an object without a keyword: it would allow everything.

    Raises:
        SchemaError: with the file, line and column.
    """
    contents = file.contents
    if isinstance(contents, dict):
        names = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if names and names.isdisjoint(KEYWORDS[file.draft]) and "$ref" not in contents:
            raise file.error(
                (), "not a JSON Schema: it has no keywords of JSON Schema; is it a manifest?"
            )


def check_keywords(file: SchemaFile) -> None:
    """Refuse a document that is no schema, or has a pattern that cannot be used.

    Raises:
        SchemaError: with the file, line and column of the first thing that is wrong.
    """
    if wrong := not_a_schema(file.contents, file.draft):
        raise file.error(wrong[0], f"not a JSON Schema: {wrong[1]}", on_key=False)
    for schema in file.schemas:
        _check_patterns(file, schema)


def _check_patterns(file: SchemaFile, schema: dict[str, Any]) -> None:
    patterns: list[tuple[Path, str]] = [
        (("patternProperties", name), name) for name in schema.get("patternProperties", ())
    ]
    if "pattern" in schema:
        patterns.append((("pattern",), schema["pattern"]))
    for where, pattern in patterns:
        if not is_pattern(pattern):
            raise file.error(
                (*file.paths[id(schema)], *where),
                f"`{pattern}` is not a supported regular expression: lookaround and "
                "backreferences are not available",
                on_key=False,
            )


def check_annotations(file: SchemaFile, annotation: Schema) -> None:
    """Refuse an annotation that would be passed over: a misspelt member, a wrong type.

    Raises:
        SchemaError: with the file, line and column of the first such annotation.
    """
    for schema in file.schemas:
        for error in annotation.errors(schema[ANNOTATION]) if ANNOTATION in schema else ():
            path = (*file.paths[id(schema)], ANNOTATION, *error.path)
            raise file.error(path, _problem(error, annotation, (ANNOTATION,)), on_key=False)


def check_shape(file: SchemaFile, schema: Schema) -> None:
    """Refuse a file that is not as a schema of ours wants it.

    Raises:
        SchemaError: with the file, line and column of the first thing that is wrong.
    """
    for error in sorted(schema.errors(file.contents), key=lambda each: each.keyword not in CLOSED):
        problem = _problem(error, schema, ())
        raise file.error(error.path, problem, on_key=error.keyword in CLOSED)


def _problem(error: ValidationError, schema: Schema, outside: Path) -> str:
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


def check_references(file: SchemaFile, subschemas: list[Place], known: frozenset[int]) -> None:
    """Refuse a schema with a reference that leads nowhere, or back to itself without end.

    So is one through which more evaluation paths lead than the engine can follow.

    Args:
        file: the schema's file.
        subschemas: every object among the schema's subschemas, itself first.
        known: the ids of schemas that need no check.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    # What stands elsewhere than where keywords have schemas is not checked, by file.
    checked = {id(file.contents): set(map(id, file.schemas))}
    for schema, resolver in subschemas:
        for keyword, reference in references(schema, file.draft):
            path = (*file.paths[id(schema)], keyword)
            try:
                target, _ = resolver.lookup(reference, keyword)
            except LookupError as error:
                reason = _reason(reference, error)
                message = f"`{reference}` cannot be resolved: {reason}"
                raise file.error(path, message, on_key=False) from None
            if isinstance(target, bool) or id(target) in checked[id(file.contents)]:
                continue
            contents, _ = resolver.lookup(reference.partition("#")[0] or "#")
            if id(contents) not in checked:
                checked[id(contents)] = set(map(id, subschemas_of(contents)))
            if id(target) not in checked[id(contents)]:
                raise file.error(
                    path,
                    f"`{reference}` does not lead to a schema; put schemas that others refer to "
                    f"into `{'definitions' if file.draft in OLD else '$defs'}`",
                    on_key=False,
                )
    try:
        evaluation_paths = EvaluationPaths(subschemas, known, file.draft)
    except EndlessError as error:
        own = [schema for schema, _ in subschemas if id(schema) in error.schemas]
        if not own:
            return  # of a file beside this one, which is checked for itself
        raise file.error(
            file.paths[id(own[0])],
            "this schema refers to itself in a loop: checking against it would never end",
            on_key=False,
        ) from None
    if not evaluation_paths.are_few(file.contents):
        raise file.error(
            (),
            "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
            "`oneOf` that lead to the same schema",
        )


def _reason(reference: str, error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SchemaError):
        cause = cause.__cause__
    if cause is not None:
        return str(cause)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    return "use a place in this file, a file in its folder, or the `$id` of a schema"
