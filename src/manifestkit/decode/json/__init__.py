"""JSON by RFC 8259, strictly.

A clean text is read by the standard library in C, with hooks for what it is too lenient about.
Whatever that refuses is read again by `scanner`, which knows what is wrong and where.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from manifestkit.decode.outcome import Decoded
from manifestkit.document import Document, Node
from manifestkit.limits import Limits
from manifestkit.location import BYTE_ORDER_MARK


class _NotPlainError(Exception):
    """The text is no JSON, or JSON that needs a word."""


def decode_json(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text."""
    clean = decode_clean_json(text, name, limits)
    if clean is not None:
        return clean
    from manifestkit.decode.json.scanner import scan  # noqa: PLC0415 - clean runs go without

    return scan(text, name, limits)


def decode_clean_json(text: str, name: str, limits: Limits) -> Decoded | None:
    """Read a JSON text that there is nothing to say about; None if it is not one."""
    try:
        value = _read(text.removeprefix(BYTE_ORDER_MARK), limits)
    except (_NotPlainError, ValueError, RecursionError):
        return None
    return Decoded(Document(name, text, value, _positions))


def _positions(text: str) -> Node:
    from manifestkit.decode.json.scanner import scan_positions  # noqa: PLC0415 - likewise

    return scan_positions(text)


def _read(text: str, limits: Limits) -> Any:
    def integer(digits: str) -> int:
        if len(digits) > limits.digits:
            raise _NotPlainError
        return int(digits)

    def real(digits: str) -> float:
        value = float(digits)
        if math.isinf(value) or len(digits) > limits.digits:
            raise _NotPlainError
        return value

    value = json.loads(
        text,
        object_pairs_hook=_unique,
        parse_constant=_refuse_constant,
        parse_int=integer,
        parse_float=real,
    )
    openers = text.count("[") + text.count("{")
    if openers > limits.depth or openers + text.count(",") >= limits.nodes:
        _measure(value, limits)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _NotPlainError
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise _NotPlainError


def _measure(value: Any, limits: Limits) -> None:
    level = [value]
    depth = nodes = 0
    while level:
        nodes += len(level)
        containers = [each for each in level if isinstance(each, dict | list)]
        depth += bool(containers)
        if depth > limits.depth or nodes > limits.nodes:
            raise _NotPlainError
        level = [
            child
            for each in containers
            for child in (each.values() if isinstance(each, dict) else each)
        ]
