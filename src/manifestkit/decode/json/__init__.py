"""JSON by RFC 8259, strictly.

A clean text is read by the standard library in C, with hooks for what it is too lenient about.
Whatever that refuses is read again by `scanner`, which knows what is wrong and where.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from manifestkit.decode.findings import Decoded, Reporter
from manifestkit.decode.numbers import read_real
from manifestkit.model.document import Document
from manifestkit.model.limits import DEFAULT_LIMITS, MOST_DIGITS, Limits, is_deeper
from manifestkit.model.location import BYTE_ORDER_MARK, Span

if TYPE_CHECKING:
    from manifestkit.model.document import Node, Spans
    from manifestkit.model.pointer import Path


class _NotPlainError(Exception):
    """The text is no JSON, or JSON that needs a word."""


class _HasFractionError(Exception):
    """A number is written with a fraction or an exponent."""


def decode_json(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text."""
    clean = _decode_clean(text, name, limits)
    if clean is not None:
        return clean
    from manifestkit.decode.json.scanner import scan  # noqa: PLC0415 - clean runs go without

    return scan(text, name, limits)


def _decode_clean(text: str, name: str, limits: Limits) -> Decoded | None:
    """Read a text that there is nothing to say about but that it has too many values.

    None if it is no such text.
    """
    collections = text.count("[") + text.count("{")
    beyond = _one_too_many(text, limits.nodes, collections)
    if beyond:
        reporter = Reporter(name, text)
        reporter.report_limit(Span(*beyond), f"more than {limits.nodes:,} values")
        return reporter.unreadable()
    content = text.removeprefix(BYTE_ORDER_MARK)
    has_fractions = False
    try:
        try:
            value = _decoder().decode(content)
        except _HasFractionError:
            has_fractions = True
            value = _decoder(has_fractions=True).decode(content)
        if collections > limits.depth and is_deeper(value, limits.depth):
            return None
    except (_NotPlainError, ValueError, RecursionError):
        return None
    scan = partial(_positions, limits=limits)
    find = _spans if limits.depth <= DEFAULT_LIMITS.depth else None
    return Decoded(Document(name, text, value, scan, find=find, has_fractions=has_fractions))


def _positions(text: str, limits: Limits) -> Node:
    from manifestkit.decode.json.positions import positions  # noqa: PLC0415 - likewise

    return positions(text, limits)


def _spans(text: str, path: Path) -> Spans:
    from manifestkit.decode.json.positions import spans  # noqa: PLC0415 - likewise

    return spans(text, path)


@cache
def _decoder(*, has_fractions: bool = False) -> json.JSONDecoder:
    """Return a decoder that refuses longer numbers and, unless it expects them, fractions."""

    def integer(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise _NotPlainError
        return int(digits)

    def real(digits: str) -> float:
        if not has_fractions:
            raise _HasFractionError
        value = read_real(digits)
        if math.isinf(value) or len(digits) > MOST_DIGITS:
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


_VALUE = r"""
    "[^"\\]*+(?:\\.[^"\\]*+)*+"(?:(?P<colon>[ \t\r\n]*+:)|(?!))?+
  | [\[{]
  | [^\s"\[\]{},:\ufeff]++
    """
"""A value or its beginning in a JSON text, or, with its colon, a name."""


def _one_too_many(text: str, most: int, collections: int) -> tuple[int, int] | None:
    """Find the first value beyond a limit, before any of them takes memory."""
    if len(text) <= most or text.count(",") + collections < most:
        return None
    values = (found for found in re.finditer(_VALUE, text, re.VERBOSE) if not found["colon"])
    found = next(islice(values, most, None), None)
    return found.span() if found else None
