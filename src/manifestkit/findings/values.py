"""Descriptions of a value that has the wrong type, or is not one of those that are allowed."""

from __future__ import annotations

import fnmatch
import json
import math
import re
from contextlib import suppress
from typing import Any

from manifestkit.findings.contents import is_small, listed_in, split
from manifestkit.findings.fixes import remove_fix, replace_fix
from manifestkit.findings.messages import allowed_values, listed_values
from manifestkit.findings.readings import ShapeReader
from manifestkit.findings.shapes import describe_shape, shape_text
from manifestkit.findings.words import (
    excerpt,
    fits,
    label,
    listed,
    look_alike,
    meaning,
    named,
    with_article,
)
from manifestkit.model.finding import Description, Edit, Fix
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import Suggestion, resembles_listed, suggest
from manifestkit.schema.validation_error import ValidationError

_LONGEST = 80  # of a value with a wildcard
_MOST_SHOWN, _MOST_PARTS = 400, 20
_NONE = frozenset({"[]", "false", "no", "none", "nothing", "null"})
_ALL = frozenset({"all", "any", "everything", "read-all", "write-all"})
_SINGLE = {"string": str, "integer": int}


def describe_type(manifest: Manifest, error: ValidationError, said: Description) -> Description:
    """Describe a value of the wrong type by the one that was probably meant."""
    path, value = error.path, error.instance
    if value is None and (below := _unindented(manifest, path)):
        return Description(
            f"{label(path)} is empty: the lines below it are not indented",
            f"indent {listed(below, 'and', named)}",
            location=manifest.document.locate_key(path),
        )
    expected = error.expected
    types = (expected,) if isinstance(expected, str) else tuple(expected)
    if isinstance(value, str) and (held := _held_in(value, types)) is not None:
        do = "write what the string holds, without its quotes and backslashes"
        fix = replace_fix(path, held)._replace(message=do, safety="unsafe")
        return said._replace(help=do, fixes=(fix,))
    return (
        describe_shape(manifest, error, said, types)
        or _around_manifest(error, said)
        or _wildcard(manifest, (*path, 0), value, said)
        or _around_listed(manifest, error, said)
        or _one_of_several(value, types, said)
        or said._replace(help=_by_example(manifest, error, said.help))
    )


def _by_example(manifest: Manifest, error: ValidationError, do: str | None) -> str | None:
    """Return what to write in the place of a value of which nothing can be used."""
    path, value = error.path, error.instance
    field, owner = manifest.field(path) or Field(), manifest.field(path[:-1]) or Field()
    name = str(path[-1]) if path else ""
    examples = [each for each in field.examples if fits(each)]
    if value and not (isinstance(value, str) and value.lower() in _NONE):
        examples.sort(key=lambda each: each == [])
    if isinstance(value, float) and math.isfinite(value) and field.types == ("integer",):
        examples = [math.ceil(value)]
    if do and (names := field.required or field.members):
        do = f"{do} with {listed(names, 'and', named)}"
    if not path and field.required:
        return do
    blank = ShapeReader(manifest).blank(path) if path else None
    if blank and isinstance(blank, dict | list):
        return f"write {shape_text(manifest, path, blank)}"
    if examples:
        do = f"write, for example, {excerpt(examples[0])}"
    if value is None and name in owner.members and name not in owner.required:
        return f"{do}, or leave out {named(name)}"
    if do and (purpose := meaning(field)):
        do = f"{do} ({purpose})"
    if do and value is None and path and isinstance(path[-1], int):
        do = f"{do}, or remove the item"
    return do


def _around_manifest(error: ValidationError, said: Description) -> Description | None:
    """Describe an array of manifests."""
    value, do = error.instance, "remove the brackets around the object"
    if error.path or not isinstance(value, list) or {type(each) for each in value} != {dict}:
        return None
    if len(value) > 1:
        return said._replace(help="write each object to its own file")
    fix = replace_fix((), value[0])._replace(message=do, safety="unsafe")
    return said._replace(help=do, fixes=(fix,))


