"""How much room a text takes on a terminal."""

from __future__ import annotations

from wcwidth import wcswidth


def columns(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    width = int(wcswidth(text))
    return width if width >= 0 else len(text)


def padded(text: str, width: int) -> str:
    """The text with blanks behind it up to a width."""
    return text + " " * (width - columns(text))
