"""Members whose values stand elsewhere: under another name, one level off, side by side."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

from manifestkit.findings.fixes import moving_fix
from manifestkit.findings.readings import HOLE, ShapeReader
from manifestkit.findings.shapes import shape_text
from manifestkit.findings.words import label, listed, meaning, member_excerpt, named, place_of
from manifestkit.model.finding import Description, Fix, Related
from manifestkit.model.pointer import Path, format_pointer, walk
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import plain_name

_MOST_LOOKED_AT = 100
_NAME_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])"
_IDENTIFIER = r"@?[a-z0-9]+(?:[._/-][a-z0-9]+)*|[\w-]+(?:\.[\w-]+)+"
_MOST_OPTIONS = 100  # characters


class _FoundValue(NamedTuple):
    """A missing member whose value stands elsewhere.

    Attributes:
        value: the value; with holes where only a part of it stands elsewhere.
        sources: the members that it is made of.
        is_gathered: whether it is an object of members beside its place.
        is_sure: whether no other meaning is as likely.
    """

    value: Any
    sources: tuple[Path, ...]
    is_gathered: bool = False
    is_sure: bool = True


def describe_found(manifest: Manifest, path: Path, name: str) -> Description | None:
    """Describe a missing member whose value stands under another name or at another place.

    None where it stands nowhere.
    """
    found = find(manifest, path, name)
    likely = [] if found else _likely(manifest, path, name)
    if len(likely) == 1 and likely[0].is_sure:
        (found,) = likely
    if found is None:
        values = listed([member_excerpt(name, each.value) for each in likely])
        names = listed([*dict.fromkeys(each.sources[-1][-1] for each in likely)], say=named)
        do = f"write {values}, if {names} is it"
        return Description(f"{label(path)} has no {named(name)}", do) if likely else None
    sources, target, document = found.sources, (*path, name), manifest.document
    written, here = sources[0][-1], sources[0][:-1]
    fix = moving_fix(manifest, sources, target, found.value)
    do = f"write {shape_text(manifest, target, found.value, name)}"
    names = listed([each[-1] for each in sources], "and", named)
    if found.is_gathered:
        verb = "belongs" if len(sources) == 1 else "belong"
        message = f"{names} {verb} in {label(target)}, not {place_of(path)}"
    elif here != path:
        called = "" if written == name else f" as {named(name)}"
        instead = place_of(here)
        if len(sources) > 1:
            instead, do = f"in items of {label(here[:-1])}", f"{do} {place_of(path)}"
        else:
            do = fix.message
        message = f"{named(written)} belongs {place_of(path)}{called}, not {instead}"
    else:
        message = f"{label(path)} has {names} instead of {named(name)}"
        is_text = isinstance(found.value, str) and found.value != document.value_at(sources[0])
        if is_text and (purpose := meaning(manifest.schema.field(target))):
            do += f" ({purpose})"
        rest = {each: value for each, value in document.value_at(path).items() if each != written}
        for other, known in ShapeReader.known_by(manifest.schema, path, rest).items():
            if known == written and isinstance(rest[other], str):  # a member of the schema
                do += f" and {member_excerpt(known, rest[other])}"
                own = [{"op": "replace", "path": format_pointer(sources[0]), "value": rest[other]}]
                own += [{"op": "remove", "path": format_pointer((*path, other))}]
                added = {"op": "add", "path": format_pointer(target), "value": found.value}
                fix = Fix(do, "unsafe", (), (added, *own))
    location, *others = map(document.locate_key, sources)
    related = tuple(
        Related("written here", format_pointer(each), place)
        for each, place in zip(sources[1:], others, strict=True)
    )
    if _has_holes(found.value):
        do = f"in place of {'it' if len(sources) == 1 else 'them'}, {do}"
        return Description(message, do, related=related, location=location)
    return Description(message, do, fixes=(fix,), related=related, location=location)


def _likely(manifest: Manifest, path: Path, name: str) -> list[_FoundValue]:
    """Return what unknown members have beside a missing one that may be its value.

    Their names have its words, or they name files of its kind: in the arguments of a command, too.
    """
    here, target, found = manifest.document.value_at(path), (*path, name), list[_FoundValue]()
    free = [each for each in islice(here, _MOST_LOOKED_AT) if _is_free(manifest, (*path, each))]
    words = {each: f"-{'-'.join(re.findall(_NAME_WORD, each))}-".lower() for each in (name, *free)}
    field = manifest.schema.field(target) or Field()
    for each in free if field.types else ():
        is_alike = words[name] in words[each] and field.allows_type(here[each])
        known = map(plain_name, manifest.schema.names_anywhere[0])
        is_alike = is_alike and plain_name(each) not in known
        if is_alike and (reading := ShapeReader(manifest).move((*path, each), target)):
            is_sure = words[each].startswith(words[name])
            found.append(_FoundValue(reading.value, ((*path, each),), is_sure=is_sure))
    for before, each in pairwise((None, *free)) if not found else ():
        is_command = isinstance(here[each], list) and isinstance(here.get(before), str)
        sources = [(*path, one) for one in ([before, each] if is_command else [each])]
        files = ShapeReader(manifest).files_in(target, here[each])
        found += [_FoundValue(file, tuple(sources)) for file in files]
    return found


def find(manifest: Manifest, path: Path, name: str) -> _FoundValue | None:
    """Return a missing member whose value stands under another name, or one level off.

    An object is also made of members that stand beside its place.
    """
    here = manifest.document.value_or_none(path)
    field = manifest.schema.field((*path, name)) or Field()
    if not isinstance(here, dict) or len(here) > _MOST_LOOKED_AT:
        return None
    known_by = ShapeReader.known_by(manifest.schema, path, here)
    sources = [(*path, each) for each, known in known_by.items() if known == name]
    sources += [*_one_level_off(manifest, path, name), *_taken(manifest, path, name, here)]
    objects = [each for each in here if isinstance(here[each], dict)] if field.required else []
    whole = [(*path, each) for each in objects if here[each].keys() >= {*field.required}]
    sources += whole if len(whole) == 1 and _is_free(manifest, whole[0]) else []
    for is_draft in (False, True) if sources else ():
        reader = ShapeReader(manifest, is_draft=is_draft)
        for source in sources:
            if reading := reader.move(source, (*path, name)):
                return _FoundValue(reading.value, (source,))
    if field.members:
        return _gathered(manifest, path, name, field)
    return _from_items(manifest, path, name)


def _taken(manifest: Manifest, path: Path, name: str, here: dict[str, Any]) -> Iterator[Path]:
    """Yield the member that has an identifier, where its own value stands under another name."""
    owner = manifest.schema.field(path) or Field()
    for other in owner.members if name == owner.identifier else ():
        rest = [each for each in here if each != other]
        is_id = re.fullmatch(_IDENTIFIER, str(here.get(other)))
        if is_id and other in ShapeReader.known_by(manifest.schema, path, rest).values():
            yield (*path, other)


def _from_items(manifest: Manifest, path: Path, name: str) -> _FoundValue | None:
    """Return a list that the items of one beside its place have, each what it needs of it."""
    here, found = manifest.document.value_at(path), dict[Path, list[Any]]()
    for beside, items in here.items():
        field = manifest.schema.field((*path, beside, 0)) if isinstance(items, list) else None
        for index, each in enumerate(items[:_MOST_LOOKED_AT] if field and field.members else ()):
            source = (*path, beside, index, name)
            if isinstance(each, dict) and name in each and _is_free(manifest, source):
                reading = ShapeReader(manifest).move(source, (*path, name))
                if reading is None or not isinstance(reading.value, list):
                    return None
                found[source] = reading.value
    value = [*dict.fromkeys(each for values in found.values() for each in values)]
    return _FoundValue(value, tuple(found)) if found else None


def _one_level_off(manifest: Manifest, path: Path, name: str) -> Iterator[Path]:
    """Yield the members of such a name around an object, and in the objects there and in it."""
    here, field = manifest.document.value_or_none(path), manifest.schema.field(path) or Field()
    around = [(path, here)]
    if field.identifier not in (None, name) and field.identifier not in (here or ()):
        around = []  # an object in it may be named by what identifies it
    owners: list[tuple[Path, Any]] = []
    if path:
        owners = [(path[:-1], manifest.document.value_or_none(path[:-1]))]
    around += owners
    if owners and isinstance(owners[0][1], list) and path[-1] == len(owners[0][1]) - 1:
        owners.append((path[:-2], manifest.document.value_or_none(path[:-2])))
    for place, value in around:
        if isinstance(value, dict) and len(value) <= _MOST_LOOKED_AT:
            owners += [((*place, key), each) for key, each in value.items()]
    synonyms = (manifest.schema.field((*path, name)) or Field()).synonyms
    objects = [each for each in owners if isinstance(each[1], dict) and each[0] != path]
    for each in (name, *synonyms):
        for place, owner in objects:
            if each in owner and _is_free(manifest, (*place, each)):
                yield (*place, each)


def _gathered(manifest: Manifest, path: Path, name: str, field: Field) -> _FoundValue | None:
    """Return an object of the members beside its place, by their names or other ones."""
    here = manifest.document.value_or_none(path)
    names = ShapeReader.known_by(manifest.schema, (*path, name), here)
    names |= {each: each for each in field.members if each in here}
    free = {known: each for each, known in names.items() if _is_free(manifest, (*path, each))}
    value: dict[str, Any] = {}
    sources: list[Path] = []
    for member in field.members if free else ():
        place, reader = (*path, name, member), ShapeReader(manifest)
        reading = reader.move((*path, free[member]), place) if member in free else None
        if reading is not None:
            value[member] = reading.value
            sources.append((*path, free[member]))
        elif member in field.required:
            value[member] = reader.blank(place)
    return _FoundValue(value, tuple(sources), is_gathered=True) if sources else None


def _is_free(manifest: Manifest, path: Path) -> bool:
    """Return whether no schema describes a member."""
    fields = (manifest.schema.field(path), *(each.field(path) for each in manifest.profiles))
    return all(each is None for each in fields)


def _has_holes(value: Any) -> bool:
    """Return whether a value has yet to be completed."""
    return any(part is HOLE for _, part in walk(value))


def draft(manifest: Manifest) -> tuple[str, Fix | None] | None:
    """Draft a manifest of what a document of another format says; None where it says nothing.

    Returns:
        The options of `manifest new` that say it, as far as a line can hold them; and the fix that
        makes a manifest of the document, where nothing is missing.
    """
    root = manifest.schema.field(())
    value: dict[str, Any] = {}
    sources: dict[Path, None] = {}
    options = ""
    for name in root.required if root else ():
        blank = ShapeReader(manifest).blank((name,))
        found = find(manifest, (), name) or _FoundValue(blank, ())
        value[name] = found.value
        sources |= dict.fromkeys(found.sources)
        for option in _options(manifest, name, found.value) if found.value != blank else ():
            options += option if len(options) + len(option) <= _MOST_OPTIONS else ""
    if not sources:
        return None
    removals = ({"op": "remove", "path": format_pointer(each)} for each in sources)
    additions = (
        {"op": "add", "path": format_pointer((name,)), "value": each}
        for name, each in value.items()
    )
    fix = Fix("move the values to their members", "unsafe", (), (*removals, *additions))
    return options, None if _has_holes(value) else fix


def _options(manifest: Manifest, name: str, value: Any) -> Iterator[str]:
    """Yield the options for the texts of a member: of those in it, or of its items."""
    kinds = {listed: kind for kind, listed in manifest.schema.kinds.items()}
    texts = [(name, value)]
    if isinstance(value, dict):
        texts = [*value.items()]
    elif isinstance(value, list):
        texts = [(kinds.get(name, name), each) for each in value]
    for option, each in texts:
        parts = each.values() if isinstance(each, dict) else [each]
        if all(isinstance(part, str) and part is not HOLE and part.isprintable() for part in parts):
            text = shlex.quote("=".join(parts))
            if "`" not in text:
                yield f" --{option.replace('_', '-')} {text}"
