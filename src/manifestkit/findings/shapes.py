"""Values in the right shape and at the right place, as their author wrote them elsewhere.

A schema says which shape a value has and which other names a member has; a value is read by
that, from the root of a wrong part to its leaves. What is left open is `HOLE`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from manifestkit.findings.fixes import moving_fix, replace_fix
from manifestkit.findings.messages import as_written
from manifestkit.findings.words import (
    excerpt,
    label,
    listed,
    meaning,
    member_excerpt,
    named,
    place_of,
)
from manifestkit.model.finding import Description, Fix, Related
from manifestkit.model.limits import is_deeper
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import TYPES
from manifestkit.schema.manifest import Manifest, renames
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import is_path_of, is_slip, plain_name
from manifestkit.schema.validation_error import ValidationError

HOLE = "…"
"""Stand-in for a value that the author has yet to give; compared by identity."""

_LONGEST = 400  # of a value that is shown in its right shape: people copy it
_LOST = 3
_MOST_PARTS = 100
_MOST_JOINED = 20  # items: the list is looked at for each wrong one
_MOST_VALUES, _CHARACTERS = 1_000, 100
_MOST_LOOKED_AT = 100
_MOST_STEPS = 20_000
_DEEPEST, _MOST_NESTED, _MOST_REQUIRED = 3, 100, 20
_DISPLAYED = "displayname"  # what a package is called, where its `name` is an identifier
_NOTHING: tuple[Any, ...] = (None, "", {})
_REFUSING = frozenset(
    {
        *("block", "blocked", "denied", "deny", "disabled", "exclude", "excluded", "forbidden"),
        *("except", "never", "no", "none", "not", "off", "false", "0", "unless", "without"),
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
_AMOUNTS = frozenset({"amount", "count", "duration", "length", "number", "time", "value"})
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_LONG_UNITS = (
    r"(?:m(?:illi)?s(?:ec)?|s(?:ec)?|m(?:in)?|h(?:r|our)?|(?:second|minute|millisecond))s?"
)
_WHOLE_UNITS = "(?:milliseconds|seconds|minutes|hours)"
_COUNT = r"[0-9]{1,9}+(?:[.,][0-9]{1,2}+)?"
_AMOUNT = rf"(?i)(?<![\w.,:])(?:PT)?({_COUNT})(?: ?({_LONG_UNITS})\b\.?)?(?![\w.,:])"
_DURATION = rf"(?i)(?:PT)?(?:{_COUNT} ?{_LONG_UNITS}\.?[ ,]*+){{1,3}}"
_PART_OF_DURATION = rf"(?i)({_COUNT}) ?({_LONG_UNITS})"
_CLOCK = r"([0-9]{1,2}+):([0-5][0-9]):([0-5][0-9])"
_ODD_TIME = r":|[.,]\d\d"  # a time of day, or minutes after the point
_INTEGER = r"-?[0-9]{1,15}"


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
    """

    value: Any
    sources: tuple[Path, ...]
    is_gathered: bool = False
    renamed: tuple[tuple[str, str], ...] = ()


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
    shown = f"write {_shape_text(manifest, target, found.value, name)}"
    others = listed([f"{named(old)} instead of {named(new)}" for old, new in found.renamed], "and")
    if here != path:
        called = "" if sources[0][-1] == name else f" as {named(name)}"
        message = f"{named(sources[0][-1])} belongs {place_of(path)}{called}, not {place_of(here)}"
        message += f", and has {others}" if others else ""
        shown = fix.message
    elif found.is_gathered:
        names = listed([each[-1] for each in sources], "and", named)
        verb = "belongs" if len(sources) == 1 else "belong"
        message = f"{names} {verb} in {label(target)}, not {place_of(path)}"
    else:
        message = f"{label(path)} has {named(sources[0][-1])} instead of {named(name)}"
        message += f", and in it {others}" if others else ""
    related = tuple(
        Related("written here", format_pointer(each), document.locate_key(each))
        for each in (sources if here == path else ())
    )
    if _has_holes(found.value):
        return Description(message, shown, related=related)
    lost = _lost([document.value_at(each) for each in sources], found.value)
    fix = fix._replace(message=f"{fix.message}{lost}")
    return Description(message, f"{shown}{lost}", fixes=(fix,), related=related)


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
        do = f"write {_shape_text(manifest, shape.path, value, name)}"
        if _has_holes(value):
            return said._replace(help=do)
        lost = _lost(old, value)
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
    blank = _blank(manifest, error.path) if usable is None and error.path else None
    if not blank or blank is HOLE or isinstance(blank, str):
        return usable
    return said._replace(help=f"write {_shape_text(manifest, error.path, blank)}")


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
    amounts = [value] if type(value) is float and math.isfinite(value) else _amounts(value, name)
    whole = dict.fromkeys(
        each for amount in amounts for each in (math.floor(amount), math.ceil(amount)) if each > 0
    )
    if not 0 < len(whole) <= _LOST:
        return None
    is_in_words = len(whole) == 1 and list(whole) == amounts
    which = "the number alone" if is_in_words else "one whole number"
    do = f"write {which}: {listed(list(whole), say=excerpt)}"
    return said._replace(help=f"{do} ({meaning(field)})" if field.description else do)


