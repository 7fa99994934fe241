"""JSON Pointers (RFC 6901), and the paths they are written from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import getitem
from typing import Any

from manifestkit.model.errors import PointerSyntaxError

Path = tuple[str | int, ...]
"""The way to a value: member names (``str``) and array indices (``int``), outermost first."""

END = "-"
"""The reference token for the index after an array's last item."""

_BAD_ESCAPE = r"~(?![01])"
_MOST_DIGITS = 9  # of an index: no array is longer
_NAME = r"[^][./~\s\"]+"
_QUOTED_NAME = r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"'
_PLACE_STEP = rf"(?:\.|^(?:\$?\.)?)({_NAME})|\[(?:(-?[0-9]{{1,{_MOST_DIGITS}}})|({_QUOTED_NAME}))\]"
_EACH = r"\[\*?\]"  # of jq and of JSONPath
_SELECTED = r"\.?\[(?:[^]=]*=+)?[ \"']*([\w-]+)[ \"')]*\](?=[.[]|$)"  # by an id, a name
_SEVERAL = rf"\$?\.?([^][]+){_EACH}"


def format_pointer(path: Iterable[str | int]) -> str:
    """Write a path as an RFC 6901 pointer; the whole document is ``""``."""
    tokens = list(map(str, path))
    pointer = "/".join(("", *tokens))
    if "~" not in pointer and pointer.count("/") == len(tokens):
        return pointer
    return "".join(["/" + each.replace("~", "~0").replace("/", "~1") for each in tokens])


def parse_pointer(pointer: str) -> tuple[str, ...]:
    """Split an RFC 6901 pointer into its reference tokens, array indices still as text.

    Raises:
        PointerSyntaxError: the text neither is empty nor starts with ``/``, or has a ``~`` that
            is not ``~0`` or ``~1``.
    """
    if pointer and not pointer.startswith("/"):
        meant = meant_pointer(pointer)
        raise PointerSyntaxError(f"`{pointer}` is not a JSON pointer: write `{meant}`")
    tokens = pointer.split("/")[1:]
    if "~" not in pointer:
        return tuple(tokens)
    if re.search(_BAD_ESCAPE, pointer):
        raise PointerSyntaxError(
            f"`{pointer}` is not a JSON pointer: write `~0` for `~` and `~1` for `/` inside a name"
        )
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def meant_pointer(path: str) -> str:
    """Return the JSON pointer that a path in another syntax stands for: ``$.a[0]``, ``#/a/0``."""
    bare = re.sub(r"^[$#]?[./]*", "", path)
    if "/" not in bare:
        steps = re.findall(r"\[([^]]*)\]|([^][.]+)", bare)
        bare = "/".join((name or index or "*").strip("\"'") for index, name in steps)
    return "/" + re.sub(_BAD_ESCAPE, "~0", bare)


def parse_place(place: str) -> tuple[str | int, ...]:
    """Split a JSON pointer, or a path as messages show it, into names and indices.

    In a pointer, indices are still text.

    Raises:
        PointerSyntaxError: the text is neither.
    """
    if not place or place.startswith("/"):
        return parse_pointer(place)
    tokens: list[str | int] = []
    at = 0
    while at < len(place):
        step = re.compile(_PLACE_STEP).match(place, at)
        if step is None:
            place = place.replace(" | ", "")
            bare = re.sub(_SELECTED, r".\1", place)
            bare = bare.lstrip("$.").replace("/", ".")
            if re.fullmatch(r"[\w-]+(?:\.[\w-]+)*", bare):
                raise PointerSyntaxError(f"`{place}` is not a place: write `{bare}`")
            if several := re.match(_SEVERAL, place):
                raise PointerSyntaxError(
                    f"`{place}` names several values: name one, such as "
                    f"`{re.sub(_EACH, '[0]', place)}`, or the whole of `{several[1]}`"
                )
            raise PointerSyntaxError(
                f"`{place}` is not a place: write a path such as `a.b[0]`, or a JSON pointer"
            )
        name, index, quoted = step.groups()
        tokens.append(name or (int(index) if index else json.loads(quoted)))
        at = step.end()
    return tuple(tokens)


def array_index(token: str) -> int | None:
    """Return the index that a reference token is by RFC 6901: ASCII digits, without leading zeros.

    None for all else, and for an index that no array is long enough for.
    """
    if not (token.isascii() and token.isdigit() and len(token) <= _MOST_DIGITS):
        return None
    index = int(token)
    return index if str(index) == token else None


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
    """Return the path that a pointer means in a value; its last step need not be there.

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


def value_at(value: Any, path: Iterable[str | int]) -> Any:
    """Return the value at a path in another one; a LookupError or TypeError where there is none."""
    return reduce(getitem, path, value)


def walk(value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield a value and all values in it, each with its path, in the order of the text."""
    todo: list[tuple[Path, Any]] = [((), value)]
    while todo:
        path, value = todo.pop()
        yield path, value
        if isinstance(value, dict):
            todo.extend(((*path, name), each) for name, each in reversed(value.items()))
        elif isinstance(value, list):
            todo.extend(((*path, index), each) for index, each in reversed([*enumerate(value)]))
