"""Edits put to work, and the proof that they say what they should."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from manifestkit.decode import decode
from manifestkit.edits.patch import same
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.limits import DEFAULT_LIMITS, Limits


def sound(data: bytes, name: str, limits: Limits = DEFAULT_LIMITS) -> Document:
    """A manifest whose parts can be edited: it can be read, and no member is given twice.

    Raises:
        EditRefusedError: it is not so; says where, and what to do.
    """
    decoded = decode(data, name, limits)
    for finding in decoded.findings:
        if not decoded.readable or finding.rule == "duplicate-key":
            place = f"line {finding.location.line}, column {finding.location.column}"
            by_hand = f"; {finding.help}" if finding.help else ""
            raise EditRefusedError(f"{finding.message} ({place}){by_hand}")
    return decoded.document


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits, which are in order of place and do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def proven(
    document: Document, edits: Iterable[Edit], value: Any, limits: Limits = DEFAULT_LIMITS
) -> Document:
    """The document with edits, read again.

    Args:
        document: what the edits are of.
        edits: in order of place.
        value: what the edited text must say.
        limits: bounds on what is read.

    Raises:
        EditRefusedError: it says something else.
    """
    decoded = decode(edited(document.text, edits), document.name, limits)
    if not decoded.readable or not same(decoded.document.value, value):
        raise EditRefusedError("the edited text would say something else")
    return decoded.document
