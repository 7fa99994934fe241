"""The text of a YAML file as its readers walk it, and how they speak of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Literal

from manifestkit.decode.findings import Reporter, StopError
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

END = "\0"
"""The character after the last one; a text that holds one itself is refused at once."""

_TRIVIA = re.compile(
    r"[ \t]*+(?:(?<![^ \t\n])\#[^\n\0]*+|(?!))?+(?:\n[ \t]*+(?:\#[^\n\0]*+|(?!))?+|(?!))*+",
    re.VERBOSE,
)
_MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n\0])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
ODD = "[\t\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
"""Characters that readers take differently: tabs between values, odd line ends, and more."""

_RARE = re.compile(f"{ODD}|{_CONTROL.pattern}")

_CRLF = re.compile(r"\r\n")
_LONE_CR = re.compile(r"\r(?!\n)")
_COMMENT = re.compile(r"[ \t]#")
_EXCERPT = 40


class Source:
    """A text and the place that reading has come to.

    The readers see lines that end in LF only and no byte order mark; `span` takes their offsets
    back to those of the file's text.

    Attributes:
        name: the file.
        reporter: takes the findings.
        text: what the readers see, with `END` after it.
        at: the offset to read on from.
        line: where the line of that offset begins.
        trivia_start: where the space before that offset begins, on its line.
        span: makes a span of the file's text from two offsets of `text`.
        readable: whether nothing was reported that leaves the text without a value.
        ambiguous: the scalars that other readers take for something else.
        is_odd: whether a character of `ODD` or a control character stands in the text.
        scalars: where the scalars stand, of a text that is odd.
        lone_returns: where CR alone ends a line of the file's text.
    """

    def __init__(self, text: str, name: str, limits: Limits) -> None:
        self.name = name
        self.reporter = Reporter(name, text, limits, standard="YAML 1.2")
        lines, self.span = _with_plain_lines(text)
        self.text = lines + END
        self.at = self.line = self.trivia_start = 0
        self._lead = -1  # the place that led its line when it was last come to
        self.readable = True
        self.ambiguous: list[Ambiguous] = []
        self.is_odd = _RARE.search(lines) is not None
        self.scalars: list[tuple[int, int]] = []
        self.lone_returns = [each.start() for each in _LONE_CR.finditer(text)]

    @property
    def column(self) -> int:
        """Characters between the start of the line and the place."""
        return self.at - self.line

    # -- walking -----------------------------------------------------------------------------

    def skip_trivia(self) -> bool:
        """Pass over space, comments and line ends; whether the place now leads its line."""
        at, text = self.at, self.text
        if at not in (self.line, self._lead):
            if text[at] not in " \t\n#":
                self.trivia_start = at
                return False
            if text[at] == " " and text[at + 1] not in " \t\n#":
                self.trivia_start = at
                self.at = at + 1
                return False
        end = _TRIVIA.match(text, at).end()  # type: ignore[union-attr]  # matches ""
        line_end = text.rfind("\n", at, end)
        self.at = end
        if line_end >= 0:
            self.line = line_end + 1
        elif at == self._lead:
            return True
        elif at != self.line:
            self.trivia_start = at
            return False
        self.trivia_start = self.line
        self._lead = end
        return True

    def tab(self) -> int:
        """Return the offset of the last trivia's first tab on the line; -1 if there is none."""
        return self.text.find("\t", self.trivia_start, self.at)

    def at_marker(self) -> bool:
        """Return whether a document marker, ``---`` or ``...``, stands at the place."""
        return self.at == self.line and _MARKER.match(self.text, self.at) is not None

    def refuse_control_characters(self) -> None:
        """Stop at a character that no YAML text may hold."""
        match = _CONTROL.search(self.text, 0, len(self.text) - 1) if self.is_odd else None
        if match:
            raise self.error(
                match.start(),
                match.end(),
                f"raw control character U+{ord(match[0]):04X}",
                f'remove it, or write `"\\x{ord(match[0]):02x}"` inside double quotes',
            )

    # -- speaking ----------------------------------------------------------------------------

    def line_end(self, offset: int) -> int:
        """Return the end of an offset's line, without space and a comment there."""
        text = self.text
        end = text.find("\n", offset)
        end = len(text) - 1 if end < 0 else end
        comment = _COMMENT.search(text, offset, end)
        end = comment.start() if comment else end
        return max(offset, offset + len(text[offset:end].rstrip(" \t")))

    def excerpt(self, start: int, end: int) -> str:
        """Return a stretch of the text, cut to a length that a message can hold."""
        return self.excerpt_of(self.text[start:end])

    @staticmethod
    def excerpt_of(text: str) -> str:
        """Return a text as a message can hold it."""
        line, _, more = text.partition("\n")
        return line if not more and len(line) <= _EXCERPT else line[:_EXCERPT] + "…"

    def error(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "syntax-error",
        pointer: str = "",
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> StopError:
        """Report what leaves the text without a value; the error to raise if reading ends at it."""
        self.readable = False
        self.report(start, end, message, help, rule=rule, pointer=pointer, related=related, fix=fix)
        return StopError()

    def error_on_line(
        self,
        start: int,
        message: str,
        help: str,
        *,
        rule: str = "syntax-error",
        related: tuple[Related, ...] = (),
    ) -> StopError:
        """Report the rest of a line, which the texts show where they say ``{shown}``."""
        end = max(self.line_end(start), start + 1)
        shown = self.excerpt(start, end)
        is_comment = shown.startswith(("//", "/*"))
        do = "begin a comment with `#`" if is_comment else help
        texts = (each.replace("{shown}", shown) for each in (message, do))
        return self.error(start, end, *texts, rule=rule, related=related)

    def report(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "yaml-unsupported",
        pointer: str = "",
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        """Report what must not be; the text has a value all the same."""
        self.reporter.report(
            rule,
            self.span(start, end),
            message,
            help=help,
            pointer=pointer,
            related=related,
            fixes=(fix,) if fix else (),
        )
        self.stop_at_most()

    def stop_at_most(self) -> None:
        """End the reading where there is more to say than is told of one file."""
        if self.reporter.is_beyond_limits:
            self.readable = False
            raise StopError

    def report_file(self, place: Span, message: str, help: str, edits: tuple[Edit, ...]) -> None:
        """Report what other readers refuse, once for the whole file."""
        fixes = (Fix(help, "safe", edits, ()),) if edits else ()
        self.reporter.report("yaml-unsupported", place, message, help=help, fixes=fixes)

    def related(self, message: str, start: int, end: int) -> Related:
        """Return a second place that a finding refers to."""
        return Related(message, "", self.reporter.locate(self.span(start, end)))

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Put a text in place of a stretch."""
        return Edit(*self.span(start, end), text)

    def fix(
        self,
        message: str,
        start: int,
        end: int,
        text: str,
        *,
        safety: Literal["safe", "unsafe"] = "safe",
    ) -> Fix:
        """Return a fix that puts a text in place of a stretch."""
        return Fix(message, safety, (self.edit(start, end, text),), ())

    def tab_in_indentation(self, tab: int) -> StopError:
        """Report a tab where only spaces count; the error to raise."""
        return self.error(tab, tab + 1, "tab in indentation", "indent YAML with spaces only")


def _with_plain_lines(text: str) -> tuple[str, Callable[[int, int], Span]]:
    shift = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    body = text[shift:]
    if "\r" not in body:
        if not shift:
            return body, Span
        return body, lambda start, end: Span(start + shift, end + shift)
    breaks = [match.start() - count for count, match in enumerate(_CRLF.finditer(body))]

    def span(start: int, end: int) -> Span:
        return Span(
            start + shift + bisect_left(breaks, start), end + shift + bisect_left(breaks, end)
        )

    return body.replace("\r\n", "\n").replace("\r", "\n"), span
