"""Messages: one sentence for each keyword.

Messages start in lower case, have no full stop at their end, and quote at most a line of what
they speak of. What to do about it is the help.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from manifestkit.findings.words import (
    counted,
    excerpt,
    kind,
    label,
    listed,
    named,
    quoted,
    type_name,
)
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import ANNOTATION, BRANCHES, frozen
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import Branch, Requirement, ValidationError

_DESCRIBING = frozenset({"title", "description", "$comment", "examples", ANNOTATION})
_LISTING = frozenset({"const", "enum"})
_REASONS = 3
_PAIR = 2

MessageAndHelp = tuple[str, str | None]
"""A message and its help."""


def message_and_help(error: ValidationError) -> MessageAndHelp:
    """Return the message and the help for a broken keyword."""
    say = _SENTENCES.get(error.keyword, _UNKNOWN)
    if callable(say):
        return say(error)
    message, help_text = (
        re.sub(r"\{(\w+)\}", lambda part: _PARTS[part[1]](error), each) for each in say
    )
    return message, help_text


def _size(unit: str, relation: str, advice: str) -> Callable[[ValidationError], MessageAndHelp]:
    def say(error: ValidationError) -> MessageAndHelp:
        count, limit = len(error.instance), error.expected
        message = f"{label(error.path)} has {counted(count, unit)}, {relation} {limit:,}"
        return message, f"{advice} {counted(limit, unit)}"

    return say


def _enum(error: ValidationError) -> MessageAndHelp:
    message = f"{label(error.path)} is {kind(error.instance)}, not one of the allowed values"
    use = f"use {listed(error.expected, say=excerpt)}"
    return message, use if error.expected else "no value is allowed here"


def _not(error: ValidationError) -> MessageAndHelp:
    names = _required_groups(error.expected) if isinstance(error.instance, dict) else None
    present = [each for each in names or () if error.instance.keys() >= {*each}]
    if present and (len(present) == 1 or len(present) == sum(map(len, present))):
        unwanted = listed([name for each in present for name in each], "and", named)
        message = f"{label(error.path)} must not have {unwanted}"
        if len(present[0]) > 1:
            return f"{message} together", "remove one of them"
        return message, f"remove {unwanted}"
    if listed_values(error.expected) is None:
        return (
            f"{label(error.path)} is {kind(error.instance)}, which the schema does not allow",
            f"write a value that does not match {excerpt(error.expected)}",
        )
    if error.path and isinstance(error.path[-1], int):
        return f"{named(error.instance)} is not allowed in {label(error.path[:-1])}", "remove it"
    return f"{label(error.path)} must not be {named(error.instance)}", "write another value"


def _property_names(error: ValidationError) -> MessageAndHelp:
    reasons = [each for branch in error.branches.failed for each in branch.errors]
    if not reasons:
        return f"the name of {label(error.path)} is not allowed", "give it another name"
    message, help_text = message_and_help(reasons[0])
    reason = message.replace(label(reasons[0].path), "it", 1)
    return f"the name of {label(error.path)} is not allowed: {reason}", help_text


def _contains(error: ValidationError) -> MessageAndHelp:
    schema = error.requirement.schema.get("contains")
    place, values = label(error.path), listed_values(schema)
    if error.keyword == "minContains" and error.expected > 1:
        least = f"{place} has fewer than {error.expected:,} items that match {excerpt(schema)}"
        return least, "add another one"
    if values is None:
        message = f"no item of {place} matches what the schema requires"
        return message, f"add an item that matches {excerpt(schema)}"
    one_of = listed(values, say=named)
    lacks = "does not list" if len(values) == 1 else "lists none of"
    return f"{place} {lacks} {one_of}", f"add {one_of}"


def _any_of(error: ValidationError) -> MessageAndHelp:
    if (values := allowed_values(error)) is not None:
        return _enum(error._replace(expected=values))
    if (types := _alternative_types(error)) is not None:
        return _type(error._replace(expected=types))
    if (members := alternative_members(error)) is not None:
        if common := [name for name in members[0] if all(name in each for each in members)]:
            lacking = listed([f"no {named(name)}" for name in common], "and")
            do = f"add {listed(common, 'and', named)}"
            return f"{label(error.path)} has {lacking}", do
        needed = [listed(each, "and", named) for each in members]
        message = f"{label(error.path)} has none of these: {listed(needed)}"
        if len(needed) <= _PAIR:
            message = f"{label(error.path)} has neither {listed(needed, 'nor')}"
        return message, f"add {listed(needed)}"
    message = f"{label(error.path)} matches none of the forms that the schema allows"
    return message, _by_best_branch(error)


def _reason(error: ValidationError) -> str:
    """Return what is wrong, with the values that are allowed."""
    message, help_text = message_and_help(error)
    return f"{message} ({help_text})" if error.keyword == "enum" else message


def _by_best_branch(error: ValidationError) -> str | None:
    """Say what is wrong by the branch that fits best, and name the others by their titles."""
    if (found := _discriminator(error)) is not None:
        return _reason(found)
    best = _best_branch(error)
    if best is None:
        return None
    reasons = dict.fromkeys(_reason(cause(each)) for each in best.errors[:_REASONS])
    text = " and ".join(reasons)
    if len(best.errors) > _REASONS:
        text += f", and {len(best.errors) - _REASONS} more"
    if best.title:
        text = f"as {named(best.title)}: {text}"
    titles = dict.fromkeys(each.title for each in error.branches.failed)
    others = [each for each in titles if each not in (None, best.title)]
    if not others:
        return text
    verb = "another form is" if len(others) == 1 else "other forms are"
    return f"{text}; {verb} {listed(others, 'and', named)}"


def _one_of(error: ValidationError) -> MessageAndHelp:
    if not error.branches.is_several:
        return _any_of(error)
    groups = _required_groups({"anyOf": error.expected}) or []
    names = [name for group in groups for name in group]
    if isinstance(error.instance, dict) and names and len({*names}) == len(error.expected):
        present = [each for each in names if each in error.instance]
        message = f"{label(error.path)} has {listed(present, 'and', named)}"
        return f"{message}, of which only one is allowed", f"keep {listed(present, say=named)}"
    return f"{label(error.path)} matches several forms of which only one is allowed", (
        "change it to match only one of them"
    )


def _type(error: ValidationError) -> MessageAndHelp:
    expected = type_name(error.expected)
    message = f"{label(error.path)} must be {expected}, not {kind(error.instance)}"
    return message, f"write {expected}"


_FORMATS = {
    "date": "a date (`2026-01-31`)",
    "date-time": "a date and time (`2026-01-31T12:00:00Z`)",
    "email": "an e-mail address",
    "uri": "a URI (`https://example.org/page`)",
    "uri-reference": "a URI or a relative reference",
    "uuid": "a UUID",
}

_PARTS: dict[str, Callable[[ValidationError], str]] = {
    "contained": lambda error: excerpt(error.requirement.schema.get("contains")),
    "expected": lambda error: excerpt(error.expected),
    "first": lambda error: label(error.first or ()),
    "form": lambda error: _FORMATS.get(
        error.expected, f"text in the format {named(error.expected)}"
    ),
    "given": lambda error: named(next(iter(error.expected))),
    "keyword": lambda error: named(error.keyword),
    "kind": lambda error: kind(error.instance),
    "limit": lambda error: f"{error.expected:,}",
    "member": lambda error: named(error.member),
    "owner": lambda error: label(error.path[:-1]),
    "pattern": lambda error: named(error.expected),
    "place": lambda error: label(error.path),
    "value": lambda error: quoted(error.instance),
}


def _bound(relation: str, advice: str) -> tuple[str, str]:
    return f"{{place}} is {{value}}, {relation} {{expected}}", f"write {advice}"


_UNKNOWN = "{place} does not satisfy {keyword}", "the schema requires {keyword}: {expected}"
_EXTRA_ITEM = "{place} is one item too many", "remove it"
_CLOSED = "{owner} does not allow the member {member}", "remove it"
_DEPENDENT = "{place} has {given} but no {member}", "add {member}, or remove {given}"
_MOST_ITEMS = "more items of {place} match {contained} than the allowed {limit}", "remove one"
_PATTERN = "{place} is {kind}, which does not match {pattern}"

_SENTENCES: dict[str, tuple[str, str] | Callable[[ValidationError], MessageAndHelp]] = {
    "additionalItems": _EXTRA_ITEM,
    "additionalProperties": _CLOSED,
    "anyOf": _any_of,
    "const": ("{place} is {kind}, not {expected}", "write {expected}"),
    "contains": _contains,
    "dependencies": _DEPENDENT,
    "dependentRequired": _DEPENDENT,
    "enum": _enum,
    "exclusiveMaximum": _bound("not less than", "a number below {expected}"),
    "exclusiveMinimum": _bound("not more than", "a number above {expected}"),
    "false": ("{place} is not allowed here", "remove it"),
    "format": ("{place} is {kind}, not {form}", "write {form}"),
    "items": _EXTRA_ITEM,
    "maxContains": _MOST_ITEMS,
    "maxItems": _size("item", "more than", "keep at most"),
    "maxLength": _size("character", "more than", "keep at most"),
    "maxProperties": _size("member", "more than", "keep at most"),
    "maximum": _bound("more than", "{expected} or less"),
    "minContains": _contains,
    "minItems": _size("item", "fewer than", "list at least"),
    "minLength": _size("character", "fewer than", "write at least"),
    "minProperties": _size("member", "fewer than", "give at least"),
    "minimum": _bound("less than", "{expected} or more"),
    "multipleOf": _bound("not a multiple of", "a multiple of {expected}"),
    "not": _not,
    "oneOf": _one_of,
    "pattern": (_PATTERN, "write text that matches this regular expression"),
    "propertyNames": _property_names,
    "required": ("{place} has no {member}", "add {member}"),
    "type": _type,
    "unevaluatedItems": _EXTRA_ITEM,
    "unevaluatedProperties": _CLOSED,
    "uniqueItems": ("{place} repeats {first}", "remove one of the two"),
}

KEYWORDS = frozenset(_SENTENCES)
"""The keywords that can be broken."""


# -- what several branches say together ----------------------------------------------------------


def _best_branch(error: ValidationError) -> Branch | None:
    """Return the branch of `anyOf` or `oneOf` that a value was probably meant for.

    It is one whose constants, listed values and type the value has; of these, the one with the
    fewest errors, and then the one whose first error is deepest.
    """
    failed = [each for each in error.branches.failed if each.errors]
    return min(failed, key=partial(_distance_from, error.path), default=None)


def _distance_from(path: Path, branch: Branch) -> tuple[int, int, int]:
    misses = [
        each
        for each in branch.errors
        if (each.keyword in _LISTING and len(each.path) <= len(path) + 1)
        or (each.keyword == "type" and each.path == path)
    ]
    return len(misses), len(branch.errors), -len(branch.errors[0].path)


def cause(error: ValidationError) -> ValidationError:
    """Return the error to look at: of `anyOf` and `oneOf`, the first one of the best branch."""
    tellers = (allowed_values, _alternative_types, alternative_members)
    while error.keyword in BRANCHES and all(each(error) is None for each in tellers):
        if (found := _discriminator(error)) is not None:
            return found
        best = _best_branch(error)
        if best is None:
            break
        error = best.errors[0]
    return error


def _alternative_types(error: ValidationError) -> list[str] | None:
    """Return the types that the branches allow, if the value has none of them."""
    firsts = [branch.errors[0] for branch in error.branches.failed]
    if any(each.keyword != "type" or each.path != error.path for each in firsts):
        return None
    lists = ([x.expected] if isinstance(x.expected, str) else x.expected for x in firsts)
    return [*dict.fromkeys(chain.from_iterable(lists))] or None


def alternative_members(error: ValidationError) -> list[list[str]] | None:
    """Return the members that each branch requires, if the object only lacks these."""
    needed: list[list[str]] = []
    for branch in error.branches.failed:
        if any(each.keyword != "required" or each.path != error.path for each in branch.errors):
            return None
        names = [str(each.member) for each in branch.errors]
        if names not in needed:
            needed.append(names)
    # To add all that one branch requires would also do where another requires less.
    return [each for each in needed if not any(set(less) < set(each) for less in needed)] or None


def _discriminator(error: ValidationError) -> ValidationError | None:
    """Return the error of a member whose value no branch lists, with the values that they list."""
    failed = error.branches.failed
    if error.keyword not in BRANCHES or not 1 < len(failed) == len(error.expected):
        return None
    members = [
        [each for each in branch.errors if each.path[:-1] == error.path != each.path]
        for branch in failed
    ]
    by_path = [{x.path: x for x in each if x.keyword in _LISTING} for each in members]
    for path, first in by_path[0].items():
        if all(path in each for each in by_path):
            found = (each[path] for each in by_path)
            lists = ([x.expected] if x.keyword == "const" else x.expected for x in found)
            values = {frozen(value): value for each in lists for value in each}
            return first._replace(keyword="enum", expected=[*values.values()])
    return None


def _required_groups(schema: Any) -> list[list[str]] | None:
    """Return the members that a schema or each of its branches requires, if it says no more."""
    if not isinstance(schema, dict):
        return None
    ignored = {*_DESCRIBING, "type"} if schema.get("type") == "object" else _DESCRIBING
    match [(name, each) for name, each in schema.items() if name not in ignored]:
        case [("required", list(names))] if names:
            return [names]
        case [("anyOf", list(branches))]:
            found = list(map(_required_groups, branches))
            return [names for groups in found for names in groups or ()] if all(found) else None
    return None


def allowed_values(error: ValidationError) -> list[Any] | None:
    """Return the values that a keyword lists; None if it says something else."""
    if error.keyword == "enum":
        return list(error.expected)
    if error.keyword not in BRANCHES:
        return None
    found, value = _listed_by_branches(error.requirement), error.instance
    if found and value in found and frozen(value) in map(frozen, found):  # by several of `oneOf`
        return None
    return found


@lru_cache(maxsize=512)
def _listed_by_branches(requirement: Requirement) -> list[Any] | None:
    """Return the values that the branches list; None where one says something else."""
    found: list[Any] = []
    for branch in requirement.schema[requirement.keyword]:
        schema = branch
        if isinstance(schema, dict) and schema.keys() - _DESCRIBING == {"$ref"}:
            schema = requirement.targets[id(schema)]
        if (values := listed_values(schema)) is None:
            return None
        found += values
    return found


def listed_values(schema: Any) -> list[Any] | None:
    """Return the values that a schema lists; None if it says something else."""
    if not isinstance(schema, dict):
        return None
    types, ignored = schema.get("type"), {*_DESCRIBING, "type"}
    match [(name, each) for name, each in schema.items() if name not in ignored]:
        case [("const", value)]:
            values = [value]
        case [("enum", list(values))]:
            pass
        case []:
            return [None] if types == "null" else None
        case _:
            return None
    field = Field(types=(types,) if isinstance(types, str) else tuple(types or ()))
    return [each for each in values if field.allows_type(each)] or (None if types else values)
