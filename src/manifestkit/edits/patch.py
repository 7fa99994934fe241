"""A change of data: RFC 6902 operations on a value."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from manifestkit.errors import EditRefusedError
from manifestkit.pointer import Path, array_index, parse_pointer

Operation = Mapping[str, Any]
END = "-"
"""The index after an array's last item."""
TOO_DEEP = "it is nested too deep to be edited"
"""Why a manifest is left alone that only raised limits let in."""


def patched(value: Any, operations: Iterable[Operation]) -> Any:
    """A value with a JSON Patch of `add`, `remove`, `replace` and `move`; renamed members stay put.

    Raises:
        KeyError, IndexError: an operation speaks of what is not there.
        EditRefusedError: the value is nested too deep to be copied.
    """
    try:
        holder = [copy.deepcopy(value)]
    except RecursionError:
        raise EditRefusedError(TOO_DEEP) from None
    for operation in operations:
        _apply(holder, operation)
    return holder[0]


def _apply(holder: list[Any], operation: Operation) -> None:
    owner, last = _owner(holder, operation["path"])
    match operation["op"]:
        case "add" if isinstance(owner, list) and owner is not holder:
            owner.insert(len(owner) if last == END else last, operation["value"])
        case "add":
            owner[last] = operation["value"]
        case "replace":
            _ = owner[last]
            owner[last] = operation["value"]
        case "remove":
            del owner[last]
        case "move":
            source, name = _owner(holder, operation["from"])
            if source is not owner or not isinstance(owner, dict):
                raise KeyError(operation["from"])
            members = [(last if each == name else each, owner[each]) for each in owner]
            owner.clear()
            owner.update(members)


def _owner(holder: list[Any], pointer: str) -> tuple[Any, Any]:
    owner: Any = holder
    last: str | int = 0
    for token in parse_pointer(pointer):
        owner = owner[last]
        last = _step(owner, token)
    return owner, last


def _step(owner: Any, token: str) -> str | int:
    if isinstance(owner, list):
        if token == END:
            return END
        index = array_index(token)
        if index is not None and index <= len(owner):
            return index
        raise IndexError(token)
    if isinstance(owner, dict):
        return token
    raise KeyError(token)


def path_in(value: Any, pointer: str) -> Path:
    """The path that a pointer means in a value; its last step need not be there.

    Raises:
        KeyError, IndexError: what should hold it is not there.
        PointerSyntaxError: it is no pointer.
    """
    holder = [value]
    path: list[str | int] = []
    owner: Any = holder
    last: str | int = 0
    for token in parse_pointer(pointer):
        owner = owner[last]
        last = _step(owner, token)
        path.append(last)
    return tuple(path)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same data: 1, 1.0 and true are three, members have no order."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if left is right:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            todo.extend((member, right[name]) for name, member in left.items())
        elif isinstance(left, list):
            if len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif left != right or (left == 0 and str(left) != str(right)):  # -0.0 is not 0.0
            return False
    return True
