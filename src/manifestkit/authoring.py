"""What `add`, `set` and `remove` change: read off the schema, and made in the text alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from manifestkit.document import Document
from manifestkit.edits import END, Editor, Operation, patched, path_in, proven, same
from manifestkit.engine.identity import item_name
from manifestkit.errors import AuthoringError, EditRefusedError
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.pointer import Path, format_pointer, parse_pointer
from manifestkit.rules.wording import excerpt, label, named, type_name
from manifestkit.schema.fields import Field
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
    _check_text(text)
    name = kinds(schema)[kind]
    item = _item(text, kind, schema.field((name, 0)))
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
    """
    _check_text(pointer)
    _check_text(text)
    path, missing = _place(document.value, pointer)
    whole = (*path, *missing)
    if missing:
        _check_room(document.value_at(path), path, missing)
    value = _value(text, schema.field(_described(whole)), whole)
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
    """
    path, missing = _place(document.value, pointer)
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


def _check_text(given: str) -> None:
    """Refuse what no UTF-8 file can hold as it is: a byte that the system could not read, mostly.

    Raises:
        AuthoringError: there is such a character.
    """
    try:
        given.encode()
    except UnicodeEncodeError:
        raise AuthoringError(f"{named(given)} is no text in UTF-8: look at your locale") from None


def _put(document: Document, schema: Schema, path: Path, value: Any, message: str) -> Change:
    """Put in what is not there, a member behind those that the schema has before it."""
    operation = {"op": "add", "path": format_pointer(path), "value": value}
    owner = document.value_at(path[:-1])
    field = schema.field(_described(path[:-1]))
    if not isinstance(owner, dict) or field is None or path[-1] not in field.members:
        return Change(message, operation)
    earlier = field.members[: field.members.index(str(path[-1]))]
    there = [name for name in earlier if name in owner]
    later = any(name in owner for name in field.members)
    return Change(message, operation, there[-1] if there else "" if later else None)


def _place(value: Any, pointer: str) -> tuple[Path, tuple[str, ...]]:
    """The path that a pointer leads to, as far as there is one, and the tokens beyond it."""
    tokens = parse_pointer(pointer)
    path: Path = ()
    for number, token in enumerate(tokens):
        step: str | int | None = None
        if isinstance(value, dict) and token in value:
            step = token
        elif isinstance(value, list):
            step = _index(value, token)
        if step is None:
            return path, tokens[number:]
        path, value = (*path, step), value[step]
    return path, ()


def _check_room(value: Any, path: Path, missing: tuple[str, ...]) -> None:
    """See to it that a value can be put where there is none.

    Raises:
        AuthoringError: what is there has no members, or no item that is called so.
    """
    if isinstance(value, list) and missing != (END,):
        raise AuthoringError(f"{label(path)} has no item {named(missing[0])}")
    if not isinstance(value, dict | list):
        raise AuthoringError(f"{label(path)} is {excerpt(value)}, and has no {named(missing[0])}")


def _index(items: list[Any], token: str) -> int | None:
    if token.isdecimal() and int(token) < len(items):
        return int(token)
    names = (index for index, item in enumerate(items) if item_name(item, "") == token != "")
    return next(names, None)


def _item(text: str, kind: str, field: Field | None) -> Any:
    """The item that a text says."""
    if field is None or not field.required:
        return _value(text, field, (kind,))
    parts = text.split("=", len(field.required) - 1)
    if len(parts) < len(field.required) or not all(parts):
        form = "=".join(name.upper() for name in field.required)
        raise AuthoringError(f"{named(text)} is no {kind}: write {form}")
    return dict(zip(field.required, parts, strict=True))


def _value(text: str, field: Field | None, path: Path) -> Any:
    """The value that a text says: the text itself where a string is due, else JSON."""
    types = field.types if field else ()
    if types == ("string",):
        return text
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError:
        if "string" in types:
            return text
        wanted = type_name(types) if types else "a value in JSON"
        hint = "" if types else "; a string stands in quotes, as in '\"text\"'"
        raise AuthoringError(f"{label(path)} takes {wanted}, not {named(text)}{hint}") from None
    return value


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _has_all(value: Any, wanted: Any) -> bool:
    """Whether an object has all members of another, and their values."""
    return (
        isinstance(value, dict)
        and isinstance(wanted, dict)
        and all(value.get(name) == each for name, each in wanted.items())
    )


def _described(path: Iterable[str | int]) -> Path:
    """A path as the schema is asked for it: the item to come is like any other."""
    return tuple(0 if token == END else token for token in path)
