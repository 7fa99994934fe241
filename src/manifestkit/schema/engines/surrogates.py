"""Lone surrogates, which JSON can write and `jsonschema-rs` cannot hold."""

import json
from collections.abc import Mapping
from typing import Any

_PRIVATE = range(0x10FFFD, 0xF0000, -1)  # characters that nobody has given a meaning


def encodable(value: Any) -> Any:
    """Return a value with characters that it does not have in place of its lone surrogates."""
    there = set(json.dumps(value, ensure_ascii=False))
    free = (code for code in _PRIVATE if chr(code) not in there)
    surrogates = sorted(each for each in map(ord, there) if 0xD800 <= each <= 0xDFFF)  # noqa: PLR2004
    return _translated(value, dict(zip(surrogates, free, strict=False)))


def _translated(value: Any, table: Mapping[int, int]) -> Any:
    """Return a value with other characters in its texts and names."""
    if isinstance(value, str):
        return value if value.isascii() else value.translate(table)
    if isinstance(value, list):
        return [_translated(each, table) for each in value]
    if isinstance(value, dict):
        return {_translated(name, table): _translated(each, table) for name, each in value.items()}
    return value
