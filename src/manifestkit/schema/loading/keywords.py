"""One file of a schema: its keywords, annotations and texts, of which none is ignored."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.model.printable import truncate
from manifestkit.schema.drafts import (
    ANNOTATION,
    CLOSED,
    TYPES,
    Dialect,
    can_fail,
    subschemas_of,
)
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.loading.file import SchemaFile, decoded
from manifestkit.schema.loading.needs import has_needs
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import Nearest, nearest
from manifestkit.schema.validation_error import ValidationError

_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "contentSchema", "default", "deprecated"),
        *("description", "examples", "readOnly", "title", "writeOnly"),
    }
)
_MOST_PROBLEMS = 20
_FORMATS = frozenset(
    {
        *("date", "date-time", "duration", "time"),
        *("email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("iri", "iri-reference", "uri", "uri-reference", "uri-template", "uuid"),
        *("json-pointer", "relative-json-pointer", "regex"),
    }
)
"""The formats that are checked; any other is an annotation (2020-12 validation, 7.2.3)."""

_NEW_FORMATS = frozenset({"duration", "uuid"})
"""The formats that draft 7 does not have."""

_OF_ANY_DRAFT = Dialect.CURRENT.keywords | Dialect.OLD.keywords
_TWINS = {
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

_BOUNDS = (
    *(("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties")),
    *(("minContains", "maxContains"), ("minimum", "maximum"), ("exclusiveMinimum", "maximum")),
    *(("minimum", "exclusiveMaximum"), ("exclusiveMinimum", "exclusiveMaximum")),
)
"""The keywords of a least and a greatest value; of `exclusive...`, the value itself is outside."""

_REFUSED = {
    "$dynamicRef": "is not supported; write `$ref`",
    "errorMessage": "is not a keyword of JSON Schema; write `message` in `x-manifestkit`",
    "nullable": 'is not a keyword of JSON Schema; add `"null"` to `type`',
}
_OF_ANOTHER_DRAFT = ("$schema", "a schema of another draft must be in a separate file")
_BESIDE_REF = ("$ref", "definitions")
_NOT_LINEAR = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<")
_BRACED = re.compile(r"\{([^{}]*)(\}?)")
_FIRST = re.compile(r"\s*(\w+)")
_NEEDED = "needed"
_PLACEHOLDERS = ("value", "path", _NEEDED)
_LONGEST = 40
_TEXTS = ("message", "help")
_NOT_OF_DEPRECATED = ("rule", "severity", "message", "url")


def check_file(file: SchemaFile, annotation: Schema) -> None:
    """Refuse a file that is no schema, or of which something would be ignored.

    Args:
        file: the file.
        annotation: what an annotation must be.

    Raises:
        SchemaError: with the file, line and column of each thing that is wrong.
    """
    contents = file.contents
    problems = list(_problems(file, annotation))
    if isinstance(contents, dict):
        names = {name for name in contents if not name.startswith(("$", "x-"))} - _ANNOTATIONS
        if names and names.isdisjoint(file.draft.keywords) and "$ref" not in contents:
            what = "not a JSON Schema: it has no keywords of JSON Schema; is it a manifest?"
            problems.append(file.error((), what))
    _refuse(problems)


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
    problems = (
        file.error(error.path, _message(error, rule, ()), on_key=error.keyword in CLOSED)
        for error in rule.validator.errors(file.contents)
    )
    _refuse([*problems, *_problems(read, annotation)])


def _refuse(problems: Iterable[SchemaError]) -> None:
    found = dict.fromkeys(text for each in problems for text in each.problems)
    if found:
        raise SchemaError(*found)


def _problems(file: SchemaFile, annotation: Schema) -> Iterator[SchemaError]:
    found = ENGINE.schema_problems(file.contents, file.draft)
    problems = dict(islice(found, _MOST_PROBLEMS))
    for path, problem in problems.items():
        keyword = f"`{path[-1]}`: " if path else ""
        yield file.error(path, _wrong_type(file, path) or f"not a JSON Schema: {keyword}{problem}")
    for schema in () if problems else file.schemas:
        yield from _pattern_problems(file, schema)
    yield from _misspelt(file)
    yield from _wrong_annotations(file, annotation)


def _wrong_type(file: SchemaFile, path: Path) -> str | None:
    """Return what is wrong with a value of `type`; None for other values."""
    is_type = path[-1:] == ("type",)
    if not is_type or all(each is not file.document.value_at(path[:-1]) for each in file.schemas):
        return None
    given = file.document.value_at(path)
    for name in given if isinstance(given, list) else [given]:
        if isinstance(name, str) and name not in TYPES:
            near = nearest(name, TYPES)
            known = ", ".join(f"`{each}`" for each in TYPES)
            hint = f"did you mean `{near}`?" if near else f"there are {known}"
            return f"`{name}` is not a type; {hint}"
    return None


def _pattern_problems(file: SchemaFile, schema: dict[str, Any]) -> Iterator[SchemaError]:
    patterns: list[tuple[Path, str]] = [
        (("patternProperties", name), name) for name in schema.get("patternProperties", ())
    ]
    if "pattern" in schema:
        patterns.append((("pattern",), schema["pattern"]))
    place = file.paths[id(schema)]
    for where, pattern in patterns:
        if problem := ENGINE.pattern_problem(pattern):
            if _NOT_LINEAR.search(pattern):
                problem = "lookaround and backreferences are not available"
            message = f"`{pattern}` is not a supported regular expression: {problem}"
            yield file.error((*place, *where), message)
    named = schema.get("format")
    if named in _FORMATS and (problem := ENGINE.format_problem(named)):
        yield file.error((*place, "format"), f"the format `{named}` {problem}")


def _misspelt(file: SchemaFile) -> Iterator[SchemaError]:
    """Yield what would be ignored, and what it requires with it.

    That is a misspelt keyword, an unknown format, a keyword of another draft or a schema of one, a
    keyword without the one it belongs to, and, in draft 7, one beside a `$ref`. Any other unknown
    name is an annotation, as JSON Schema has it (2020-12 core, 6.5); so is one that starts with
    `x-` or `$`, and whatever resembles the name of an annotation only. Of more unknown names than
    a schema written by hand has, the first are looked at.
    """
    near = Nearest()
    for schema in file.schemas:
        is_other = isinstance(schema.get("$schema"), str) and Dialect.of(schema) is not file.draft
        ignored = [_OF_ANOTHER_DRAFT] if is_other else [*_ignored(schema, file.draft, near)]
        for name, problem in (*ignored, *_without_effect(schema, file.draft)):
            yield file.error_in(schema, (name,), problem)


def _ignored(schema: dict[str, Any], draft: Dialect, near: Nearest) -> Iterator[tuple[str, str]]:
    """Yield the members of a schema, but not of those below, that would be ignored, and why."""
    keywords = draft.keywords
    for name, operand in schema.items():
        if name in keywords:
            if draft is Dialect.OLD and "$ref" in schema and name not in _BESIDE_REF:
                yield name, f"`{name}` is ignored next to `$ref`; put the `$ref` into an `allOf`"
            elif name == "dependencies":
                is_list = [isinstance(each, list) for each in operand.values()]
                if any(is_list) and not is_list[0]:  # `referencing` goes by the first
                    yield name, "in `dependencies`, put arrays of names before schemas"
        elif name in _OF_ANY_DRAFT:
            if can_fail(operand):
                twin = _TWINS.get(name)
                advice = f"write {twin}" if twin else f"it needs draft {Dialect.CURRENT.label}"
                yield name, f"`{name}` is not a keyword of draft {draft.label}; {advice}"
        elif problem := _unknown_problem(name, draft, near):
            yield name, problem
    given = schema.get("format")
    if isinstance(given, str) and (problem := _format_problem(given, draft, near)):
        yield "format", problem


def _unknown_problem(name: str, draft: Dialect, near: Nearest) -> str | None:
    if name in _REFUSED:
        return f"`{name}` {_REFUSED[name]}"
    if name == ANNOTATION or name.startswith("$"):
        return None
    meant = near.to(name, [ANNOTATION] if name.startswith("x-") else draft.keywords)
    return f"`{name}` is not a keyword; did you mean `{meant}`?" if meant else None


def _format_problem(given: str, draft: Dialect, near: Nearest) -> str | None:
    if draft is Dialect.OLD and given in _NEW_FORMATS:
        needed = Dialect.CURRENT.label
        return f"`{given}` is not a format of draft {draft.label}; it needs draft {needed}"
    if given in _FORMATS:
        return None
    meant = near.to(given, _FORMATS)
    hint = f"did you mean `{meant}`?" if meant else "use `pattern`, or one of JSON Schema's"
    return f"`{given}` is not a format; {hint}"


def _without_effect(schema: dict[str, Any], draft: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the keywords that require nothing, or what no value is, and why."""
    for name, other in _ONLY_BESIDE.items():
        is_there = name in draft.keywords and can_fail(schema.get(name, True))
        if is_there and other not in schema:
            yield name, f"`{name}` is ignored without `{other}`"
    for low, high in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        if isinstance(least, int | float) and isinstance(most, int | float):
            is_outside = "exclusive" in low + high
            if least > most or (is_outside and least == most):
                yield low, f"no value has `{low}` {least} and `{high}` {most}"


