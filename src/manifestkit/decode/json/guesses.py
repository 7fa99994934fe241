"""Whether what a JSON text lacks can be told, or a quote is out of place.

A quote too many or too few turns text into tokens, and tokens into text, up to the end of its line.
What is read there lacks one thing after the other. So two guesses side by side are none, nor is one
on a line that ends within a string.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from manifestkit.model.location import Span

_BREAK = re.compile(r"[\r\n]")
_BARE = r"(?:-?[0-9][0-9.eE+-]*+|true|false|null)"
_DOUBTFUL = re.compile(rf"[\\\]}}]|,[ \t]*+{_BARE}|[ \t]$|^[ \t]*+{_BARE}?+[ \t]*+,?$")
_PUNCTUATION = frozenset("{}[],:'") | {""}
_OPENERS = frozenset('"{[')


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


class Guesses:
    """The guesses in a text, as it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._made: list[Guess] = []

    def add(self, guess: Guess) -> None:
        """Keep a guess in mind."""
        self._made.append(guess)

    def beside(self, token: int, at: int) -> Guess | None:
        """The guess just before a token, on its line or about a quote at the end of one.

        Args:
            token: the number of the token.
            at: where what is wrong with it stands.
        """
        last = self._made[-1] if self._made else None
        if last and token - last.last <= 1 and (last.is_quote or self._is_one_line(last.at, at)):
            return last
        return None

    def on_line(self, at: int) -> Guess | None:
        """The first guess on the line of an offset."""
        first = None
        for each in reversed(self._made):
            if not self._is_one_line(each.at, at):
                break
            first, at = each, each.at
        return first

    def _is_one_line(self, start: int, end: int) -> bool:
        return _BREAK.search(self._text, start, end) is None


def quote_between(text: str, end: int, start: int) -> Span:
    """The likelier of the quotes around what lies between two tokens, or the second token's start.

    Args:
        text: the whole text.
        end: the end of the first token.
        start: the start of the second.
    """
    return Span(end - 1, end) if text[end - 1] == '"' else Span(start, start + 1)


def is_misquoted(text: str, end: int, start: int) -> bool:
    """Whether a string touches what is neither punctuation nor a string.

    Args:
        text: the whole text.
        end: the end of one token.
        start: the start of the next.
    """
    around = text[end - 1], text[start : start + 1]
    return end == start and around.count('"') == 1 and _PUNCTUATION.isdisjoint(around)


def is_sure(text: str, mark: str, end: int, start: int, *, in_array: bool) -> bool:
    """Whether a comma or colon is missing for sure between two tokens.

    It may have got into a string beside it; two numbers may be one, and one be too many.

    Args:
        text: the whole text.
        mark: the comma or colon.
        end: the end of the first token.
        start: the start of the second.
        in_array: whether they are items.
    """
    first, second = text[end - 1], text[start]
    if first == '"' and text[end - 2] == mark:
        return False
    if second == '"' and text[start + 1 : start + 2] == mark:
        return False
    return not in_array or not (_is_bare(first) or _is_bare(second))


def _is_bare(character: str) -> bool:
    """Whether a token that ends or begins so is a number or the like."""
    return character.isalnum() or character in "+-."


def closes_at(body: str, following: str) -> int | None:
    """The length of a string that lacks its closing quote; None where that cannot be told.

    Args:
        body: the rest of its line.
        following: the first character on the lines below.
    """
    if _DOUBTFUL.search(body):
        return None
    if not body.endswith(","):
        return len(body)
    return len(body) - 1 if following in _OPENERS else None
