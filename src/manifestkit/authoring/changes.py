"""What `add`, `set` and `remove` change: read off the schema, and made in the text alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from manifestkit.authoring.pointers import find_place, member_before, misspelt, path_to_make
from manifestkit.authoring.values import check_text, read_item, read_value
from manifestkit.edits import TOO_DEEP, Editor, Operation, patched, path_in, proven, same
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.rules.messages import excerpt, label
from manifestkit.schema.model import Schema


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a manifest.

    Attributes:
        message: what it does, as an instruction.
        operation: the change; None when the manifest is so already.
        after: the member that a new one is to stand behind; "" for before all others.
        doubt: why it is probably not meant, though it can be made.
    """

    message: str
    operation: Operation | None = None
    after: str | None = None
    doubt: str | None = None


def kinds(schema: Schema) -> Mapping[str, str]:
    """What can be added: the name of one item of each list of the manifest, and the list."""
    root = schema.field(())
    found = {}
    for name in root.members if root else ():
        item = schema.field((name, 0))
        if item and item.title:
            found[item.title.lower()] = name
    return found


def addition(document: Document, schema: Schema, kind: str, text: str) -> Change:
    """Add an item to one of the manifest's lists.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        kind: one of `kinds`.
        text: the item; of an object, its required members, with ``=`` between them.

    Raises:
        AuthoringError: the text is no such item.
        EditRefusedError: there is something else than a list.
    """
    check_text(text)
    name = kinds(schema)[kind]
    item = read_item(text, kind, schema.field((name, 0)))
    message = f"add {excerpt(item)} to {label((name,))}"
    if not isinstance(document.value, dict):
        raise EditRefusedError("a manifest is one object: fix that first")
    there = document.value.get(name)
    if there is None:
        return _put(document, schema, (name,), [item], message)
    if not isinstance(there, list):
        raise EditRefusedError(f"{label((name,))} is no array: fix that first")
    if any(same(each, item) or _has_all(each, item) for each in there):
        return Change(message)
    path = (name, len(there))
    change = _put(document, schema, path, item, message)
    return replace(change, doubt=_repeated(document, schema, path, change))


def setting(document: Document, schema: Schema, pointer: str, text: str) -> Change:
    """Give a member or an item a value; objects and arrays on the way to it are made.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        pointer: which; in an array, an index, ``-`` for a new item, or an item's id or text.
        text: the value: as it is where the schema wants a string, else JSON.

    Raises:
        PointerSyntaxError: the pointer is none.
        AuthoringError: it leads nowhere, or the text is no such value.
        EditRefusedError: it names several items, or the text is no value and the pointer a slip.
    """
    check_text(pointer)
    check_text(text)
    path, missing = _place(document, schema, pointer)
    whole = path_to_make(document.value_at(path), schema, path, missing)
    slip = misspelt(schema, path, missing)
    try:
        value = read_value(text, schema.field(whole), whole)
    except AuthoringError:
        if slip:
            raise EditRefusedError(slip) from None
        raise
    if missing and isinstance(whole[-1], int):
        message = f"add {excerpt(value)} to {label(whole[:-1])}"
    else:
        message = f"set {label(whole)} to {excerpt(value)}"
    if not missing:
        is_same = same(document.value_at(path), value)
        operation = {"op": "replace", "path": format_pointer(path), "value": value}
        change = Change(message, None if is_same else operation)
    else:
        new = len(path) + 1
        for token in reversed(whole[new:]):
            value = [value] if isinstance(token, int) else {token: value}
        change = _put(document, schema, whole[:new], value, message)
    return replace(change, doubt=slip or _repeated(document, schema, whole, change))


def removal(document: Document, schema: Schema, pointer: str) -> Change:
    """Take a member or an item out.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        pointer: which; in an array, an index, or an item's id or text.

    Raises:
        PointerSyntaxError: the pointer is none.
        EditRefusedError: it names several items, or nothing, and that by a slip.
    """
    path, missing = _place(document, schema, pointer)
    slip = misspelt(schema, path, missing)
    if slip:
        raise EditRefusedError(slip)
    message = f"remove {label((*path, *missing))}"
    return Change(message, None if missing else {"op": "remove", "path": format_pointer(path)})


def changed(document: Document, change: Change, limits: Limits = DEFAULT_LIMITS) -> Document:
    """The manifest with a change, and not a byte of it elsewhere.

    Raises:
        EditRefusedError: its text cannot be edited so.
    """
    operation = change.operation
    if operation is None:
        return document
    editor = Editor(document)
    if operation["op"] == "add":
        edits = editor.add(
            path_in(document.value, operation["path"]), operation["value"], after=change.after
        )
    else:
        edits = list(editor.patch([operation]))
    return proven(document, edits, patched(document.value, [operation]), limits)


def _place(document: Document, schema: Schema, pointer: str) -> tuple[Path, tuple[str, ...]]:
    """The path that a pointer leads to, as far as there is one, and the tokens beyond it."""
    path, missing = find_place(document.value, schema, pointer)
    if len(missing) > DEFAULT_LIMITS.depth:
        raise EditRefusedError(TOO_DEEP)
    return path, missing


def _put(document: Document, schema: Schema, path: Path, value: Any, message: str) -> Change:
    """Put in what is not there, a member behind those that the schema has before it."""
    operation = {"op": "add", "path": format_pointer(path), "value": value}
    return Change(message, operation, member_before(document.value_at(path[:-1]), schema, path))


def _repeated(document: Document, schema: Schema, path: Path, change: Change) -> str | None:
    """That an item gets what another one is told by: its first required member, or a listed value.

    Elsewhere than in such lists, two items may well be alike.
    """
    if change.operation is None:
        return None
    holder = patched(document.value, [change.operation])
    for number, token in enumerate(path):
        field = schema.field(path[: number + 1])
        item, below = holder[token], path[number + 1 :]
        if isinstance(holder, list) and field and field.values and holder.count(item) > 1:
            return f"{label(path[:number])} has {excerpt(item)} already"
        if isinstance(holder, list) and field and isinstance(item, dict):
            first = next(iter(field.required), None)
            told = [each.get(first) for each in holder if isinstance(each, dict)]
            own = item.get(first)
            if own is not None and below in ((), (first,)) and told.count(own) > 1:
                return f"another {(field.title or 'item').lower()} has the {first} {excerpt(own)}"
        holder = item
    return None


def _has_all(value: Any, wanted: Any) -> bool:
    """Whether an object has all members of another, and their values."""
    return (
        isinstance(value, dict)
        and isinstance(wanted, dict)
        and all(value.get(name) == each for name, each in wanted.items())
    )
