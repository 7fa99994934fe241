"""Applying the fixes of findings, until none is left to apply.

What is written is proven first: a round of fixes is applied at once, and the text is read again. If
it does not say what the fixes say, half of them are tried, down to the one at fault. If in the end
there is a finding that was not there before, all is done again without the fix that brought it: the
one at its place, or else one that is found by trying. But advice may come to light that an error
about the same value had hidden.
"""

from __future__ import annotations

from manifestkit.decode import decode
from manifestkit.edits import check_size
from manifestkit.fixing.loop import (
    Fixed,
    FixLoop,
    Key,
    Lint,
    RefusedFix,
    Trials,
    allowed,
    check_all_known,
)
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits

__all__ = ["Fixed", "RefusedFix", "fix"]

_MOST_ATTEMPTS = 10


def fix(
    lint: Lint, data: bytes, name: str, *, unsafe: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Fixed:
    """Apply the fixes of a manifest's findings; none if there are more than are told.

    Args:
        lint: finds what is wrong with a manifest.
        data: its content.
        name: the file; its suffix tells the syntax.
        unsafe: whether to apply fixes too that are not safe.
        limits: bounds on the manifest.
    """
    decoded = decode(data, name, limits)
    first = lint(decoded)
    if not any(each.fixes for each in first.findings):
        return Fixed(data, first)
    try:
        check_all_known(first, limits)
        check_size(decoded.document, limits)
    except EditRefusedError as problem:
        fixable = (each for each in first.findings if allowed(each, unsafe=unsafe))
        return Fixed(data, first, (), tuple(RefusedFix(each, str(problem)) for each in fixable))

    def run(refusals: dict[Key, str]) -> FixLoop:
        loop = FixLoop(lint, data, decoded, first, refusals, limits, unsafe=unsafe)
        loop.run()
        return loop

    refusals: dict[Key, str] = {}
    trials = Trials(run)
    for _ in range(_MOST_ATTEMPTS):
        loop = run(refusals)
        culprits = loop.culprits() or trials.culprits(loop, refusals)
        if not culprits:
            return loop.outcome()
        refusals.update(culprits)
    return loop.undone(data, lint(decoded))
