"""Members whose values stand elsewhere: under another name, one level off, in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from manifestkit.findings.durations import unit_of
from manifestkit.findings.fixes import moving_fix
from manifestkit.findings.shapes import (
    HOLE,
    ShapeReader,
    has_holes,
    has_listed,
    is_file,
    losses,
    shape_text,
)
from manifestkit.findings.words import label, listed, named, place_of
from manifestkit.model.finding import Description, Fix, Related
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import is_path_of, plain_name

_DISPLAYED = "displayname"  # what a package is called, where its `name` is an identifier
_MOST_LOOKED_AT, _LONGEST_NAME = 100, 100
_MOST_ITEMS = 100


class _ForeignDraft(NamedTuple):
    """A whole manifest of what a document of another format says.

    Attributes:
        text: its JSON text, with examples where something is missing.
        has_values: whether it has a value of the document.
        fix: makes it of the document; None where something is missing.
    """

    text: str
    has_values: bool
    fix: Fix | None


class _FoundValue(NamedTuple):
    """A missing member whose value stands elsewhere.

    Attributes:
        value: the value; with holes where only a part of it stands elsewhere.
        sources: the members that it is made of.
        is_gathered: whether it is an object of members beside its place.
        renamed: the members of the value that have another name where they stand.
        is_union: whether it is a list of what several lists have, each once.
    """

    value: Any
    sources: tuple[Path, ...]
    is_gathered: bool = False
    renamed: tuple[tuple[str, str], ...] = ()
    is_union: bool = False


class Stray(NamedTuple):
    """An unknown member that may be meant as a known one.

    Attributes:
        target: the place of the known one.
        value: its value there; None where there is one already.
        is_sure: whether it can hardly mean anything else.
    """

    target: Path
    value: Any
    is_sure: bool


def describe_found(manifest: Manifest, path: Path, name: str) -> Description | None:
    """Describe a missing member whose value stands under another name or at another place.

    None where it stands nowhere.
    """
    found = find(manifest, path, name)
    if found is None:
        return None
    sources, target, document = found.sources, (*path, name), manifest.document
    here = sources[0][:-1]
    fix = moving_fix(manifest, sources, target, found.value)
    shown = f"write {shape_text(manifest, target, found.value, name)}"
    renamed = listed([f"{named(old)} instead of {named(new)}" for old, new in found.renamed], "and")
    if here != path:
        called = "" if sources[0][-1] == name else f" as {named(name)}"
        message = f"{named(sources[0][-1])} belongs {place_of(path)}{called}, not {place_of(here)}"
        message += f", and has {renamed}" if renamed else ""
        shown = fix.message
    elif found.is_gathered:
        names = listed([each[-1] for each in sources], "and", named)
        verb = "belongs" if len(sources) == 1 else "belong"
        message = f"{names} {verb} in {label(target)}, not {place_of(path)}"
    else:
        message = f"{label(path)} has {named(sources[0][-1])} instead of {named(name)}"
        message += f", and in it {renamed}" if renamed else ""
    location, *others = map(document.locate_key, sources)
    related = tuple(
        Related("written here", format_pointer(each), place)
        for each, place in zip(sources[1:], others, strict=True)
    )
    if has_holes(found.value):
        do = f"in place of {'it' if len(sources) == 1 else 'them'}, {shown}"
        return Description(message, do, related=related, location=location)
    old = [document.value_at(each) for each in sources]
    lost = "" if found.is_union else losses(old, found.value)
    fix = fix._replace(message=f"{fix.message}{lost}")
    return Description(message, f"{shown}{lost}", fixes=(fix,), related=related, location=location)


def find(manifest: Manifest, path: Path, name: str) -> _FoundValue | None:
    """Return a missing member whose value stands under another name, or one level off.

    An object is also made of members that stand beside its place.
    """
    here, field = manifest.document.value_or_none(path), manifest.field((*path, name)) or Field()
    if not isinstance(here, dict) or len(here) > _MOST_LOOKED_AT:
        return None
    named = (
        each
        for each, known in ShapeReader.known_by(manifest.schema, path, here).items()
        if known == name
    )
    if (found := _by_paths(manifest, path, name)) is not None:
        return found
    sources = [*((*path, each) for each in named), *_one_level_off(manifest, path, name)]
    for is_draft in (False, True) if sources else ():
        reader = ShapeReader(manifest, is_draft=is_draft)
        for source in sources:
            fitted = reader.move(source, (*path, name))
            if fitted is not None:
                renamed = _renamed(manifest.document.value_at(source), fitted[0])
                return _FoundValue(fitted[0], (source,), renamed=tuple(dict.fromkeys(renamed)))
    if field.types == ("array",):
        return _in_items(manifest, path, name, here)
    return _gathered(manifest, path, name, field) if field.members else None


def _in_items(
    manifest: Manifest, path: Path, name: str, here: dict[str, Any]
) -> _FoundValue | None:
    """Return a missing list whose items stand in the items of a list beside its place."""
    sources = [
        (*path, beside, index, name)
        for beside, items in here.items()
        if manifest.field((*path, beside)) is not None
        for index, each in enumerate(items[:_MOST_ITEMS] if isinstance(items, list) else [])
        if isinstance(each, dict) and _is_free(manifest, (*path, beside, index, name))
        if isinstance(each.get(name), list)
    ]
    texts = [each for source in sources for each in manifest.document.value_at(source)]
    if not texts or not all(isinstance(each, str) for each in texts):
        return None
    value = list(dict.fromkeys(texts))
    fitted = ShapeReader(manifest).fit((*path, name), value, (*path, name))
    return _FoundValue(fitted[0], tuple(sources), is_union=True) if fitted else None


def draft(manifest: Manifest) -> _ForeignDraft:
    """Draft a manifest of what a document of another format says."""
    root = manifest.field(())
    value: dict[str, Any] = {}
    sources: dict[Path, None] = {}
    for name in root.required if root else ():
        found = find(manifest, (), name) or _FoundValue(ShapeReader(manifest).blank((name,)), ())
        value[name] = found.value
        sources |= dict.fromkeys(found.sources)
    fix = None
    if sources and not has_holes(value):
        removals = ({"op": "remove", "path": format_pointer(each)} for each in sources)
        additions = (
            {"op": "add", "path": format_pointer((name,)), "value": each}
            for name, each in value.items()
        )
        fix = Fix("move the values to their members", "unsafe", (), (*removals, *additions))
    return _ForeignDraft(shape_text(manifest, (), value), bool(sources), fix)


def strays(manifest: Manifest, place: Path) -> dict[str, Stray]:
    """Return the unknown members of an object that may be meant as known ones, here or elsewhere.

    One that can well be its author's own is sure to be meant by its value only: a file, a count of
    time, a listed value.
    """
    here, field = manifest.document.value_or_none(place), manifest.field(place)
    found: dict[str, Stray] = {}
    if field is None or not isinstance(here, dict) or len(here) > _MOST_LOOKED_AT:
        return found
    of_any = tuple(0 if isinstance(token, int) else token for token in place)
    names = tuple(each for each in here if len(each) <= _LONGEST_NAME)
    for name, (known, twin) in _likely(manifest.schema, of_any, names).items():
        value = here[name]
        if not _is_free(manifest, (*place, name)):
            continue
        fitted = ShapeReader(manifest).move((*place, name), (*place, known)) if known else None
        if known and fitted:
            is_time = None not in (unit_of(name), unit_of(known))
            is_sure = is_time or is_file(manifest.schema.field((*place, known)), fitted[0])
            is_sure = is_sure and known not in field.required
            found[name] = Stray((*place, known), fitted[0], is_sure)
        elif twin and (
            plain_name(name) == plain_name(twin) or has_listed(manifest, (*place, twin), value)
        ):
            found[name] = Stray((*place, twin), None, is_sure=True)
        elif target := _elsewhere(manifest, name, value):
            found[name] = Stray(target, value, is_sure=True)
    return found


@lru_cache(maxsize=64)  # most items of an array have the same members
def _likely(
    schema: Schema, place: Path, names: tuple[str, ...]
) -> Mapping[str, tuple[str | None, str | None]]:
    """Return the unknown members that may be meant as known ones, by their names.

    Each has the member that it is another name of, and the one that is there and is much like it.
    """
    field = schema.field(place) or Field()
    known_by = ShapeReader.known_by(schema, place, names)
    fields = {each: schema.field((*place, each)) or Field() for each in field.members}
    twins = {
        plain_name(each): name
        for name in field.members
        if name in names
        for each in (name, *fields[name].synonyms)
    }
    found = {}
    for name in names:
        twin = twins.get(plain_name(name))
        is_like = name in known_by or twin or name in schema.member_names
        if name not in field.members and is_like:
            found[name] = known_by.get(name), twin
    return found


def _renamed(old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Yield the old and new names of members in a value, which are in the same order."""
    if isinstance(new, list) and isinstance(old, dict):
        yield from _renamed([old], new)
    elif isinstance(new, list) and isinstance(old, list):
        for one, other in zip(old, new, strict=False):
            yield from _renamed(one, other)
    elif isinstance(new, dict) and isinstance(old, dict):
        for (name, each), (other_name, other) in zip(old.items(), new.items(), strict=False):
            if name != other_name and each == other:
                yield name, other_name
            yield from _renamed(each, other)


