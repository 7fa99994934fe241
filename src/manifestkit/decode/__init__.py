"""Bytes to a document: one file per syntax."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from manifestkit.decode.findings import Decoded, conflicted
from manifestkit.decode.json import decode_json
from manifestkit.model.limits import DEFAULT_LIMITS, Limits

__all__ = ["Decoded", "decode"]

_LARGE = 100_000  # characters
_CONFLICT = "<<<<<<<"
_YAML_SUFFIXES = (".yaml", ".yml")


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
    with _no_collection() if len(text) > _LARGE else nullcontext():
        return _decode(text, name, limits)


def _decode(text: str, name: str, limits: Limits) -> Decoded:
    if name.lower().endswith(_YAML_SUFFIXES):
        from manifestkit.decode.yaml import decode_yaml  # noqa: PLC0415 - JSON needs none of it

        decoded = decode_yaml(text, name, limits)
    else:
        decoded = decode_json(text, name, limits)
    return conflicted(text, name, decoded) if decoded.findings and _CONFLICT in text else decoded


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from going through a large tree again and again as it grows."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _text(data: bytes, name: str, limits: Limits) -> str | Decoded:
    if len(data) <= limits.bytes and data[:1].isascii() and 0 not in data[:4]:
        with suppress(UnicodeDecodeError):
            return data.decode()
    from manifestkit.decode.encoding import decode_text  # noqa: PLC0415 - clean runs go without

    return decode_text(data, name, limits)
