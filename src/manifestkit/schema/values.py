"""JSON values as engines take them: compared, and without lone surrogates.

JSON can write a lone surrogate, and `jsonschema-rs` cannot hold it: other characters stand in
their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BOOLEANS = {True: object(), False: object()}
_FIRST, _LAST = 0xD800, 0xDFFF
_BETWEEN = 0x10F000 - _FIRST  # to the end of the last plane, which is of private use
_FIXED = {code: code + _BETWEEN for code in range(_FIRST, _LAST + 1)}
_FIXED_BACK = {there: code for code, there in _FIXED.items()}
_OTHERS = range(_FIRST + _BETWEEN - 1, _LAST, -1)


def frozen(value: Any) -> Any:
    """Return a hashable stand-in, equal exactly when the JSON values are: 1 is 1.0, not true."""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return frozenset((name, frozen(member)) for name, member in value.items())
    return value


def encodable(schema: Any) -> Any:
    """Return a schema, or a part of one, that the engine can hold."""
    return _translated(schema, _FIXED)


def restored(text: Any) -> Any:
    """Return the original of a text of such a schema."""
    return _translated(text, _FIXED_BACK)


class Encodable:
    """A value that the engine can hold.

    A character that the value has itself never stands for a surrogate of it.

    Attributes:
        value: the value with other characters in place of its lone surrogates.
    """

    def __init__(self, value: Any) -> None:
        there = _characters(value)
        others = (code for code in _OTHERS if chr(code) not in there)
        table = {}
        for each in sorted(there):
            code = ord(each)
            if _FIRST <= code <= _LAST:
                is_taken = chr(_FIXED[code]) in there
                table[code] = next(others) if is_taken else _FIXED[code]
        self._back = {there: code for code, there in table.items()}
        self.value = _translated(value, table)

    def restored(self, value: Any) -> Any:
        """Return the original of a part of the value."""
        return _translated(value, self._back)


def _characters(value: Any) -> set[str]:
    found: set[str] = set()
    todo = [value]
    for each in todo:
        if isinstance(each, str):
            if not each.isascii():
                found.update(each)
        elif isinstance(each, dict):
            todo += each
            todo += each.values()
        elif isinstance(each, list):
            todo += each
    return found


def _translated(value: Any, table: Mapping[int, int]) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.translate(table)
    if isinstance(value, list):
        return [_translated(each, table) for each in value]
    if isinstance(value, dict):
        return {_translated(name, table): _translated(each, table) for name, each in value.items()}
    return value
