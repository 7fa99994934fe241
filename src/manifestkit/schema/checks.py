"""Checks of a user's schema, each error with the place of what is wrong in it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from graphlib import CycleError
from itertools import islice
from typing import Any, NamedTuple

from manifestkit.decode import decode
from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import (
    BRANCHES,
    CURRENT,
    KEYWORDS,
    OLD,
    draft_of,
    subschemas,
    subschemas_of,
)
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.evaluation_paths import has_few_paths, references
from manifestkit.schema.fields import ANNOTATION, CLOSED
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Place
from manifestkit.schema.suggest import nearest, not_listed
from manifestkit.schema.validation import ValidationError

_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated"),
        *("description", "examples", "readOnly", "title", "writeOnly"),
    }
)
_REMOTE = ("http:", "https:", "ftp:")
_MOST_PROBLEMS = 20
_MOST_UNKNOWN = 250
_FORMATS = frozenset(
    {
        *("date", "date-time", "duration", "time"),
        *("email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("iri", "iri-reference", "uri", "uri-reference", "uri-template", "uuid"),
        *("json-pointer", "relative-json-pointer", "regex"),
    }
)
"""The formats that are checked; any other is an annotation (2020-12 validation, 7.2.3)."""

_OF_ANY_DRAFT = frozenset().union(*KEYWORDS.values())
_TWINS = {
    "$dynamicRef": "`$ref`",
    "$recursiveRef": "`$ref`",
    "additionalItems": "`items`",
    "dependencies": "`dependentRequired` or `dependentSchemas`",
    "dependentRequired": "`dependencies`",
    "dependentSchemas": "`dependencies`",
    "prefixItems": "`items` with an array",
}
"""Equivalents of a keyword in the drafts that do not have it."""

_ONLY_BESIDE = {
    **dict.fromkeys(("else", "then"), "if"),
    **dict.fromkeys(("maxContains", "minContains"), "contains"),
    "additionalItems": "items",
}
"""The keywords that require something only beside another one."""

_OF_ANOTHER_DRAFT = ("$schema", "a schema of another draft must be in a separate file")
_BESIDE_REF = ("$ref", "definitions")
_RECURSIVE = "$recursiveAnchor"
_METASCHEMAS_OF_2019 = "https://json-schema.org/draft/2019-09/"
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?:!s)?\}")
_PLACEHOLDERS = ("value", "path", "needed")
_TEXTS = ("message", "help")
_CONDITIONS = ("if", "then", "else", "not")
_OF_THE_SAME_VALUE = (*_CONDITIONS, *BRANCHES, "allOf")
_PARTS = ("allOf", "items", "properties")
_NOT_OF_DEPRECATED = ("rule", "severity", "message", "fix", "url")


class SchemaFile:
    """A file that holds a schema, for telling places in it.

    Attributes:
        document: the file.
        contents: the schema.
        draft: the draft that it is of.
    """

    def __init__(self, document: Document, draft: str = CURRENT) -> None:
        self.document = document
        self.contents = document.value
        self.draft = draft

    @cached_property
    def schemas(self) -> list[dict[str, Any]]:
        """Every object among its subschemas, itself first."""
        return list(subschemas_of(self.contents))

    @cached_property
    def paths(self) -> dict[int, Path]:
        """The path of each object in the file, by the object's id."""
        found: dict[int, Path] = {}
        todo: list[tuple[Any, Path]] = [(self.contents, ())]
        while todo:
            each, path = todo.pop()
            if isinstance(each, dict):
                found[id(each)] = path
                todo.extend((member, (*path, name)) for name, member in each.items())
            elif isinstance(each, list):
                todo.extend((item, (*path, index)) for index, item in enumerate(each))
        return found

    def error(self, path: Path, message: str, *, on_key: bool = False) -> SchemaError:
        """Return the error to raise about a value in the file, or about the member that it is.

        Args:
            path: the value.
            message: what is wrong.
            on_key: whether the place of a member is its name.
        """
        has_key = on_key and path and isinstance(path[-1], str)
        try:
            place = self.document.locate_key(path) if has_key else self.document.locate(path)
        except KeyError:
            place = self.document.locate(())
        return SchemaError(f"{self.document.name}:{place.line}:{place.column}: {message}")

    def error_in(self, schema: dict[str, Any], tokens: Path, message: str) -> SchemaError:
        """Return the error to raise about a member below one of its subschemas."""
        return self.error((*self.paths[id(schema)], *tokens), message, on_key=True)


