"""The value of a new manifest, put together from files, options, prompts and the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import compress, islice, zip_longest
from typing import Any

from manifestkit.authoring.inputs import missing_inputs
from manifestkit.decode import Decoded, decode
from manifestkit.edits.patch import is_same_data
from manifestkit.engine import Policy, lint, lint_text
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, ConfigurationError
from manifestkit.model.finding import Finding
from manifestkit.model.limits import DEFAULT_LIMITS, count_characters
from manifestkit.model.pointer import Path, format_pointer, path_in
from manifestkit.schema.model import Schema

_ABSENT = "missing-field"
_MOVES = ("move", "remove")
_MOST_LISTS = 8
_MOST_EMPTY = 20


def with_value(value: Any, path: Path, new: Any) -> Any:
    """Return a copy of a value with a new one at a path; the objects and arrays above it are made.

    Raises:
        AuthoringError: something else than an object or array stands above it.
    """
    if not path:
        return new
    token, *rest = path
    if isinstance(token, int):
        items = [] if value is None else value
        if not isinstance(items, list) or token > len(items):
            raise AuthoringError(f"no array with an item {token}")
        inner = items[token] if token < len(items) else None
        return [*items[:token], with_value(inner, tuple(rest), new), *items[token + 1 :]]
    if not isinstance(value, dict | None):
        raise AuthoringError(f"no object for `{token}` to be a member of")
    members = value or {}
    return {**members, token: with_value(members.get(token), tuple(rest), new)}


def joined(value: Any, more: Any) -> Any:
    """Return a copy of a value with the members of another one that it has not, at any depth.

    Items stand for each other by their index, unless they say different things of themselves.
    """
    if isinstance(value, list) and isinstance(more, list) and len(more) <= len(value):
        pairs = zip_longest(value, more)
        return [joined(each, other) if _may_join(each, other) else each for each, other in pairs]
    if not isinstance(value, dict) or not isinstance(more, dict):
        return value
    own = {name: joined(each, more[name]) if name in more else each for name, each in value.items()}
    return {**own, **{name: each for name, each in more.items() if name not in value}}


def _may_join(one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    plain = (name for name in one.keys() & other.keys() if not isinstance(one[name], dict | list))
    return all(one[name] == other[name] for name in plain)


def unused(answers: Any, value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the places of answers that a value has not; for an item of a list, the list."""
    if isinstance(answers, dict) and isinstance(value, dict):
        for name, each in answers.items():
            yield from unused(each, value.get(name), (*path, name))
        return
    if isinstance(answers, list) and isinstance(value, list) and len(answers) <= len(value):
        is_used = not any([*unused(*pair)] for pair in zip(answers, value, strict=False))
    else:
        is_used = is_same_data(answers, value)
    if not is_used:
        yield path


def with_starters(
    schema: Schema, value: Any, *, examples: bool, path: Path = (), lists: int = _MOST_LISTS
) -> Any:
    """Add to a copy of a value what it must have, as far as the schema offers something.

    With `examples`, the schema's examples, or the first value that it lists, will do where it has
    no starter. So many lists of objects get an object; those inside get a quarter, so that a schema
    which leads back to itself comes to an end.
    """
    made = value
    for missing in missing_inputs(schema, value, path):
        listed = tuple(value for value, _ in missing.field.values[:1])
        offered = (missing.offer or listed) if examples else missing.field.starter
        if not offered and examples and missing.takes_objects and lists:
            lists -= 1
            first, inside = (*missing.path, 0), lists // 4
            offered = ([with_starters(schema, {}, examples=True, path=first, lists=inside)],)
        if offered:
            made = with_value(made, missing.path[len(path) :], offered[0])
    return made


def in_order(schema: Schema, value: Any, path: Path = ()) -> Any:
    """Put members in the schema's order, and add the empty objects that must be."""
    if isinstance(value, list):
        return [in_order(schema, item, (*path, index)) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    members = {**value, **{name: {} for name in _empty_objects(schema, value, path)}}
    field = schema.field(path)
    known = field.members if field else ()
    first = [name for name in value if name.startswith("$") and name not in known]
    names = dict.fromkeys((*first, *known, *members))
    own = {name: name for name in members}  # which are spelt as they are
    return {
        own[name]: in_order(schema, members[name], (*path, name)) for name in names if name in own
    }


def _empty_objects(schema: Schema, value: dict[str, Any], path: Path) -> Iterator[str]:
    field = schema.field(path)
    for name in field.required if field else ():
        member = schema.field((*path, name))
        is_object = member and member.members and not member.values
        if name not in value and member and is_object and not member.required:
            yield name


def with_empty_lists(policy: Policy, value: Any) -> Any:
    """Add to a copy of a value each list that it must have and that may be empty."""
    lists = (each for each in missing_inputs(policy.described, value) if each.item)
    for each in islice(lists, _MOST_EMPTY):
        if may_be_empty(policy, value, each.path):
            value = with_value(value, each.path, [])
    return value


def may_be_empty(policy: Policy, value: Any, path: Path) -> bool:
    """Return whether a list may be empty."""
    return not findings_at(policy, with_value(value, path, []), path)


def findings_at(policy: Policy, value: Any, path: Path) -> list[Finding]:
    """Return the findings at a path or below it in a manifest that is still incomplete."""
    pointer = format_pointer(path)
    result = lint_text(json.dumps(value), "manifest.json", policy)
    return [
        each
        for each in result.findings
        if each.rule != _ABSENT and f"{each.pointer}/".startswith(f"{pointer}/")
    ]


def missing_by_mistake(policy: Policy, decoded: Decoded) -> Iterator[Finding]:
    """Yield the findings of missing members that are misspelt, or in the wrong object.

    Each has the pointer of the member as it is written.
    """
    plain = Policy(own_schema=policy.schema, profiles=policy.profiles)
    for each in lint(decoded, plain).findings:
        steps = (step for fix in each.fixes for step in fix.patch if step["op"] in _MOVES)
        if each.rule == _ABSENT and (step := next(steps, None)):
            yield each._replace(pointer=step.get("from", step["path"]))


def place_in(document: Document, pointer: str) -> str | None:
    """Return the place of a value as `file:line:column`; None if it is not in the document."""
    try:
        at = document.locate(path_in(document.value, pointer))
    except (KeyError, IndexError, TypeError):
        return None
    return f"{document.name}:{at.line}:{at.column}"


def as_written(answers: Document, policy: Policy, finding: Finding) -> Finding:
    """Return a finding as a linter words it of the answers themselves, if it does.

    A number may be written otherwise in the manifest than here, where it is to be fixed.
    """
    found = lint(Decoded(answers, ()), policy).findings
    same = (each.rule == finding.rule and each.pointer == finding.pointer for each in found)
    return next(compress(found, same), finding)


def read_source(data: bytes, name: str, *, is_file: bool) -> Document:
    """Read answers: by the suffix of a file's name, and what has no name, as it begins.

    Raises:
        ConfigurationError: they are not one readable object.
    """
    suffix = "" if is_file or data.lstrip()[:1] == b"{" else ".yaml"
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    if suffix:
        document = document.as_of(name=name)
    if decoded.findings:
        first = decoded.findings[0]
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers must be an object, like a manifest")
    if count_characters(document.value) > DEFAULT_LIMITS.bytes:  # aliases repeat what they name
        raise ConfigurationError(
            f"{name}:1:1: these answers would make a manifest larger than "
            f"{DEFAULT_LIMITS.bytes:,} bytes"
        )
    return document
