"""Bytes to a document: one file per syntax."""

from __future__ import annotations

import re
from json import detect_encoding

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.decode.json import decode_json
from manifestkit.files import other_tools
from manifestkit.model.document import is_yaml
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import Span

__all__ = ["Decoded", "decode"]

_OTHERS = re.compile(rb"PK\x03\x04|\x1f\x8b|\0GITCRYPT")
_NOWHERE = Span(0, 0)
_SAVE_IT = "save the file as UTF-8"


def decode(source: bytes | str, name: str, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Read one manifest; what keeps it from being read is in the outcome's findings.

    Args:
        source: the file's bytes, or its text.
        name: the file, as it is named to the user; its suffix tells the syntax.
        limits: bounds on what is read.
    """
    text = source if isinstance(source, str) else _text(source, name, limits)
    if isinstance(text, Decoded):
        return text
    if is_yaml(name):
        from manifestkit.decode.yaml.composer import decode_yaml  # noqa: PLC0415 - JSON needs none of it

        decoded = decode_yaml(text, name, limits)
    else:
        decoded = decode_json(text, name, limits)
    if decoded.readable and isinstance(held := decoded.document.value, dict) and "sops" not in held:
        return decoded
    from manifestkit.decode.other_kinds import name_other_kind  # noqa: PLC0415 - rarely needed

    return name_other_kind(decoded)


def _text(data: bytes, name: str, limits: Limits) -> str | Decoded:
    """Return the text of a file in UTF-8 (RFC 8259, 8.1), or why there is none."""
    if len(data) > limits.bytes:
        message = f"the file is larger than {limits.bytes:,} bytes"
        do = "move large data to other files"
        return _unreadable(name, message, do, rule="limit-exceeded")
    if other := _OTHERS.match(data):
        return _unreadable(name, *other_tools("bytes")[other[0].decode("latin-1")])
    is_plain = data[:2].isascii() and b"\0" not in data[:2]  # as a manifest begins
    encoding = "utf-8" if is_plain else detect_encoding(data)
    if not encoding.startswith("utf-8"):
        message = f"the file is encoded in {encoding[:6].upper()}, not in UTF-8"
        do = f"{_SAVE_IT} without a byte order mark (`>` in Windows PowerShell writes UTF-16)"
        return _unreadable(name, message, do)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(data, name, error.start)


def _not_utf8(data: bytes, name: str, offset: int) -> Decoded:
    """Name the byte at fault, and show it as U+FFFD among its neighbours."""
    at = len(data[:offset].decode())
    message = f"byte 0x{data[offset]:02X} at offset {offset:,} is not UTF-8"
    text = data.decode(errors="replace")
    return _unreadable(name, message, _SAVE_IT, text=text, span=Span(at, at + 1))


def _unreadable(
    name: str,
    message: str,
    help: str,
    *,
    rule: str = "syntax-error",
    text: str = "",
    span: Span = _NOWHERE,
) -> Decoded:
    """Return the outcome for a file with one fault that leaves no text to read."""
    reporter = Reporter(name, text, standard="RFC 8259, section 8.1: JSON is UTF-8")
    reporter.report(rule, span, message, help=help)
    return reporter.unreadable()
