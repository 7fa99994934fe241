"""What `add`, `set` and `remove` change: read off the schema, and made in the text alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manifestkit.authoring.places import check_room, described, find_place
from manifestkit.authoring.text import check_text, read_item, read_value
from manifestkit.document import Document
from manifestkit.edits import END, Editor, Operation, patched, path_in, proven, same
from manifestkit.errors import EditRefusedError
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.pointer import Path, format_pointer
from manifestkit.rules.wording import excerpt, label
from manifestkit.schema.model import Schema


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a manifest.

    Attributes:
        message: what it does, as an instruction.
        operation: the change; None when the manifest is so already.
        after: the member that a new one is to stand behind; "" for before all others.
    """

    message: str
    operation: Operation | None = None
    after: str | None = None


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
        EditRefusedError: another one has its id, or there is something else than a list.
    """
    check_text(text)
    name = kinds(schema)[kind]
    item = read_item(text, kind, schema.field((name, 0)))
    message = f"add {excerpt(item)} to {label((name,))}"
    if not isinstance(document.value, dict):
        raise EditRefusedError("a manifest is one object: mend that first")
    there = document.value.get(name)
    if there is None:
        return _put(document, schema, (name,), [item], message)
    if not isinstance(there, list):
        raise EditRefusedError(f"{label((name,))} is no array: mend that first")
    for each in there:
        if same(each, item) or _has_all(each, item):
            return Change(message)
        first = next(iter(item), None) if isinstance(item, dict) else None
        if first and isinstance(each, dict) and each.get(first) == item[first]:
            raise EditRefusedError(f"another {kind} has the {first} {excerpt(item[first])}")
    return _put(document, schema, (name, END), item, message)


def setting(document: Document, schema: Schema, pointer: str, text: str) -> Change:
    """Give a member or an item a value; objects on the way to it are made.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        pointer: which; in an array, an index, ``-`` for a new item, or an item's id or text.
        text: the value: as it is where the schema wants a string, else JSON.

    Raises:
        PointerSyntaxError: the pointer is none.
        AuthoringError: it leads nowhere, or the text is no such value.
        EditRefusedError: it names several items.
    """
    check_text(pointer)
    check_text(text)
    path, missing = find_place(document.value, pointer)
    whole = (*path, *missing)
    if missing:
        check_room(document.value_at(path), path, missing)
    value = read_value(text, schema.field(described(whole)), whole)
    message = f"set {label(whole)} to {excerpt(value)}"
    if not missing:
        is_same = same(document.value_at(path), value)
        operation = {"op": "replace", "path": format_pointer(path), "value": value}
        return Change(message, None if is_same else operation)
    for token in reversed(missing[1:]):
        value = {token: value}
    return _put(document, schema, (*path, missing[0]), value, message)


def removal(document: Document, pointer: str) -> Change:
    """Take a member or an item out.

    Args:
        document: the manifest.
        pointer: which; in an array, an index, or an item's id or text.

    Raises:
        PointerSyntaxError: the pointer is none.
        EditRefusedError: it names several items.
    """
    path, missing = find_place(document.value, pointer)
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


def _put(document: Document, schema: Schema, path: Path, value: Any, message: str) -> Change:
    """Put in what is not there, a member behind those that the schema has before it."""
    operation = {"op": "add", "path": format_pointer(path), "value": value}
    owner = document.value_at(path[:-1])
    field = schema.field(described(path[:-1]))
    if not isinstance(owner, dict) or field is None or path[-1] not in field.members:
        return Change(message, operation)
    earlier = field.members[: field.members.index(str(path[-1]))]
    there = [name for name in earlier if name in owner]
    later = any(name in owner for name in field.members)
    return Change(message, operation, there[-1] if there else "" if later else None)


def _has_all(value: Any, wanted: Any) -> bool:
    """Whether an object has all members of another, and their values."""
    return (
        isinstance(value, dict)
        and isinstance(wanted, dict)
        and all(value.get(name) == each for name, each in wanted.items())
    )