def _wrong_annotations(file: SchemaFile, annotation: Schema) -> Iterator[SchemaError]:
    for schema in file.schemas:
        for error in (
            annotation.validator.errors(schema[ANNOTATION]) if ANNOTATION in schema else ()
        ):
            path = (*file.paths[id(schema)], ANNOTATION, *error.path)
            yield file.error(path, _message(error, annotation, (ANNOTATION,)))
        # Next to a keyword that can fail, an annotation is about that.
        if schema.get("deprecated") is True and file.draft.keywords.isdisjoint(
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


def _message(error: ValidationError, schema: Schema, outside: Path) -> str:
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
    """Refuse a placeholder in a message or a help that would stand there as it is.

    Args:
        file: the schema.
        members: the members of a manifest: one stands for its value in an object.
    """
    near = Nearest()
    problems: list[SchemaError] = []
    for schema in file.schemas:
        notes = schema.get(ANNOTATION, {})
        for kind in _TEXTS:
            for text, end in _BRACED.findall(str(notes.get(kind, ""))):
                problem = _placeholder_problem(text, end, members, near)
                if text == _NEEDED and not any(map(has_needs, subschemas_of(schema))):
                    problem = f"`{{{_NEEDED}}}` is only for `needs`"
                if problem:
                    problems.append(file.error_in(schema, (ANNOTATION, kind), problem))
    _refuse(problems)


def _placeholder_problem(
    text: str, end: str, members: Collection[str], near: Nearest
) -> str | None:
    """Return what is wrong with a text after `{`, up to the end of the placeholder if there is."""
    name = text.removesuffix("!s") if end else text
    if name in members or (end and text in _PLACEHOLDERS):
        return None
    shown = truncate(f"{{{text}{end}", _LONGEST)
    if end and (not text or text.isdigit()):
        return f"`{shown}` stands for nothing; write `{{value}}` or `{{path}}`"
    first = _FIRST.match(text)
    is_sentence = bool(end) and " " in text.strip()
    if first and first[1] in _PLACEHOLDERS and not is_sentence:
        return f"`{shown}` is not a placeholder; write `{{{first[1]}}}`"
    if end and name.isidentifier():
        meant = near.to(name, _PLACEHOLDERS)
        hint = f"did you mean `{{{meant}}}`?" if meant else "write `{value}`, `{path}` or a member"
        return f"there is no placeholder `{{{name}}}`; {hint}"
    return None
