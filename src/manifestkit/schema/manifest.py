"""A manifest with its schema: what a rule looks at."""

import pathlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Self

from manifestkit.files import is_file
from manifestkit.model.document import Document
from manifestkit.model.finding import Finding
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.model import Field, Schema

_MOST_COMPARED = 10_000
"""Members of one manifest that are compared with known ones, for what they were meant to be."""

_MOST_UNKNOWN = 1_000
_MOST_PAIRS = 100_000

_MOST_ALLOWED = 150_000
"""Allowed values that the values of one manifest are compared with, for what they should be."""


class Surroundings(NamedTuple):
    """The surroundings of a manifest; each is None where it is not known."""

    # Tells why no file is at a path relative to the manifest, and what to do; () if not known
    lack: Callable[[str], tuple[str, ...] | None] | None = None
    folder: str | None = None  # that it is in, in which its project may be found

    @classmethod
    def in_folder(cls, folder: str) -> Self:
        """Return those of a manifest in a folder."""
        return cls(lambda path: None if is_file(pathlib.Path(folder) / path) else (), folder)


_NOWHERE = Surroundings()


class Manifest:
    """A document with the schema that describes it, and profiles, which may describe more members.

    Attributes:
        surroundings: what stands around it.
        is_too_deep: whether it is nested too deep for the engine to follow.
        faults: what the reader found in its text.
    """

    def __init__(
        self,
        document: Document,
        schema: Schema,
        *,
        surroundings: Surroundings | None = None,
        is_too_deep: bool = False,
        profiles: tuple[Schema, ...] = (),
        faults: tuple[Finding, ...] = (),
    ) -> None:
        self.document = document
        self.schema = schema
        self.surroundings = surroundings or _NOWHERE
        self.is_too_deep = is_too_deep
        self.profiles = profiles
        self.faults = faults
        self.value = document.value
        self._alike: dict[tuple[Path, tuple[str, ...]], Mapping[str, str]] = {}
        self._to_compare = _MOST_COMPARED
        self._allowed_to_compare = _MOST_ALLOWED

    def has_duplicates(self, path: Path) -> bool:
        """Return whether an object in a value names a member twice."""
        repeated = [each.pointer for each in self.faults if each.rule == "duplicate-key"]
        inside = f"{format_pointer(path)}/" if repeated else ""
        return any(each.startswith(inside) for each in repeated)

    def has_comparisons_left(self, count: int) -> bool:
        """Return whether to compare a value with so many allowed ones; not after too many."""
        self._allowed_to_compare -= count
        return self._allowed_to_compare >= 0

    def with_unknown(self) -> Iterator[tuple[Path, dict[str, Any], Field]]:
        """Yield each open object that has a member which is not described, with its path."""
        for path, each, field in self.schema.described(self.value):
            is_open = bool(field.members) and not field.closed
            if is_open and isinstance(each, dict) and not each.keys() <= {*field.members}:
                yield path, each, field

    def renames(self, path: Path) -> Mapping[str, str]:
        """Return the unknown members of an object that were probably meant as known ones.

        What a profile describes is not unknown.
        """
        members = self.document.value_or_none(path)
        if not isinstance(members, dict):
            return {}
        # Most items of an array have the same members: they are compared once.
        alike = (tuple([0 if isinstance(each, int) else each for each in path]), tuple(members))
        if alike not in self._alike:
            field = self.schema.field(path) or Field()
            hosts = (each.field(path) for each in self.profiles)
            described = {name for each in hosts if each for name in each.members}
            described.difference_update(field.members)
            own = {name: each for name, each in members.items() if name not in described}
            self._alike[alike] = renames(own, field, self._to_compare)
            self._to_compare = max(0, self._to_compare - len(own))
        return self._alike[alike]


def renames(members: Mapping[str, Any], field: Field, most: int = _MOST_UNKNOWN) -> dict[str, str]:
    """Return the unknown members that were probably meant as known ones that are absent.

    Required members are matched first: their absence is an error, so the match may be looser.

    Args:
        members: what the object has.
        field: what it may have.
        most: how many unknown members to look at, the first ones; no person writes as many.
    """
    from manifestkit.schema.suggest import (  # noqa: PLC0415 - clean runs go without
        full_name,
        is_path_of,
        nearest,
    )

    absent = [name for name in field.members if name not in members]
    most = min(most, _MOST_UNKNOWN, _MOST_PAIRS // (len(absent) or 1))
    known = frozenset(field.members)
    unknown = list(islice((name for name in members if name not in known), most))
    paths = {name for name in unknown if "." in name or "[" in name}
    found: dict[str, str] = {}
    if not unknown:
        return found
    for wanted in sorted(absent, key=lambda name: name not in field.required):
        sure = wanted not in field.required and not field.closed
        left = [
            name
            for name in unknown
            if name not in found and not (name in paths and is_path_of(name, wanted))
        ]
        near = nearest(wanted, left, sure=sure)
        if near is not None:
            found[near] = wanted
    optional = [name for name in absent if name not in field.required]
    for name in unknown:
        meant = None if name in found else full_name(name, field.members)
        if meant in optional and meant not in found.values():
            found[name] = meant
    return found
