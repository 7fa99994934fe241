"""Which of two versions is higher, where that can be told."""

from __future__ import annotations

import re

_NUMBER = r"(0|[1-9][0-9]*)"
_PLAIN = re.compile(rf"{_NUMBER}\.{_NUMBER}")
_NAME = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SEMANTIC = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_NAME}))?(?:\+{_NAME})?")
_STEPS = ("major", "minor", "patch", "pre-release")

_Part = tuple[int, int, str]


def order_of(old: str, new: str) -> tuple[str, str | None]:
    """Return how a version follows another: `raised`, `same`, `equal`, `lowered` or `incomparable`.

    Only two of the form `N.N`, or two semantic versions (semver.org, section 11), are compared;
    two that differ in build metadata alone are `equal`.

    Returns:
        The order and, of one that is raised, its first part that is: `major`, `minor`, `patch` or
        `pre-release`.
    """
    if old == new:
        return "same", None
    for form in (_PLAIN, _SEMANTIC):
        one, two = form.fullmatch(old), form.fullmatch(new)
        if one and two:
            break
    else:
        return "incomparable", None
    for step, (before, after) in zip(
        _STEPS, zip(_parts(one), _parts(two), strict=True), strict=False
    ):
        if before != after:
            return ("raised", step) if before < after else ("lowered", None)
    return "equal", None


def _parts(version: re.Match[str]) -> list[list[_Part]]:
    numbers = [[_part(each)] for each in version.groups()[:3]]
    if version.re is _PLAIN:
        return numbers
    release = version[4]
    # A version comes after all of its pre-releases; of two, the one with more names does.
    return [*numbers, [_part(each) for each in release.split(".")] if release else [(2, 0, "")]]


def _part(name: str) -> _Part:
    """Return a name that orders as it should: numbers by their size, and before all texts."""
    if re.fullmatch("[0-9]+", name):
        return 0, len(name.lstrip("0")), name.lstrip("0")
    return 1, 0, name