def _held_in(text: str, types: tuple[str, ...]) -> Any:
    """Return the array or object of one of the types that a text is as JSON, or None."""
    with suppress(ValueError, RecursionError):
        due = {"[": "array", "{": "object"}.get(text.lstrip()[:1])
        return json.loads(text, parse_constant=int) if due in types else None  # no NaN
    return None


def _wildcard(
    manifest: Manifest, path: Path, value: object, said: Description
) -> Description | None:
    """Describe a value with a wildcard by those that it stands for, where these are listed."""
    field = manifest.field(path)
    if not isinstance(value, str) or len(value) > _LONGEST or field is None or not field.values:
        return None
    pattern = "*" if value.strip("<>").lower() in _ALL else value
    allowed = [each for each, _ in field.values if isinstance(each, str)]
    matched = fnmatch.filter(allowed, pattern if "*" in pattern else f"{pattern}.*")
    if not matched and "*" not in pattern:
        return None
    is_item = manifest.document.value_or_none(path) == value
    shown = _items(matched or allowed, is_item=is_item)
    why = "there are no wildcards" if "*" in value else f"{named(value)} stands for no other names"
    return said._replace(help=f"{why}: list what you need of {shown}")


def _around_listed(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a value in the place of a list, or of an item, by what can be listed of it."""
    is_item = bool(error.path) and isinstance(error.path[-1], int)
    item = manifest.field(error.path if is_item else (*error.path, 0))
    known = listed_in(item, error.instance)
    if not known:
        return None
    return said._replace(help=f"list what you need of {_items(known, is_item=is_item)}")


def _items(values: list[Any], *, is_item: bool) -> str:
    """Return the items of a list; without its brackets, where these are there."""
    shown = excerpt(values, _MOST_SHOWN)
    return f"`{shown[2:-2]}`" if is_item else shown


def _one_of_several(value: Any, types: tuple[str, ...], said: Description) -> Description | None:
    """Describe several values in the place of one, such as translations of a text."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list) or not 1 < len(parts) < _MOST_PARTS or len(types) != 1:
        return None
    if any(type(each) is not _SINGLE.get(types[0]) for each in parts):
        return None
    first = f"write one of them, such as {excerpt(parts[0])}"
    return said._replace(help=f"{first}; the format has no place for the others")


def _unindented(manifest: Manifest, path: Path) -> list[str]:
    """Return the members beside an empty member of a YAML manifest that belong in it."""
    field, own = manifest.field(path), manifest.field(path[:-1])
    owner = manifest.document.value_or_none(path[:-1])
    found: list[str] = []
    if manifest.document.syntax != "yaml" or not (field and own and path):
        return found
    names = list(owner) if isinstance(owner, dict) and path[-1] in owner else [path[-1]]
    for name in names[names.index(path[-1]) + 1 :]:
        if name not in field.members or name in own.members:
            break
        found.append(str(name))
    return found


def describe_value(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a value that is not one of a list, or is one of those that are not allowed.

    None where the schema lists no values.
    """
    is_item = bool(error.path) and isinstance(error.path[-1], int)
    if error.keyword == "not":
        if listed_values(error.expected) is None:
            return None
        is_ours = is_item and "message" not in error.requirement.annotations
        return said._replace(fixes=(remove_fix(error.path),)) if is_ours else said
    allowed = allowed_values(error)
    if allowed is None:
        return None
    value, other = error.instance, None
    if not isinstance(value, str):
        return said
    counterpart = manifest.schema.counterpart(manifest.field(error.path)) or Field()
    others = tuple([each for each, _ in counterpart.values if isinstance(each, str)])
    near = Suggestion((), is_sure=False)
    if compares := manifest.has_comparisons_left(len(allowed)):
        other = counterpart.title if value in dict(counterpart.values) else None
        texts = tuple([each for each in allowed if isinstance(each, str)])
        near = suggest(value, texts, others)
    said = said._replace(message=_not_of_list(error, other, near.values) or said.message)
    if near.values and "*" not in value:
        return _meant(error.path, value, near, said)
    wildcard = _wildcard(manifest, error.path, value, said)
    if wildcard or not is_item:
        return wildcard or said
    several = _several_in_one(manifest, error.path, allowed, said) if compares else None
    return several or _odd_item(error, said, others, compares=compares)


def _odd_item(
    error: ValidationError, said: Description, others: tuple[str, ...], *, compares: bool
) -> Description:
    """Describe an item that resembles no listed value, by those that stand in it, if any."""
    value = error.instance
    listed_here = tuple(each for each in error.expected if isinstance(each, str))
    is_odd = compares and not resembles_listed(value, listed_here, others)
    fixes = (remove_fix(error.path),) if is_odd else ()
    within = [each for each in listed_here if compares and _has_word(value, each)]
    do = f"remove it, or {said.help}" if said.help else None
    prefix = value[: value.rfind(".") + 1]
    if "." in prefix[:-1] and (alike := [each for each in listed_here if each.startswith(prefix)]):
        do = f"remove it, or use {listed(alike[:_MOST_PARTS], say=excerpt)}"
    if within:
        each_own = ", each in its own string" if len(within) > 1 else ""
        do, fixes = f"write only {listed(within, 'and', named)}{each_own}, or remove it", ()
    return said._replace(help=do, fixes=fixes)


def _several_in_one(
    manifest: Manifest, path: Path, allowed: list[Any], said: Description
) -> Description | None:
    """Describe a text that lists allowed values, as a lost dash or comma makes it.

    None where another item of its list has something else.
    """
    items = manifest.document.value_or_none(path[:-1])
    if not isinstance(items, list) or len(items) > _MOST_PARTS or not is_small(items):
        return None
    values: list[Any] = []
    for each in items:
        is_one = each in allowed or not isinstance(each, str)
        values += [each] if is_one else split(each, at_blanks=True) or [each]
    if not all(each in allowed for each in values):
        return None
    message = f"{label(path)} has several values in one string"
    do = f"write each in its own string: {_items(values, is_item=True)}"
    return said._replace(message=message, help=do, fixes=(replace_fix(path[:-1], values),))


def _has_word(text: str, word: str) -> bool:
    begin = text[:_MOST_SHOWN]
    return word in begin and bool(re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", begin))


def _meant(path: Path, value: str, near: Suggestion, said: Description) -> Description:
    do = f"did you mean {listed(near.values, say=named)}?"
    if len(near.values) > 1:
        return said._replace(help=do)
    (answer,) = near.values
    if not value.isascii() and (why := look_alike(value, answer)):
        do += f" {why}"
    fix = replace_fix(path, answer)
    if not near.is_sure:
        fix = fix._replace(safety="unsafe")
    return Description(said.message, do, answer, (fix,))


def _not_of_list(error: ValidationError, other: str | None, answers: tuple[str, ...]) -> str | None:
    """Name a wrong value by the title of its list; None where that has none.

    Args:
        error: the error.
        other: the title of the list that has the value as another name for the same thing.
        answers: the values that may be meant.
    """
    title = error.requirement.schema.get("title")
    if not isinstance(title, str):
        return None
    own, value = title.lower(), named(error.instance)
    if not other:
        return f"{value} is not {with_article(own)}"
    if len(answers) == 1:
        return f"{value} is {with_article(other.lower())}; the {own} is {named(answers[0])}"
    return f"{value} is {with_article(other.lower())}, not {with_article(own)}"


def describe_swap(manifest: Manifest, path: Path, other: Path) -> Description:
    """Describe two lists that hold each other's values: what stands beside one stays there."""
    first, second, document = label(path), label(other), manifest.document
    operations = tuple(
        {"op": "replace", "path": format_pointer(to), "value": document.value_at(source)}
        for to, source in ((path, other), (other, path))
    )
    here, there = document.locate_key(path), document.locate_key(other)
    names = [document.text[each.span.start : each.span.end] for each in (here, there)]
    edits = (Edit(*here.span, names[1]), Edit(*there.span, names[0]))
    do = f"swap {first} and {second}"
    return Description(
        f"{first} lists {second[1:-1]}, and {second} {first[1:-1]}",
        do,
        fixes=(Fix(do, "unsafe", edits, operations),),
        location=here,
    )
