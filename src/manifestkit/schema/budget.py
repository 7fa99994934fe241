"""How much judging one value may cost, counted in steps: the same on every machine."""

from __future__ import annotations

from typing import Any

from manifestkit.limits import count_values

_STEPS = 100_000
_STEPS_A_VALUE = 150


class OverBudgetError(Exception):
    """Judging a value takes more steps than it may."""


class Budget:
    """The steps that are left for judging one value.

    A step is one keyword, one name or value in the list that the keyword holds, or one error that
    it tells. A schema in which several ways lead to the same schema again and again has more of
    them than anyone can wait for; one that a person writes needs a few for each part of the value.
    """

    def __init__(self) -> None:
        self.allowed = self._left = 0
        self._value: Any = None

    def begin(self, value: Any) -> None:
        """Begin to judge a value: the larger it is, the more it may cost."""
        self.allowed = self._left = _STEPS
        self._value = value

    def spend(self, expected: Any) -> None:
        """Take the steps of a keyword with this value.

        Raises:
            OverBudgetError: none are left.
        """
        self._left -= len(expected) + 1 if isinstance(expected, list | dict) else 1
        if self._left < 0:
            self._extend()

    def _extend(self) -> None:
        """Count the value's parts, which most values are judged without."""
        if self.allowed == _STEPS:
            more = _STEPS_A_VALUE * count_values(self._value)
            self.allowed += more
            self._left += more
        if self._left < 0:
            raise OverBudgetError
