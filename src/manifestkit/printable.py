"""Text from a file as a line of a message can hold it."""

from __future__ import annotations

import json
import unicodedata

_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # they shape letters and emoji, and nothing else
_DELETE = "\x7f"


def printable(text: str) -> str:
    """The text with what has no shape of its own, or ends a line, escaped as in JSON."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _ESCAPED:
        return character
    return "\\u007f" if character == _DELETE else json.dumps(character)[1:-1]
