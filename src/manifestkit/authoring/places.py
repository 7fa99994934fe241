"""Where a pointer leads in a manifest, as people write it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manifestkit.edits import END
from manifestkit.engine.identity import item_name
from manifestkit.errors import AuthoringError, EditRefusedError
from manifestkit.pointer import Path, format_pointer, parse_pointer
from manifestkit.rules.wording import excerpt, label, listed, named

_TWO = 2


def find_place(value: Any, pointer: str) -> tuple[Path, tuple[str, ...]]:
    """The path that a pointer leads to, as far as there is one, and the tokens beyond it.

    In an array, a token is an index, or an item's id or text.

    Raises:
        PointerSyntaxError: the pointer is none.
        EditRefusedError: several items are called so.
    """
    tokens = parse_pointer(pointer)
    path: Path = ()
    for number, token in enumerate(tokens):
        step: str | int | None = None
        if isinstance(value, dict) and token in value:
            step = token
        elif isinstance(value, list):
            step = _index(value, token, path, tokens[number + 1 :])
        if step is None:
            return path, tokens[number:]
        path, value = (*path, step), value[step]
    return path, ()


def check_room(value: Any, path: Path, missing: tuple[str, ...]) -> None:
    """See to it that a value can be put where there is none.

    Raises:
        AuthoringError: what is there has no members, or no item that is called so.
    """
    if isinstance(value, list) and missing != (END,):
        raise AuthoringError(f"{label(path)} has no item {named(missing[0])}")
    if not isinstance(value, dict | list):
        raise AuthoringError(f"{label(path)} is {excerpt(value)}, and has no {named(missing[0])}")


def described(path: Iterable[str | int]) -> Path:
    """A path as the schema is asked for it: the item to come is like any other."""
    return tuple(0 if token == END else token for token in path)


def _index(items: list[Any], token: str, path: Path, below: tuple[str, ...]) -> int | None:
    if token.isdecimal() and int(token) < len(items):
        return int(token)
    found = [index for index, item in enumerate(items) if item_name(item, "") == token != ""]
    if len(found) > 1:
        count = "two" if len(found) == _TWO else f"{len(found):,}"
        each = [f"`{format_pointer((*path, index, *below))}`" for index in found]
        raise EditRefusedError(
            f"{count} items of {label(path)} are called {named(token)}: write {listed(each)}"
        )
    return found[0] if found else None
