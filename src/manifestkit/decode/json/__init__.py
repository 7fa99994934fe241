"""JSON by RFC 8259, strictly.

A clean text is read by the standard library in C, with hooks for what it is too lenient about.
Whatever that refuses is read again by `scanner`, which knows what is wrong and where.
"""

from __future__ import annotations

import codecs
import json
import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NoReturn

from manifestkit.decode.outcome import Decoded
from manifestkit.document import Document
from manifestkit.limits import Limits

if TYPE_CHECKING:
    from manifestkit.node import Node


_BYTE_ORDER_MARK = codecs.BOM_UTF8.decode()


class _NotPlainError(Exception):
    """The text is no JSON, or JSON that needs a word."""


class _HasFractionError(Exception):
    """A number is written with a fraction or an exponent."""


def decode_json(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text."""
    clean = decode_clean_json(text, name, limits)
    if clean is not None:
        return clean
    from manifestkit.decode.json.scanner import scan  # noqa: PLC0415 - clean runs go without

    return scan(text, name, limits)


def decode_clean_json(text: str, name: str, limits: Limits) -> Decoded | None:
    """Read a JSON text that there is nothing to say about; None if it is not one."""
    content = text.removeprefix(_BYTE_ORDER_MARK)
    has_fractions = False
    try:
        try:
            value = _decoder(limits.digits).decode(content)
        except _HasFractionError:
            has_fractions = True
            value = _decoder(limits.digits, has_fractions=True).decode(content)
        if _may_exceed(content, limits):
            _measure(value, limits)
    except (_NotPlainError, ValueError, RecursionError):
        return None
    scan = partial(_positions, limits=limits)
    return Decoded(Document(name, text, value, scan, has_fractions=has_fractions))


def _positions(text: str, limits: Limits) -> Node:
    from manifestkit.decode.json.positions import positions  # noqa: PLC0415 - likewise

    return positions(text, limits)


@lru_cache(maxsize=8)
def _decoder(most_digits: int, *, has_fractions: bool = False) -> json.JSONDecoder:
    """A decoder of plain JSON, with numbers of so many digits; without fractions in most texts."""

    def integer(digits: str) -> int:
        if len(digits) > most_digits:
            raise _NotPlainError
        return int(digits)

    def real(digits: str) -> float:
        if not has_fractions:
            raise _HasFractionError
        value = float(digits)
        if math.isinf(value) or len(digits) > most_digits:
            raise _NotPlainError
        return value

    return json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_constant=_refuse_constant,
        parse_int=integer,
        parse_float=real,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _NotPlainError
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise _NotPlainError


def _may_exceed(text: str, limits: Limits) -> bool:
    """Whether a text may be deeper, or have more nodes, than the limits allow."""
    if text.count("[") + text.count("{") > limits.depth:
        return True
    return len(text) > limits.nodes and text.count(",") + limits.depth >= limits.nodes


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
