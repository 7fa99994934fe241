"""What a scalar means by the core schema of YAML 1.2 (YAML 1.2.2, 10.3)."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

CANDIDATES = frozenset("+-.0123456789~nNtTfF")
"""The first characters of plain scalars that are not text; the empty one is none either."""

_NUMERIC = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Plain scalars that are null or a boolean."""

_HEXADECIMAL = 16
_OCTAL = 8


class NotFiniteError(ValueError):
    """``.nan`` or ``.inf``, which no JSON value is."""


class DigitsError(ValueError):
    """A number of more digits than the limit.

    Attributes:
        limit: how many it may have, by the limits or by Python's own.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit


class BeyondDoubleError(ValueError):
    """A number beyond the largest double."""


def resolve(text: str, max_digits: int) -> Any:
    """The value of a plain scalar: null, a boolean, a number, or else its text.

    Raises:
        NotFiniteError, DigitsError, BeyondDoubleError: a number that there is no value for.
    """
    if not text or text[0] not in _NUMERIC:
        return WORDS.get(text, text)
    whole = integer(text, max_digits)
    if whole is not None:
        return whole
    number = real(text, max_digits)
    return text if number is None else number


def integer(text: str, max_digits: int) -> int | None:
    """The integer that a text is, or None."""
    if _INTEGER.fullmatch(text):
        _check_digits(text, min(max_digits, sys.get_int_max_str_digits() or max_digits))
        return int(text)
    if _BASED.fullmatch(text):
        _check_digits(text, max_digits)
        return int(text[2:], _HEXADECIMAL if text[1] == "x" else _OCTAL)
    return None


def real(text: str, max_digits: int) -> float | None:
    """The real number that a text is, or None."""
    if _NOT_FINITE.fullmatch(text):
        raise NotFiniteError
    if not _REAL.fullmatch(text):
        return None
    _check_digits(text, max_digits)
    value = float(text)
    if math.isinf(value):
        raise BeyondDoubleError
    return value


def boolean(text: str) -> bool | None:
    """The boolean that a text is, or None."""
    return WORDS.get(text)


def is_null(text: str) -> bool:
    """Whether a text is null."""
    return text in WORDS and WORDS[text] is None


def _check_digits(text: str, max_digits: int) -> None:
    if len(text) > max_digits:
        raise DigitsError(max_digits)
