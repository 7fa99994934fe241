"""What a fix does: to a text by its edits, to a value by its patch."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from manifestkit import Edit, Fix
from manifestkit.decode import Decoded
from manifestkit.edits.patch import apply_edits, read_again
from manifestkit.model.document import Document
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import parse_pointer


def edited(text: str, fix: Fix) -> str:
    """A text with the edits of a fix."""
    for edit in sorted(fix.edits, key=lambda each: each.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def verified(document: Document, edits: Iterable[Edit], value: Any) -> Decoded:
    """A document with edits, read again: it must say a value."""
    text = apply_edits(document.text, edits)
    return read_again(text, document.name, value, DEFAULT_LIMITS, "edited")


def patched(value: Any, patch: Iterable[Mapping[str, Any]]) -> Any:
    """A value with a JSON Patch (RFC 6902) of `add`, `replace` and `move`."""
    value = copy.deepcopy(value)
    for operation in patch:
        content = operation.get("value")
        if operation["op"] == "move":
            *way, last = parse_pointer(operation["from"])
            content = _owner(value, way).pop(last)
        *way, last = parse_pointer(operation["path"])
        owner = _owner(value, way)
        if isinstance(owner, dict):
            owner[last] = content
        elif operation["op"] == "add":
            owner.insert(len(owner) if last == "-" else int(last), content)
        else:
            owner[int(last)] = content
    return value


def _owner(value: Any, way: Iterable[str]) -> Any:
    for token in way:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value
