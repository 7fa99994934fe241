"""What an author probably meant, where one slip breaks a schema in several ways or far away."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Any

from manifestkit.model.pointer import Path
from manifestkit.schema.fields import Field
from manifestkit.schema.manifest import Manifest

_MOST_LOOKED_AT = 100
_MOST_LISTS = 100  # of allowed values that a format has


def misplaced(manifest: Manifest, path: Path, name: str) -> Path | None:
    """Where a missing member stands one level too high or low; None where it does not.

    Args:
        manifest: the manifest.
        path: the object that lacks the member.
        name: the member.
    """
    document = manifest.document
    around = [path[:-1]] if path else []
    here = document.value_or_none(path)
    around += [(*path, key) for key, each in _few(here) if isinstance(each, dict)]
    for place in around:
        held, field = document.value_or_none(place), manifest.field(place)
        if isinstance(held, dict) and name in held and not (field and name in field.members):
            return (*place, name)
    return None


def unindented(manifest: Manifest, path: Path, field: Field | None) -> list[str]:
    """The members that stand beside an empty member of a YAML manifest, and belong in it."""
    if manifest.document.syntax != "yaml" or field is None or not path:
        return []
    owner = manifest.document.value_or_none(path[:-1])
    own = manifest.field(path[:-1])
    if not isinstance(owner, dict) or own is None:
        return []
    names = list(owner)
    below = names[names.index(path[-1]) + 1 :] if path[-1] in owner else []
    found: list[str] = []
    for name in below:
        if name not in field.members or name in own.members:
            break
        found.append(name)
    return found


def as_array(value: Any, item: Field | None) -> list[Any] | None:
    """An object whose keys are identifiers, as the array of its members; None for another.

    An item with another identifier than its key would lose one of the two.
    """
    if not isinstance(value, dict) or not value or item is None or item.identifier is None:
        return None
    for key, each in value.items():
        if not isinstance(each, dict) or each.get(item.identifier, key) != key:
            return None
    return [{item.identifier: key} | each for key, each in value.items()]


def swapped_lists(
    manifest: Manifest, wrong: Mapping[Path, Collection[int]]
) -> Iterator[tuple[Path, Path]]:
    """The pairs of lists in which each item is wrong, and allowed in the other list.

    Args:
        manifest: the manifest.
        wrong: the lists with items that are none of the allowed values, and these items.
    """
    for one, other in exchangeable_lists(manifest):
        sizes = [len(manifest.document.value_at(each)) for each in (one, other)]
        if 0 not in sizes and sizes == [len(wrong.get(each, ())) for each in (one, other)]:
            yield one, other


def exchangeable_lists(manifest: Manifest) -> Iterator[tuple[Path, Path]]:
    """The pairs of lists in which each item is allowed in the other list; one may be empty."""
    lists = [
        (place, field, value)
        for where, field in manifest.schema.lists[:_MOST_LISTS]
        for place in (manifest.written(where[:-1]),)
        for value in (manifest.document.value_or_none(place),)
        if where[-1:] == (0,) and isinstance(value, list)
    ]
    for index, (place, own, value) in enumerate(lists):
        for other, field, there in lists[index + 1 :]:
            if len(value) + len(there) > 1 and _all_of(value, field) and _all_of(there, own):
                yield place, other


def _all_of(items: list[Any], field: Field) -> bool:
    values = {each for each, _ in field.values if isinstance(each, Hashable)}
    return all(isinstance(each, Hashable) and each in values for each in items)


def look_alike(written: str, meant: str) -> str | None:
    """What tells a name from the one that it looks like, in words; None where its letters do."""
    for letter, other in zip(written, meant, strict=False):
        if letter != other:
            script = unicodedata.name(letter, "").split(" ", 1)[0].capitalize()
            if letter.isascii() or not letter.isalpha() or len(written) != len(meant):
                return None
            return f"`{letter}` is the {script} letter U+{ord(letter):04X}, not `{other}`"
    return None


def _few(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and len(value) <= _MOST_LOOKED_AT:
        yield from value.items()
