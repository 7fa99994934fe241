"""Common mistakes in JSON, and the text that was meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from manifestkit.decode.findings import Reporter, StopError
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_BREAK = re.compile(r"[\r\n]")
_BARE = r"(?:-?[0-9][0-9.eE+-]*+|true|false|null|(?!))"
_DOUBTFUL = re.compile(rf"[\\\]}}]|,[ \t]*+{_BARE}|[ \t]$|^[ \t]*+{_BARE}?+[ \t]*+,?$")
_PUNCTUATION = frozenset("{}[],:'") | {""}
_OPENERS = frozenset('"{[')
_LONG_LINE = 1_000


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


_LAYOUT = re.compile(
    r"""(?P<line>\r?\n[ \t]*+) | "(?:[^"\\\r\n]|\\.)*+"? | (?P<open>[{\[]) | (?P<close>[}\]])""",
    re.VERBOSE,
)


_NEXT_LINE = re.compile(r"[\r\n]([ \t]*+)(?=\S)")


def unclosed_bracket(text: str) -> int | None:
    """Find the bracket that was probably left open, by the indentation of the lines.

    The bracket that closes it instead leads a line, and stands in another column than its line.
    """
    indent = line_end = 0
    opened: list[tuple[int, int]] = []
    for match in _LAYOUT.finditer(text):
        if match.lastgroup == "line":
            indent, line_end = len(match[0].lstrip("\r\n")), match.end()
        elif match.lastgroup == "open":
            opened.append((match.start(), indent))
        elif match.lastgroup == "close" and opened:
            at, column = opened.pop()
            if match.start() == line_end > at and indent != column:
                return at
    return None


def end_of_block(text: str, opener: int) -> int:
    """Find the first line, behind its blanks, that is no deeper than that of a bracket."""
    column = line_indent(text, opener)
    lines = (each for each in _NEXT_LINE.finditer(text, opener) if len(each[1]) <= column)
    found = next(lines, None)
    return found.end() if found else len(text)


def line_indent(text: str, at: int) -> int:
    """Return the blanks that begin the line of an offset; of a very long line, 0."""
    start = text.rfind("\n", max(0, at - _LONG_LINE), at) + 1
    return (
        at - start
        if text[start:at].isspace()
        else len(text[start:at]) - len(text[start:at].lstrip())
    )


_EXCERPT = 40


class JsonMistakes:
    """Reports mistakes at the place that the reading of a text has come to.

    Attributes:
        is_cut_off: whether the reading ended because there was too much to say.
        count: how many tokens were handed out.
        at: the offset to read on from.
    """

    def __init__(self, text: str, name: str, limits: Limits, where: Callable[[], str]) -> None:
        self.reporter = Reporter(name, text, limits, standard="RFC 8259 (JSON)")
        self.is_cut_off = False
        self.count = 0
        self._text = text
        self._limits = limits
        self._where = where
        self._guesses: list[Guess] = []
        self.at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0

    def excerpt(self, span: Span) -> str:
        """Return the text of a span, cut to a length that a message can hold."""
        text = self._text[span.start : span.end]
        return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"

    def mistake(
        self,
        span: Span,
        message: str,
        help: str,
        edit: Edit | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        """Report a syntax error that reading can go on after."""
        fixes = (Fix(help, "safe", (edit,), ()),) if edit else ()
        self.reporter.report("syntax-error", span, message, help=help, related=related, fixes=fixes)
        self.stop_at_most()

    def fatal(
        self,
        span: Span,
        message: str,
        help: str,
        related: tuple[Related, ...] = (),
    ) -> StopError:
        """Report a syntax error that reading ends at; the error to raise."""
        wrong = self._guess_beside(self.count, self.at)
        if wrong:
            return self.misquoted(wrong)
        self.mistake(span, message, help, related=related)
        return StopError()

    def guess(
        self,
        span: Span,
        message: str,
        help: str,
        edit: Edit | None,
        *,
        beside: tuple[int, int],
        quote: Span,
    ) -> None:
        """Report something that is missing, unless the guess before was about the same place.

        Args:
            edit: how to write it, if that is sure.
            beside: the numbers of the tokens around it.
            quote: the quote that is out of place if the guess is wrong.
        """
        wrong = self._guess_beside(beside[0], span.start)
        if wrong and '"' in (self._text[wrong.quote.start], self._text[quote.start]):
            raise self.misquoted(wrong)
        self._guesses.append(Guess(len(self.reporter.findings), span.start, beside[1], quote))
        self.mistake(span, message, help, edit)

    def _guess_beside(self, token: int, at: int) -> Guess | None:
        """Return the guess just before a token, on its line or about a quote at the end of one."""
        last = self._guesses[-1] if self._guesses else None
        if last and token - last.last <= 1 and (last.is_quote or self._is_one_line(last.at, at)):
            return last
        return None

    def _first_guess_on_line(self, at: int) -> Guess | None:
        first = None
        for each in reversed(self._guesses):
            if not self._is_one_line(each.at, at):
                break
            first, at = each, each.at
        return first

    def _is_one_line(self, start: int, end: int) -> bool:
        return _BREAK.search(self._text, start, end) is None

    def misquoted_at(self, quote: Span) -> StopError:
        """Report that a quote is out of place, or the one of a guess just before."""
        here = Guess(len(self.reporter.findings), quote.start, self.count, quote)
        return self.misquoted(self._guess_beside(self.count, quote.start) or here)

    def misquoted(self, instead: Guess) -> StopError:
        """Report that a quote is out of place, instead of a guess and what followed it."""
        del self.reporter.findings[instead.findings :]
        self.mistake(
            instead.quote,
            "a quote is missing or not escaped",
            'put strings in `"`, and write `\\"` for a quote inside one',
        )
        return StopError()

    def stop_at_most(self) -> None:
        """End the reading where there is more to say than is told of one file."""
        if self.reporter.is_beyond_limits:
            self.is_cut_off = True
            raise StopError

    def limit(self, span: Span, message: str, help: str) -> None:
        """Report a passed limit, at the pointer of the value that is being read."""
        self.reporter.report("limit-exceeded", span, message, help=help, pointer=self._where())
