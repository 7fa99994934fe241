"""The value of a new manifest, put together from answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Any

from manifestkit.authoring.questions import Question, unanswered
from manifestkit.engine import Linter
from manifestkit.model.finding import Finding
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.model import Schema

_ABSENT = "missing-field"
_MOST_LISTS = 8
_MOST_EMPTY = 20


def with_answer(value: Any, path: Path, answer: Any) -> Any:
    """A copy of a value that has an answer at a path; what the way there lacks is made.

    Raises:
        TypeError: something else than an object or array stands on the way.
    """
    if not path:
        return answer
    token, *rest = path
    if isinstance(token, int):
        items = [] if value is None else value
        if not isinstance(items, list) or token > len(items):
            raise TypeError(f"no array with an item {token}")
        inner = items[token] if token < len(items) else None
        return [*items[:token], with_answer(inner, tuple(rest), answer), *items[token + 1 :]]
    if not isinstance(value, dict | None):
        raise TypeError(f"no object for `{token}` to be a member of")
    members = value or {}
    return {**members, token: with_answer(members.get(token), tuple(rest), answer)}


def joined(value: Any, more: Any) -> Any:
    """A copy of a value with the members of another one that it has not, at any depth.

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


def with_starters(
    schema: Schema, value: Any, *, examples: bool, path: Path = (), lists: int = _MOST_LISTS
) -> Any:
    """A copy of a value with what it has not and must have, as far as the schema offers something.

    Args:
        schema: what a manifest must be.
        value: the value at the path.
        examples: whether the schema's examples, or the first value that it lists, will do where it
            has no starter.
        path: where the value stands in the manifest.
        lists: how many lists of objects get an object; those inside get a quarter, so that a
            schema which leads back to itself comes to an end.
    """
    made = value
    for question in unanswered(schema, value, path):
        listed = tuple(value for value, _ in question.field.values[:1])
        offered = (question.offer or listed) if examples else question.field.starter
        if not offered and examples and question.kind == "objects" and lists:
            lists -= 1
            first, inside = (*question.path, 0), lists // 4
            offered = ([with_starters(schema, {}, examples=True, path=first, lists=inside)],)
        if offered:
            made = with_answer(made, question.path[len(path) :], offered[0])
    return made


def in_order(schema: Schema, value: Any, path: Path = ()) -> Any:
    """A value with its members in the schema's order, and with the empty objects that must be."""
    if isinstance(value, list):
        return [in_order(schema, item, (*path, index)) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    members = {**value, **{name: {} for name in _empty_objects(schema, value, path)}}
    field = schema.field(path)
    known = field.members if field else ()
    first = [name for name in value if name.startswith("$") and name not in known]
    names = dict.fromkeys((*first, *known, *members))
    return {
        name: in_order(schema, members[name], (*path, name)) for name in names if name in members
    }


def _empty_objects(schema: Schema, value: dict[str, Any], path: Path) -> Iterator[str]:
    field = schema.field(path)
    for name in field.required if field else ():
        member = schema.field((*path, name))
        is_object = member and member.members and not member.values
        if name not in value and member and is_object and not member.required:
            yield name


def with_empty_lists(linter: Linter, value: Any) -> Any:
    """A copy of a value with an empty list for each that it must have and that may be empty."""
    asked = unanswered(linter.schema, value)
    lists = (each for each in asked if each.kind in ("list", "objects"))
    for question in islice(lists, _MOST_EMPTY):
        if may_be_empty(linter, value, question):
            value = with_answer(value, question.path, [])
    return value


def may_be_empty(linter: Linter, value: Any, question: Question) -> bool:
    """Whether an empty list is an answer to a question."""
    if question.kind not in ("list", "objects"):
        return False
    return not faults_of_answer(linter, with_answer(value, question.path, []), question.path)


def faults_of_answer(linter: Linter, value: Any, path: Path) -> list[Finding]:
    """What a linter finds in a manifest, still incomplete, at one answer or below it."""
    pointer = format_pointer(path)
    result = linter.lint(json.dumps(value), "manifest.json")
    return [
        each
        for each in result.findings
        if each.rule != _ABSENT and f"{each.pointer}/".startswith(f"{pointer}/")
    ]
