"""The values of scalars by the core schema of YAML 1.2 (YAML 1.2.2, 10.3)."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.numbers import read_real
from manifestkit.decode.yaml.portable import ODD_WORDS
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source
from manifestkit.model.limits import MOST_DIGITS
from manifestkit.model.pointer import Path, format_pointer

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Plain scalars that are null or a boolean."""

NO_NAMES = frozenset(WORDS) | ODD_WORDS
"""Plain scalars that look like the name of a member and are none, or not to all readers."""

_NUMERIC = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_HEXADECIMAL = 16
_OCTAL = 8
_MEANT = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "`true` or `false`",
    "null": "`null`",
    "seq": "a list",
    "map": "a mapping",
}


Where = Callable[[], Path]


class Values:
    """Gives scalars their values; `where` tells the path of the one that is being read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.has_fractions = False

    def resolve(self, scalar: Scalar, where: Where) -> Any:
        """Return the value of a plain scalar: null, a boolean, a number, or else its text."""
        text = scalar.text
        if not text or text[0] not in _NUMERIC:
            return WORDS.get(text, text)
        number = self._number(scalar, _number, where)
        return text if number is None else number

    def tagged(self, scalar: Scalar, tag: str, where: Where) -> Any:
        """Return the value of a scalar with a tag."""
        text = scalar.text
        value: Any = None
        match tag:
            case "!" if scalar.plain and not text:
                self._source.error(
                    scalar.start,
                    scalar.end,
                    "tag `!` without a value",
                    'write the value: `""` or `null`',
                    rule="yaml-unsupported",
                )
                return text
            case "" | "!":
                return text
            case "str":
                if scalar.start == scalar.end:
                    self._source.report(
                        *scalar[1:3], "tag `!!str` without a value", 'write the value: `""`'
                    )
                return text
            case "int":
                value = self._number(scalar, _integer, where)
            case "float":
                value = self._number(scalar, _real, where)
            case "bool":
                value = WORDS.get(text)
        is_null = tag == "null" and text in WORDS and WORDS[text] is None
        if value is None and not is_null:
            self.mismatch(scalar.start, scalar.end, tag)
        elif not (scalar.plain and (is_null or self._means_without_tag(text, type(value)))):
            self._source.report(
                scalar.start,
                scalar.end,
                f"tag `!!{tag}` changes the value to {_MEANT[tag]}; some programs ignore it",
                "remove the tag, and write the value without it",
            )
        return value

    def mismatch(self, start: int, end: int, tag: str) -> None:
        """Report a tag that does not fit its value."""
        self._source.error(
            start,
            end,
            f"tag `!!{tag}` is used for a value that is not {_MEANT[tag]}",
            "remove the tag",
            rule="yaml-unsupported",
        )

    def _means_without_tag(self, text: str, meant: type) -> bool:
        """Return whether a plain text has a type without its tag, or is a bad number anyway."""
        if text in WORDS:
            return type(WORDS[text]) is meant
        try:
            return type(_number(text)) is meant
        except _NumberError:
            return True

    def _number(
        self, scalar: Scalar, read: Callable[[str], int | float | None], where: Where
    ) -> int | float | None:
        text, start, end = scalar[:3]
        try:
            number = read(text)
        except _NumberError as error:
            rule = "yaml-unsupported" if error.is_not_finite else "limit-exceeded"
            pointer = "" if error.is_not_finite else format_pointer(where())
            self._source.error(start, end, error.message, error.help, rule=rule, pointer=pointer)
            return 0
        self.has_fractions = self.has_fractions or isinstance(number, float)
        return number


class _NumberError(ValueError):
    """A number that no manifest can contain: beyond a limit, or not finite."""

    def __init__(self, message: str, help: str, *, is_not_finite: bool = False) -> None:
        super().__init__(message)
        self.message, self.help = message, help
        self.is_not_finite = is_not_finite


def _number(text: str) -> int | float | None:
    whole = _integer(text)
    return _real(text) if whole is None else whole


def _integer(text: str) -> int | None:
    if _INTEGER.fullmatch(text):
        _check_digits(text, min(MOST_DIGITS, sys.get_int_max_str_digits() or MOST_DIGITS))
        return int(text)
    if _BASED.fullmatch(text):
        _check_digits(text)
        return int(text[2:], _HEXADECIMAL if text[1] == "x" else _OCTAL)
    return None


def _real(text: str) -> float | None:
    if _NOT_FINITE.fullmatch(text):
        raise _NumberError(
            f"`{text}` is not a number that a manifest can contain",
            "leave the member out, write another value, or put text in quotes",
            is_not_finite=True,
        )
    if not _REAL.fullmatch(text):
        return None
    _check_digits(text)
    value = read_real(text)
    if math.isinf(value):
        raise _NumberError(*limit_messages.too_large(Source.excerpt_of(text)))
    return value


def _check_digits(text: str, most: int = MOST_DIGITS) -> None:
    if len(text) > most:
        raise _NumberError(*limit_messages.too_long(text, most))
