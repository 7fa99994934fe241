"""JSON Pointers (RFC 6901), and the paths they are written from."""

from __future__ import annotations

import re
from collections.abc import Iterable

from manifestkit.errors import PointerSyntaxError

Path = tuple[str | int, ...]
"""The way to a value: member names (``str``) and array indices (``int``), outermost first."""

_BAD_ESCAPE = r"~(?![01])"


def format_pointer(path: Iterable[str | int]) -> str:
    """Write a path as an RFC 6901 pointer; the whole document is ``""``."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Split an RFC 6901 pointer into its reference tokens, array indices still as text.

    Raises:
        PointerSyntaxError: the text neither is empty nor starts with ``/``, or has a ``~`` that
            is not ``~0`` or ``~1``.
    """
    if pointer and not pointer.startswith("/"):
        raise PointerSyntaxError(f"`{pointer}` is no JSON pointer: write `/{pointer}`")
    if "~" in pointer and re.search(_BAD_ESCAPE, pointer):
        raise PointerSyntaxError(
            f"`{pointer}` is no JSON pointer: write `~0` for `~` and `~1` for `/` inside a name"
        )
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])


Way = tuple["Way", str | int] | None
"""A path that is shared with those beside it: the way to what holds the value, and its token.

A walk through a deep value that made a path of each part would take the square of its depth.
"""


def path_of(way: Way) -> Path:
    """The path that a way is."""
    tokens: list[str | int] = []
    while way is not None:
        way, token = way
        tokens.append(token)
    return tuple(reversed(tokens))
