"""The places of a manifest that `get`, `set` and `remove` take.

A place is a JSON pointer or a path as messages show it, to what is there or is to be made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from manifestkit.authoring.inputs import Input, check_text
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import counted, excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError, PointerSyntaxError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import (
    END,
    Path,
    array_index,
    format_pointer,
    parse_place,
    parse_pointer,
)
from manifestkit.model.printable import printable
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import full_name, nearest

_FEW = 3
_MOST_NAMES = 10_000
_MOST_POINTERS = 500
_FIRST = "0"
_SEPARATORS = r"[:/>\\]+"  # of paths, in other programs


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A place in a manifest of a schema.

    Attributes:
        document: the manifest.
        schema: its schema.
        text: the place as it is given.
        path: the path to it, as far as there is something.
        missing: the tokens beyond that; empty for what is there.
        indices: which of these are written as indices, `[0]`.
    """

    document: Document
    schema: Schema
    text: str
    path: Path
    missing: tuple[str, ...]
    indices: frozenset[int] = frozenset()

    @classmethod
    def parse(cls, document: Document, schema: Schema, text: str) -> ManifestPlace:
        """Return where a place leads.

        A place is a JSON pointer, or a path as messages show it. In an array, a token is an index,
        or an item's identifier or text; without a pointer's slashes, such a text may have dots.

        Raises:
            AuthoringError: the place is none.
            EditRefusedError: several items are called so, or it leads too deep.
        """
        check_text(text)
        try:
            tokens = parse_place(text)
        except PointerSyntaxError as problem:
            raise AuthoringError(str(problem)) from None
        path: Path = ()
        value = document.value
        number = 0
        while number < len(tokens):
            step: str | int | None = None
            taken = 1
            if isinstance(value, list):
                field = schema.field((*path, 0))
                for taken in _name_lengths(tokens[number:], text):
                    names = tokens[number : number + taken]
                    token = names[0] if taken == 1 else ".".join(map(str, names))
                    step = _index(value, field, token, path, tokens[number + taken :])
                    if step is not None:
                        break
            elif isinstance(value, dict) and tokens[number] in value:
                step = tokens[number]
            elif isinstance(value, dict) and isinstance(tokens[number], int):
                raise EditRefusedError(
                    f"{label(path)} is an object, and has no item {tokens[number]}"
                )
            if step is None:
                if len(tokens) - number > DEFAULT_LIMITS.depth:
                    raise EditRefusedError("the place is nested too deeply")
                break
            path, value = (*path, step), value[step]
            number += taken
        item = schema.field((*path, 0)) if isinstance(value, list) else None
        missing = _with_whole_text(tokens[number:], text, item)
        indices = frozenset(at for at, token in enumerate(missing) if isinstance(token, int))
        return cls(document, schema, text, path, tuple(map(str, missing)), indices)

    @property
    def value(self) -> Any:
        """The value at the path."""
        return self.document.value_at(self.path)

    def existing(self) -> Path:
        """Return the path to what is there.

        Raises:
            EditRefusedError: there is nothing.
        """
        if not self.missing:
            return self.path
        near = nearest(self.missing[0], self._names())
        meant = [] if near else self._elsewhere(near=True)
        if near is not None:
            meant += [self._instead(0, near), self.text.replace(self.missing[0], near, 1)]
        found: dict[Path, str] = {}
        for each in meant:
            place = self.parse(self.document, self.schema, each)
            if not place.missing:
                found.setdefault(place.path, each)
        rest = _did_you_mean(found.values()) or f"; {self._contents()}"
        raise EditRefusedError(f"there is no {named(self.text)}{rest}")

    def _contents(self) -> str:
        """Return in words what is at the path."""
        value, at = self.value, label(self.path)
        if not isinstance(value, dict | list):
            return f"{at} is {excerpt(value)}"
        names = list(value) if isinstance(value, dict) else sorted(self._names())
        if not names or (isinstance(value, list) and array_index(self.missing[0]) is not None):
            return f"{at} has {counted(len(value), 'item')}" if value else f"{at} is empty"
        return f"{at} has {listed(names, 'and', named)}"

    def to_make(self) -> Path:
        """Return the whole path: an item to come has the index that it will have.

        An index, or the schema, says what is an array of that which is not there.

        Raises:
            EditRefusedError: what is there has no members, or no item that is called so.
        """
        path, value = self.path, self.value
        for number, token in enumerate(self.missing):
            there = number == 0
            if there and not isinstance(value, dict | list):
                is_no_owner = f"{label(path)} is {excerpt(value)}"
                raise EditRefusedError(f"{is_no_owner}, and has no {named(token)}")
            is_due = number in self.indices or _is_array(self.schema.field(path))
            is_list = isinstance(value, list) if there else is_due
            if not is_list:
                path = (*path, token)
            elif token == END or (token == _FIRST and not there):
                path = (*path, len(value) if there else 0)
            else:
                raise EditRefusedError(self._no_item(path, number))
        return path

    def slip(self) -> str | None:
        """Return why it is probably not meant: it is almost what the schema or the manifest has."""
        path = self.path
        for number, token in enumerate(self.missing):
            field = self.schema.field(path)
            known = field.members if field else ()
            if not token and token not in known:
                meant = format_pointer((*self.path, *self.missing[:number], "NAME"))
                return f"there is no member with an empty name; write `{printable(meant)}`"
            near = None
            parts = tuple(filter(None, re.split(_SEPARATORS, token)))
            if token not in known and len(parts) > 1 and self.schema.field((*path, *parts)):
                meant = format_pointer((*path, *parts, *self.missing[number + 1 :]))
                return f"there is no {named(token)}{_did_you_mean([meant])}"
            if token not in known and self.schema.field((*path, token)) is None:
                is_closed = field is not None and field.closed
                near = nearest(token, known, sure=not is_closed) or full_name(token, known)
            if near is not None:
                return f"there is no {named(token)}{_did_you_mean([self._instead(number, near)])}"
            path = (*path, 0 if _is_array(field) else token)
        is_own = any(each.startswith("x-") for each in self.missing)
        others = self._elsewhere() if self.missing and not is_own else []
        name = named(self.text.removeprefix("/"))
        return f"there is no {name}{_did_you_mean(others)}" if others else None

    def _instead(self, number: int, name: str) -> str:
        """Return the pointer with another name for a missing one."""
        return format_pointer(
            (*self.path, *self.missing[:number], name, *self.missing[number + 1 :])
        )

    def _names(self) -> set[str]:
        """Return the names of what the value at the path has."""
        value = self.value
        if isinstance(value, list):
            return _item_names(value, self.schema, self.path)
        return set(value) if isinstance(value, dict) else set()

    def _no_item(self, path: Path, number: int) -> str:
        name = self.missing[number]
        there = f"{label(path)} has no item {named(name)}"
        items = self.value if number == 0 else []
        if array_index(name) is not None:
            there += f": it has {counted(len(items), 'item')}"
        item = self.schema.field((*path, 0))
        if items and item and name in item.members:
            return there + _did_you_mean([format_pointer((*path, 0, *self.missing[number:]))])
        near = nearest(name, _item_names(items, self.schema, path))
        if near is not None:
            return there + _did_you_mean([self._instead(number, near)])
        names = self.schema.kinds.items()
        kind = next((kind for kind, member in names if (member,) == path), None)
        if kind is not None:
            form = Input.at(self.schema, (*path, 0)).form or "VALUE"
            return f"{there}; add it with `manifest add {kind} {form}`"
        return f"{there}; use `{END}` for a new one"

    def _elsewhere(self, *, near: bool = False) -> list[str]:
        """Return the first few pointers elsewhere that end in the one name that leads nowhere.

        They lead to members and items, there or not. With `near`, the name may be misspelt.
        """
        name, field = ".".join(self.missing), self.schema.field(self.path)
        known = field.members if field else ()
        is_one = len(self.missing) == 1 or not (self.path or self.text.startswith("/"))
        if not is_one or self.indices or name in known or (self.path and not known):
            return []
        ends: dict[str, list[str]] = {}
        for each, _ in pointers(self.document.value, self.schema, absent=True):
            ends.setdefault(parse_pointer(each)[-1], []).append(each)
        for member in self.schema.kinds.values():
            item = self.schema.field((member, 0))
            for value, _ in item.values if item else ():
                ends.setdefault(str(value), []).append(format_pointer((member, str(value))))
        meant = name if name in ends or not near else nearest(name, ends)
        return list(dict.fromkeys(ends.get(meant or "", [])))[:_FEW]


