"""Values in the right shape, as their author wrote them in another one.

A schema says which shape a value has and which other names a member has; a value is read by
that, from the root of a wrong part to its leaves. What is left open is `HOLE`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from typing import Any, NamedTuple

from manifestkit.findings.durations import amounts, integers, is_in_another_unit, unit_of
from manifestkit.findings.fixes import replace_fix
from manifestkit.findings.messages import as_written
from manifestkit.findings.words import (
    excerpt,
    label,
    listed,
    meaning,
    member_excerpt,
    named,
)
from manifestkit.model.finding import Description
from manifestkit.model.limits import is_deeper
from manifestkit.model.pointer import Path
from manifestkit.schema.manifest import Manifest, renames
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import is_slip, plain_name
from manifestkit.schema.validation_error import ValidationError

HOLE = "…"
"""Stand-in for a value that the author has yet to give; compared by identity."""

_LONGEST = 400  # of a value that is shown in its right shape: people copy it
_LOST = 3
_MOST_PARTS = 100
_MOST_JOINED = 20  # items: the list is looked at for each wrong one
_MOST_VALUES, _CHARACTERS = 1_000, 100
_MOST_STEPS = 20_000
_DEEPEST, _MOST_NESTED, _MOST_REQUIRED = 3, 100, 20
_NOTHING: tuple[Any, ...] = (None, "", {})
_REFUSING = frozenset(
    {
        *("block", "blocked", "denied", "deny", "disabled", "exclude", "excluded", "forbidden"),
        *("except", "never", "no", "none", "not", "off", "false", "0", "unless", "without"),
        *("blacklist", "blocklist", "denylist", "disallow", "disallowed", "notallowed", "optout"),
        *("prohibited", "refused", "rejected", "removed", "revoked", "unwanted", "withheld"),
    }
)
_IDENTIFIER = r"[a-z0-9]+([._-]+[a-z0-9]+)*"
_SUFFIX = r"\.\w+$"
_IN_A_FILE = rf"/|{_SUFFIX}"  # what a text has that is a path
_SEPARATORS_OF_WORDS = (  # bullets and numbers, too
    r"(?:[\s,;|+]|(?<!\S)(?:-|(?:[\u2022\u00b7\u2013\u2014*]|\d{1,2}+[.)])(?=\s)))+"
)
_SEPARATORS = r"[,;|]"
_ALTERNATIVES = r"[|+*\u2022\u00b7\u2013\u2014]|(?<!\S)-|\d[.)]"
_WORD = r"\w[\w.-]*"
_NO_ITEM = _REFUSING | {
    *("all", "any", "default", "n", "n/a", "nil", "nothing", "null", "on", "tbd", "todo", "true"),
    *("undefined", "unknown", "y", "yes"),
}


class _Shape(NamedTuple):
    """A value that fits its place, made of one that does not.

    Attributes:
        path: what it replaces.
        value: the value.
        is_safe: whether nothing is lost, and no other value could be meant.
    """

    path: Path
    value: Any
    is_safe: bool


def describe_shape(
    manifest: Manifest,
    error: ValidationError,
    said: Description,
    types: tuple[str, ...] = (),
    purpose: str | None = None,
    allowed: list[Any] | None = None,
) -> Description | None:
    """Describe a value of the wrong shape by the one that was probably meant; None without one.

    Args:
        manifest: the manifest.
        error: the error.
        said: the message and the help by the keyword alone.
        types: what the value may be, where only a profile describes it.
        purpose: what the value is for.
        allowed: the values of which a list may be made, if only such a one is meant.
    """
    shape = _reshape(manifest, error.path, error.instance, types)
    if shape is None:
        return None
    value, old = shape.value, manifest.document.value_at(shape.path)
    own = shape.path[-1] if shape.path and shape.path != error.path else None
    if allowed is not None:
        if not isinstance(value, list) or not all(each in allowed for each in value):
            return None
        if own is not None:
            message = f"{label(error.path)} has several values in one string"
            said = said._replace(message=message)
    fix = replace_fix(shape.path, value)
    fix = fix if shape.is_safe else fix._replace(safety="unsafe")
    if isinstance(value, dict | list):
        name = own if isinstance(own, str) else None
        do = f"write {shape_text(manifest, shape.path, value, name)}"
        if has_holes(value):
            return said._replace(help=do)
        lost = losses(old, value)
    else:
        number, do, lost = error.instance, fix.message, ""
        if not isinstance(number, int | float):
            do += f" ({purpose})" if purpose else ""
        elif isinstance(value, str):
            said = said._replace(message=_as_spelt(manifest, shape, said.message, number))
        text = value if isinstance(value, str) else json.dumps(value)
        said = said._replace(suggestion=text)
        if isinstance(old, dict) and not shape.is_safe:
            dropped = [name for name, each in old.items() if each != value] or list(old)
            keys = "the keys" if len(dropped) > 1 else "the key"
            lost = f"; this drops {keys} {listed(dropped, 'and', named)}"
    fix = fix._replace(message=f"{fix.message}{lost}")
    return said._replace(help=f"{do}{lost}", fixes=(fix,))


def describe_usable(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a value of the wrong shape by what can be used of it, or all that is required.

    None if nothing can be used, and nothing is required.
    """
    usable = _describe_listed(manifest, error, said) or _describe_number(manifest, error, said)
    blank = ShapeReader(manifest).blank(error.path) if usable is None and error.path else None
    if not blank or blank is HOLE or isinstance(blank, str):
        return usable
    return said._replace(help=f"write {shape_text(manifest, error.path, blank)}")


