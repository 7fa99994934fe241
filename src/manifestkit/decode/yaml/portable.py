"""Scalars that other readers of YAML take for something else, or refuse.

YAML 1.1 (yaml.org/type) reads ``no`` as false, ``2026-11-20`` as a date, ``1:30`` as ninety,
``010`` as eight. Many tools still read it, and each reads it in its own way. Readers agree about
quoted scalars, and about the plain numbers in `_ALIKE`; any other number, and any text that is
nearly a number, is odd.
"""

from __future__ import annotations

import re
from typing import Any

from manifestkit.decode.yaml.source import ODD, Source
from manifestkit.model.finding import Edit
from manifestkit.model.location import Span

MAY_BE_ODD = frozenset("+-.0123456789yYnNoO=<")
"""The first characters of plain scalars that others may take for something else."""

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "off", "Off", "OFF"})
_NO_VALUE = frozenset({"=", "<<"})
ODD_WORDS = _TRUE | _FALSE | _NO_VALUE
"""Plain scalars that are text, and something else in YAML 1.1."""

_BEGIN_NUMBER = frozenset("+-.0123456789")
_ALIKE = re.compile(
    r"""[-+]?(?:0|[1-9][0-9]*) | 00 | 0x[0-9a-fA-F]+
      | (?:[-+]?[0-9]+\.[0-9]* | \.[0-9]+)(?:[eE][-+][0-9]+)?""",
    re.VERBOSE,
)
_DATE = re.compile(
    r"""(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})
        (?P<time>(?:[Tt]|[ \t\n]+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})
        (?:\.[0-9]*)?(?:[ \t\n]*(?:Z|[-+](?P<hours>[0-9]{1,2})(?::?(?P<minutes>[0-9]{2}))?))?)?""",
    re.VERBOSE,
)
_LONGEST_DATE = len("2026-01-01")
_NEAR_NUMBER = re.compile(
    r"""[-+]?(?: 0b[01_]+ | 0o?[0-7_]+ | 0x[0-9a-fA-F_]+ | [0-9_]+
      | [1-9][0-9_]*(?::[0-5]?[0-9])+ | [0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
      | (?: [0-9][0-9_]*(?:\.[0-9_]*)? | \.[0-9_]+ )(?:[eE][-+]?[0-9_]+)? )""",
    re.VERBOSE,
)
# Compiled when they are first used: few texts need one.
_INTEGER = r"""(?P<sign>[-+]?)(?: 0b(?P<binary>[01_]+) | 0x(?P<hex>[0-9a-fA-F_]+)
      | (?P<octal>0[0-7_]+) | (?P<decimal>0|[1-9][0-9_]*)
      | (?P<sixty>[1-9][0-9_]*(?::[0-5]?[0-9])+) )"""
_REAL = r"""[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)? | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
      | (?P<sixty>[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)"""
_BASES = {"binary": 2, "octal": 8, "hex": 16, "decimal": 10}
_LONGEST = 100  # what more characters mean is no use to anyone
_READERS = "to readers of YAML 1.1"
REFUSED = "an error to some readers"
"""Seen by readers that read no such scalar."""

DIFFERENT = "another text to some readers"
"""Seen by readers that count its spaces, or take its marks, otherwise."""

OTHERWISE = "something else, or an error, to some readers"
"""Seen by readers that differ among themselves."""

UNENDED = f"a text without its final line break {_READERS}"
"""Seen in a block of text that ends with the file, and without a line end."""

_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_MARK = "\ufeff"
_ODD_IN_QUOTES = ODD.replace("\t", "")
_ODD_IN_PLAIN = ODD.replace(_MARK, "")
_ODD_IN_TEXT = _ODD_IN_PLAIN.replace("\t", "")
_COMMENT_LINE = re.compile(r"\n *+\#")
_BETWEEN = rf"(?<![^ \t\n])\#[^\n]*+ | (?P<tab>[ ]*+\t[ \t]*+) | {_ODD_IN_QUOTES}"


def odd_reading(text: str, value: Any, *, is_tagged: bool = False) -> str | None:
    """Return how other readers take a plain scalar, and which; None if all take it alike."""
    if text[:1] not in _BEGIN_NUMBER:
        return _odd_word(text)
    if isinstance(value, str) and not _NEAR_NUMBER.fullmatch(text):
        return _date(text)
    if not isinstance(value, str) and _ALIKE.fullmatch(text):
        return None
    if len(text) > _LONGEST:
        return "something else to some readers"
    if text.lower().endswith((".inf", ".nan")) or (is_tagged and text.startswith("0o")):
        return None  # all read it alike
    other = _number(text)
    if other is None:
        if is_tagged or (text.endswith("_") and not re.search("[1-9]", text)):  # `0x_`
            return REFUSED
        seen = "a number to some readers"
        return seen if isinstance(value, str) else f"the text `{text}` {_READERS}"
    is_same = other == value and type(other) is type(value)
    return None if is_same else f"the number {other} {_READERS}"


