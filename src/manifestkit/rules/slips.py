"""What an author probably meant, where one slip breaks a schema in several ways or far away."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from manifestkit.model.pointer import Path
from manifestkit.rules.rule import Manifest
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.validation import ValidationError

_MOST_LOOKED_AT = 1_000


def elsewhere(manifest: Manifest, path: Path, name: str) -> Path | None:
    """Where a missing member stands one level too high or low; None where it does not.

    Args:
        manifest: the manifest.
        path: the object that lacks the member.
        name: the member.
    """
    value = manifest.document.value
    around = [path[:-1]] if path else []
    here = _at(value, path)
    around += [(*path, key) for key, each in _few(here) if isinstance(each, dict)]
    for place in around:
        held, field = _at(value, place), manifest.schema.field(place)
        if isinstance(held, dict) and name in held and not (field and name in field.members):
            return (*place, name)
    return None


def unindented(manifest: Manifest, path: Path, field: Field | None) -> list[str]:
    """The members that stand beside an empty member of a YAML manifest, and belong in it."""
    if manifest.document.syntax != "yaml" or field is None or not path:
        return []
    owner, own = _at(manifest.document.value, path[:-1]), manifest.schema.field(path[:-1])
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
    """An object whose keys are identifiers, as the array of its members; None for another."""
    if not isinstance(value, dict) or not value or item is None or item.identifier is None:
        return None
    if not all(isinstance(each, dict) for each in value.values()):
        return None
    return [{item.identifier: key} | each for key, each in value.items()]


def swapped_with(manifest: Manifest, path: Path) -> Path | None:
    """The list whose values another list holds as a whole, and the other way round.

    Args:
        manifest: the manifest.
        path: one of the two lists.
    """
    lists = manifest.schema.lists
    own = next((field for where, field in lists if where == (*path, 0)), None)
    if own is None:
        return None
    value = _at(manifest.document.value, path)
    for where, field in lists:
        other = where[:-1]
        there = _at(manifest.document.value, other)
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


def errors_below(
    manifest: Manifest, schema: Schema, errors: list[ValidationError]
) -> Iterator[ValidationError]:
    """The errors of values whose members are missing because they are misspelt.

    They are judged as if they were spelt right; the paths are those of the manifest.

    Args:
        manifest: the manifest, which is told what is meant.
        schema: what it is checked against.
        errors: what breaks the schema.
    """
    value = manifest.document.value
    for error in errors:
        if error.keyword == "required" and isinstance(error.instance, dict):
            for written, meant in manifest.renames(error.path, error.instance).items():
                if meant == error.member:
                    manifest.meant[*error.path, written] = meant
    places = {(*path[:-1], meant): path for path, meant in manifest.meant.items()}
    if not places:
        return
    for path, meant in manifest.meant.items():
        value = _renamed(value, path, meant)
    for error in schema.errors(value):
        lengths = range(1, len(error.path) + 1)
        length = next((each for each in lengths if error.path[:each] in places), None)
        if length is not None:
            yield error._replace(path=(*places[error.path[:length]], *error.path[length:]))


def _renamed(value: Any, path: Path, name: str) -> Any:
    """A value with another name for a member; nothing of the old value is changed."""
    token, *rest = path
    if isinstance(value, list):
        return [
            _renamed(each, tuple(rest), name) if i == token else each
            for i, each in enumerate(value)
        ]
    if rest:
        return value | {token: _renamed(value[token], tuple(rest), name)}
    return {name if key == token else key: each for key, each in value.items()}


def _few(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and len(value) <= _MOST_LOOKED_AT:
        yield from value.items()


def _at(value: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for token in path:
        is_there = token in value if isinstance(value, dict) else isinstance(token, int)
        value = value[token] if is_there else None
    return value
