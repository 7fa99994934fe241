"""Names in a user's schema that are almost others, and so would be passed over."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.checks import check_annotations, check_keywords, check_shape
from manifestkit.schema.drafts import BRANCHES, KEYWORDS, OLD, draft_of
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.model import Schema
from manifestkit.schema.schema_file import SchemaFile, decoded
from manifestkit.schema.suggest import nearest, not_listed

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
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?:!s)?\}")
_PLACEHOLDERS = ("value", "path", "needed")
_TEXTS = ("message", "help")
_MEANT = ("title", "description")
_CONDITIONS = ("if", "then", "else", "not")


def check_spelling(file: SchemaFile) -> None:
    """Refuse what would be ignored, and what it requires with it.

    That is a misspelt keyword or format, a keyword of another draft or a schema of one, and, in
    drafts 6 and 7, a keyword beside a `$ref`. Any other unknown name is an annotation, as JSON
    Schema has it (2020-12 core, 6.5); so is one that starts with `x-` or `$`, and whatever
    resembles the name of an annotation only. Of more unknown names than a schema written by hand
    has, the first are looked at.

    Raises:
        SchemaError: with the file, line and column of one such keyword.
    """
    near = _Nearest()
    for schema in file.schemas:
        is_other = schema is not file.contents and draft_of(schema, file.draft) != file.draft
        ignored = (_OF_ANOTHER_DRAFT,) if is_other else _ignored(schema, file.draft, near)
        for name, problem in ignored:
            raise file.error_in(schema, (name,), problem)


def keywords_alone(file: SchemaFile) -> Iterator[str]:
    """Return a note for each keyword without the one it belongs to, such as `then` without `if`.

    JSON Schema allows and ignores it.
    """
    for schema in file.schemas:
        for name, other in _ONLY_BESIDE.items():
            if name in schema and name in KEYWORDS[file.draft] and other not in schema:
                problem = f"`{name}` is ignored without `{other}` beside it"
                yield str(file.error_in(schema, (name,), problem))


def _ignored(schema: dict[str, Any], draft: str, near: _Nearest) -> Iterator[tuple[str, str]]:
    """Yield the members of a schema, but not of those below, that would be ignored, and why."""
    keywords = KEYWORDS[draft]
    for name, operand in schema.items():
        if name in keywords:
            if draft in OLD and "$ref" in schema and name not in _BESIDE_REF:
                yield name, f"`{name}` is ignored beside `$ref`; put the `$ref` into an `allOf`"
        elif name in _OF_ANY_DRAFT:
            if operand is not True and operand not in ({}, []):  # which require nothing
                yield name, f"`{name}` is not a keyword of draft {draft}; {_instead(name)}"
        elif not name.startswith(("$", "x-")) and (meant := near.to(name, keywords)):
            yield name, f"`{name}` is not a keyword; did you mean `{meant}`?"
    given = schema.get("format")
    if isinstance(given, str) and given not in _FORMATS and (meant := near.to(given, _FORMATS)):
        yield "format", f"`{given}` is not a format; did you mean `{meant}`?"


def _instead(name: str) -> str:
    if name in _TWINS:
        return f"write {_TWINS[name]}"
    first = next(draft for draft in reversed(KEYWORDS) if name in KEYWORDS[draft])
    return f"it needs draft {first} or newer"


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
    check_shape(file, rule)
    check_keywords(file)
    conditional = {"if": True, **file.contents}  # as `given` is, for its `then`
    read = SchemaFile(Document(name, file.document.text, conditional, file.document.scan))
    check_spelling(read)
    for alone in keywords_alone(read):
        raise SchemaError(alone)
    check_annotations(file, annotation)


def check_members(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    """Refuse a requirement for a member that looks like a misspelt one of the manifest.

    A member that a profile adds on purpose has a title or a description there.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be.
        files: the files of the profile.

    Raises:
        SchemaError: with the file, line and column of one such member.
    """
    near = _Nearest()
    for path, field in schema.described_fields():
        known = manifest_schema.field(path)
        if known is None or not known.members:
            continue
        for name in dict.fromkeys((*field.members, *field.required)):
            own = schema.field((*path, name))
            is_added = own is not None and any((own.title, own.description))
            if name in known.members or is_added:
                continue
            if meant := near.to(name, known.members):
                message = f"a manifest has no `{name}` here; did you mean `{meant}`?"
                raise _member_error(schema, path, name, files, message)


def check_values(schema: Schema, manifest_schema: Schema, files: Iterable[SchemaFile]) -> None:
    """Refuse a value in a list of allowed ones that a manifest never has there.

    Args:
        schema: the profile.
        manifest_schema: what a manifest must be.
        files: the files of the profile.

    Raises:
        SchemaError: with the file, line and column of one such value.
    """
    for path, field in schema.described_fields():
        known = manifest_schema.field(path)
        values = [each for each, _ in known.values] if known else []
        for part in schema.parts(path) if values and field.values else ():
            given = [(("enum", index), each) for index, each in enumerate(part.get("enum", ()))]
            for where, value in (*given, (("const",), part.get("const"))):
                problem = isinstance(value, str) and not_listed(value, path, values)
                file = next((file for file in files if id(part) in file.paths), None)
                if problem and file:
                    raise file.error_in(part, where, problem)


def check_subject(schema: Schema, subject: Schema, others: Mapping[str, Schema]) -> None:
    """Refuse a profile that is about another document, where nothing that it says would count.

    Args:
        schema: the profile.
        subject: what it is to be about.
        others: what else it may be about, by what to say of one of its members then.

    Raises:
        SchemaError: its members are not those of the one, but of another.
    """
    names = set(_root_names(schema))
    if not names.isdisjoint(_members(subject)):
        return
    for text, other in others.items():
        if other is not subject and (strange := names & _members(other)):
            raise SchemaError(f"{schema.name}: {text.format(min(strange))}")


def _members(schema: Schema) -> set[str]:
    return set(root.members) if (root := schema.field(())) else set()


def _root_names(schema: Schema) -> Iterator[str]:
    todo = [*schema.parts(())]
    while todo:
        part = todo.pop()
        yield from (*part.get("properties", ()), *part.get("required", ()))
        branches = [part[name] for name in _CONDITIONS if name in part]
        branches += [each for name in BRANCHES for each in part.get(name, ())]
        todo += [each for each in branches if isinstance(each, dict)]


def _member_error(
    schema: Schema, path: Path, name: str, files: Iterable[SchemaFile], message: str
) -> SchemaError:
    parts = {id(each): each for each in schema.parts(path)}
    for file in files:
        for part in (parts[each] for each in file.paths if each in parts):
            if name in part.get("properties", ()):
                return file.error_in(part, ("properties", name), message)
            if name in part.get("required", ()):
                return file.error_in(part, ("required",), message)
    return SchemaError(f"{schema.name}: {message}")


def check_placeholders(file: SchemaFile, members: Collection[str]) -> None:
    """Refuse a misspelt placeholder in a message or a help, which would stand there as it is.

    Args:
        file: the schema.
        members: the members of a manifest: one stands for its value in an object.

    Raises:
        SchemaError: with the file, line and column of one such text.
    """
    near = _Nearest()
    known = {*_PLACEHOLDERS, *members}
    for schema in file.schemas:
        notes = schema.get(ANNOTATION, {})
        for kind in _TEXTS:
            for name in _PLACEHOLDER.findall(str(notes.get(kind, ""))):
                if name in known:
                    continue
                if meant := near.to(name, _PLACEHOLDERS):
                    message = f"there is no placeholder `{{{name}}}`; did you mean `{{{meant}}}`?"
                    raise file.error_in(schema, (ANNOTATION, kind), message)


class _Nearest:
    """Finds what names were meant to be, for so many names."""

    def __init__(self) -> None:
        self._left = _MOST_UNKNOWN

    def to(self, name: str, candidates: Collection[str]) -> str | None:
        self._left -= 1
        return nearest(name, candidates, sure=True) if self._left >= 0 else None
