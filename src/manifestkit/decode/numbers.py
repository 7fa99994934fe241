"""Numbers with a fraction or an exponent."""

from __future__ import annotations

import math
import re

_PARTS = r"[-+]?([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]+))?"
_WITH_FRACTIONS = 2**52
_LEAST = 5e-324


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