def _as_spelt(manifest: Manifest, shape: _Shape, message: str, number: float) -> str:
    """Return a message about a number as that is written, unless a text of ours takes its place."""
    field = manifest.schema.field(shape.path) or Field()
    return message if shape.value in field.starter else as_written(message, number, shape.value)


def _lost(old: Any, new: Any) -> str:
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


def _has_holes(value: Any) -> bool:
    """Return whether a value has yet to be completed."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is HOLE or any(map(_has_holes, parts))


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
    reader = _ShapeReader(manifest)
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


def find(manifest: Manifest, path: Path, name: str) -> _FoundValue | None:
    """Return a missing member whose value stands under another name, or one level off.

    An object is also made of members that stand beside its place.
    """
    here, field = manifest.document.value_or_none(path), manifest.field((*path, name)) or Field()
    if not isinstance(here, dict) or len(here) > _MOST_LOOKED_AT:
        return None
    named = (each for each, known in _known_by(manifest, path, here).items() if known == name)
    if (found := _by_paths(manifest, path, name)) is not None:
        return found
    sources = [*((*path, each) for each in named), *_one_level_off(manifest, path, name)]
    for is_draft in (False, True) if sources else ():
        reader = _ShapeReader(manifest, is_draft=is_draft)
        for source in sources:
            fitted = reader.move(source, (*path, name))
            if fitted is not None:
                renamed = _renamed(manifest.document.value_at(source), fitted[0])
                return _FoundValue(fitted[0], (source,), renamed=tuple(dict.fromkeys(renamed)))
    return _gathered(manifest, path, name, field) if field.members else None


def describe_parts(manifest: Manifest, path: Path, said: Description) -> Description | None:
    """Describe items of which each is a member of one object; None if an item is no such part."""
    joined = joined_items(manifest, path)
    if joined is None:
        return None
    items, first, last = joined
    owner, between = path[:-1], "and" if last == first + 1 else "to"
    parts = f"{label((*owner, first))} {between} {label((*owner, last))}"
    fix = replace_fix(owner, items)._replace(safety="unsafe")
    do = f"write {_shape_text(manifest, owner, items, str(owner[-1]))}"
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


def misplaced(manifest: Manifest, path: Path, name: str) -> Path | None:
    """Return where a member that an object lacks stands one level too high or low, if it does."""
    found = _one_level_off(manifest, path, name)
    return next((each for each in found if each[:-1] == path[:-1] or each[:-2] == path), None)


def draft(manifest: Manifest) -> _ForeignDraft:
    """_ForeignDraft a manifest of what a document of another format says."""
    root = manifest.field(())
    value: dict[str, Any] = {}
    sources: dict[Path, None] = {}
    for name in root.required if root else ():
        found = find(manifest, (), name) or _FoundValue(_blank(manifest, (name,)), ())
        value[name] = found.value
        sources |= dict.fromkeys(found.sources)
    fix = None
    if sources and not _has_holes(value):
        removals = ({"op": "remove", "path": format_pointer(each)} for each in sources)
        additions = (
            {"op": "add", "path": format_pointer((name,)), "value": each}
            for name, each in value.items()
        )
        fix = Fix("move the values to their members", "unsafe", (), (*removals, *additions))
    return _ForeignDraft(_shape_text(manifest, (), value), bool(sources), fix)


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


def _shape_text(manifest: Manifest, place: Path, value: Any, name: str | None = None) -> str:
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
    text = value.strip().lower() if isinstance(value, str) else None
    return value is None or value is False or value == 0 or text in _REFUSING


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


def strays(manifest: Manifest, place: Path) -> dict[str, Stray]:
    """Return the unknown members of an object that may be meant as known ones, here or elsewhere.

    One that can well be its author's own is sure to be meant by its value only: a file, a count of
    time, a listed value.
    """
    here, field = manifest.document.value_or_none(place), manifest.field(place)
    found: dict[str, Stray] = {}
    if field is None or not isinstance(here, dict) or len(here) > _MOST_LOOKED_AT:
        return found
    known_by = _known_by(manifest, place, here)
    there = [each for each in field.members if each in here]
    fields = {each: manifest.schema.field((*place, each)) or Field() for each in there}
    twins = {plain_name(each): name for name in there for each in (name, *fields[name].synonyms)}
    for name, value in here.items():
        plain = plain_name(name) if len(name) <= _CHARACTERS else ""
        known, twin = known_by.get(name), twins.get(plain)
        is_like = known or twin or name in manifest.schema.member_names
        if name in field.members or not is_like or not _is_free(manifest, (*place, name)):
            continue
        fitted = _ShapeReader(manifest).move((*place, name), (*place, known)) if known else None
        if known and fitted:
            is_time = None not in (_unit(name), _unit(known))
            is_sure = is_time or _is_file(manifest.schema.field((*place, known)), fitted[0])
            is_sure = is_sure and known not in field.required
            found[name] = Stray((*place, known), fitted[0], is_sure)
        elif twin and (plain == plain_name(twin) or _has_listed(manifest, (*place, twin), value)):
            found[name] = Stray((*place, twin), None, is_sure=True)
        elif target := _elsewhere(manifest, name, value):
            found[name] = Stray(target, value, is_sure=True)
    return found


def _has_listed(manifest: Manifest, path: Path, value: Any) -> bool:
    """Return whether a value has a text that the list at a path may have."""
    item = manifest.schema.field((*path, 0)) or Field()
    return _is_small(value) and any(each in _texts([value]) for each, _ in item.values)


def _is_file(field: Field | None, value: Any) -> bool:
    is_text = isinstance(value, str) and len(value) <= _LONGEST
    return field is not None and field.file and is_text and bool(re.search(_IN_A_FILE, value))


def _elsewhere(manifest: Manifest, name: str, value: Any) -> Path | None:
    """Return where a member belongs that stands at another place."""
    schema, root = manifest.schema, manifest.document.value
    if schema.marks.isdisjoint(root):
        return None
    if not manifest.has_comparisons_left(len(schema.fields)):
        return None
    for path, field in schema.fields:
        if path[-1:] != (name,) or not _is_of_type(value, field):
            continue
        owner = schema.field(path[:-1]) or Field()
        is_there = manifest.document.value_or_none(path) is not None
        is_own = field.common or (field.file and not _is_file(field, value))
        if _has_listed(manifest, path, value) if name in owner.required else not is_own:
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
    names = _known_by(manifest, (*path, name), here)
    names |= {each: each for each in field.members if each in here}
    names |= {each: field.label for each in here if field.label and plain_name(each) == _DISPLAYED}
    free = {known: each for each, known in names.items() if _is_free(manifest, (*path, each))}
    value: dict[str, Any] = {}
    sources: list[Path] = []
    for member in field.members:
        place = (*path, name, member)
        source = (*path, free.get(member, ""))
        fitted = _ShapeReader(manifest).move(source, place) if member in free else None
        if fitted is not None:
            value[member] = fitted[0]
            sources.append(source)
        elif member in field.required:
            value[member] = _blank(manifest, place)
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
    fitted = _ShapeReader(manifest).fit((*path, name), value, (*path, name)) if sources else None
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
    items += [HOLE] * (min(step, _MOST_PARTS) + 1 - len(items))
    items[min(step, _MOST_PARTS)] = _with_part(items[min(step, _MOST_PARTS)], others, part)
    return items


def _known_by(manifest: Manifest, place: Path, members: Mapping[str, Any]) -> dict[str, str]:
    """Return the members that stand under other names: these, with the right ones."""
    field = manifest.schema.field(place)
    found: dict[str, str] = {}
    if field is None or len(members) > _MOST_LOOKED_AT:
        return found
    unknown = [
        (each, plain_name(each), plain_name(each.removesuffix(_unit(each) or "")))
        for each in members
        if each not in field.members and len(each) <= _CHARACTERS
    ]
    for known in field.members if unknown else ():
        if known in members:
            continue
        member = manifest.schema.field((*place, known))
        others = {plain_name(each) for each in (known, *(member.synonyms if member else ()))}
        is_time = _unit(known) is not None  # it may also have another unit at its end
        for written, plain, without_unit in unknown:
            is_name = plain in others or (is_time and without_unit in others)
            if is_name and written not in found:
                found[written] = known
                break
    return found


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


def _blank(manifest: Manifest, place: Path) -> Any:
    """Return what is required at a place, all of it to be written yet."""
    field = manifest.schema.field(place) or Field()
    if field.starter:
        return field.starter[0]
    if [] in field.examples:
        return []
    if len(place) >= _DEEPEST or len(field.required) > _MOST_REQUIRED:
        return HOLE
    if field.types == ("array",):
        return [_blank(manifest, (*place, 0))]
    return {name: _blank(manifest, (*place, name)) for name in field.required} or HOLE


class _ShapeReader:
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
        """Return what the small value of a member means at another place."""
        value, field = self.manifest.document.value_at(source), self.manifest.schema.field(place)
        if field and field.starter and isinstance(value, int):  # the version of another format
            return field.starter[0], False
        if not _is_small(value) or self.manifest.has_duplicates(source):
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
        if as_it_is is not None and not _is_in_another_unit(value, *names):
            return as_it_is
        for reading, is_safe in self._readings(place, field, value, at):
            held = self._held(place, field, reading, at)
            if held is not None:
                return held[0], is_safe and held[1]
        return None

    def _held(self, place: Path, field: Field, value: Any, at: Path) -> tuple[Any, bool] | None:
        """Return a value with all that it holds as the schema wants it."""
        if value is HOLE:
            return value, False
        if not _is_of_type(value, field):
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
        names = {**_known_by(self.manifest, place, value), **renames(value, field)}
        parts: dict[str, tuple[Any, bool] | None] = {}
        for written, each in value.items():
            name = names.get(written, written)
            if name in parts or (field.closed and name not in field.members):
                return None
            fitted = self.fit((*place, name), each, (*at, written))
            is_sure = name == written or is_slip(written, name)
            parts[name] = fitted and (fitted[0], fitted[1] and is_sure)
        if self.is_draft and not parts.keys().isdisjoint(field.required):
            blank = {name: _blank(self.manifest, (*place, name)) for name in field.required}
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
            yield from _integers(value, str(at[-1]), str(place[-1]))
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
            if fitted is not None and not _has_holes(fitted[0]):
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


def _is_of_type(value: Any, field: Field) -> bool:
    if isinstance(value, bool) and field.types:
        return "boolean" in field.types
    return not field.types or isinstance(value, _classes(field.types))


@lru_cache(maxsize=64)
def _classes(types: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(TYPES[each] for each in types if each in TYPES)


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


# -- counts of time, in the unit that the name of a member ends with -------------------------------


def _is_in_another_unit(value: Any, written: str, name: str) -> bool:
    """Return whether a number under one name counts in another unit than a second name says."""
    given, wanted = _unit(written), _unit(name)
    if type(value) is not int or given is None or wanted is None:
        return False
    return _seconds(given) != _seconds(wanted)


def _integers(value: Any, written: str, name: str) -> Iterator[tuple[int, bool]]:
    """Yield the integers that a value may mean; of a duration, in the unit that a name ends with.

    Args:
        value: the value.
        written: the name that it has in the document.
        name: the right name.
    """
    wanted, unit = _unit(name), _unit(written)
    if isinstance(value, str):
        if re.fullmatch(_INTEGER, value):
            value = int(value)
            if unit == wanted or unit is None:
                yield value, True
    elif isinstance(value, dict):
        value, unit = _with_unit(value)
    if wanted is None:
        return
    seconds = _length(value, unit)
    if seconds is not None and seconds % _seconds(wanted) == 0:
        is_odd = isinstance(value, str) and re.search(_ODD_TIME, value)
        yield int(seconds // _seconds(wanted)), not is_odd


def _length(value: Any, unit: str | None) -> float | None:
    """Return the seconds that a text, or a number of units, says.

    Parts of a text are one length only if each is less than one of the unit before it.
    """
    if not isinstance(value, str):
        return value * _seconds(unit) if type(value) is int and unit is not None else None
    if clock := re.fullmatch(_CLOCK, value):
        sizes = zip(clock.groups(), (3600, 60, 1), strict=True)
        return sum(int(each) * size for each, size in sizes)
    if not re.fullmatch(_DURATION, value.strip()):
        return None
    lengths: list[float] = []
    least = math.inf
    for count, each in re.findall(_PART_OF_DURATION, value):
        length = float(count.replace(",", ".")) * _seconds(each)
        if lengths and length >= least:  # another length, or the same one again
            return None
        lengths.append(length)
        least = _seconds(each)
    return sum(lengths)


def _amounts(value: Any, name: str) -> list[float]:
    """Return the numbers in a text, as counts of the unit of time that a name ends with, if any."""
    wanted = _unit(name)
    found = (
        re.findall(_AMOUNT, value) if isinstance(value, str) and len(value) < _CHARACTERS else []
    )
    units = [unit for _, unit in found if unit]
    size = _seconds(units[-1]) / _seconds(wanted) if units and wanted else 1
    return [float(count.replace(",", ".")) * size for count, _ in found]


def _unit(name: str) -> str | None:
    """Return the unit of time that ends a name."""
    words = _WORDS.findall(name)
    return words[-1] if words and re.fullmatch(_LONG_UNITS, words[-1].lower()) else None


def _seconds(unit: str) -> float:
    short = unit.lower()
    return _UNITS["ms" if short.startswith(("ms", "milli")) else short[0]]


def _with_unit(value: dict[str, Any]) -> tuple[Any, str | None]:
    """Return the number and the unit that an object consists of."""
    unit = next((name for name in value if name.lower() in ("unit", "units")), None)
    others = [each for name, each in value.items() if name.lower() in _AMOUNTS]
    if unit is None or len(others) != 1 or len(value) > 2 or not isinstance(value[unit], str):  # noqa: PLR2004 - a pair
        ((name, number),) = value.items() if len(value) == 1 else (("", None),)
        return (number, name) if re.fullmatch(_WHOLE_UNITS, name.lower()) else (None, None)
    is_unit = re.fullmatch(_LONG_UNITS, value[unit].lower())
    return (others[0], value[unit]) if is_unit else (None, None)