def decoded(data: bytes, name: str) -> Document:
    """Return the document in a file.

    Raises:
        SchemaError: it cannot be read; the text names file, line and column.
    """
    read = decode(data, name)
    if read.findings:
        first = read.findings[0]
        place = f"{first.path}:{first.location.line}:{first.location.column}"
        raise SchemaError(f"{place}: {first.message}")
    return read.document


# -- one file: its keywords, annotations and texts -------------------------------------------------


def check_file(file: SchemaFile, annotation: Schema) -> None:
    """Refuse a file that is no schema, or of which something would be ignored.

    Args:
        file: the file.
        annotation: what an annotation must be.

    Raises:
        SchemaError: with the file, line and column of each thing that is wrong.
    """
    contents = file.contents
    problems = [*_keyword_problems(file), *_misspelt(file), *_wrong_annotations(file, annotation)]
    if isinstance(contents, dict):
        names = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if names and names.isdisjoint(KEYWORDS[file.draft]) and "$ref" not in contents:
            what = "not a JSON Schema: it has no keywords of JSON Schema; is it a manifest?"
            problems.append(file.error((), what))
    refuse(problems)


def refuse(problems: Iterable[SchemaError]) -> None:
    """Raise all problems of a file as one error, if there are any.

    Raises:
        SchemaError: with each of them.
    """
    found = dict.fromkeys(text for each in problems for text in each.problems)
    if found:
        raise SchemaError(*found)


def check_rule(data: bytes, name: str, rule: Schema, annotation: Schema) -> None:
    """Refuse a file that is no rule.

    Args:
        data: its content.
        name: how it is named to the user.
        rule: what it must be.
        annotation: what its annotation must be.

    Raises:
        SchemaError: it is none; the text names file, line and column.
    """
    file = SchemaFile(decoded(data, name))
    conditional = {"if": True, **file.contents}  # as `given` is, for its `then`
    read = SchemaFile(Document(name, file.document.text, conditional, file.document.scan))
    problems = [
        file.error(error.path, _problem(error, rule, ()), on_key=error.keyword in CLOSED)
        for error in rule.errors(file.contents)
    ]
    refuse(
        [
            *problems,
            *_keyword_problems(file),
            *_misspelt(read),
            *map(SchemaError, keywords_alone(read)),
            *_wrong_annotations(file, annotation),
        ]
    )


def _keyword_problems(file: SchemaFile) -> Iterator[SchemaError]:
    found = ENGINE.schema_problems(file.contents, file.draft)
    problems = dict(islice(found, _MOST_PROBLEMS))
    for path, problem in problems.items():
        yield file.error(path, f"not a JSON Schema: {problem}")
    for schema in () if problems else file.schemas:
        yield from _pattern_problems(file, schema)


def _pattern_problems(file: SchemaFile, schema: dict[str, Any]) -> Iterator[SchemaError]:
    patterns: list[tuple[Path, str]] = [
        (("patternProperties", name), name) for name in schema.get("patternProperties", ())
    ]
    if "pattern" in schema:
        patterns.append((("pattern",), schema["pattern"]))
    place = file.paths[id(schema)]
    for where, pattern in patterns:
        if problem := ENGINE.pattern_problem(pattern):
            yield file.error((*place, *where), f"`{pattern}` {problem}")
    if isinstance(named := schema.get("format"), str) and (problem := ENGINE.format_problem(named)):
        yield file.error((*place, "format"), f"the format `{named}` {problem}")


