"""Several changes of one value, each told as if the others were not."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from manifestkit.edits.patch import Operation, path_in
from manifestkit.pointer import array_index, parse_pointer

Tokens = tuple[str, ...]
"""A pointer's reference tokens."""


def last_first(value: Any, operations: Iterable[Operation]) -> list[Operation]:
    """The operations in an order in which none changes where another one belongs.

    Raises:
        KeyError, IndexError: an operation speaks of what is not there.
    """

    def place(operation: Operation) -> list[tuple[bool, Any]]:
        path = path_in(value, operation.get("from", operation["path"]))
        return [(isinstance(token, str), token) for token in path]

    return sorted(operations, key=place, reverse=True)


class Shift:
    """Where things are after operations that were told as if the others were not.

    Args:
        operations: of those that put items into arrays, the ones that do so at the end only.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._names: dict[Tokens, str] = {}
        self._gone: set[Tokens] = set()
        gone_items: dict[Tokens, list[int]] = {}
        for each in operations:
            at = parse_pointer(each["path"])
            if each["op"] == "move":
                self._names[parse_pointer(each["from"])] = at[-1]
            elif each["op"] == "remove":
                self._gone.add(at)
                index = array_index(at[-1])
                if index is not None:
                    gone_items.setdefault(at[:-1], []).append(index)
        self._gone_items = {owner: sorted(indices) for owner, indices in gone_items.items()}

    def tokens(self, at: Tokens) -> Tokens | None:
        """Where a value is that was at a pointer; None when it is gone."""
        now: list[str] = []
        for length, token in enumerate(at):
            here = at[: length + 1]
            if here in self._gone:
                return None
            gone = self._gone_items.get(at[:length])
            index = array_index(token) if gone else None
            if gone and index is not None:
                now.append(str(index - bisect_left(gone, index)))
            else:
                now.append(self._names.get(here, token))
        return tuple(now)
