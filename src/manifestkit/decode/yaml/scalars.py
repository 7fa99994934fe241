"""The values of scalars by the core schema of YAML 1.2 (10.3), and what YAML 1.1 sees in them.

YAML 1.1 (yaml.org/type) reads ``no`` as false, ``2026-11-20`` as a date, ``1:30`` as ninety,
``010`` as eight. Many tools still read it, and each reads it in its own way. Readers agree about
quoted scalars, and about the plain numbers in `_ALIKE`; any other number, and any text in one of
the forms of `_SEEN`, is odd.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from manifestkit.decode.numbers import NumberError, read_number, read_real

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_BEGIN_NUMBER = frozenset("+-.0123456789")


def _refuse(text: str) -> NoReturn:
    raise NumberError(
        f"`{text}` is not a number that a manifest can contain",
        "leave the member out, write another value, or put text in quotes",
        rule="yaml-unsupported",
    )


_Form = tuple[re.Pattern[str], Callable[[str], int | float]]
_INTEGERS: tuple[_Form, ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+"), lambda text: int(text, 0)),
)
_REALS: tuple[_Form, ...] = (
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), read_real),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), _refuse),
)
_ALIKE = re.compile(
    r"""[-+]?(?:0*[0-7]|[1-9][0-9]*) | 0x[0-9a-fA-F]+
      | (?:[-+]?[0-9]+\.[0-9]* | \.[0-9]+)(?:[eE][-+][0-9]+)?""",
    re.VERBOSE,
)
_OLD_WORDS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), "a boolean"),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), "a boolean"),
    **dict.fromkeys(("=", "<<"), "an error"),
}
# What other texts that begin as numbers do, or no numbers to all readers, are to some.
_SEEN = (
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


def read_scalar(text: str, tag: str | None = None) -> tuple[Any, str | None]:
    """Return the value of a plain scalar, or of any with a core tag, and what others see in it.

    What others see is None if all readers take it alike.

    Args:
        tag: the name of the tag; `!` stands for one that is not of the core schema.

    Raises:
        KeyError: the tag does not fit.
        NumberError: it is a number that no manifest can contain.
    """
    value = _plain(text) if tag is None else _tagged(text, tag)
    if isinstance(value, str):
        return value, _seen_in_text(text) if tag is None else None
    if text in _WORDS or _ALIKE.fullmatch(text) or (tag and text.startswith("0o")):
        return value, None
    return value, f"another number, or {'an error' if tag else 'text'},"


def _plain(text: str) -> Any:
    if text[:1] not in _BEGIN_NUMBER:
        return _WORDS.get(text, text)
    number = _number(text, _INTEGERS + _REALS)
    return text if number is None else number


def _tagged(text: str, tag: str) -> Any:
    if tag in ("str", "!"):
        return text
    if tag in ("bool", "null"):
        word = _WORDS[text]
        if (word is None) is (tag == "null"):
            return word
    elif (number := _number(text, {"int": _INTEGERS, "float": _REALS}[tag])) is not None:
        return number
    raise KeyError(text)


def _seen_in_text(text: str) -> str | None:
    if text[:1] not in _BEGIN_NUMBER:
        return _OLD_WORDS.get(text)
    return next((what for what, form in _SEEN if form.fullmatch(text)), None)


def _number(text: str, forms: tuple[_Form, ...]) -> int | float | None:
    read = next((read for form, read in forms if form.fullmatch(text)), None)
    return read_number(text, read) if read else None