def _name_lengths(tokens: tuple[str | int, ...], place: str) -> range:
    """Return how many tokens may be one name: in a path with dots, several."""
    names = takewhile(lambda token: isinstance(token, str), tokens)
    return range(1, 2 if place.startswith("/") else max(2, 1 + len(list(names))))


def _with_whole_text(
    tokens: tuple[str | int, ...], place: str, item: Field | None
) -> tuple[str | int, ...]:
    """Return tokens with those as one that may be the text of an item."""
    if item is None or item.types != ("string",) or not tokens or isinstance(tokens[0], int):
        return tokens
    count = _name_lengths(tokens, place)[-1]
    return (".".join(map(str, tokens[:count])), *tokens[count:])


def pointers(value: Any, schema: Schema, *, absent: bool) -> Iterator[tuple[str, str]]:
    """Yield the pointers that `setting` or `removal` take, each with what stands there in words.

    With `absent`, also those of members that are not there, and of items to come.
    """
    todo: list[tuple[tuple[str, ...], Path, Any]] = [((), (), value)]
    for _ in range(_MOST_POINTERS):
        if not todo:
            return
        tokens, path, here = todo.pop()
        field = schema.field(path)
        if tokens:
            yield format_pointer(tokens), (field.title or "") if field else ""
        below: list[tuple[str, str | int, Any]] = []
        if isinstance(here, list):
            item = schema.field((*path, 0))
            names = [_name_of(each, item) for each in here]
            counts = Counter(names)
            below = [
                (name if name and counts[name] == 1 and name != END else str(index), 0, here[index])
                for index, name in enumerate(names)
            ]
        elif isinstance(here, dict):
            below = [(name, name, each) for name, each in here.items()]
        if absent and _is_array(field):
            below.append((END, 0, None))
        elif absent and field and END not in tokens:
            there = here if isinstance(here, dict) else {}
            below += [(name, name, None) for name in field.members if name not in there]
        todo += [((*tokens, name), (*path, step), each) for name, step, each in reversed(below)]


