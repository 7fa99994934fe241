"""Values of the wrong shape, in the right one: what the author wrote, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.schema.fields import Field
from manifestkit.schema.manifest import Manifest

_MOST_PARTS = 100
_MOST_VALUES, _CHARACTERS = 1_000, 100
_TYPES: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}
_IN_MINUTES = "_minutes"
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_DURATION = re.compile(
    r"(?i)(?:PT)?(?P<count>[0-9]{1,6}+) ?(?P<unit>s|m|h|(?:sec|second|min|minute|hr|hour)s?)\.?"
)


class Shape(NamedTuple):
    """A value that fits its place, made of one that does not.

    Attributes:
        path: what it replaces.
        value: the value.
        is_safe: whether nothing is lost, and no other value could be meant.
    """

    path: Path
    value: Any
    is_safe: bool


def reshape(manifest: Manifest, path: Path, value: Any) -> Shape | None:
    """Return the shape that a small value of the wrong type was probably meant to have."""
    if not _is_small(value):
        return None
    shapes = (each for each in _shapes(manifest, path, value) if _fits(manifest, *each[:2]))
    return next(shapes, None)


def gather(manifest: Manifest, path: Path, name: str) -> dict[str, Any] | None:
    """Return the missing object whose members are beside its place instead; None otherwise."""
    owner, field = manifest.field(path), manifest.field((*path, name))
    members = manifest.document.value_or_none(path)
    if not owner or not field or not field.required or not isinstance(members, dict):
        return None
    found = {
        each: members[each]
        for each in field.members
        if each in members and each not in owner.members
    }
    return found if _is_small(found) and _fits(manifest, (*path, name), found) else None


def _is_small(value: Any) -> bool:
    """Return whether a value may be shown and written once more."""
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


def _shapes(manifest: Manifest, path: Path, value: Any) -> Iterator[Shape]:
    field = manifest.field(path)
    if field is None or not path:
        return
    item = manifest.field((*path, 0))
    if field.types == ("array",) and item is not None:
        yield from (Shape(path, each, is_safe) for each, is_safe in _lists(value, item))
    elif isinstance(value, list) and len(value) == 1:
        yield Shape(path, value[0], is_safe=True)
    elif isinstance(value, list) and isinstance(path[-1], int):
        around = path[:-1]
        nested = manifest.document.value_at(around)[: _MOST_PARTS + 1]
        if len(nested) > _MOST_PARTS:
            return
        lists = (each if isinstance(each, list) else [each] for each in nested)
        yield Shape(around, [each for part in lists for each in part], is_safe=True)
    elif field.types == ("integer",) and str(path[-1]).endswith(_IN_MINUTES):
        found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
        seconds = int(found["count"]) * _SECONDS[found["unit"][0].lower()] if found else 1
        if seconds % 60 == 0:
            yield Shape(path, seconds // 60, is_safe=True)
    elif field.types == ("string",) and isinstance(value, dict) and len(value) == 1:
        yield Shape(path, next(iter(value.values())), is_safe=False)


def _lists(value: Any, item: Field) -> Iterator[tuple[list[Any], bool]]:
    """Yield the lists that a value may mean, and whether each is safe to write."""
    is_listed = bool(item.values)
    if isinstance(value, str):
        separators = r"[\s,;|+]+" if is_listed else r"\s*[,;|]\s*"
        parts = re.split(separators, value.strip(), maxsplit=_MOST_PARTS)
        if len(parts) > 1:
            yield [each for each in parts if each], is_listed
    elif isinstance(value, dict):
        yield [value], True
        if is_listed and value and len(value) <= _MOST_PARTS:
            every = list(value.values())
            kept = [name for name, each in value.items() if each is not False]
            yield kept, all(each is True for each in every)
        if item.identifier and item.label and value and all(map(_is_text, value.values())):
            named = ({item.identifier: key, item.label: each} for key, each in value.items())
            yield list(named), False
        if len(value) == 1:
            yield next(iter(value.values())), False


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _fits(manifest: Manifest, path: Path, value: Any) -> bool:
    """Return whether a value is as its descriptions want it, and so is all that it holds."""
    field = manifest.field(path)
    if field is None:
        return True
    is_type = [isinstance(value, _TYPES[each]) for each in field.types if each in _TYPES]
    if field.types and (
        not any(is_type) or (isinstance(value, bool) and "boolean" not in field.types)
    ):
        return False
    if field.values:
        return isinstance(value, Hashable) and value in {each for each, _ in field.values}
    if isinstance(value, dict):
        return all(name in value for name in field.required) and all(
            _fits(manifest, (*path, name), value[name]) for name in field.members if name in value
        )
    if isinstance(value, list):
        return all(_fits(manifest, (*path, index), each) for index, each in enumerate(value))
    return True
