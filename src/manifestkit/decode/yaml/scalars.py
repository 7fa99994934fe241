"""The values of scalars by the core schema of YAML 1.2 (10.3), and what YAML 1.1 sees in them.

YAML 1.1 (yaml.org/type) reads ``no`` as false, ``2026-11-20`` as a date, ``1:30`` as ninety,
``010`` as eight. Many tools still read it, and each reads it in its own way. Readers agree about
quoted scalars, and about the plain numbers in `_ALIKE`; any other number, and any text in one of
the forms of `_SEEN`, is odd.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.numbers import read_real
from manifestkit.decode.yaml.source import excerpt
from manifestkit.model.limits import MOST_DIGITS

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Plain scalars that are null or a boolean."""

MAY_BE_NO_TEXT = frozenset("~tTfF+-.0123456789yYnNoO=<")
"""The first characters of plain scalars that are no text, or not to all readers."""

_BEGIN_NUMBER = frozenset("+-.0123456789")
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_HEXADECIMAL = 16
_OCTAL = 8
_ALIKE = re.compile(
    r"""[-+]?(?:0*[0-7]|[1-9][0-9]*) | 0x[0-9a-fA-F]+
      | (?:[-+]?[0-9]+\.[0-9]* | \.[0-9]+)(?:[eE][-+][0-9]+)?""",
    re.VERBOSE,
)
# What a plain scalar that is text, or no number to all readers, is to some readers.
_SEEN = (
    ("a boolean", re.compile("[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")),
    ("an error", re.compile("=|<<")),
    ("a date", re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")),
    (
        "a time",
        re.compile(
            r"""[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t\n]+)
                [0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
                (?:[ \t\n]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?""",
            re.VERBOSE,
        ),
    ),
    (
        "a number",
        re.compile(
            r"""[-+]?(?: 0b[01_]+ | 0o?[0-7_]+ | 0x[0-9a-fA-F_]+ | [0-9_]+
              | [1-9][0-9_]*(?::[0-5]?[0-9])+ | [0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
              | (?: [0-9][0-9_]*(?:\.[0-9_]*)? | \.[0-9_]+ )(?:[eE][-+]?[0-9_]+)? )""",
            re.VERBOSE,
        ),
    ),
)
OTHERWISE = "something else, or an error,"
"""Seen in a plain scalar in brackets that has a mark of keys in it."""

UNENDED = "a text without its final line break"
"""Seen in a block of text that ends with the file, and without a line end."""


class NumberError(ValueError):
    """A number that no manifest can contain: beyond a limit, or not finite."""

    def __init__(self, message: str, help: str, *, rule: str = "limit-exceeded") -> None:
        super().__init__(message)
        self.message, self.help, self.rule = message, help, rule


def resolve(text: str) -> Any:
    """Return the value of a plain scalar: null, a boolean, a number, or else its text.

    Raises:
        NumberError: it is a number that no manifest can contain.
    """
    if text[:1] not in _BEGIN_NUMBER:
        return WORDS.get(text, text)
    whole = _integer(text)
    number = _real(text) if whole is None else whole
    return text if number is None else number


def tagged(text: str, tag: str) -> Any:
    """Return the value of a scalar with a core tag, or with `!`.

    Raises:
        KeyError: the tag does not fit.
        NumberError: it is a number that no manifest can contain.
    """
    if tag in ("str", "!"):
        return text
    if tag in ("bool", "null"):
        word = WORDS[text]
        if (word is None) is (tag == "null"):
            return word
    elif (number := {"int": _integer, "float": _real}[tag](text)) is not None:
        return number
    raise KeyError(text)


def _integer(text: str) -> int | None:
    if _DECIMAL.fullmatch(text):
        _check_digits(text, min(MOST_DIGITS, sys.get_int_max_str_digits() or MOST_DIGITS))
        return int(text)
    if _BASED.fullmatch(text):
        _check_digits(text)
        return int(text[2:], _HEXADECIMAL if text[1] == "x" else _OCTAL)
    return None


def _real(text: str) -> float | None:
    if _NOT_FINITE.fullmatch(text):
        raise NumberError(
            f"`{text}` is not a number that a manifest can contain",
            "leave the member out, write another value, or put text in quotes",
            rule="yaml-unsupported",
        )
    if not _FLOAT.fullmatch(text):
        return None
    _check_digits(text)
    value = read_real(text)
    if math.isinf(value):
        raise NumberError(*limit_messages.too_large(excerpt(text)))
    return value


def _check_digits(text: str, most: int = MOST_DIGITS) -> None:
    if len(text) > most:
        raise NumberError(*limit_messages.too_long(text, most))


def odd_reading(text: str, value: Any, *, is_tagged: bool = False) -> str | None:
    """Return what a plain scalar is to other readers; None if all take it alike."""
    if isinstance(value, str):
        return next((what for what, form in _SEEN if form.fullmatch(text)), None)
    if text in WORDS or _ALIKE.fullmatch(text) or (is_tagged and text.startswith("0o")):
        return None
    return f"another number, or {'an error' if is_tagged else 'text'},"
