"""Descriptions of a value in the wrong shape by the one that was probably meant."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from manifestkit.findings.contents import says_no, split, texts_in, translations
from manifestkit.findings.durations import integers
from manifestkit.findings.fixes import replace_fix
from manifestkit.findings.readings import HOLE, ShapeReader
from manifestkit.findings.words import excerpt, label, listed, meaning, member_excerpt, named
from manifestkit.model.finding import Description, Fix
from manifestkit.model.pointer import Path, path_in, walk
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

_LONGEST = 400  # of a value that is shown in its right shape: people copy it
_LOST = 3
_MOST_COUNTS = 20
_ZEROS = r"(\.\d+?)0+$"


def describe_shape(
    manifest: Manifest, error: ValidationError, said: Description, types: tuple[str, ...]
) -> Description | None:
    """Describe a value of the wrong shape by the one that was probably meant; None without one."""
    path, old = error.path, error.instance
    reading = ShapeReader(manifest).move(path, path, types) if path else None
    if reading is None or not Field(types=types).allows_type(reading.value):
        return None
    value = reading.value
    fix = replace_fix(path, value, "safe" if reading.is_safe else "unsafe")
    message, do, suggestion = said.message, fix.message, None
    if isinstance(value, dict | list):
        do = f"write {shape_text(manifest, path, value)}"
    else:
        suggestion = value if isinstance(value, str) else json.dumps(value)
        if isinstance(old, int | float):
            spelling = manifest.document.spelling(path)
            about = message.removesuffix(excerpt(old))  # as it is spelt: `1.10`
            message = f"{about}{named(spelling or str(old))}"
        elif purpose := meaning(manifest.schema.field(path)):
            do += f" ({purpose})"
    return Description(message, do, suggestion, (fix,))


def losses(manifest: Manifest, fix: Fix) -> str:
    """Say what of the objects and arrays that an unsafe fix takes out is not in what it writes."""
    new = {each["path"]: each["value"] for each in fix.patch if "value" in each}
    if fix.safety == "safe" or not new:
        return ""
    whole, taken = manifest.document.value, ("remove", "replace")
    paths = [path_in(whole, each["path"]) for each in fix.patch if each["op"] in taken]
    old: Any = [manifest.document.value_at(path) for path in paths]
    first = next(iter(new.values()))
    while isinstance(old, list) and len(old) == 1 and old != first:
        old = old[0]
    texts = translations(old)
    names = old if isinstance(old, dict) else texts
    if len(new) == 1 and first in names.values():
        is_told = paths[0] == () or fix.patch[0]["op"] == "remove"  # the message has the key around
        dropped = [name for name, each in names.items() if each != first]
        dropped = dropped or list(() if is_told else names)
        what = "key" if names is old else "language"
        what += "s" if len(dropped) > 1 else ""
        why = ": the format has no place for translations" if texts else ""
        return f"; this drops the {what} {listed(dropped, 'and', named)}{why}" if dropped else ""
    if not isinstance(old, dict | list) or all(type(each) is int for each in old):
        return ""  # numbers alone are a version, or the characters of a text
    return _lost_values(old, {path.split("/")[-1]: each for path, each in new.items()}, len(paths))


def _lost_values(old: Any, new: dict[str, Any], times: int) -> str:
    """Say which texts, numbers and lone names are not in what is in their place so many times."""
    counts = [(str(path[-1]), each) for path, each in walk(new) if path and type(each) is int]
    texts = [*texts_in(new), *(path[-1] for path, _ in walk(new) if path)]
    leaves = [str(each) for _, each in walk(new) if type(each) in (int, float, str)]
    parts = [part for each in leaves for part in (each, *each.split(".")) if part[-1:].isdigit()]
    kept = Counter([*texts, *(re.sub(_ZEROS, r"\1", each) for each in parts)] * times)
    lost = [*dict.fromkeys(_dropped("", old, kept, counts[:_MOST_COUNTS]))]
    shown = [excerpt(each) for each in lost[:_LOST]]
    if len(lost) > _LOST:
        shown.append(f"{len(lost) - _LOST} more")
    values = "the value" if len(lost) == 1 else "the values"
    is_off = isinstance(old, dict) and all(old.get(each) is False for each in lost)
    why = "set to `false`" if is_off else "for which the format has no place"
    return f"; this drops {values} {listed(shown, 'and')}, {why}" if lost else ""


def _dropped(
    name: str, old: Any, kept: Counter[Any], counts: list[tuple[str, int]]
) -> Iterator[Any]:
    """Yield what is not kept of a value that has a name; take the rest out of what is kept."""
    said = ((to, read.value) for to, _ in counts for read in integers(old, name, to))
    if (count := next(filter(counts.__contains__, said), None)) is not None:
        counts.remove(count)
        return
    parts = old if isinstance(old, list) else ()
    for inner, each in old.items() if isinstance(old, dict) else (("", part) for part in parts):
        yield from _dropped(inner, each, kept, counts)
    is_lone = old is True or old in ({}, []) or says_no(old)
    word = name if name and is_lone and not isinstance(old, str) else str(old)
    if word is not name and type(old) not in (str, int, float):
        return
    ends = (word, re.split(r"[=:]\s*", word, maxsplit=1)[-1])
    words = [end for end in ends if kept[end]][:1] or split(word, at_blanks=True)
    if words and all(kept[each] for each in words):
        kept.subtract(words)
    elif word:
        yield word if word is name or isinstance(old, str) else old


def shape_text(manifest: Manifest, place: Path, value: Any, name: str | None = None) -> str:
    """Return the JSON text of a value, or of its named member, with its holes filled and told.

    A member that is one hole is its name alone.
    """
    if value is HOLE and name is not None:
        return named(name)
    missing: list[str] = []
    shown = _filled(manifest, place, (), value, missing)
    text = excerpt(shown, _LONGEST)
    if name is not None:
        text = member_excerpt(name, shown, _LONGEST)
    return f"{text}; put in your own {listed(missing, 'and')}" if missing else text


def _filled(manifest: Manifest, place: Path, own: Path, part: Any, missing: list[str]) -> Any:
    """Return a part of a value with examples in its holes, and add what these are to `missing`."""
    inner = partial(_filled, manifest, place, missing=missing)
    if isinstance(part, dict):
        return {name: inner((*own, name), each) for name, each in part.items()}
    if isinstance(part, list):
        return [inner((*own, index), each) for index, each in enumerate(part)]
    if part is not HOLE:
        return part
    field = manifest.schema.field((*place, *own)) or Field()
    purpose = meaning(field)
    missing.append(f"{label(own)} ({purpose})" if purpose else label(own))
    return field.examples[0] if field.examples else HOLE
