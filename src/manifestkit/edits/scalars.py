"""The spelling of scalars."""

from __future__ import annotations

import json
import re
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False)
# Words with a letter first: no reader of any YAML takes them for anything but text.
_PLAIN = re.compile(r"[^\W\d_]\w*(?:(?:[ ]|[./+-]+)\w+)*")
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
# What a file in UTF-8 cannot hold, or YAML wants written as an escape.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# YAML 1.1 wants a point in a number with an exponent.
_NO_POINT = re.compile(r"\A(-?[0-9]+)(?=e)")


def as_json(value: Any) -> str:
    """Return a scalar as JSON has it, which is YAML too."""
    return escaped(_ENCODER.encode(value))


def escaped(text: str) -> str:
    """Return a text of JSON as a file in UTF-8 can hold it, and YAML too."""
    return _UNPRINTABLE.sub(lambda odd: f"\\u{ord(odd[0]):04x}", text)


def as_yaml(value: Any, like: str = "") -> str:
    """Return a scalar as YAML of any age has it, with quotes like those of its neighbour's text."""
    if not isinstance(value, str):
        return _NO_POINT.sub(r"\1.0", as_json(value))
    if like.startswith('"'):
        return as_json(value)
    if like.startswith("'") and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return value if may_be_plain(value) else as_json(value)


def may_be_plain(value: str) -> bool:
    """Return whether a text needs no quotes, whatever reads it."""
    return _PLAIN.fullmatch(value) is not None and value.lower() not in _NOT_TEXT
