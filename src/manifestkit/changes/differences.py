"""The differences between two values, and which of their items belong together."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from manifestkit.findings.words import meaning
from manifestkit.model.change import ABSENT, Change
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import frozen
from manifestkit.schema.model import Field, Schema


class Differences:
    """The differences between two values.

    Objects are compared by members, lists of items with an identifier by that (equal ones by their
    order), lists that the schema calls sets by their values, other lists by index. Where the schema
    says nothing of a value, it is one whole.

    Attributes:
        changes: the differences, in the order of the new value; what is removed comes last.
        moved: for items that have another index now, the old path and the new; of those that are
            gone, None.
    """

    def __init__(self, old: Any, new: Any, schema: Schema) -> None:
        self._schema = schema
        self.moved: dict[Path, Path | None] = {}
        self.changes = tuple(self._compared(old, new, (), (), ()))

    def path_in_new(self, path: Path) -> Path | None:
        """Return the path in the new value for one of the old; None when its item is gone."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.moved:
                there = self.moved[path[:length]]
                return None if there is None else (*there, *path[length:])
        return path

    def _compared(self, old: Any, new: Any, there: Path, here: Path, at: Path) -> Iterator[Change]:
        """Yield the differences of two values.

        Args:
            old: the old value; ABSENT for none.
            new: the new one; likewise.
            there: the path of the old value, or the nearest around it.
            here: the path of the new value, or the nearest around it.
            at: the path of either with 0 for each index.
        """
        field, item = self._schema.field(at), self._schema.field((*at, 0))
        if isinstance(old, dict) and isinstance(new, dict) and (field or not at):
            yield from self._members(old, new, there, here, at)
        elif isinstance(old, list) and isinstance(new, list) and item:
            yield from self._items(old, new, there, here, at)
        elif frozen(old) != frozen(new):
            # Nobody knows whether what is no list asks people to consent to less.
            is_unclear = item and item.consents and not isinstance(new, list)
            # What a list holds is told one by one even where there was no list.
            is_list = field and (field.is_set or (item and item.identifier)) and not is_unclear
            is_object = field and field.members and at[-1:] not in ((), (0,))
            is_new, is_gone = old is ABSENT, new is ABSENT
            whole = new if is_new else old if is_gone else None
            by_parts = whole and isinstance(whole, list if is_list else dict if is_object else ())
            if not by_parts:
                told = _pointer(at), there, here, old, new, _meaning(field, old, new)
                yield Change("added" if is_new else "removed" if is_gone else "changed", *told)
            if is_list:
                lists = [each if isinstance(each, list) else [] for each in (old, new)]
                yield from self._items(lists[0], lists[1], there, here, at)
            elif by_parts or not at:
                objects = [each if isinstance(each, dict) else {} for each in (old, new)]
                yield from self._members(objects[0], objects[1], there, here, at)

    def _members(
        self, old: dict[str, Any], new: dict[str, Any], there: Path, here: Path, at: Path
    ) -> Iterator[Change]:
        for name in (*new, *(name for name in old if name not in new)):
            one, two = old.get(name, ABSENT), new.get(name, ABSENT)
            if repr(one) == repr(two):  # to walk through what is equal would take longer
                continue
            yield from self._compared(
                one,
                two,
                there if one is ABSENT else (*there, name),
                here if two is ABSENT else (*here, name),
                (*at, name),
            )

    def _items(
        self, old: list[Any], new: list[Any], there: Path, here: Path, at: Path
    ) -> Iterator[Change]:
        field, item = self._schema.field(at), self._schema.field((*at, 0))
        is_set = field is not None and field.is_set
        if is_set:
            places = _places(_texts(new))
            pairs = {
                index: places[text][0] for index, text in enumerate(_texts(old)) if text in places
            }
        elif item and item.identifier:
            pairs = _pairs_of_objects(old, new, item.identifier, item.label)
        else:
            pairs = {index: index for index in range(min(len(old), len(new)))}
        came_from = {index: one for one, index in reversed(pairs.items())}
        at = (*at, 0)
        repeats = _repeats(new) if is_set else ()
        for index, value in enumerate(new):
            if index in came_from:
                one = came_from[index]
                yield from self._paired(old[one], value, (*there, one), (*here, index), at)
            elif index not in repeats:
                yield from self._compared(ABSENT, value, there, (*here, index), at)
        repeats = _repeats(old) if is_set else ()
        for index, value in enumerate(old):
            found = pairs.get(index)
            if found != index:
                self.moved[(*there, index)] = None if found is None else (*here, found)
            if found is None and index not in repeats:
                yield from self._compared(value, ABSENT, (*there, index), here, at)

    def _paired(self, old: Any, new: Any, there: Path, here: Path, at: Path) -> Iterator[Change]:
        """Yield the differences of two items that match; a new identifier is one of them."""
        field = self._schema.field(at)
        name = field.identifier if field else None
        if name and isinstance(old, dict) and isinstance(new, dict):
            before, after = old.get(name), new.get(name)
            if isinstance(before, str) and isinstance(after, str) and before != after:
                path, paths = (*at, name), ((*there, name), (*here, name))
                about = meaning(self._schema.field(path))
                yield Change("renamed", _pointer(path), *paths, before, after, about)
                old = {**old, name: after}
        yield from self._compared(old, new, there, here, at)


def _pointer(at: Path) -> str:
    return format_pointer("*" if isinstance(token, int) else token for token in at)


def _texts(items: list[Any]) -> list[str]:
    """Return the items of a set as texts; one that is none is itself only where it stands."""
    return [
        each if isinstance(each, str) else f"\0{index} {json.dumps(each)}"
        for index, each in enumerate(items)
    ]


def _pairs_of_objects(
    old: list[Any], new: list[Any], identifier: str, label: str | None
) -> dict[int, int]:
    """Items of one identifier, by their order; of those left over, items of one label."""
    pairs: dict[int, int] = {}
    for name in filter(None, (identifier, label)):
        taken = set(pairs.values())
        one = _places([_name(each, name) for each in old], pairs)
        two = _places([_name(each, name) for each in new], taken)
        for text, indices in one.items():
            if text or name == identifier:
                pairs |= zip(indices, two.get(text, ()), strict=False)
    return pairs


def _places(names: list[Any], but_for: Collection[int] = ()) -> dict[str, list[int]]:
    """Return the indices of each text, but for those that are taken."""
    found: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if index not in but_for and isinstance(name, str):
            found.setdefault(name, []).append(index)
    return found


def _repeats(items: list[Any]) -> set[int]:
    """Return the indices of texts that stand before."""
    return {index for equals in _places(_texts(items)).values() for index in equals[1:]}


def _name(item: Any, member: str) -> str:
    """Return the name of an item by one of its members; empty if it has none."""
    name = item.get(member) if isinstance(item, dict) else None
    return name if isinstance(name, str) else ""


def _meaning(field: Field | None, old: Any, new: Any) -> str | None:
    """Return the meaning of a listed value, or of the place of one where none are listed."""
    if field is None or not field.values:
        return meaning(field)
    value = old if new is ABSENT else new
    about = next((about for each, about in field.values if each == value), None)
    return meaning(field._replace(description=about))
