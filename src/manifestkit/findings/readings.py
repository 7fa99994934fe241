"""Values in the right shape, as their author wrote them in another one.

A schema says which shape a value has and which other names a member has; a value is read by
that, from the root of a wrong part to its leaves. What is left open is `HOLE`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator
from itertools import islice
from typing import Any

from manifestkit.files import other_tools
from manifestkit.findings.contents import (
    Reading,
    is_small,
    refuses,
    refusing_words,
    says_no,
    split,
    texts_in,
    translations,
)
from manifestkit.findings.durations import integers, is_in_another_unit, unit_of
from manifestkit.model.pointer import Path
from manifestkit.schema.manifest import Manifest, renames
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import is_slip, plain_name

HOLE = "…"
"""Stand-in for a value that the author has yet to give; compared by identity."""

_MOST_PARTS, _LONGEST_NAME = 100, 100
_MOST_STEPS = 20_000
_DEEPEST, _MOST_REQUIRED = 3, 20
_NOTHING: tuple[Any, ...] = (None, "", {})
_AROUND, _MARKS = r"(?s)\A\s*[(\[{](.*)[)\]}]\s*\Z", frozenset("()[]{}\"'")
_SUFFIX = r"\.\w+$"
_ASSIGNED, _BEFORE_ASSIGNED = (
    r"\s*(\w{1,100})\s?[=:]\s*(\S.*)",
    r"(?<![\s,;])[\s,;]+(?=\w{1,100}\s?=)",
)
_SIZE = r"(?<!\w)([0-9]{1,4})(?:x[0-9]*|px|(?<=[0-9]{2}))(?!\w)"  # of a picture
_VERSION = r"\d+(?:\.\d+)+"
_VERSION_PARTS = ("major", "minor", "patch")
_WORD = r"\w[\w.-]*"
_FORMS = (
    r"v?[0-9]+(?:\.[0-9]+)+\S*",  # a version
    r"\S*[/\\]\S*|\S+\.(?:html?|m?js|py|ts)",  # a path
    r"[a-z0-9]+(?:[._-][a-z0-9]+)*",  # an identifier
    r"[^@]+",  # a name
)
_FILES = (
    r"[^\s:]+\.(?:[cm]?[jt]sx?|py|html?|jar|wasm|exe|dll|sh|rb|php|lua|dart)",  # programs
    r"(?i)\S+\.(?:avif|gif|ico|jpe?g|png|svg|webp)",  # pictures
)
_MOST_ITEMS = 5


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

    def move(self, source: Path, place: Path, types: tuple[str, ...] = ()) -> Reading | None:
        """Return what a small value means at its place, or at another one; None in a denial.

        Args:
            source: where it stands.
            place: where it belongs.
            types: what it may be there, where only a profile describes it.
        """
        value, field = self.manifest.document.value_at(source), self.manifest.schema.field(place)
        if not is_small(value) or self.manifest.has_duplicates(source):
            return None
        if types and field is None and isinstance(value, dict | list):
            return None
        others = (each for each in source if isinstance(each, str) and each not in place)
        if any(map(refusing_words, others)):
            return None
        reading = self._read(place, value, source, field or Field(types=types))
        if reading and reading.value in ([], {}) and value not in (*_NOTHING, reading.value):
            return None
        return reading

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

    def blank_around(self, place: Path, value: Any) -> Any:
        """Return what is required at a place, with the texts of what stands there in it."""
        blank = self.blank(place)
        if not isinstance(value, str | list) or len(value) > _MOST_ITEMS * _LONGEST_NAME:
            return blank
        texts = split(value, at_blanks=False) if isinstance(value, str) else value
        if any(not isinstance(x, str) or len(x) > _LONGEST_NAME or refuses(x) for x in texts):
            return blank
        if isinstance(blank, dict):
            return self._with_texts(place, blank, texts)
        if blank in ([], HOLE) or not isinstance(blank[0], dict) or len(texts) > _MOST_ITEMS:
            return blank
        return [self._with_texts((*place, 0), blank[0], [each]) for each in texts] or blank

    def files_in(self, place: Path, value: Any) -> list[str]:
        """Return the files that a small value names, of the kind that belongs at a place."""
        field = self.manifest.schema.field(place) or Field()
        sample = str(next(iter(field.examples), "")) if field.file and is_small(value) else ""
        kind = next((each for each in _FILES if re.fullmatch(each, sample)), r"(?!)")
        words = " ".join(texts_in([value])).split()
        return [*dict.fromkeys(each for each in words if re.fullmatch(kind, each))]

    def _with_texts(self, place: Path, blank: dict[str, Any], texts: list[str]) -> dict[str, Any]:
        """Return an object with texts in its holes: each in the first with an example alike."""
        filled = dict(blank)
        for text in texts[: len(blank)]:
            for name, each in filled.items():
                examples = (self.manifest.schema.field((*place, name)) or Field()).examples
                forms = (_form(text), *map(_form, examples[:1]))
                if each is HOLE and (forms[:1] == forms[1:] or forms == _FORMS[2:]):
                    filled[name] = text
                    break
        return filled

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
            if each not in field.members and len(each) <= _LONGEST_NAME
        ]
        owners = (field.title or "", *place[-1:], *field.synonyms)
        for known in [each for each in field.members if each not in members] if unknown else ():
            member = schema.field((*place, known)) or Field()
            own = (f"{each} {known}" for each in owners)
            others = set(map(plain_name, (known, *own, *member.synonyms)))
            ends = 3 if unit_of(known) else 2  # it may also have another unit at its end
            names = (each[0] for each in unknown if not others.isdisjoint(each[1:ends]))
            for written in islice((each for each in names if each not in found), 1):
                found[written] = known
        return found

    def _read(
        self, place: Path, value: Any, at: Path, field: Field | None = None
    ) -> Reading | None:
        """Return what a value that stands `at` one place means at another."""
        field = field or self.manifest.schema.field(place)
        if field is None:
            return Reading(value, is_safe=True)
        self._left -= 1
        if self._left < 0:
            return None
        as_it_is = self._held(place, field, value, at)
        names = (str(each[-1]) if each else "" for each in (at, place))
        if as_it_is is not None and not is_in_another_unit(value, *names):
            return as_it_is
        for reading in self._readings(place, field, value, at):
            held = self._held(place, field, reading.value, at)
            if held is not None:
                return Reading(held.value, reading.is_safe and held.is_safe)
        return None

    def _held(self, place: Path, field: Field, value: Any, at: Path) -> Reading | None:
        """Return a value of the right type with all that it holds as the schema wants it."""
        if value is HOLE:
            return Reading(value, is_safe=False)
        if not field.allows_type(value):
            return None
        if field.values:
            allowed = [each for each, _ in field.values]
            is_listed = isinstance(value, Hashable) and value in allowed
            return Reading(value, is_safe=True) if is_listed else None
        if isinstance(value, list):
            items = enumerate(value)
            return _all_of([self._read((*place, n), each, (*at, n)) for n, each in items])
        if isinstance(value, dict) and field.members:
            return self._members(place, field, value, at)
        return Reading(value, is_safe=True)

    def _members(
        self, place: Path, field: Field, value: dict[str, Any], at: Path
    ) -> Reading | None:
        names = {**self.known_by(self.manifest.schema, place, value), **renames(value, field)}
        parts: dict[str, Reading | None] = {}
        for written, each in value.items():
            name = names.get(written, written)
            if name in parts or (field.closed and name not in field.members):
                return None
            reading = self._read((*place, name), each, self._part(at, written))
            is_sure = name == written or is_slip(written, name)
            parts[name] = reading and Reading(reading.value, reading.is_safe and is_sure)
        if self.is_draft and not parts.keys().isdisjoint(field.required):
            blank = ((name, self.blank((*place, name))) for name in field.required)
            parts = {**{name: Reading(each, is_safe=False) for name, each in blank}, **parts}
        elif not parts.keys() >= set(field.required):
            return None
        held = _all_of(list(parts.values()))
        return held and Reading(dict(zip(parts, held.value, strict=True)), held.is_safe)

    def _part(self, at: Path, name: str) -> Path:
        """Return where a member stands: in its object, or in one of a list of them."""
        owner = self.manifest.document.value_or_none(at)
        items = enumerate(owner) if isinstance(owner, list) else ()
        holding = (n for n, each in items if isinstance(each, dict) and name in each)
        return (*at, *islice(holding, 1), name)

    def _readings(self, place: Path, field: Field, value: Any, at: Path) -> Iterator[Reading]:
        """Yield what a value of the wrong shape may mean."""
        if field.types == ("array",):
            yield from _lists(field, self.manifest.schema.field((*place, 0)) or Field(), value)
        elif isinstance(value, list) and len(value) == 1:
            if reading := self._read(place, value[0], (*at, 0)):
                yield reading
        elif field.members and (members := _members_in(value, field)):
            if reading := self._read(place, members, at):
                yield reading._replace(is_safe=False)
        elif field.types == ("integer",):
            yield from integers(value, str(at[-1]), str(place[-1]))
        elif field.types == ("string",):
            yield from self._texts(place, field, value, at)
        if (texts := translations(value)) and not says_no(value):
            yield Reading(next(iter(texts.values())), is_safe=False)
        if isinstance(value, dict):
            yield from self._only_value(place, field, value, at)

    def _texts(self, place: Path, field: Field, value: Any, at: Path) -> Iterator[Reading]:
        """Yield the largest picture, a version from its parts, or a number as text."""
        document = self.manifest.document
        yield from self._largest(place, value)
        parts = [*map(value.get, _VERSION_PARTS)] if isinstance(value, dict) else value
        if isinstance(parts, list) and all(type(each) is int for each in parts):
            is_version = any(re.fullmatch(_VERSION, str(each)) for each in field.examples)
            is_whole = isinstance(value, dict) and len(value) == len(parts)
            yield from [Reading(".".join(map(str, parts)), is_whole)] * is_version
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        for text in field.starter:
            is_number = isinstance(text, str) and re.fullmatch(r"\d+\.\d+", text)
            is_same = bool(is_number) and float(text) == value
            if is_same or at[-1] != place[-1]:  # or it is the version of another format
                yield Reading(text, is_same)
        if document.value_or_none(at) is value:
            yield Reading(document.spelling(at), is_safe=True)

    def _largest(self, place: Path, pictures: Any) -> Iterator[Reading]:
        """Yield the file of the largest of several pictures, where each has its size."""
        parts = [*map(list, pictures.items())] if isinstance(pictures, dict) else pictures
        sizes: dict[str, int] = {}
        for each in parts if isinstance(parts, list) else ():
            numbers = re.findall(_SIZE, str(each))
            sizes |= dict.fromkeys(self.files_in(place, each), int(max((0, *numbers), key=int)))
        if len(sizes) > 1 and all(sizes.values()):
            yield Reading(max(sizes, key=sizes.__getitem__), is_safe=False)

    def _only_value(
        self, place: Path, field: Field, value: dict[str, Any], at: Path
    ) -> Iterator[Reading]:
        """Yield the value of the one member of an object that is allowed, or that there is."""
        around = self.manifest.document.value_or_none(at[:-1])
        if isinstance(place[-1], int) and isinstance(around, list) and len(around) <= _MOST_PARTS:
            yield from _keyed(value, field, around)
        allowed = [each for each, _ in field.values]
        held = [each for each in value.values() if each in allowed]
        held = self.files_in(place, value) if field.file else held
        names = {*map(plain_name, (*field.synonyms, str(place[-1])))}
        known = [each for name, each in value.items() if plain_name(name) in names]
        held = known if len(known) == 1 and field.types == ("string",) else held
        if len(value) > len(held) == 1 and not says_no(value):
            yield Reading(held[0], is_safe=False)
        lists = {name: each for name, each in value.items() if isinstance(each, list)}
        only = lists if field.types == ("array",) and not says_no(value) else value
        if len(only) == 1 and not field.identifier:
            ((name, each),) = only.items()
            is_value = not isinstance(each, dict) and not refusing_words(name)
            if is_value and (reading := self._read(place, each, (*at, name))):
                yield reading._replace(is_safe=False)
        elif only is lists and len(lists) == len(value):
            parts = [part for each in lists.values() for part in each]
            yield from [Reading(parts, is_safe=False)] * ({dict} == {*map(type, parts)})


def _form(text: Any) -> str | None:
    return next((each for each in _FORMS if re.fullmatch(each, str(text).strip())), None)


def _all_of(parts: list[Reading | None]) -> Reading | None:
    """Return the values of all parts; None where a part does not fit."""
    fitted = [each for each in parts if each is not None]
    if len(fitted) < len(parts):
        return None
    return Reading([each.value for each in fitted], all(each.is_safe for each in fitted))


def _members_in(value: Any, field: Field) -> dict[str, Any]:
    """Return the members that stand in a list, each as an object or as `name=value`, or a text."""
    pairs: list[tuple[str, Any]] = []
    parts = re.split(_BEFORE_ASSIGNED, value.strip("@{ }")) if isinstance(value, str) else value
    for each in parts if isinstance(parts, list) else ():
        if isinstance(each, str) and (found := re.fullmatch(_ASSIGNED, each)):
            pairs.append((found[1], found[2].strip("\"'")))
        elif isinstance(each, dict):
            first, *others = each or ("",)
            is_pair = others == ["value"]
            pairs += [(str(each[first]), each["value"])] if is_pair else each.items()
        else:
            is_file = field.closed and len(field.members) == 1 and re.search(_SUFFIX, str(value))
            return dict.fromkeys(field.members, value) if is_file and each == value else {}
    return dict(pairs) if len(dict(pairs)) == len(pairs) else {}


def _lists(field: Field, item: Field, value: Any) -> Iterator[Reading]:
    """Yield the lists that nothing, a text or an object may mean."""
    if value in _NOTHING and [] in field.examples:
        yield Reading([], value == {})
    elif isinstance(value, str):
        bare = re.sub(_AROUND, r"\1", value)
        parts = split(bare, at_blanks=bool(item.values)) if not _MARKS & {*bare} else []
        if parts and parts != [value]:
            yield Reading(parts, len(parts) > 1 and bool(item.values))
        if item.values or re.fullmatch(_WORD, value.strip()):
            is_item = not refuses(value) and value.strip().lower() not in other_tools("fillers")
            yield Reading([value], bool(item.values) or is_item)
    elif item.identifier and 1 < len(members := _members_in(value, item)) == len(value):
        yield from _by_identifier(members, item.identifier, item)
    elif isinstance(value, dict) and value and len(value) <= _MOST_PARTS:
        yield Reading([value], is_safe=True)
        if all(map(str.isdigit, value)):  # as PHP and Lua write a list
            yield Reading([*value.values()], is_safe=False)
        if item.identifier:
            yield from _by_identifier(value, item.identifier, item)
        elif item.values or all(isinstance(each, bool) for each in value.values()):
            names = [name for name, each in value.items() if not says_no(each)]
            is_all = all(each is True for each in value.values())
            yield Reading(names, bool(item.values) and is_all)


def _keyed(value: dict[str, Any], item: Field, around: list[Any]) -> Iterator[Reading]:
    """Yield an item whose first key is its id, with the members below that key or beside it."""
    first, *others = value or ("",)
    held = value.get(first) or {}
    members = _members_in(held, item) if isinstance(held, list) else held
    alike = [each for each in around if isinstance(each, dict) and first in each]
    is_label = isinstance(members, str) and plain_name(first) in plain_name(members)
    is_label = is_label and item.label not in others and {*item.members}.issuperset(others)
    is_whole = item.identifier not in (None, *value) and (is_label or not (others and members))
    if is_whole and len(alike) == 1 and re.fullmatch(_WORD, first):
        for whole in _by_identifier({first: members}, str(item.identifier), item):
            yield Reading(whole.value[0] | {each: value[each] for each in others}, is_safe=False)


def _by_identifier(value: dict[str, Any], identifier: str, item: Field) -> Iterator[Reading]:
    """Yield an object whose names are identifiers as the list of what it holds, or of its names.

    What has another identifier than its name would lose one of the two.
    """
    items: list[dict[str, Any]] = []
    columns = [[*each.values()] if isinstance(each, dict) else each for each in value.values()]
    is_table = all(isinstance(x, list) and len(x) == len(columns[0]) > 0 for x in columns)
    if is_table and not value.keys().isdisjoint(item.members):
        rows = [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
        yield Reading(rows, is_safe=False)
    for name, each in value.items():
        members = {item.label: each} if item.label and isinstance(each, str) else each
        if not isinstance(members, dict) or members.get(identifier, name) != name:
            return
        items.append({identifier: name} | members)
    if value.keys().isdisjoint(item.members):
        yield Reading(items, is_safe=False)
