"""Colours, for a terminal that has them."""

from __future__ import annotations

from typing import NamedTuple

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


class Style(NamedTuple):
    """How text is to look.

    Attributes:
        color: whether to use colours.
        width: columns of a line, for cutting long ones.
    """

    color: bool = False
    width: int = 100

    def paint(self, role: str, text: str) -> str:
        """The text in the colour of a role."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.color and text else text
