"""Finding the fixes at fault by trying."""

from __future__ import annotations

from collections.abc import Callable

from manifestkit.fixing.attempt import Attempt, Key, would_cause
from manifestkit.model.finding import Finding

_MOST_TRIALS = 30


class Trials:
    """Finds the fixes at fault by applying only some: so many attempts for a file, and no more.

    Args:
        attempted: applies all fixes but those refused.
    """

    def __init__(self, attempted: Callable[[dict[Key, str]], Attempt]) -> None:
        self._attempted = attempted
        self._left = _MOST_TRIALS

    def culprits(self, attempt: Attempt, refusals: dict[Key, str]) -> dict[Key, str]:
        """The fixes that brought the new findings of an attempt, and why they may not be applied.

        Each is the last of the first so many fixes, of which all but this one bring no finding.
        """
        found: dict[Key, str] = {}
        fixes, others = attempt.from_start()

        def brought(count: int) -> list[Finding]:
            self._left -= 1
            left_out = dict.fromkeys((*others, *fixes[count:]), "")
            return self._attempted(left_out | refusals | found).brought()

        came, good = attempt.brought(), 0
        while came:
            bad = len(fixes)
            while bad - good > 1 and self._left > 0:
                middle = (good + bad) // 2
                if now := brought(middle):
                    bad, came = middle, now
                else:
                    good = middle
            if bad - good != 1 or self._left <= 0:
                return found or attempt.around()
            found[fixes.pop(good)] = would_cause(came[0])
            came = brought(len(fixes))
        return found
