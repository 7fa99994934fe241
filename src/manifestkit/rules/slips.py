"""What an author probably meant, where one slip breaks a schema in several ways or far away."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from manifestkit.model.pointer import Path
from manifestkit.rules.rule import Manifest
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.validation import TooDeepError, ValidationError

_MOST_LOOKED_AT = 1_000
_DEEPEST = 8  # misspelt members one below the other


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


def swapped_with(manifest: Manifest, path: Path) -> Path | None:
    """The list whose values another list holds as a whole, and the other way round.

    Args:
        manifest: the manifest.
        path: one of the two lists.
    """
    lists = manifest.schema.lists
    meant = (*manifest.as_meant(path), 0)
    own = next((field for where, field in lists if where == meant), None)
    if own is None:
        return None
    value = manifest.document.value_or_none(path)
    for where, field in lists:
        other = manifest.written(where[:-1])
        there = manifest.document.value_or_none(other)
        is_other = where[-1:] == (0,) and other != path
        if not (is_other and isinstance(value, list) and isinstance(there, list)):
            continue
        if len(value) + len(there) > 1 and _all_of(value, field) and _all_of(there, own):
            return other
    return None


def _all_of(items: Any, field: Field) -> bool:
    values = [each for each, _ in field.values]
    return isinstance(items, list) and all(each in values for each in items)


def look_alike(written: str, meant: str) -> str | None:
    """What tells a name from the one that it looks like, in words; None where its letters do."""
    for letter, other in zip(written, meant, strict=False):
        if letter != other:
            script = unicodedata.name(letter, "").split(" ", 1)[0].capitalize()
            if letter.isascii() or not letter.isalpha() or len(written) != len(meant):
                return None
            return f"`{letter}` is the {script} letter U+{ord(letter):04X}, not `{other}`"
    return None


def understand(manifest: Manifest, schemas: Iterable[Schema], most: int) -> None:
    """Find the members that are missing only because they are misspelt, level by level.

    Args:
        manifest: the manifest, which is told what is meant.
        schemas: what it must be.
        most: how many errors of each schema to look at.
    """
    schemas = list(schemas)
    for _ in range(_DEEPEST):
        errors = [_errors(manifest, schema, most) for schema in schemas]
        names = {
            place: meant
            for error in chain.from_iterable(errors)
            if error.keyword == "required"
            for place, meant in _misspelt(manifest, error)
        }
        if names:
            manifest.understand(names)
        # Beyond the limit nothing is told: another round would bring up as many errors.
        if not names or any(len(each) == most for each in errors):
            return


def _errors(manifest: Manifest, schema: Schema, most: int) -> list[ValidationError]:
    """The errors of a manifest; none where it is nested too deep for them."""
    if manifest.is_too_deep and schema.goes_deep:
        return []
    try:
        return manifest.errors(schema, most)
    except TooDeepError:
        return []


def _misspelt(manifest: Manifest, error: ValidationError) -> Iterator[tuple[Path, str]]:
    """The member that misspells a missing one, and the missing one's name."""
    members = manifest.document.value_at(error.path)
    for written, meant in manifest.renames(error.path, members).items():
        place = (*error.path, written)
        if meant == error.member and not manifest.is_understood(place):
            yield place, meant


def _few(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and len(value) <= _MOST_LOOKED_AT:
        yield from value.items()
