"""Bytes to text: UTF-8, with or without a byte order mark, and nothing else (RFC 8259, 8.1)."""

from __future__ import annotations

import codecs

from manifestkit.decode.findings import Decoded, unreadable
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# The first character of a manifest is ASCII, so its zero bytes betray a wide encoding.
_ZEROS = (
    ((False, True, True, True), "UTF-32"),
    ((True, True, True, False), "UTF-32"),
    ((False, True, False, True), "UTF-16"),
    ((True, False, True, False), "UTF-16"),
)


def decode_text(data: bytes, name: str, limits: Limits) -> str | Decoded:
    """Return the text of a file, or why there is none."""
    if len(data) > limits.bytes:
        return unreadable(
            name,
            "",
            "limit-exceeded",
            Span(0, 0),
            f"the file is larger than {limits.bytes:,} bytes",
            "move large data to other files",
        )
    encoding = None if data[:1].isascii() and 0 not in data[:4] else _wide_encoding(data)
    if encoding:
        return unreadable(
            name,
            "",
            "syntax-error",
            Span(0, 0),
            f"the file is encoded in {encoding}, not in UTF-8",
            "save the file as UTF-8",
        )
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(data, name, error)


def _wide_encoding(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    zeros = tuple(byte == 0 for byte in data[:4])
    return next((encoding for pattern, encoding in _ZEROS if zeros == pattern), None)


def _not_utf8(data: bytes, name: str, error: UnicodeDecodeError) -> Decoded:
    """Name the byte at fault, and show it as U+FFFD among its neighbours."""
    text = data.decode(errors="replace")
    at = len(data[: error.start].decode())
    byte = data[error.start]
    likely = bytes([byte]).decode("cp1252", errors="replace")
    reading = (
        f" (`{likely}` in Windows-1252)" if likely.isprintable() and likely != "\ufffd" else ""
    )
    return unreadable(
        name,
        text,
        "syntax-error",
        Span(at, at + 1),
        f"byte 0x{byte:02X} at offset {error.start:,} is not UTF-8{reading}",
        "save the file as UTF-8",
    )