def _did_you_mean(found: Iterable[str]) -> str:
    """Ask which of some pointers was meant, to end a sentence; empty for none."""
    each = [f"`{printable(pointer)}`" for pointer in dict.fromkeys(found)]
    return f" (did you mean {listed(each)}?)" if each else ""


def _item_names(items: list[Any], schema: Schema, path: Path) -> set[str]:
    """Return the names of an array's items."""
    field = schema.field((*path, 0))
    names = (_name_of(item, field) for item in items[:_MOST_NAMES])
    return {each for each in names if each is not None}


def _is_array(field: Field | None) -> bool:
    return field is not None and "array" in field.types and "object" not in field.types


def _index(
    items: list[Any],
    field: Field | None,
    token: str | int,
    path: Path,
    below: tuple[str | int, ...],
) -> int | None:
    """Return the index of the item that a token means, by its index or its name."""
    if isinstance(token, int) and token >= 0:
        return token if token < len(items) else None
    name, index = str(token), array_index(str(token))
    found = [at for at, item in enumerate(items) if name and _name_of(item, field) == name]
    by_index = [index] if index is not None and index < len(items) else []
    meant = list(dict.fromkeys(by_index + found))
    if len(meant) > 1 or (name == END and found):
        also = " or a new one" if name == END else ""
        each = [label((*path, at, *below)) for at in meant]
        raise EditRefusedError(
            f"{named(name)} may be several items of {label(path)}{also}: write {listed(each)}"
        )
    return meant[0] if meant else None


def _name_of(item: Any, field: Field | None) -> str | None:
    """Return the id or the text of an item; a number in a list has no name."""
    return item_name(item, field) if isinstance(item, str | dict) else None
