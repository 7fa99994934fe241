"""Equality of JSON values: 1 is 1.0, and not true."""

from __future__ import annotations

from typing import Any

_BOOLEANS = {True: object(), False: object()}


def frozen(value: Any) -> Any:
    """Return a hashable stand-in, equal exactly when the JSON values are."""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return frozenset((name, frozen(member)) for name, member in value.items())
    return value
