"""Checks that a document may be edited, and proof that an edited text says what it should."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manifestkit.decode import Decoded, decode
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.limits import DEFAULT_LIMITS, Limits, count_values


def require_editable(decoded: Decoded) -> Document:
    """Return a manifest whose parts can be edited: it can be read, and no member appears twice.

    Raises:
        EditRefusedError: it is not so; says where, and what to do.
    """
    for finding in decoded.findings:
        if not decoded.readable or finding.rule == "duplicate-key":
            place = f"line {finding.location.line}, column {finding.location.column}"
            by_hand = f"; {finding.help}" if finding.help else ""
            raise EditRefusedError(f"{finding.message} ({place}){by_hand}")
    return decoded.document


def check_size(document: Document, limits: Limits) -> None:
    """Refuse a document that has too many values to be edited in good time."""
    if count_values(document.value) > limits.edited:
        raise EditRefusedError(
            f"it has more than {limits.edited:,} values; if it is meant to be that large, "
            "raise the limit `edited`"
        )


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits, which are in order of place and do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def verify(
    document: Document, edits: Iterable[Edit], value: Any, limits: Limits = DEFAULT_LIMITS
) -> Decoded:
    """Return the document with edits, read again.

    Args:
        document: what the edits are of.
        edits: in order of place.
        value: what the edited text must say.
        limits: bounds on what is read.

    Raises:
        EditRefusedError: it says something else.
    """
    decoded = decode(apply_edits(document.text, edits).encode(), document.name, limits)
    if not decoded.readable or not is_same_data(decoded.document.value, value):
        raise EditRefusedError("the edited text would have different values")
    return decoded


def is_same_data(one: Any, other: Any) -> bool:
    """Return whether two values are equal: 1, 1.0 and true are three, members have no order."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if left is right:
            continue
        if type(left) is not type(right):
            return False
        if isinstance(left, dict):
            if left.keys() != right.keys():
                return False
            todo.extend((member, right[name]) for name, member in left.items())
        elif isinstance(left, list):
            if len(left) != len(right):
                return False
            todo.extend(zip(left, right, strict=True))
        elif left != right or (left == 0 and str(left) != str(right)):  # -0.0 is not 0.0
            return False
    return True
