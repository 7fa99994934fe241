"""Reporting what is wrong with a JSON text, as it is read."""

from __future__ import annotations

from collections.abc import Callable

from manifestkit.decode.findings import Reporter
from manifestkit.decode.json.guesses import Guess, Guesses
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_EXCERPT = 40


class StopError(Exception):
    """The text cannot be read on; the reason has been reported."""


class Mistakes:
    """Reports mistakes at the place that the reading of a text has come to.

    Args:
        text: the whole text.
        name: the file, for findings.
        limits: bounds on numbers and findings.
        where: tells the pointer of the value that is being read.

    Attributes:
        is_cut_off: whether the reading ended because there was too much to say.
        count: how many tokens were handed out.
    """

    def __init__(self, text: str, name: str, limits: Limits, where: Callable[[], str]) -> None:
        self.reporter = Reporter(name, text, limits)
        self.is_cut_off = False
        self.count = 0
        self._text = text
        self._limits = limits
        self._where = where
        self._guesses = Guesses(text)
        self._at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0

    def excerpt(self, span: Span) -> str:
        """The text of a span, cut to a length that a message can hold."""
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
        wrong = self._guesses.beside(self.count, self._at)
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
            span: where it is missing.
            message: what is.
            help: what to write.
            edit: how, if that is sure.
            beside: the numbers of the tokens around it.
            quote: the quote that is out of place if the guess is wrong.

        Raises:
            StopError: it was; a quote is out of place, which has been reported.
        """
        wrong = self._guesses.beside(beside[0], span.start)
        if wrong:
            raise self.misquoted(wrong)
        self._guesses.add(Guess(len(self.reporter.findings), span.start, beside[1], quote))
        self.mistake(span, message, help, edit)

    def misquoted_at(self, quote: Span) -> StopError:
        """Report that a quote is out of place, or the one of a guess just before."""
        here = Guess(len(self.reporter.findings), quote.start, self.count, quote)
        return self.misquoted(self._guesses.beside(self.count, quote.start) or here)

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
        """End the reading where there is more to say than is told of one file.

        Raises:
            StopError: it is so.
        """
        if self.reporter.is_beyond_limits:
            self.is_cut_off = True
            raise StopError

    def limit(self, span: Span, message: str, help: str) -> None:
        """Report a passed limit, at the pointer of the value that is being read."""
        self.reporter.report("limit-exceeded", span, message, help=help, pointer=self._where())
