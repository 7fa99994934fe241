"""Limits for reading one manifest."""

from collections.abc import Iterator
from typing import Any, NamedTuple


class Limits(NamedTuple):
    """Limits on one file; a file that exceeds one gets the finding ``limit-exceeded``.

    They keep memory and time bounded, far above any manifest that a person writes.

    Attributes:
        bytes: size of the file.
        depth: arrays and objects nested in each other; in YAML at most 1,000.
        nodes: values in the document, the document itself being one.
        findings: findings for one file.

    Example:
        >>> manifestkit.Limits().depth
        200
    """

    bytes: int = 32 * 1024 * 1024
    depth: int = 200
    nodes: int = 600_000
    findings: int = 5_000


DEFAULT_LIMITS = Limits()

MOST_DIGITS = 1_000
"""Digits of one number."""

MOST_TEXT = 6_000_000
"""Characters of all findings for one file, as JSON in ASCII."""


def each_value(value: Any) -> Iterator[Any]:
    """Yield a value and all values in it; what stands in several places, as often."""
    todo = [value]
    while todo:
        each = todo.pop()
        yield each
        if isinstance(each, dict):
            todo.extend(each.values())
        elif isinstance(each, list):
            todo.extend(each)


_COLLECTIONS = frozenset((dict, list))


def is_deeper(value: Any, depth: int) -> bool:
    """Return whether there are more than so many arrays and objects nested in each other."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        if not level:
            return False
        level = [
            child
            for each in level
            for child in (each.values() if type(each) is dict else each)
            if type(child) in _COLLECTIONS
        ]
    return bool(level)
