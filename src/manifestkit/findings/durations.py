"""Counts of time, in the unit that the name of a member ends with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}
_LONG_UNITS = (
    r"(?:m(?:illi)?s(?:ec)?|s(?:ec)?|m(?:in)?|h(?:r|our)?|(?:second|minute|millisecond))s?"
)
_WHOLE_UNITS = "(?:milliseconds|seconds|minutes|hours)"
_DURATION = rf"(?i)(?:PT)?(?P<count>[0-9]{{1,9}}+) ?(?P<unit>{_LONG_UNITS})\.?"
_CLOCK = r"([0-9]{1,2}+):([0-5][0-9]):([0-5][0-9])"
_INTEGER = r"-?[0-9]{1,15}"


def stem(written: str, known: str) -> str:
    """Return a name without its unit, if a known name ends with one, too."""
    unit = _unit(written)
    return written[: -len(unit)] if unit and _unit(known) else written


def is_in_another_unit(value: Any, written: str, name: str) -> bool:
    """Return whether a number under one name counts in another unit than a second name says."""
    given, wanted = _unit(written), _unit(name)
    if type(value) is not int or given is None or wanted is None:
        return False
    return _seconds(given) != _seconds(wanted)


def integers(value: Any, written: str, name: str) -> Iterator[tuple[int, bool]]:
    """Yield the integers that a value may mean; of a duration, in the unit that a name ends with.

    Args:
        value: the value.
        written: the name that it has in the document.
        name: the right name.
    """
    wanted, unit = _unit(name), _unit(written)
    if isinstance(value, str):
        if re.fullmatch(_INTEGER, value):
            value = int(value)
            if unit == wanted or unit is None:
                yield value, True
    elif isinstance(value, dict):
        value, unit = _with_unit(value)
    if wanted is None:
        return
    found = re.fullmatch(_DURATION, value.strip()) if isinstance(value, str) else None
    clock = re.fullmatch(_CLOCK, value) if isinstance(value, str) else None
    seconds: float | None = None
    if found:
        seconds = int(found["count"]) * _seconds(found["unit"])
    elif clock:
        seconds = sum(
            int(each) * size for each, size in zip(clock.groups(), (3600, 60, 1), strict=True)
        )
    elif type(value) is int and unit is not None:
        seconds = value * _seconds(unit)
    if seconds is not None and seconds % _seconds(wanted) == 0:
        yield int(seconds // _seconds(wanted)), True


def _unit(name: str) -> str | None:
    """Return the unit of time that ends a name."""
    words = _WORDS.findall(name)
    return words[-1] if words and re.fullmatch(_LONG_UNITS, words[-1].lower()) else None


def _seconds(unit: str) -> float:
    short = unit.lower()
    return _UNITS["ms" if short.startswith(("ms", "milli")) else short[0]]


def _with_unit(value: dict[str, Any]) -> tuple[Any, str | None]:
    """Return the number and the unit that an object consists of."""
    unit = next((name for name in value if name.lower() in ("unit", "units")), None)
    others = [each for name, each in value.items() if name != unit]
    if unit is None or len(others) != 1 or not isinstance(value[unit], str):
        ((name, number),) = value.items() if len(value) == 1 else (("", None),)
        return (number, name) if re.fullmatch(_WHOLE_UNITS, name.lower()) else (None, None)
    is_unit = re.fullmatch(_LONG_UNITS, value[unit].lower())
    return (others[0], value[unit]) if is_unit else (None, None)
