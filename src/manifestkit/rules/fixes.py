"""Fixes that several rules offer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

from manifestkit.edits import END, Editor
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit, Fix
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.rules.messages import excerpt, label, named, place_of

_LEVELS = re.compile(r"[0-9]+")
_Safety = Literal["safe", "unsafe"]


def replace_fix(editor: Editor, path: Path, value: Any) -> Fix:
    """Write another value."""
    operation = {"op": "replace", "path": format_pointer(path), "value": value}
    return _fix(editor, f"write {excerpt(value)}", "safe", operation)


def rename_fix(editor: Editor, path: Path, name: str) -> Fix:
    """Give a member its right name."""
    target = format_pointer((*path[:-1], name))
    operation = {"op": "move", "from": format_pointer(path), "path": target}
    return _fix(editor, f"rename it to {named(name)}", "safe", operation)


def move_fix(editor: Editor, document: Document, path: Path, target: Path) -> Fix:
    """Put a member into another object."""
    operations = (
        {"op": "remove", "path": format_pointer(path)},
        {"op": "add", "path": format_pointer(target), "value": document.value_at(path)},
    )
    return _fix(editor, f"move it {place_of(target[:-1], 'into')}", "unsafe", *operations)


def swap_fix(editor: Editor, document: Document, one: Path, other: Path) -> Fix:
    """Give two members each other's values."""
    operations = [
        {"op": "replace", "path": format_pointer(path), "value": document.value_at(source)}
        for path, source in ((one, other), (other, one))
    ]
    return _fix(editor, f"swap {label(one)} and {label(other)}", "unsafe", *operations)


def remove_fix(editor: Editor, path: Path, safety: _Safety = "unsafe") -> Fix:
    """Take a member or an item out; never safe where a comment goes with it."""
    fix = _fix(editor, "remove it", safety, {"op": "remove", "path": format_pointer(path)})
    return fix._replace(safety="unsafe") if editor.drops_comment(fix.edits) else fix


def patch_fix(editor: Editor, at: Path, patch: list[Mapping[str, Any]]) -> Fix | None:
    """A fix that a schema states as a JSON Patch relative to the failing value.

    A path that starts with ``/`` (or is empty) leads down from that value. One that starts with a
    number, as in ``2/permissions/-``, goes up so many levels first (relative JSON Pointer).

    Returns:
        None when a path leads nowhere in this document, or an operation is none of `replace` and
        `add` at an array's end. What an array has already is not added again.
    """
    operations: list[Mapping[str, Any]] = []
    messages: list[str] = []
    for operation in patch:
        path = _target(editor.value, at, str(operation.get("path", "")))
        if path is None:
            return None
        if operation.get("op") == "add" and path[-1:] == (END,):
            if operation["value"] in _value_at(editor.value, path[:-1]):
                continue
            messages.append(f"add {excerpt(operation['value'])} to {label(path[:-1])}")
        elif operation.get("op") == "replace":
            messages.append(f"write {excerpt(operation['value'])}")
        else:
            return None
        operations.append({**operation, "path": format_pointer(path)})
    return _fix(editor, "; ".join(messages), "unsafe", *operations) if operations else None


def _value_at(value: Any, path: Path) -> Any:
    for token in path:
        value = value[token]
    return value


def _fix(editor: Editor, message: str, safety: _Safety, *operations: Mapping[str, Any]) -> Fix:
    """A fix, with its edits where the text can be edited so."""
    edits: tuple[Edit, ...] = ()
    with suppress(EditRefusedError):
        edits = editor.patch(operations)
    return Fix(message, safety, edits, operations)


def _target(value: Any, at: Path, relative: str) -> Path | None:
    """The path that a relative pointer leads to from a path; None when there is no such place."""
    up = _LEVELS.match(relative)
    levels = int(up[0]) if up else 0
    if levels > len(at):
        return None
    path: Path = at[: len(at) - levels]
    here: Any = value
    for token in path:
        here = here[token]
    for token in parse_pointer(relative[up.end() :] if up else relative):
        if isinstance(here, list) and token == END:
            path = (*path, token)
        elif isinstance(here, list) and (index := array_index(token)) is not None:
            if index >= len(here):
                return None
            path, here = (*path, index), here[index]
        elif isinstance(here, dict) and token in here:
            path, here = (*path, token), here[token]
        else:
            return None
    return path