def _date(text: str) -> str | None:
    match = _DATE.fullmatch(text)
    if match is None or (not match["time"] and len(text) < _LONGEST_DATE):
        return None
    from datetime import datetime, timedelta, timezone  # noqa: PLC0415 - a clean run has no dates

    parts = {name: int(part or 0) for name, part in match.groupdict().items() if name != "time"}
    away = timedelta(hours=parts.pop("hours"), minutes=parts.pop("minutes"))
    try:
        datetime(**parts, tzinfo=timezone(away))
    except ValueError:
        return REFUSED
    return f"the {'time' if match['time'] else 'date'} {text} {_READERS}"


def _odd_word(text: str) -> str | None:
    if text in _TRUE:
        return f"the boolean true {_READERS}"
    if text in _FALSE:
        return f"the boolean false {_READERS}"
    return REFUSED if text in _NO_VALUE else None


def _number(text: str) -> int | float | None:
    match = re.fullmatch(_INTEGER, text, re.VERBOSE)
    if match:
        sign = -1 if match["sign"] == "-" else 1
        digits = (match[match.lastgroup or 0]).replace("_", "")
        if not digits:
            return None
        if match["sixty"]:
            return sign * int(_sexagesimal(digits))
        return sign * int(digits, _BASES[str(match.lastgroup)])
    match = re.fullmatch(_REAL, text, re.VERBOSE)
    if match is None:
        return None
    digits = text.replace("_", "")
    if not match["sixty"]:
        return float(digits)
    sign = -1 if digits.startswith("-") else 1
    return sign * _sexagesimal(digits.lstrip("+-"))


def _sexagesimal(digits: str) -> float:
    total = 0.0
    for part in digits.split(":"):
        total = total * 60 + float(part)
    return total


# -- characters ------------------------------------------------------------------------------


def odd_characters(source: str, *, plain: bool) -> str | None:
    """Return how other readers take the characters in a scalar as it is written, and which."""
    if _LINE_ENDS.search(source):
        return f"a text of several lines {_READERS}"
    return REFUSED if re.search(_ODD_IN_PLAIN if plain else _ODD_IN_TEXT, source) else None


def report_odd_characters(source: Source) -> None:
    """Report the characters between scalars that other readers do not take as we do."""
    if source.lone_returns:
        _report_returns(source)
    if not source.is_odd:
        return
    at, tabs = 0, []
    between, odd_in_quotes = re.compile(_BETWEEN, re.VERBOSE), re.compile(_ODD_IN_QUOTES)
    for start, end in [*sorted(source.scalars), (len(source.text), len(source.text))]:
        for match in between.finditer(source.text, at, max(start, at)):
            if match.lastgroup == "tab":
                tabs.append(Span(*match.span()))
            elif odd := odd_in_quotes.search(source.text, *match.span()):
                source.report(
                    odd.start(),
                    odd.end(),
                    f"U+{ord(odd[0]):04X} between values: other readers refuse it or read it as a "
                    "line break",
                    "remove it",
                )
        at = max(at, end)
        if not source.text.startswith(('"', "'"), start):
            _report_byte_order_mark(source, start, end)
    if tabs:
        _report_tabs(source, tabs)


def _report_byte_order_mark(source: Source, start: int, end: int) -> None:
    """Report a byte order mark in a scalar without quotes (YAML 1.2.2, 5.2, excludes it)."""
    at = source.text.find(_MARK, start, end)
    if at >= 0:
        source.report(
            at,
            at + 1,
            "a byte order mark (U+FEFF) in text without quotes, where YAML does not allow one",
            "remove it",
        )


def report_comments(source: Source, start: int, end: int, indent: int) -> None:
    """Report the comments in trivia that stand no deeper than a column."""
    for match in _COMMENT_LINE.finditer(source.text, start, end):
        at = match.end() - 1
        column = at - match.start() - 1
        if column <= indent:
            source.report(
                at,
                max(source.text.find("\n", at), at + 1),
                "a comment between a key and its value that is not indented deeper than the key, "
                "which some readers refuse",
                "indent it",
                fix=source.fix("indent it", at, at, " " * (indent - column + 2)),
            )


def _report_returns(source: Source) -> None:
    edits = tuple(Edit(at, at + 1, "\n") for at in source.lone_returns)
    source.report_file(
        Span(edits[0].start, edits[0].end),
        "a line that ends only in CR continues for other readers",
        "end lines with LF",
        edits,
    )


def _report_tabs(source: Source, tabs: list[Span]) -> None:
    text, edits = source.text, []
    for start, end in tabs:
        leads = text[start - 1 : start] in ("", "\n")
        if text[end] in "\n\0":
            edits.append(source.edit(start, end, ""))
        elif not leads:
            edits.append(source.edit(start, end, " "))
        elif text[end] == "#" or text.lstrip()[:1] in ("{", "["):  # where depth says nothing
            edits.append(source.edit(start, end, text[start:end].replace("\t", "  ")))
    source.report_file(
        source.span(*tabs[0]),
        "a tab between values, which some readers refuse",
        "write spaces",
        tuple(edits) if len(edits) == len(tabs) else (),
    )
