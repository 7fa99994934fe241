"""Fixes that several rules offer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

from manifestkit.document import Document
from manifestkit.edits import append_item, rename_member, replace_value
from manifestkit.finding import Edit, Fix
from manifestkit.pointer import Path, format_pointer, parse_pointer
from manifestkit.rules.wording import excerpt, label, named

_END = "-"
_LEVELS = re.compile(r"[0-9]+")


def replace_fix(
    document: Document, path: Path, value: Any, safety: Literal["safe", "unsafe"] = "safe"
) -> Fix:
    """Write another value."""
    return Fix(
        f"write {excerpt(value)}",
        safety,
        _edits(replace_value(document, path, value)),
        ({"op": "replace", "path": format_pointer(path), "value": value},),
    )


def rename_fix(document: Document, path: Path, name: str) -> Fix:
    """Give a member its right name."""
    target = format_pointer((*path[:-1], name))
    return Fix(
        f"rename it to {named(name)}",
        "safe",
        _edits(rename_member(document, path, name)),
        ({"op": "move", "from": format_pointer(path), "path": target},),
    )


def patch_fix(document: Document, at: Path, patch: list[Mapping[str, Any]]) -> Fix | None:
    """A fix that a schema states as a JSON Patch relative to the failing value.

    A path that starts with ``/`` (or is empty) leads down from that value. One that starts with a
    number, as in ``2/permissions/-``, goes up so many levels first (relative JSON Pointer). What
    can be written as one text edit is: `replace` of a value, and `add` at an array's end.

    Returns:
        None when a path leads nowhere in this document, or an operation is none of the two.
    """
    edits: list[Edit | None] = []
    operations: list[Mapping[str, Any]] = []
    messages: list[str] = []
    for operation in patch:
        path = _target(document.value, at, str(operation.get("path", "")))
        if path is None:
            return None
        if operation.get("op") == "add" and path[-1:] == (_END,):
            if document.node(path[:-1]).items is None:
                return None
            edits.append(append_item(document, path[:-1], operation["value"]))
            messages.append(f"add {excerpt(operation['value'])} to {label(path[:-1])}")
        elif operation.get("op") == "replace":
            edits.append(replace_value(document, path, operation["value"]))
            messages.append(f"write {excerpt(operation['value'])}")
        else:
            return None
        operations.append({**operation, "path": format_pointer(path)})
    return Fix("; ".join(messages), "unsafe", _edits(*edits), tuple(operations))


def _edits(*edits: Edit | None) -> tuple[Edit, ...]:
    """Edits in order of place; none where one could not be made, or two would meet."""
    made = sorted((each for each in edits if each), key=lambda each: (each.start, each.end))
    apart = all(
        one.end <= next_one.start and one.start < next_one.start for one, next_one in pairwise(made)
    )
    return tuple(made) if apart and len(made) == len(edits) else ()


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
        if isinstance(here, list) and token == _END:
            path = (*path, token)
        elif isinstance(here, list) and token.isdigit() and int(token) < len(here):
            path, here = (*path, int(token)), here[int(token)]
        elif isinstance(here, dict) and token in here:
            path, here = (*path, token), here[token]
        else:
            return None
    return path