def _describe_listed(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe an object or a text in the place of a list by the allowed values in it, if any."""
    value, item = error.instance, manifest.schema.field((*error.path, 0))
    if not item or not item.values or not _is_small(value):
        return None
    if isinstance(value, dict):
        wanted = [name for name, each in value.items() if not (_refuses(each) or _refuses(name))]
        lists = [value[name] for name in wanted if isinstance(value[name], list)]
        wanted += [each for below in lists for each in below if isinstance(each, str)]
        others = [*value, *_texts(value)]
    else:
        wanted = others = _values(value, item)
    allowed = [each for each, _ in item.values]
    known = [each for each in dict.fromkeys(wanted) if each in allowed]
    unknown = [each for each in dict.fromkeys(others) if each not in known]
    if not known or not unknown or (isinstance(value, str) and any(map(_refuses, wanted))):
        return None
    lost = listed(unknown[:_LOST], "and", named)
    return said._replace(
        help=f"write {excerpt(known, _LONGEST)}; the format has no place for {lost}"
    )


def _describe_number(
    manifest: Manifest, error: ValidationError, said: Description
) -> Description | None:
    """Describe a fraction, or a text around numbers, in the place of an integer."""
    field = manifest.schema.field(error.path)
    if field is None or field.types != ("integer",):
        return None
    name, value = str(error.path[-1]) if error.path else "", error.instance
    is_fraction = type(value) is float and math.isfinite(value)
    found = [value] if is_fraction else amounts(value, name)
    whole = dict.fromkeys(
        each for amount in found for each in (math.floor(amount), math.ceil(amount)) if each > 0
    )
    if not 0 < len(whole) <= _LOST:
        return None
    is_in_words = len(whole) == 1 and list(whole) == found
    which = "the number alone" if is_in_words else "one whole number"
    do = f"write {which}: {listed(list(whole), say=excerpt)}"
    return said._replace(help=f"{do} ({meaning(field)})" if field.description else do)


def _as_spelt(manifest: Manifest, shape: _Shape, message: str, number: float) -> str:
    """Return a message about a number as that is written, unless a text of ours takes its place."""
    field = manifest.schema.field(shape.path) or Field()
    return message if shape.value in field.starter else as_written(message, number, shape.value)


def losses(old: Any, new: Any) -> str:
    """Say which texts of an object or array are not in the value in its place."""
    texts = _dropped_texts(old, new)
    if not texts:
        return ""
    shown = [excerpt(each) for each in texts[:_LOST]]
    if len(texts) > _LOST:
        shown.append(f"{len(texts) - _LOST} more")
    values = "the value" if len(texts) == 1 else "the values"
    is_off = isinstance(old, dict) and all(old.get(each) is False for each in texts)
    why = "set to `false`" if is_off else "for which the format has no place"
    return f"; this drops {values} {listed(shown, 'and')}, {why}"


def has_holes(value: Any) -> bool:
    """Return whether a value has yet to be completed."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is HOLE or any(map(has_holes, parts))


def _reshape(manifest: Manifest, path: Path, value: Any, types: tuple[str, ...]) -> _Shape | None:
    """Return the shape that a small value of the wrong one was probably meant to have.

    An item that is a list, or a text with several values, is joined with those around it.

    Args:
        manifest: the manifest.
        path: the place of the value.
        value: the value.
        types: what it may be, where only a profile describes it.
    """
    field = manifest.schema.field(path)
    if not path or not (field or isinstance(value, str | int | float)) or not _is_small(value):
        return None
    if manifest.has_duplicates(path):
        return None
    reader = ShapeReader(manifest)
    field = field or Field(types=types)
    fitted = reader.read(path, field, value, path)
    if fitted is not None:
        return None if _empties(value, fitted[0]) else _Shape(path, *fitted)
    if not isinstance(value, list) and len(_values(value, field)) <= 1:
        return None
    around = manifest.document.value_or_none(path[:-1])
    if isinstance(around, list) and len(around) <= _MOST_JOINED and _is_small(around):
        joined = reader.fit(path[:-1], around, path[:-1])
        if joined and not manifest.has_duplicates(path[:-1]):
            return _Shape(path[:-1], *joined)
    return None


def describe_parts(manifest: Manifest, path: Path, said: Description) -> Description | None:
    """Describe items of which each is a member of one object; None if an item is no such part."""
    joined = joined_items(manifest, path)
    if joined is None:
        return None
    items, first, last = joined
    owner, between = path[:-1], "and" if last == first + 1 else "to"
    parts = f"{label((*owner, first))} {between} {label((*owner, last))}"
    fix = replace_fix(owner, items)._replace(safety="unsafe")
    do = f"write {shape_text(manifest, owner, items, str(owner[-1]))}"
    return said._replace(message=f"{parts} are the members of one object", help=do, fixes=(fix,))


def joined_items(manifest: Manifest, path: Path) -> tuple[list[Any], int, int] | None:
    """Return a list with its items joined that are members of one object each, as of one at a path.

    Returns:
        The list, and the first and last of the items that make up the one at the path.
    """
    items, index = manifest.document.value_or_none(path[:-1]), path[-1] if path else None
    field = manifest.schema.field(path)
    if (
        not isinstance(index, int)
        or not field
        or not isinstance(items, list)
        or len(items) > _MOST_JOINED
    ):
        return None
    required = set(field.required)
    for each in items:
        if not isinstance(each, dict) or not each or not each.keys() <= set(field.members):
            return None
    joined: list[dict[str, Any]] = []
    ends: list[int] = []
    for number, each in enumerate(items):
        is_part = not each.keys() >= required
        if is_part and joined and joined[-1].keys().isdisjoint(each):
            joined[-1] |= each
            ends[-1] = number
        else:
            joined.append(dict(each))
            ends.append(number)
    if len(joined) == len(items) or not all(each.keys() >= required for each in joined):
        return None
    last = next(end for end in ends if end >= index)
    first = next((end + 1 for end in reversed(ends) if end < last), 0)
    return joined, first, last


def _dropped_texts(old: Any, new: Any) -> list[str]:
    """Return the texts of an object or array that are not in the value in its place, as often."""
    if not isinstance(old, dict | list) or not isinstance(new, dict | list):
        return []
    if isinstance(old, dict) and _with_groups(old) == new:
        members = (below for below in old.values() if isinstance(below, dict))
        return [name for below in members for name, each in below.items() if each is not True]
    kept = Counter(_texts(new))
    dropped = []
    for each in _texts(old):
        parts = [each] if kept[each] else re.split(_SEPARATORS_OF_WORDS, each.strip())
        if all(kept[part] for part in parts):
            kept.subtract(parts)
        else:
            dropped.append(each)
    return dropped


def _empties(old: Any, new: Any) -> bool:
    return new in ([], {}) and old not in (*_NOTHING, new)


def shape_text(manifest: Manifest, place: Path, value: Any, name: str | None = None) -> str:
    """Return the JSON text of a value, with examples in its holes, and say which they are.

    Args:
        manifest: the manifest.
        place: the place of the value.
        value: the value.
        name: its member's, where that is to be written, too.
    """
    missing: list[str] = []
    shown = _filled(manifest, place, len(place), value, missing)
    text = excerpt(shown, _LONGEST) if name is None else member_excerpt(name, shown, _LONGEST)
    if not missing:
        return text
    return f"{text}; put in your own {listed(missing, 'and')}"


def _filled(manifest: Manifest, path: Path, above: int, part: Any, missing: list[str]) -> Any:
    """Return a part of a value with examples in its holes, and note what these are.

    Args:
        manifest: the manifest.
        path: the place of the part.
        above: how much of the path leads to the value.
        part: the part.
        missing: gets the name of each hole.
    """
    if isinstance(part, dict):
        return {
            name: _filled(manifest, (*path, name), above, each, missing)
            for name, each in part.items()
        }
    if isinstance(part, list):
        return [
            _filled(manifest, (*path, index), above, each, missing)
            for index, each in enumerate(part)
        ]
    if part is not HOLE:
        return part
    field = manifest.schema.field(path) or Field()
    purpose, named = meaning(field), label(path[above:])
    missing.append(f"{named} ({purpose})" if purpose else named)
    return field.examples[0] if field.examples else HOLE


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in an object or array, and the names for which it says no."""
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, str):
                yield each
            elif _refuses(each):
                yield name
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, str):
                yield each
            yield from _texts(each)


def _refuses(value: Any) -> bool:
    """Return whether a value says no to what its name says."""
    text = value.strip().lower() if isinstance(value, str) else ""
    says_no = text in _REFUSING or plain_name(text) in _REFUSING
    return value is None or value is False or value == 0 or says_no


def _is_small(value: Any) -> bool:
    """Return whether a value may be shown and written once more."""
    if is_deeper(value, _MOST_NESTED):
        return False
    left = _MOST_VALUES
    todo = [value]
    for each in todo:
        left -= 1 + (len(each) // _CHARACTERS if isinstance(each, str) else 0)
        if isinstance(each, dict | list):
            if len(each) > left:
                return False
            todo += each.values() if isinstance(each, dict) else each
        if left < 0:
            return False
    return True


class ShapeReader:
    """Reads values as the schema wants them, for as many steps as a person's value takes.

    Attributes:
        manifest: tells the schema, and how numbers are spelt.
        is_draft: whether a missing part is a hole; else its whole does not fit.
    """

    def __init__(self, manifest: Manifest, *, is_draft: bool = False) -> None:
        self.manifest = manifest
        self.is_draft = is_draft
        self._left = _MOST_STEPS

    def move(self, source: Path, place: Path) -> tuple[Any, bool] | None:
        """Return what the small value of a member means at another place; None in a denial."""
        value, field = self.manifest.document.value_at(source), self.manifest.schema.field(place)
        if field and field.starter and isinstance(value, int):  # the version of another format
            return field.starter[0], False
        if not _is_small(value) or self.manifest.has_duplicates(source):
            return None
        if any(isinstance(each, str) and _refuses(each) for each in source):
            return None
        fitted = self.fit(place, value, source)
        return None if fitted and _empties(value, fitted[0]) else fitted

    def fit(self, place: Path, value: Any, at: Path) -> tuple[Any, bool] | None:
        """Return what a value means at a place, and whether that is safe to write.

        Args:
            place: the place, with the right names.
            value: the value.
            at: where it stands in the document.
        """
        field = self.manifest.schema.field(place)
        return (value, True) if field is None else self.read(place, field, value, at)

    def read(self, place: Path, field: Field, value: Any, at: Path) -> tuple[Any, bool] | None:
        """Return the same by a description of the place."""
        self._left -= 1
        if self._left < 0:
            return None
        as_it_is = self._held(place, field, value, at)
        names = (str(each[-1]) if each else "" for each in (at, place))
        if as_it_is is not None and not is_in_another_unit(value, *names):
            return as_it_is
        for reading, is_safe in self._readings(place, field, value, at):
            held = self._held(place, field, reading, at)
            if held is not None:
                return held[0], is_safe and held[1]
        return None

    @staticmethod
    def known_by(schema: Schema, place: Path, members: Collection[str]) -> dict[str, str]:
        """Return the members that stand under other names: these, with the right ones."""
        field = schema.field(place)
        found: dict[str, str] = {}
        if field is None or len(members) > _MOST_PARTS:
            return found
        unknown = [
            (each, plain_name(each), plain_name(each.removesuffix(unit_of(each) or "")))
            for each in members
            if each not in field.members and len(each) <= _CHARACTERS
        ]
        for known in field.members if unknown else ():
            if known in members:
                continue
            member = schema.field((*place, known))
            others = {plain_name(each) for each in (known, *(member.synonyms if member else ()))}
            is_time = unit_of(known) is not None  # it may also have another unit at its end
            for written, plain, without_unit in unknown:
                is_name = plain in others or (is_time and without_unit in others)
                if is_name and written not in found:
                    found[written] = known
                    break
        return found

    def blank(self, place: Path) -> Any:
        """Return what is required at a place, all of it to be written yet."""
        field = self.manifest.schema.field(place) or Field()
        if field.starter:
            return field.starter[0]
        if [] in field.examples:
            return []
        if len(place) >= _DEEPEST or len(field.required) > _MOST_REQUIRED:
            return HOLE
        if field.types == ("array",):
            return [self.blank((*place, 0))]
        return {name: self.blank((*place, name)) for name in field.required} or HOLE

    def _held(self, place: Path, field: Field, value: Any, at: Path) -> tuple[Any, bool] | None:
        """Return a value with all that it holds as the schema wants it."""
        if value is HOLE:
            return value, False
        if not field.allows_type(value):
            return None
        if field.values:
            allowed = [each for each, _ in field.values]
            return (value, True) if isinstance(value, Hashable) and value in allowed else None
        if isinstance(value, list):
            items = [
                self.fit((*place, index), each, (*at, index)) for index, each in enumerate(value)
            ]
            return _all_of(items)
        if isinstance(value, dict) and field.members:
            return self._members(place, field, value, at)
        return value, True

    def _members(
        self, place: Path, field: Field, value: dict[str, Any], at: Path
    ) -> tuple[Any, bool] | None:
        names = {**self.known_by(self.manifest.schema, place, value), **renames(value, field)}
        parts: dict[str, tuple[Any, bool] | None] = {}
        for written, each in value.items():
            name = names.get(written, written)
            if name in parts or (field.closed and name not in field.members):
                return None
            fitted = self.fit((*place, name), each, (*at, written))
            is_sure = name == written or is_slip(written, name)
            parts[name] = fitted and (fitted[0], fitted[1] and is_sure)
        if self.is_draft and not parts.keys().isdisjoint(field.required):
            blank = {name: self.blank((*place, name)) for name in field.required}
            parts = {**{name: (each, False) for name, each in blank.items()}, **parts}
        elif not parts.keys() >= set(field.required):
            return None
        held = _all_of(list(parts.values()))
        return (dict(zip(parts, held[0], strict=True)), held[1]) if held else None

    def _readings(
        self, place: Path, field: Field, value: Any, at: Path
    ) -> Iterator[tuple[Any, bool]]:
        """Yield what a value of the wrong shape may mean, and whether each is safe to write."""
        if field.types == ("array",):
            yield from self._lists(place, field, value)
        elif isinstance(value, list) and len(value) == 1:
            if fitted := self.fit(place, value[0], (*at, 0)):
                yield fitted
        elif field.types == ("object",):
            yield from self._objects(place, field, value)
        elif field.types == ("integer",):
            yield from integers(value, str(at[-1]), str(place[-1]))
        elif field.types == ("string",) and isinstance(value, int | float):
            document = self.manifest.document
            if field.starter and _is_number(field.starter[0], value):
                yield field.starter[0], True
            if not isinstance(value, bool) and document.value_or_none(at) is value:
                spelling = document.spelling(document.node(at))
                yield spelling, True
        if isinstance(value, dict):
            yield from self._only_value(place, field, value, at)

    def _only_value(
        self, place: Path, field: Field, value: dict[str, Any], at: Path
    ) -> Iterator[tuple[Any, bool]]:
        """Yield the value of the one member of an object that is allowed, or that there is."""
        allowed = [each for each, _ in field.values]
        held = [each for each in value.values() if each in allowed]
        if field.file:
            texts = (each for each in value.values() if isinstance(each, str))
            held = [each for each in texts if re.search(_SUFFIX, each)]
        if len(value) > len(held) == 1 and not any(map(_refuses, value)):
            yield held[0], False
        if len(value) == 1 and not field.identifier:
            ((name, each),) = value.items()
            is_value = not isinstance(each, dict) and not _refuses(name)
            fitted = self.fit(place, each, (*at, name)) if is_value else None
            if fitted is not None and not has_holes(fitted[0]):
                yield fitted[0], False

    def _lists(self, place: Path, field: Field, value: Any) -> Iterator[tuple[list[Any], bool]]:
        item = self.manifest.schema.field((*place, 0)) or Field()
        if value in _NOTHING and [] in field.examples:
            yield [], value == {}
        elif isinstance(value, str):
            parts = _parts(value, item)
            is_sure = len(parts) > 1 and bool(item.values)
            if parts and parts != [value]:
                yield parts, is_sure and not re.search(_ALTERNATIVES, value)
            if item.values or re.fullmatch(_WORD, value.strip()):
                yield [value], bool(item.values) or value.strip().lower() not in _NO_ITEM
            if item.identifier and (members := self._of_text((*place, 0), item, value)):
                yield [dict.fromkeys(item.required, HOLE) | members], False
        elif isinstance(value, list):
            yield from _joined(value, item)
        elif isinstance(value, dict) and value and len(value) <= _MOST_PARTS:
            yield [value], True
            yield from _listed(value, item)

    def _objects(
        self, place: Path, field: Field, value: Any
    ) -> Iterator[tuple[dict[str, Any], bool]]:
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            names = [name for each in value for name in each]
            if len(set(names)) == len(names):
                yield {name: each[name] for each in value for name in each}, False
        elif isinstance(value, dict) and len(value) == 1 and field.identifier:
            yield from ((each, False) for each in _by_identifier(value, field.identifier))
        elif field.identifier and field.label and _is_pair(value):
            yield {field.identifier: value[0], field.label: value[1]}, False
        elif isinstance(value, str) and (members := self._of_text(place, field, value)):
            yield dict.fromkeys(field.required, HOLE) | members, False

    def _of_text(self, place: Path, field: Field, text: str) -> dict[str, str]:
        """Return the required members that a text in the place of their object was meant for."""
        if field.identifier:
            if re.fullmatch(_IDENTIFIER, text) or field.label not in field.required:
                return {field.identifier: text} if text.strip() else {}
            named = {field.label: text} if text.strip() else {}
            short = re.sub(r"[\W_]+", "-", text.lower()).strip("-")
            is_all = len(field.required) == len((field.identifier, field.label))
            return {field.identifier: short, **named} if is_all and short else named
        members = ((name, self.manifest.schema.field((*place, name))) for name in field.members)
        files = [name for name, member in members if member and member.file]
        return {files[0]: text} if files and re.search(_IN_A_FILE, text) else {}


def _is_number(text: Any, number: float) -> bool:
    """Return whether a text is a number, however it is written."""
    is_one = isinstance(text, str) and re.fullmatch(r"\d+\.\d+", text)
    return bool(is_one) and not isinstance(number, bool) and float(text) == number


def _is_pair(value: Any) -> bool:
    """Return whether a value may be an identifier and a name."""
    return (
        isinstance(value, list)
        and len(value) == 2  # noqa: PLR2004 - a pair
        and all(isinstance(each, str) for each in value)
        and re.fullmatch(_IDENTIFIER, value[0]) is not None
    )


def _all_of(parts: list[tuple[Any, bool] | None]) -> tuple[list[Any], bool] | None:
    """Return the values of all parts, and whether all are safe; None where a part does not fit."""
    fitted = [each for each in parts if each is not None]
    if len(fitted) < len(parts):
        return None
    return [each for each, _ in fitted], all(is_safe for _, is_safe in fitted)


def _parts(text: str, item: Field) -> list[str]:
    """Return the values that a text lists."""
    separators = _SEPARATORS_OF_WORDS if item.values else _SEPARATORS
    parts = re.split(separators, text.strip(), maxsplit=_MOST_PARTS)
    return [each.strip() for each in parts if each.strip()]


def _values(value: Any, item: Field) -> list[str]:
    """Return the values that a text lists, where a list of allowed ones tells them apart."""
    return _parts(value, item) if isinstance(value, str) and item.values else []


def _joined(values: list[Any], item: Field) -> Iterator[tuple[list[Any], bool]]:
    """Yield a list whose items are lists, or texts with several values, as one list."""
    joined: list[Any] = []
    is_safe = True
    for each in values[:_MOST_PARTS]:
        if isinstance(each, list) and not (item.identifier and _is_pair(each)):
            joined += each
        else:
            parts = _values(each, item)
            joined += parts if len(parts) > 1 else [each]
            is_safe = is_safe and not (len(parts) > 1 and re.search(_ALTERNATIVES, each))
    if joined != values:
        yield joined, is_safe


def _listed(value: dict[str, Any], item: Field) -> Iterator[tuple[list[Any], bool]]:
    """Yield the lists that an object may mean by its names."""
    every = list(value.values())
    if item.identifier:
        if items := _by_identifier(value, item.identifier):
            yield items, False
        is_item = not value.keys().isdisjoint(item.members)
        if item.label and not is_item and all(isinstance(each, str) for each in every):
            named = ({item.identifier: key, item.label: each} for key, each in value.items())
            yield list(named), False
    elif item.values:
        names = [name for name, each in value.items() if not _refuses(each)]
        yield names, all(each is True for each in every)
        if not any(map(_refuses, value)) and (grouped := _with_groups(value)):
            yield grouped, False
    elif item.types == ("string",) and all(isinstance(each, bool) for each in every):
        yield [name for name, each in value.items() if each], False


def _with_groups(value: dict[str, Any]) -> list[str]:
    return [f"{name}.{each}" for name, below in value.items() for each in _names_in(below)]


def _names_in(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [name for name, each in value.items() if each is True]
    return value if isinstance(value, list) else []


def _by_identifier(value: dict[str, Any], identifier: str) -> list[Any]:
    """Return an object whose names are identifiers as the list of what it holds; else nothing.

    What has another identifier than its name would lose one of the two.
    """
    items = [(name, each) for name, each in value.items() if isinstance(each, dict)]
    if len(items) < len(value) or any(each.get(identifier, name) != name for name, each in items):
        return []
    return [{identifier: name} | each for name, each in items]


def has_listed(manifest: Manifest, path: Path, value: Any) -> bool:
    """Return whether a value has a text that the list at a path may have."""
    item = manifest.schema.field((*path, 0)) or Field()
    return _is_small(value) and any(each in _texts([value]) for each, _ in item.values)


def is_file(field: Field | None, value: Any) -> bool:
    """Return whether a value looks like the path that a schema describes."""
    is_text = isinstance(value, str) and len(value) <= _LONGEST
    return field is not None and field.file and is_text and bool(re.search(_IN_A_FILE, value))
