"""`pattern` and `format`: one engine for both, in linear time.

Python's ``re`` backtracks without bound and has a dialect of its own; the Rust engine behind
jsonschema-rs does neither, so a pattern from a stranger cannot hang the linter.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import jsonschema_rs

_SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=512)
def _pattern(pattern: str) -> Any:
    return jsonschema_rs.validator_for(
        {"pattern": pattern}, pattern_options=jsonschema_rs.RegexOptions()
    )


@lru_cache(maxsize=64)
def _format(name: str) -> Any:
    return jsonschema_rs.validator_for({"format": name}, validate_formats=True)


def is_pattern(pattern: str) -> bool:
    """Whether the engine takes a regular expression."""
    try:
        _pattern(pattern)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression is found in a text (JSON Schema validation, 6.3.3)."""
    return bool(_pattern(pattern).is_valid(_SURROGATE.sub("\ufffd", text)))


def has_format(name: str, text: str) -> bool:
    """Whether a text has a format (JSON Schema validation, 7.3); an unknown format holds."""
    return bool(_format(name).is_valid(_SURROGATE.sub("\ufffd", text)))
