"""Descriptions of a value in the wrong shape by the one that was probably meant."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from manifestkit.findings.contents import split, texts_in, translations
from manifestkit.findings.durations import integers
from manifestkit.findings.fixes import replace_fix
from manifestkit.findings.readings import HOLE, ShapeReader
from manifestkit.findings.words import excerpt, label, listed, meaning, member_excerpt, named
from manifestkit.model.finding import Description
from manifestkit.model.pointer import Path, walk
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

_LONGEST = 400  # of a value that is shown in its right shape: people copy it
_LOST = 3
_MOST_COUNTS = 20


def describe_shape(
    manifest: Manifest, error: ValidationError, said: Description, types: tuple[str, ...]
) -> Description | None:
    """Describe a value of the wrong shape by the one that was probably meant; None without one."""
    path, old = error.path, error.instance
    reading = ShapeReader(manifest).move(path, path, types) if path else None
    if reading is None or not Field(types=types).allows_type(reading.value):
        return None
    value, fix = reading.value, replace_fix(path, reading.value)
    do = fix.message
    if isinstance(value, dict | list):
        do, lost = f"write {shape_text(manifest, path, value)}", losses(old, value)
    else:
        lost = "" if reading.is_safe else _lost_names(old, value)
        said = said._replace(suggestion=value if isinstance(value, str) else json.dumps(value))
        if isinstance(old, int | float):
            spelling = manifest.document.spelling(path)
            about = said.message.removesuffix(excerpt(old))  # as it is spelt: `1.10`
            said = said._replace(message=f"{about}{named(spelling or str(old))}")
        elif purpose := meaning(manifest.schema.field(path)):
            do += f" ({purpose})"
    fix = fix._replace(message=f"{fix.message}{lost}")
    fix = fix if reading.is_safe else fix._replace(safety="unsafe")
    return said._replace(help=f"{do}{lost}", fixes=(fix,))


def losses(old: Any, new: Any) -> str:
    """Say which texts of an object or array are not in the one in its place."""
    if not isinstance(old, dict | list) or not isinstance(new, dict | list):
        return ""
    texts = [*dict.fromkeys(_dropped_texts(old, new))]
    if not texts:
        return ""
    shown = [excerpt(each) for each in texts[:_LOST]]
    if len(texts) > _LOST:
        shown.append(f"{len(texts) - _LOST} more")
    values = "the value" if len(texts) == 1 else "the values"
    is_off = isinstance(old, dict) and all(old.get(each) is False for each in texts)
    why = "set to `false`" if is_off else "for which the format has no place"
    return f"; this drops {values} {listed(shown, 'and')}, {why}"


def _dropped_texts(old: Any, new: Any) -> list[str]:
    """Return the texts of an object or array that are not in another one as often."""
    kept = Counter([*texts_in(new), *(path[-1] for path, _ in walk(new) if path)])
    dropped = []
    counts = [(str(path[-1]), each) for path, each in walk(new) if path and type(each) is int]
    counts = counts[:_MOST_COUNTS]
    for each in texts_in(old):
        said = ((name, read.value) for name, _ in counts for read in integers(each, "", name))
        if (count := next(filter(counts.__contains__, said), None)) is not None:
            counts.remove(count)
            continue
        ends = (each, re.split(r"[=:]\s*", each, maxsplit=1)[-1])
        parts = [end for end in ends if kept[end]][:1] or split(each, at_blanks=True)
        if parts and all(kept[part] for part in parts):
            kept.subtract(parts)
        else:
            dropped.append(each)
    return dropped


def _lost_names(old: Any, value: Any) -> str:
    """Say which names of an object, or languages of a list, are not in the value in its place."""
    texts = translations(old)
    names, what = (old, "key") if isinstance(old, dict) else (texts, "language")
    dropped = [name for name, each in names.items() if each != value] or list(names)
    what += "s" if len(dropped) > 1 else ""
    why = ": the format has no place for translations" if texts else ""
    return f"; this drops the {what} {listed(dropped, 'and', named)}{why}" if dropped else ""


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
    if isinstance(part, dict):
        return {
            name: _filled(manifest, place, (*own, name), each, missing)
            for name, each in part.items()
        }
    if isinstance(part, list):
        return [
            _filled(manifest, place, (*own, index), each, missing)
            for index, each in enumerate(part)
        ]
    if part is not HOLE:
        return part
    field = manifest.schema.field((*place, *own)) or Field()
    purpose = meaning(field)
    missing.append(f"{label(own)} ({purpose})" if purpose else label(own))
    return field.examples[0] if field.examples else HOLE
