"""Numbers: which a manifest can contain, and those with a fraction or an exponent."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable

from manifestkit.decode.findings import excerpt
from manifestkit.model.limits import MOST_DIGITS

_PARTS = r"[-+]?([0-9]*+)\.?([0-9]*+)(?:[eE]([-+]?[0-9]+))?"
_WITH_FRACTIONS = 2**52
_LEAST = 5e-324


class NumberError(ValueError):
    """A number that no manifest can contain: beyond a limit, or not finite."""

    def __init__(self, message: str, help: str, *, rule: str = "limit-exceeded") -> None:
        super().__init__(message)
        self.message, self.help, self.rule = message, help, rule


def read_number(text: str, read: Callable[[str], int | float]) -> int | float:
    """Return a number as a function reads it.

    Raises:
        NumberError: it is too long, or beyond the largest double.
    """
    # Python refuses to turn more digits than its own limit into an int.
    most = min(MOST_DIGITS, sys.get_int_max_str_digits() or MOST_DIGITS)
    if len(text) > most:
        raise NumberError(
            f"a number of {len(text):,} characters; the limit is {most:,}",
            "write such a long number as a string",
        )
    number = read(text)
    if isinstance(number, float) and not math.isfinite(number):
        raise NumberError(
            f"`{excerpt(text)}` is larger than readers can represent",
            "use a number below 1.8e308, or write it as a string",
        )
    return number


def read_real(text: str) -> float:
    """Return the double that is nearest to a number; of one that is no integer, no integer.

    Above 2**52 there are only integers: there a fraction is lost.
    """
    value = float(text)
    if value % 1 or abs(value) >= _WITH_FRACTIONS or _is_integer(text):
        return value
    if value == 0:
        return math.copysign(_LEAST, value)
    from fractions import Fraction  # noqa: PLC0415 - nobody writes so many digits

    return math.nextafter(value, math.inf if Fraction(text) > value else -math.inf)


def _is_integer(text: str) -> bool:
    found = re.fullmatch(_PARTS, text)
    if found is None:
        return False
    whole, fraction, exponent = found.groups(default="")
    digits = whole + fraction
    left = digits.rstrip("0")
    return not left or len(left) - len(whole) <= int(exponent or 0)
