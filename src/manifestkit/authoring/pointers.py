"""Where a pointer leads in a manifest, as people write it."""

from __future__ import annotations

from typing import Any

from manifestkit.edits import END
from manifestkit.engine.findings import item_name
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.model.printable import printable
from manifestkit.rules.messages import excerpt, label, listed, named
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_TWO = 2
_FIRST = "0"


def find_place(value: Any, schema: Schema, pointer: str) -> tuple[Path, tuple[str, ...]]:
    """The path that a pointer leads to, as far as there is one, and the tokens beyond it.

    In an array, a token is an index, or an item's identifier or text.

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
            field = schema.field((*path, 0))
            step = _index(value, field, token, path, tokens[number + 1 :])
        if step is None:
            return path, tokens[number:]
        path, value = (*path, step), value[step]
    return path, ()


def path_to_make(value: Any, schema: Schema, path: Path, missing: tuple[str, ...]) -> Path:
    """The whole path to what is not there: an item to come has the index that it will have.

    Args:
        value: what stands at the path.
        schema: what a manifest must be: it says what on the way is an array.
        path: the way, as far as it is there.
        missing: the tokens beyond it.

    Raises:
        AuthoringError: what is there has no members, or no item that is called so.
    """
    for number, token in enumerate(missing):
        there = number == 0
        if there and not isinstance(value, dict | list):
            raise AuthoringError(f"{label(path)} is {excerpt(value)}, and has no {named(token)}")
        is_list = isinstance(value, list) if there else _is_array(schema.field(path))
        if not is_list:
            path = (*path, token)
        elif token == END or (token == _FIRST and not there):
            path = (*path, len(value) if there else 0)
        else:
            raise AuthoringError(f"{label(path)} has no item {named(token)}; `{END}` is a new one")
    return path


def member_before(owner: Any, schema: Schema, path: Path) -> str | None:
    """The member that a new one is to stand behind, by the order of the schema.

    Args:
        owner: what gets the new one.
        schema: what orders members.
        path: where the new one will be.

    Returns:
        The member; "" for before all, None for behind all and for what is no member it knows.
    """
    field = schema.field(path[:-1])
    if not isinstance(owner, dict) or field is None or path[-1] not in field.members:
        return None
    earlier = field.members[: field.members.index(str(path[-1]))]
    there = [name for name in earlier if name in owner]
    is_first = any(name in owner for name in field.members)
    return there[-1] if there else "" if is_first else None


def misspelt(schema: Schema, path: Path, missing: tuple[str, ...]) -> str | None:
    """That a member which is not there is almost one that the schema knows."""
    for number, token in enumerate(missing):
        field = schema.field(path)
        known = field.members if field else ()
        near = None if token in known else nearest(token, known, sure=True)
        if near is not None:
            meant = format_pointer((*path, near, *missing[number + 1 :]))
            return f"there is no {named(token)} (did you mean `{printable(meant)}`?)"
        path = (*path, 0 if _is_array(field) else token)
    return None


def _is_array(field: Field | None) -> bool:
    return field is not None and "array" in field.types and "object" not in field.types


def _index(
    items: list[Any], field: Field | None, token: str, path: Path, below: tuple[str, ...]
) -> int | None:
    index = array_index(token)
    if index is not None and index < len(items):
        return index
    found = [index for index, item in enumerate(items) if item_name(item, field) == token != ""]
    if len(found) > 1:
        count = "two" if len(found) == _TWO else f"{len(found):,}"
        each = [f"`{printable(format_pointer((*path, index, *below)))}`" for index in found]
        raise EditRefusedError(
            f"{count} items of {label(path)} are called {named(token)}: write {listed(each)}"
        )
    return found[0] if found else None
