"""Fixes as operations on the data; the edits of the text are made on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from manifestkit.findings.words import excerpt, label, listed, member_excerpt, named, place_of
from manifestkit.model.finding import Fix
from manifestkit.model.pointer import END, Path, format_pointer, parse_pointer
from manifestkit.schema.manifest import Manifest, renames
from manifestkit.schema.model import Field
from manifestkit.schema.suggest import is_near, is_slip

_MOST_MEMBERS = 50
_Safety = Literal["safe", "unsafe"]


def replace_fix(path: Path, value: Any, safety: _Safety = "safe") -> Fix:
    """Return a fix that replaces a value; safe if nobody could have meant another."""
    operation = {"op": "replace", "path": format_pointer(path), "value": value}
    return _fix(f"write {excerpt(value)}", safety, operation)


def rename_fix(manifest: Manifest, path: Path, name: str) -> Fix:
    """Return a fix that renames a member.

    It is unsafe where the wrong name may be no slip of a key, or another member beside it one, too.
    """
    owner = manifest.schema.field(path[:-1]) or Field()
    inner = [*_renames_in(manifest, path, (*path[:-1], name))]
    steps = [*inner, (path, name, owner)]
    pairs = ((format_pointer(at), format_pointer((*at[:-1], to))) for at, to, _ in steps)
    operations = [{"op": "move", "from": at, "path": to} for at, to in pairs]
    is_safe = all(_is_slip_alone(manifest, *each) for each in steps)
    names = listed([*dict.fromkeys(to for _, to, _ in inner)], "and", named)
    also = f", and {names} in it" if names else ""
    return _fix(f"rename it to {named(name)}{also}", "safe" if is_safe else "unsafe", *operations)


def _is_slip_alone(manifest: Manifest, path: Path, name: str, field: Field) -> bool:
    owner = manifest.document.value_at(path[:-1])
    is_short = len(owner) <= _MOST_MEMBERS
    beside = {*owner}.difference(field.members) if is_short else set()
    return is_short and not is_near(name, beside - {path[-1]}) and is_slip(str(path[-1]), name)


def _renames_in(manifest: Manifest, path: Path, target: Path) -> Iterator[tuple[Path, str, Field]]:
    """Yield the misspelt members in one that is renamed, the inner ones first."""
    value, field = manifest.document.value_at(path), manifest.schema.field(target) or Field()
    meant = renames(value, field) if isinstance(value, dict) else {}
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for each in islice(keys, _MOST_MEMBERS):
        to = meant.get(each, each)
        yield from _renames_in(manifest, (*path, each), (*target, to))
        if each in meant:
            yield (*path, each), to, field


def moving_fix(manifest: Manifest, sources: Sequence[Path], target: Path, value: Any) -> Fix:
    """Return a fix that moves members to a place, where they are or make up a value.

    An unknown object that has nothing else goes with its member.
    """
    source, owner, empty = sources[0], target[:-1], ""
    around, document = source[:-1], manifest.document
    if len(sources) == 1 and around == owner and document.value_at(source) == value:
        return rename_fix(manifest, source, str(target[-1]))._replace(safety="unsafe")
    is_emptied = len(sources) == 1 and around and isinstance(around[-1], str)
    if is_emptied and len(document.value_at(around)) == 1 and manifest.schema.field(around) is None:
        sources, empty = [around], f", and remove the empty {named(around[-1])}"
    removals = [{"op": "remove", "path": format_pointer(each)} for each in sources]
    addition = {"op": "add", "path": format_pointer(target), "value": value}
    if source[:-1] != owner:
        called = "" if source[-1] == target[-1] else f" as {named(target[-1])}"
        message = f"move it {place_of(owner, 'into')}{called}{empty}"
    elif len(sources) == 1:
        message = f"write {member_excerpt(str(target[-1]), value)}"
    else:
        message = f"move them into {label(target)}"
    return _fix(message, "unsafe", *removals, addition)


def remove_fix(path: Path, safety: _Safety = "unsafe") -> Fix:
    """Return a fix that removes a member or an item; unsafe where a comment goes with it."""
    return _fix("remove it", safety, {"op": "remove", "path": format_pointer(path)})


def needed_fix(manifest: Manifest, pointer: str, needed: Iterable[str]) -> Fix | None:
    """Return the fix that adds what an item needs to a list; None without one, or without need."""
    path: Path = parse_pointer(pointer)
    here = manifest.document.value_or_none(path)
    missing = [each for each in needed if each not in here] if isinstance(here, list) else []
    if not missing:
        return None
    end = format_pointer((*path, END))
    message = "; ".join(f"add {excerpt(each)} to {label(path)}" for each in missing)
    additions = ({"op": "add", "path": end, "value": each} for each in missing)
    return _fix(message, "unsafe", *additions)


def _fix(message: str, safety: _Safety, *operations: Mapping[str, Any]) -> Fix:
    return Fix(message, safety, (), operations)
