"""How text looks on a terminal: its colours, its width and its encoding."""

from __future__ import annotations

from typing import NamedTuple

from wcwidth import wcswidth

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;32",
    "off": "2",
    "note": "32",
    "help": "36",
    "gutter": "34",
    "strong": "1",
}


_ELLIPSIS = "…"


class Style(NamedTuple):
    """How text is to look.

    Attributes:
        color: whether to use colours.
        width: columns of a line, for cutting long ones.
        encoding: what the text is written in: a character that it has not is shown as an escape.
    """

    color: bool = False
    width: int = 100
    encoding: str = "utf-8"

    def writable(self, text: str) -> str:
        """The text as it can be written; measure this one."""
        if text.isascii():
            return text
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    @property
    def ellipsis(self) -> str:
        """What stands where something is cut."""
        return _ELLIPSIS if self.writable(_ELLIPSIS) == _ELLIPSIS else "..."

    def paint(self, role: str, text: str) -> str:
        """The text in the colour of a role."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and text else text


def columns(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    width = int(wcswidth(text))
    return width if width >= 0 else len(text)


def padded(text: str, width: int) -> str:
    """The text with blanks behind it up to a width."""
    return text + " " * (width - columns(text))
