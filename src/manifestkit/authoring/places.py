"""The places of pointers in a manifest, and suggestions where one leads nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from manifestkit.edits.patch import END, TOO_DEEP
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.messages import counted, excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.model.printable import printable
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_TWO = 2
_MOST_NAMES = 10_000
_MOST_POINTERS = 500
_FIRST = "0"


def kinds(schema: Schema) -> Mapping[str, str]:
    """Return the lists of a manifest, each by the name of one item."""
    root = schema.field(())
    found = {}
    for name in root.members if root else ():
        item = schema.field((name, 0))
        if item and item.title:
            found[item.title.lower()] = name
    return found


def elsewhere(schema: Schema, name: str) -> list[str]:
    """Return the pointers that a name which is no member of the manifest itself may stand for.

    They lead to a member of that name in one of its objects, or to a listed value in its lists.
    """
    root = schema.field(())
    if root is None or name in root.members:
        return []
    found = []
    for member in root.members:
        field, item = schema.field((member,)), schema.field((member, 0))
        is_value = item is not None and any(value == name for value, _ in item.values)
        if is_value or (field is not None and name in field.members):
            found.append(format_pointer((member, name)))
    return found


def did_you_mean(found: Iterable[str]) -> str:
    """Ask which of some pointers was meant, to end a sentence; empty for none."""
    each = [f"`{printable(pointer)}`" for pointer in dict.fromkeys(found)]
    return f" (did you mean {listed(each)}?)" if each else ""


def pointers(value: Any, schema: Schema, *, absent: bool) -> Iterator[tuple[str, str]]:
    """Yield the pointers that `setting` or `removal` take, each with what stands there in words.

    Args:
        value: the manifest.
        schema: what it must be.
        absent: whether to name members that are not there, and the items to come.
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
            names = [item_name(each, item) for each in here]
            below = [
                (name if name and names.count(name) == 1 else str(index), 0, here[index])
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


def place_of(document: Document, schema: Schema, pointer: str) -> tuple[Path, tuple[str, ...]]:
    """Return the path that a pointer leads to, as far as there is one, and the tokens beyond it.

    In an array, a token is an index, or an item's identifier or text.

    Raises:
        PointerSyntaxError: the pointer is none.
        EditRefusedError: several items are called so, or it leads too deep.
    """
    tokens = parse_pointer(pointer)
    path: Path = ()
    value = document.value
    for number, token in enumerate(tokens):
        step: str | int | None = None
        if isinstance(value, dict) and token in value:
            step = token
        elif isinstance(value, list):
            step = _index(value, schema.field((*path, 0)), token, path, tokens[number + 1 :])
        if step is None:
            if len(tokens) - number > DEFAULT_LIMITS.depth:
                raise EditRefusedError(TOO_DEEP)
            return path, tokens[number:]
        path, value = (*path, step), value[step]
    return path, ()


def path_to_make(value: Any, schema: Schema, path: Path, missing: tuple[str, ...]) -> Path:
    """Return the whole path to what is not there: an item to come has the index that it will have.

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
            raise AuthoringError(_no_item(value, schema, path, missing[number:]))
    return path


def _no_item(value: Any, schema: Schema, path: Path, missing: tuple[str, ...]) -> str:
    items = value if isinstance(value, list) else []
    there = f"{label(path)} has no item {named(missing[0])}"
    if array_index(missing[0]) is not None:
        there += f": it has {counted(len(items), 'item')}"
    near = nearest(missing[0], item_names(items, schema, path))
    if near is not None:
        return there + did_you_mean([format_pointer((*path, near, *missing[1:]))])
    kind = next((kind for kind, name in kinds(schema).items() if (name,) == path), None)
    if kind is not None:
        return f"{there}; add a new one with `manifest add {kind}`"
    return f"{there}; use `{END}` for a new one"


def item_names(items: list[Any], schema: Schema, path: Path) -> set[str]:
    """Return the names of an array's items."""
    field = schema.field((*path, 0))
    names = (item_name(item, field) for item in items[:_MOST_NAMES])
    return {each for each in names if each is not None}


def misspelt(schema: Schema, path: Path, missing: tuple[str, ...]) -> str | None:
    """Say that an absent member is almost one that the schema knows, or has no name."""
    here = path
    for number, token in enumerate(missing):
        field = schema.field(here)
        known = field.members if field else ()
        before = (*path, *missing[:number])
        if not token and token not in known:
            meant = format_pointer((*before, "NAME"))
            return f"there is no member with an empty name; write `{printable(meant)}`"
        is_closed = field is not None and field.closed
        near = None if token in known else nearest(token, known, sure=not is_closed)
        if near is not None:
            meant = format_pointer((*before, near, *missing[number + 1 :]))
            return f"there is no {named(token)}{did_you_mean([meant])}"
        here = (*here, 0 if _is_array(field) else token)
    if not path and len(missing) == 1 and (others := elsewhere(schema, missing[0])):
        return f"there is no {named(missing[0])}{did_you_mean(others)}"
    return None


def not_allowed(schema: Schema, path: Path, missing: tuple[str, ...]) -> str | None:
    """Say that the schema forbids an absent member."""
    for token in missing:
        field = schema.field(path)
        if field and field.closed and token not in field.members:
            return f"{label(path)} does not allow the member {named(token)}"
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
