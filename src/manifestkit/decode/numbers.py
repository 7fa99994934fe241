"""Numbers: which a manifest can contain, and those with a fraction or an exponent."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable

from manifestkit.decode.findings import excerpt
from manifestkit.model.limits import MOST_DIGITS

_ZERO = r"[-+]?[0.]*(?:[eE]|\Z)"
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
    if value % 1 or abs(value) >= _WITH_FRACTIONS:
        return value
    if value == 0:
        return value if re.match(_ZERO, text) else math.copysign(_LEAST, value)
    from decimal import Decimal  # noqa: PLC0415 - few numbers look like integers

    exact = Decimal(text)
    if exact == value:
        return value
    return math.nextafter(value, math.inf if exact > value else -math.inf)