def _elsewhere(manifest: Manifest, name: str, value: Any) -> Path | None:
    """Return where a member belongs that stands at another place."""
    schema, root = manifest.schema, manifest.document.value
    if schema.marks.isdisjoint(root):
        return None
    if not manifest.has_comparisons_left(len(schema.fields)):
        return None
    for path, field in schema.fields:
        if path[-1:] != (name,) or not field.allows_type(value):
            continue
        owner = schema.field(path[:-1]) or Field()
        is_there = manifest.document.value_or_none(path) is not None
        is_own = field.common or (field.file and not is_file(field, value))
        if has_listed(manifest, path, value) if name in owner.required else not is_own:
            return path if is_there or name not in owner.required else None
    return None


def _one_level_off(manifest: Manifest, path: Path, name: str) -> Iterator[Path]:
    here = manifest.document.value_or_none(path)
    beside = manifest.document.value_or_none(path[:-1]) if path else None
    owners, around = [(path[:-1], beside)], [(path, here), (path[:-1], beside)]
    identifier = field.identifier if (field := manifest.field(path)) else None
    if identifier not in (None, name) and isinstance(here, dict) and identifier not in here:
        del around[0]  # an object in it may be named by what identifies it
    for place, value in around:
        if isinstance(value, dict) and len(value) <= _MOST_LOOKED_AT:
            parts = value.items()
            owners += [((*place, key), each) for key, each in parts if isinstance(each, dict)]
    synonyms = (manifest.schema.field((*path, name)) or Field()).synonyms
    for each in (name, *synonyms):
        for place, owner in owners:
            is_there = isinstance(owner, dict) and each in owner and place != path
            if is_there and _is_free(manifest, (*place, each)):
                yield (*place, each)


