"""Counts of time, in the unit that the name of a member ends with: ``duration_minutes``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from manifestkit.findings.contents import Reading

_AMOUNTS = frozenset({"amount", "count", "duration", "length", "number", "time", "value"})
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_LONG_UNITS = (
    r"(?:m(?:illi)?s(?:ec)?|s(?:ec)?|m(?:in)?|h(?:r|our)?|(?:second|minute|millisecond))s?"
)
_WHOLE_UNITS = "(?:(?:nano|micro|milli)(?:second)?s|sec(?:ond)?s|min(?:ute)?s|h(?:ou)?rs)"
_COUNT = r"[0-9]{1,9}+(?:[.,][0-9]{1,2}+)?"
_DURATION = rf"(?i)(?:PT)?(?:{_COUNT} ?{_LONG_UNITS}\.?[ ,]*+){{1,3}}"
_PART_OF_DURATION = rf"(?i)({_COUNT}) ?({_LONG_UNITS})"
_ODD_COUNT = r"[.,]\d\d|:"  # minutes after the point, perhaps, or frames at the end
_CLOCK = r"\A([0-9]{1,2}):([0-5][0-9]):([0-5][0-9])\Z"
_INTEGER = r"-?[0-9]{1,15}"
_GROUPED = r"[1-9][0-9]{0,2}(?:[_', .\u2019\u202f\u00a0][0-9]{3}){1,4}"  # 1_000, 1.000


def is_in_another_unit(value: Any, written: str, name: str) -> bool:
    """Return whether a number under one name counts in another unit than a second name says."""
    given, wanted = unit_of(written), unit_of(name)
    if type(value) is not int or given is None or wanted is None:
        return False
    return _seconds(given) != _seconds(wanted)


def integers(value: Any, written: str, name: str) -> Iterator[Reading]:
    """Yield the integers that the value of a written name may mean, in the unit of another."""
    wanted, unit = unit_of(name), unit_of(written)
    if isinstance(value, str):
        if re.fullmatch(_INTEGER, value):
            value = int(value)
            if unit == wanted or unit is None:
                yield Reading(value, is_safe=True)
        elif re.fullmatch(_GROUPED, value) and unit in (wanted, None):
            yield Reading(int(re.sub(r"\D", "", value)), is_safe=False)
    elif isinstance(value, dict):
        value, unit = _with_unit(value)
    if wanted is None:
        return
    seconds = _length(value, unit)
    if seconds is not None and seconds % _seconds(wanted) == 0:
        is_odd = isinstance(value, str) and re.search(_ODD_COUNT, value)
        yield Reading(int(seconds // _seconds(wanted)), not is_odd)


def unit_of(name: str) -> str | None:
    """Return the unit of time that ends a name."""
    words = _WORDS.findall(name)
    return words[-1] if words and re.fullmatch(_LONG_UNITS, words[-1].lower()) else None


def _length(value: Any, unit: str | None) -> float | None:
    """Return the seconds that a text, or a number of units, says.

    Parts of a text are one length only if each is less than one of the unit before it.
    """
    if not isinstance(value, str):
        return value * _seconds(unit) if type(value) is int and unit is not None else None
    value = re.sub(_CLOCK, r"\1h\2m\3s", value.strip())
    if not re.fullmatch(_DURATION, value):
        return None
    lengths: list[float] = []
    least = math.inf
    for count, each in re.findall(_PART_OF_DURATION, value):
        length = float(count.replace(",", ".")) * _seconds(each)
        if lengths and length >= least:  # another length, or the same one again
            return None
        lengths.append(length)
        least = _seconds(each)
    return sum(lengths)


def _with_unit(value: dict[str, Any]) -> tuple[Any, str | None]:
    """Return the number and the unit that an object consists of."""
    unit = next((name for name in value if name.lower() in ("unit", "units")), None)
    others = [each for name, each in value.items() if name.lower() in _AMOUNTS]
    if unit is None or len(others) != 1 or len(value) > 2 or not isinstance(value[unit], str):  # noqa: PLR2004 - a pair
        are_units = all(re.fullmatch(_WHOLE_UNITS, name.lower()) for name in value)
        counts = [f"{each} {name}" for name, each in value.items() if each != 0 or len(value) == 1]
        return " ".join(counts) if are_units else None, None
    is_unit = re.fullmatch(_LONG_UNITS, value[unit].lower())
    return (others[0], value[unit]) if is_unit else (None, None)


def _seconds(unit: str) -> float:
    short = unit.lower()
    return _UNITS["ms" if short.startswith(("ms", "milli")) else short[0]]
