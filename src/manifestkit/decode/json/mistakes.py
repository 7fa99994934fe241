"""Common mistakes in JSON: how they are spelt, and what was probably meant."""

from __future__ import annotations

import re
from typing import NamedTuple

from manifestkit.model.finding import Edit, Fix
from manifestkit.model.location import Span

_SPELLINGS = {
    "true": ("True", "TRUE"),
    "false": ("False", "FALSE"),
    "null": ("None", "NULL", "Null", "nil"),
}
MEANT_BY = {word: literal for literal, spellings in _SPELLINGS.items() for word in spellings}
"""The literal of JSON that is meant by one of another language."""

NO_VALUES = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN", "+NaN", "undefined"})
"""Values of other languages for which JSON has none."""

LEAVE_OUT = "leave the member out, or write another value"

_EXCERPT = 40
_BREAK = re.compile(r"[\r\n]")
_BARE = r"(?:-?[0-9][0-9.eE+-]*+|true|false|null|(?!))"
_DOUBTFUL = re.compile(
    rf"[\\\]}}]|,[ \t]*+{_BARE}|[ \t]$|^[ \t]*+{_BARE}?+[ \t]*+,?$"
    r"|['`\u2018-\u201f\u2033],?$|(?<!:)//|/\*|[ \t]#|,,"
)
_PUNCTUATION = frozenset("{}[],:'") | {""}
_OPENERS = frozenset('"{[')
_LONG_LINE = 1_000
_OWN_LINE_REST = re.compile(r"[ \t]*+(?:\r\n?|\n)")


class Mistake(NamedTuple):
    """A syntax error, or a passed limit.

    Attributes:
        span: the characters at fault.
        message: what is wrong.
        help: what to do.
        fix: how to fix it, if that is sure.
        is_value: whether it is about a value by itself, and says nothing against what is around it.
        is_limit: whether it is the limit.
    """

    span: Span
    message: str
    help: str
    fix: Fix | None = None
    is_value: bool = False
    is_limit: bool = False

    @classmethod
    def of(cls, span: Span, message: str, help: str, edit: Edit | None) -> Mistake:
        """Return a mistake with a safe fix, if there is an edit."""
        return cls(span, message, help, Fix(help, "safe", (edit,), ()) if edit else None)


class Guess(NamedTuple):
    """Something that was taken to be missing.

    Attributes:
        findings: how many findings there were before.
        at: where it would stand.
        last: the number of the last token beside it.
        quote: the quote that is out of place if the guess is wrong.
        is_quote: whether it is a quote at the end of a line.
    """

    findings: int
    at: int
    last: int
    quote: Span
    is_quote: bool = False


def is_one_line(text: str, start: int, end: int) -> bool:
    """Return whether no line ends between two offsets."""
    return _BREAK.search(text, start, end) is None


def excerpt(text: str) -> str:
    """Return a text, cut to a length that a message can hold."""
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"


def without_comment(text: str, comment: Span) -> Edit:
    """Remove a comment with the space before it, or with its line if it is alone there."""
    start = comment.start
    while start and text[start - 1] in " \t":
        start -= 1
    behind = _OWN_LINE_REST.match(text, comment.end)
    if text[start - 1 : start] in ("\r", "\n") and behind:
        return Edit(start, behind.end(), "")
    return Edit(start, comment.end, "")


def quote_between(text: str, end: int, start: int) -> Span:
    """Return the likelier quotes around what is between two tokens, or the second one's start."""
    return Span(end - 1, end) if text[end - 1] == '"' else Span(start, start + 1)


def is_misquoted(text: str, end: int, start: int) -> bool:
    """Return whether a string touches what is neither punctuation nor a string."""
    around = text[end - 1], text[start : start + 1]
    return end == start and around.count('"') == 1 and _PUNCTUATION.isdisjoint(around)


def is_sure(text: str, mark: str, end: int, start: int, *, in_array: bool) -> bool:
    """Return whether a comma or colon is certainly missing between two tokens.

    It may have got into a string beside it; two numbers may be one, and one be too many.
    """
    first, second = text[end - 1], text[start]
    if in_array and end == start and first == second == '"':  # as CSV writes a quote in a text
        return False
    if first == '"' and text[end - 2] == mark:
        return False
    if second == '"' and text[start + 1 : start + 2] == mark:
        return False
    return not in_array or not (_is_bare(first) or _is_bare(second))


def _is_bare(character: str) -> bool:
    return character.isalnum() or character in "+-."


def closes_at(body: str, following: str) -> int | None:
    """Return the length of a string that lacks its closing quote, where that can be told."""
    if _DOUBTFUL.search(body):
        return None
    if not body.endswith(","):
        return len(body)
    return len(body) - 1 if following in _OPENERS else None


NEXT_LINE = re.compile(r"[\r\n]([ \t]*+)(?=\S)")


def end_of_block(text: str, opener: int) -> int:
    """Find the first line, behind its blanks, that is no deeper than that of a bracket."""
    column = line_indent(text, opener)
    lines = (each for each in NEXT_LINE.finditer(text, opener) if len(each[1]) <= column)
    found = next(lines, None)
    return found.end() if found else len(text)


def line_indent(text: str, at: int) -> int:
    """Return the blanks that begin the line of an offset; of a very long line, 0."""
    start = max(0, at - _LONG_LINE)
    before = text[max(last_break(text, start, at) + 1, start) : at]
    return len(before) - len(before.lstrip())


def last_break(text: str, start: int, end: int) -> int:
    """Return the offset of the last line end between two offsets, or -1."""
    return max(text.rfind("\n", start, end), text.rfind("\r", start, end))