def _is_free(manifest: Manifest, path: Path) -> bool:
    """Return whether no schema describes a member."""
    fields = (manifest.field(path), *(each.field(path) for each in manifest.profiles))
    return all(each is None for each in fields)


def _gathered(manifest: Manifest, path: Path, name: str, field: Field) -> _FoundValue | None:
    """Return an object of the members beside its place, by their names or other ones."""
    here = manifest.document.value_or_none(path)
    names = ShapeReader.known_by(manifest.schema, (*path, name), here)
    names |= {each: each for each in field.members if each in here}
    names |= {each: field.label for each in here if field.label and plain_name(each) == _DISPLAYED}
    free = {known: each for each, known in names.items() if _is_free(manifest, (*path, each))}
    value: dict[str, Any] = {}
    sources: list[Path] = []
    for member in field.members:
        place = (*path, name, member)
        source = (*path, free.get(member, ""))
        fitted = ShapeReader(manifest).move(source, place) if member in free else None
        if fitted is not None:
            value[member] = fitted[0]
            sources.append(source)
        elif member in field.required:
            value[member] = ShapeReader(manifest).blank(place)
    return _FoundValue(value, tuple(sources), is_gathered=True) if sources else None


def _by_paths(manifest: Manifest, path: Path, name: str) -> _FoundValue | None:
    """Return a missing member of which the parts stand under their paths: ``provider.id``."""
    here = manifest.document.value_at(path)
    parts = {each: _path_in(each, name) for each in here}
    value: Any = None
    for written, steps in parts.items():
        if steps:
            value = _with_part(value, steps, here[written])
    sources = tuple((*path, written) for written, steps in parts.items() if steps)
    fitted = ShapeReader(manifest).fit((*path, name), value, (*path, name)) if sources else None
    return _FoundValue(fitted[0], sources, is_gathered=True) if fitted else None


def _path_in(written: str, name: str) -> list[str | int]:
    """Return the steps that follow a member's name in a path: ``provider.id``, ``items[0].id``."""
    steps = re.split(r"[.\[\]]+", written.removeprefix(name)) if is_path_of(written, name) else []
    return [int(step) if step.isdecimal() else step for step in steps if step]


def _with_part(whole: Any, steps: Sequence[str | int], part: Any) -> Any:
    """Return an object or array with a part at some steps; a gap in an array is a hole."""
    if not steps:
        return part
    step, *others = steps
    if isinstance(step, str):
        members = whole if isinstance(whole, dict) else {}
        return {**members, step: _with_part(members.get(step), others, part)}
    items = list(whole) if isinstance(whole, list) else []
    items += [HOLE] * (min(step, _MOST_ITEMS) + 1 - len(items))
    items[min(step, _MOST_ITEMS)] = _with_part(items[min(step, _MOST_ITEMS)], others, part)
    return items
