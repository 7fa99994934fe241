"""Lone surrogates, which JSON can write and `jsonschema-rs` cannot hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FIRST, _LAST = 0xD800, 0xDFFF
_BETWEEN = 0x10F000 - _FIRST  # to the end of the last plane, which is of private use
STAND_INS = {code: code + _BETWEEN for code in range(_FIRST, _LAST + 1)}
"""The characters that stand for lone surrogates in schemas."""

_OTHERS = range(_FIRST + _BETWEEN - 1, _LAST, -1)


def encodable(value: Any) -> Any:
    """Return a value that the engine can hold, with other characters for its lone surrogates.

    They are those of schemas; but a character that the value has never stands for a surrogate.
    """
    there = _characters(value)
    others = (code for code in _OTHERS if chr(code) not in there)
    table = {}
    for code in sorted(map(ord, there)):
        if _FIRST <= code <= _LAST:
            is_taken = chr(STAND_INS[code]) in there
            table[code] = next(others) if is_taken else STAND_INS[code]
    return translated(value, table)


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


def translated(value: Any, table: Mapping[int, int]) -> Any:
    """Return a value with other characters in its texts and names."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(table)
    if isinstance(value, list):
        return [translated(each, table) for each in value]
    if isinstance(value, dict):
        return {translated(name, table): translated(each, table) for name, each in value.items()}
    return value