def _misspelt(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield what would be ignored, and what it requires with it.

    That is a misspelt keyword or format, a keyword of another draft or a schema of one, and, in
    draft 7, a keyword beside a `$ref`. Any other unknown name is an annotation, as JSON
    Schema has it (2020-12 core, 6.5); so is one that starts with `x-` or `$`, and whatever
    resembles the name of an annotation only. Of more unknown names than a schema written by hand
    has, the first are looked at.
    """
    near = _Nearest()
    for schema in file.schemas:
        is_other = schema is not file.contents and draft_of(schema, file.draft) != file.draft
        ignored = (_OF_ANOTHER_DRAFT,) if is_other else _ignored(schema, file.draft, near)
        for name, problem in ignored:
            yield file.error_in(schema, (name,), problem)


def _ignored(schema: dict[str, Any], draft: str, near: _Nearest) -> Iterator[tuple[str, str]]:
    """Yield the members of a schema, but not of those below, that would be ignored, and why."""
    keywords = KEYWORDS[draft]
    for name, operand in schema.items():
        if name in keywords:
            if draft == OLD and "$ref" in schema and name not in _BESIDE_REF:
                yield name, f"`{name}` is ignored next to `$ref`; put the `$ref` into an `allOf`"
        elif name in _OF_ANY_DRAFT:
            if operand is not True and operand not in ({}, []):  # which require nothing
                first = next(draft for draft in reversed(KEYWORDS) if name in KEYWORDS[draft])
                twin = _TWINS.get(name)
                advice = f"write {twin}" if twin else f"it needs draft {first} or newer"
                yield name, f"`{name}` is not a keyword of draft {draft}; {advice}"
        elif not name.startswith(("$", "x-")) and (meant := near.to(name, keywords)):
            yield name, f"`{name}` is not a keyword; did you mean `{meant}`?"
    given = schema.get("format")
    if isinstance(given, str) and given not in _FORMATS and (meant := near.to(given, _FORMATS)):
        yield "format", f"`{given}` is not a format; did you mean `{meant}`?"


def keywords_alone(file: SchemaFile) -> Iterator[str]:
    """Return a note for each keyword without the one it belongs to, such as `then` without `if`.

    JSON Schema allows and ignores it.
    """
    for schema in file.schemas:
        for name, other in _ONLY_BESIDE.items():
            if name in schema and name in KEYWORDS[file.draft] and other not in schema:
                problem = f"`{name}` is ignored without `{other}`"
                yield str(file.error_in(schema, (name,), problem))


def _wrong_annotations(file: SchemaFile, annotation: Schema) -> Iterator[SchemaError]:
    for schema in file.schemas:
        for error in annotation.errors(schema[ANNOTATION]) if ANNOTATION in schema else ():
            path = (*file.paths[id(schema)], ANNOTATION, *error.path)
            yield file.error(path, _problem(error, annotation, (ANNOTATION,)))
        # Next to a keyword that can fail, an annotation is about that.
        if schema.get("deprecated") is True and KEYWORDS[file.draft].isdisjoint(
            schema.keys() - {"const"}
        ):
            for name in _NOT_OF_DEPRECATED:
                if name in schema.get(ANNOTATION, {}):
                    yield file.error_in(
                        schema,
                        (ANNOTATION, name),
                        f"`{name}` is ignored next to `deprecated`, which is `deprecated-value`; "
                        "only `help` counts",
                    )


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


def check_placeholders(file: SchemaFile, members: Collection[str]) -> None:
    """Refuse a misspelt placeholder in a message or a help, which would stand there as it is.

    Args:
        file: the schema.
        members: the members of a manifest: one stands for its value in an object.

    Raises:
        SchemaError: with the file, line and column of each such text.
    """
    refuse(_unknown_placeholders(file, {*_PLACEHOLDERS, *members}))


def _unknown_placeholders(file: SchemaFile, known: Collection[str]) -> Iterator[SchemaError]:
    near = _Nearest()
    for schema in file.schemas:
        notes = schema.get(ANNOTATION, {})
        for kind in _TEXTS:
            for name in _PLACEHOLDER.findall(str(notes.get(kind, ""))):
                if name not in known and (meant := near.to(name, _PLACEHOLDERS)):
                    message = f"there is no placeholder `{{{name}}}`; did you mean `{{{meant}}}`?"
                    yield file.error_in(schema, (ANNOTATION, kind), message)


# -- the files of a schema together: its references ------------------------------------------------


class Reference(NamedTuple):
    """A reference in a file, and the part of a schema that it leads to."""

    file: SchemaFile
    path: Path
    text: str
    schema: dict[str, Any]
    target: Any


def check_references(
    file: SchemaFile, subschemas: list[Place], known: frozenset[int]
) -> list[Reference]:
    """Return the references of a file; refuse one that leads nowhere, or back without end.

    Refuse a schema, too, through which more evaluation paths lead than the engine can follow.

    Args:
        file: the schema's file.
        subschemas: every object among the schema's subschemas, itself first.
        known: the ids of schemas that need no check.

    Raises:
        SchemaError: with the file, line and column of the first such reference.
    """
    # What stands elsewhere than where keywords have schemas is not checked, by file.
    checked = {id(file.contents): set(map(id, file.schemas))}
    found: list[Reference] = []
    for schema, resolver in subschemas:
        for keyword, reference in references(schema, file.draft):
            path = (*file.paths[id(schema)], keyword)
            try:
                target, _ = resolver.lookup(reference, keyword)
            except LookupError as error:
                reason = _reason(reference, error)
                message = f"`{reference}` cannot be resolved: {reason}"
                raise file.error(path, message) from None
            found.append(Reference(file, path, reference, schema, target))
            if isinstance(target, bool) or id(target) in checked[id(file.contents)]:
                continue
            contents, _ = resolver.lookup(reference.partition("#")[0] or "#")
            if id(contents) not in checked:
                checked[id(contents)] = set(map(id, subschemas_of(contents)))
            if id(target) not in checked[id(contents)]:
                raise file.error(
                    path,
                    f"`{reference}` does not lead to a schema; put schemas that others refer to "
                    f"into `{'definitions' if file.draft == OLD else '$defs'}`",
                )
    try:
        has_few = has_few_paths(file.contents, subschemas, known, file.draft)
    except CycleError as error:
        own = [schema for schema, _ in subschemas if id(schema) in error.args[1]]
        if not own:
            return found  # of a file beside this one, which is checked for itself
        raise file.error(
            file.paths[id(own[0])],
            "this schema refers to itself in a loop: checking against it would never end",
        ) from None
    if not has_few:
        raise file.error(
            (),
            "this schema has too many evaluation paths: use fewer `$ref`, `allOf`, `anyOf` and "
            "`oneOf` that lead to the same schema",
        )
    return found


def outermost_anchors(
    root: Any, files: Iterable[SchemaFile], found: Iterable[Reference], metaschema: Any
) -> dict[str, dict[str, Any]]:
    """Return what a dynamic reference leads to, by its anchor, where several schemas have it.

    All evaluation paths come through the root, and through the metaschema to its parts.

    Args:
        root: the schema.
        files: the files that it is made of.
        found: the references in them.
        metaschema: that of draft 2020-12, if a reference may lead to it.

    Raises:
        SchemaError: it depends on the evaluation path; with the file, line and column.
    """
    anchored: dict[str, list[dict[str, Any]]] = {}
    outermost: dict[str, dict[str, Any]] = {}
    for file in files:
        for name, schema, is_inner in _anchors(file.contents):
            anchored.setdefault(name, []).append(schema)
            if file.contents is root and not is_inner and name != _RECURSIVE:
                outermost[name] = schema
    if metaschema is not None:
        name = metaschema["$dynamicAnchor"]
        if name not in anchored:
            outermost[name] = metaschema
        anchored.setdefault(name, []).append(metaschema)
    for each in found:
        keyword, target = each.path[-1], each.target if isinstance(each.target, dict) else {}
        name = _RECURSIVE if keyword == "$recursiveRef" else each.text.partition("#")[2]
        is_dynamic = keyword != "$ref" and (
            name == target.get("$dynamicAnchor") or target.get(name)
        )
        is_open = is_dynamic and name not in outermost and len(anchored.get(name, ())) > 1
        if is_open or each.text.startswith(_METASCHEMAS_OF_2019):
            message = f"`{each.text}` may lead to several schemas, one for each way to this place"
            raise each.file.error(each.path, f"{message}; name one of them in a `$ref`")
    return {
        name: schema
        for name, schema in outermost.items()
        if len(anchored[name]) > 1 or schema is metaschema
    }


def _anchors(contents: Any) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield each dynamic anchor with its schema, and whether that is inside one with an `$id`."""
    todo = [(contents, False)]
    while todo:
        schema, is_inner = todo.pop()
        if not isinstance(schema, dict):
            continue
        is_inner = is_inner or ("$id" in schema and schema is not contents)
        if "$dynamicAnchor" in schema:
            yield schema["$dynamicAnchor"], schema, is_inner
        if schema.get(_RECURSIVE) is True:
            yield _RECURSIVE, schema, is_inner
        todo.extend((below, is_inner) for _, below in subschemas(schema))


def _reason(reference: str, error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, SchemaError):
        cause = cause.__cause__
    if cause is not None:
        return str(cause)
    if reference.startswith(_REMOTE):
        return "schemas are not fetched over the network; save the schema next to this file"
    return "use a place in this file, a file in its folder, or the `$id` of a schema"


# -- a profile beside the manifest's schema --------------------------------------------------------


def check_profile(
    schema: Schema,
    manifest_schema: Schema,
    files: Iterable[SchemaFile],
    others: Mapping[str, Schema],
) -> None:
    """Refuse a profile that requires what no manifest would be held to.

    That is a member that looks like a misspelt one of the manifest, if the profile gives it no
    title or description of its own; a value in a list of allowed ones that a manifest never has
    there; or whatever is about another document.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be.
        files: the files of the profile.
        others: what else it may be about, by what to say of one of its members then.

    Raises:
        SchemaError: with the file, and the line and column of one such member or value.
    """
    _check_members(schema, manifest_schema, files)
    _check_values(schema, manifest_schema, files)
    _check_subject(schema, manifest_schema, others)


def _check_members(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    near = _Nearest()
    for path, field in schema.fields:
        known = manifest_schema.field(path)
        if known is None or not known.members:
            continue
        for name in dict.fromkeys((*field.members, *field.required)):
            own = schema.field((*path, name))
            if name in known.members or (own and (own.title or own.description)):
                continue
            if meant := near.to(name, known.members):
                message = f"a manifest has no `{name}` here; did you mean `{meant}`?"
                for where in (("properties", name), ("required",)):
                    for part in schema.parts(path):
                        if name in part.get(where[0], ()):
                            _refuse(files, part, where, message)


def _check_values(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    for place, _ in schema.fields:
        parts = schema.parts(place) if manifest_schema.field(place) else ()
        for path, part in (each for own in parts for each in _with_conditions(place, own)):
            known = manifest_schema.field(path)
            values = [each for each, _ in known.values] if known else []
            given: list[tuple[Path, Any]] = [
                (("enum", index), each) for index, each in enumerate(part.get("enum", ()))
            ]
            given.append((("const",), part.get("const")))
            for where, value in given if values else ():
                if isinstance(value, str) and (problem := not_listed(value, path, values)):
                    _refuse(files, part, where, problem)


def _with_conditions(place: Path, part: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a part of a schema, and those below its conditions, each with its path in a manifest.

    What `properties`, `items` and `allOf` lead to are parts for themselves.
    """
    yield place, part
    todo = [(place, tokens, each) for tokens, each in subschemas(part) if tokens[0] not in _PARTS]
    while todo:
        around, (keyword, *names), schema = todo.pop()
        if not isinstance(schema, dict):
            continue
        if keyword in _OF_THE_SAME_VALUE:
            path = around
        elif keyword in ("contains", "items"):
            path = (*around, 0)
        elif keyword == "properties":
            path = (*around, *names)
        else:
            continue
        yield path, schema
        todo += [(path, tokens, each) for tokens, each in subschemas(schema)]


def _refuse(files: Iterable[SchemaFile], part: dict[str, Any], where: Path, problem: str) -> None:
    """Raise the error about a part of a profile; not about a part of ours that it refers to."""
    for file in files:
        if id(part) in file.paths:
            raise file.error_in(part, where, problem)


def _check_subject(schema: Schema, subject: Schema, others: Mapping[str, Schema]) -> None:
    names: set[str] = set()
    todo = [*schema.parts(())]
    while todo:
        part = todo.pop()
        names.update(part.get("properties", ()), part.get("required", ()))
        branches = [part[name] for name in _CONDITIONS if name in part]
        branches += [each for name in BRANCHES for each in part.get(name, ())]
        todo += [each for each in branches if isinstance(each, dict)]
    if names.isdisjoint(_root_members(subject)):
        for text, other in others.items():
            if other is not subject and (strange := names & _root_members(other)):
                raise SchemaError(f"{schema.name}: {text.format(min(strange))}")


def _root_members(schema: Schema) -> frozenset[str]:
    return frozenset(root.members if (root := schema.field(())) else ())


class _Nearest:
    """Finds what names were meant to be, for so many names."""

    def __init__(self) -> None:
        self._left = _MOST_UNKNOWN

    def to(self, name: str, candidates: Collection[str]) -> str | None:
        self._left -= 1
        return nearest(name, candidates, sure=True) if self._left >= 0 else None
