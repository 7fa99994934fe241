"""Text from a stranger, made safe to show."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1 controls: they move cursors and change colours
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi controls: they reorder what is read
    "\u2028\u2029\ufeff"  # separators that some readers take for line ends; the byte order mark
    "\ud800-\udfff]"  # lone surrogates, undecodable bytes of file names among them
)


def visible(text: str) -> str:
    """The text with control, bidi and surrogate characters written as escapes."""
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    short = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(match[0])
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")  # noqa: PLR2004
