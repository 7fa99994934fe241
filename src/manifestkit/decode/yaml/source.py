"""A YAML text as the parser gets it, and the findings about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from manifestkit.decode.findings import Reporter, StopError
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Edit, Fix, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
"""Characters that the parser refuses, or takes for line ends."""

TRIVIA = re.compile(r"(?:[ \t\r\n]|(?<![^ \t\r\n])#[^\r\n]*)*")
"""Space, line ends and comments between tokens."""

LINE_END = re.compile(r"[\r\n]|\Z")
"""The end of a line, or of the text."""

NEXT_LINE = re.compile(r"(?:\r\n?|\n) *(?=[^ \t\r\n])")
"""The indentation of a line with text, with the line end before it."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LEAD = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%YAML[ \t]+1\.2[ \t]*(?:[ \t]#[^\r\n]*)?)[\r\n])*")
_COMMENT = re.compile(r"[ \t]#")
_COMMENT_SIGN = "begin a comment with `#`"
_EXCERPT = 40
_PLACEHOLDER = "\ufffd"


class Source:
    """A text with repairs, and without its byte order mark; `span` takes its offsets back.

    Attributes:
        reporter: takes the findings.
        text: the text.
        is_odd: whether it has a character of `ODD`.
        readable: whether nothing was reported that leaves the text without a value.
        ambiguous: the scalars that other readers take for something else.
    """

    def __init__(self, text: str, name: str, limits: Limits, repairs: Iterable[Edit]) -> None:
        self.reporter = Reporter(name, text, limits, standard="YAML 1.2")
        is_marked = text.startswith(BYTE_ORDER_MARK)
        mark = [Edit(0, len(BYTE_ORDER_MARK), "")] if is_marked else []
        self._repairs = sorted((*mark, *repairs))
        for edit in reversed(self._repairs):
            text = text[: edit.start] + edit.text + text[edit.end :]
        self.text = text
        self.is_odd = ODD.search(text) is not None
        self.readable = True
        self.ambiguous: list[Ambiguous] = []

    def parseable(self) -> str:
        """Return a text of the same offsets for the parser, and report what it must not see.

        That is control characters, and directives but `%YAML 1.2`. Characters of `ODD` become
        others: where one is part of a scalar, the composer reports it, and in a comment it says
        nothing.
        """
        text = self.text
        if control := _CONTROL.search(text):
            code = ord(control[0])
            raise self.error(
                *control.span(),
                f"raw control character U+{code:04X}",
                f'remove it, or write `"\\x{code:02x}"` inside double quotes',
            )
        at = _LEAD.match(text).end()  # type: ignore[union-attr]  # matches ""
        if text.startswith("%", at):  # the parser takes its time for many
            do = "remove the line: a manifest is YAML 1.2, and needs no directives"
            raise self.error_on_line(at, "directive `{shown}`", do, rule="yaml-unsupported")
        if self.is_odd:
            text = ODD.sub(_PLACEHOLDER, text)
        return text if text.endswith(("\n", "\r")) else f"{text}\n"

    # -- places ------------------------------------------------------------------------------

    def span(self, start: int, end: int) -> Span:
        """Return the characters from one offset to another, in the file's text."""
        return self.in_file(Span(start, end))

    def in_file(self, span: Span) -> Span:
        """Return the characters of the file's text that are at a span of this one."""
        return Span(*map(self._offset, span)) if self._repairs else span

    def _offset(self, at: int) -> int:
        """Return where a character is in the file's text; what a repair put in is at its end."""
        grown = 0
        for edit in self._repairs:
            if at < edit.start + grown + len(edit.text):
                return min(at - grown, edit.end)
            grown += len(edit.text) - (edit.end - edit.start)
        return at - grown

    def line_start(self, offset: int) -> int:
        """Return where the line of an offset begins."""
        start = self.text.rfind("\n", 0, offset) + 1
        return max(start, self.text.rfind("\r", start, offset) + 1)

    def column(self, offset: int) -> int:
        """Count the characters before an offset on its line."""
        return offset - self.line_start(offset)

    def leads(self, offset: int) -> bool:
        """Return whether only space stands before an offset on its line."""
        return not self.text[self.line_start(offset) : offset].strip(" \t")

    def line_end(self, offset: int) -> int:
        """Return the end of an offset's line, without space and a comment there."""
        end = LINE_END.search(self.text, offset).start()  # type: ignore[union-attr]  # `\Z`
        comment = _COMMENT.search(self.text, offset, end)
        end = comment.start() if comment else end
        return offset + len(self.text[offset:end].rstrip(" \t"))

    # -- findings ----------------------------------------------------------------------------

    def error(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "syntax-error",
        **more: Any,
    ) -> StopError:
        """Report what leaves the text without a value; the error to raise if reading ends at it."""
        self.readable = False
        self.report(start, end, message, help, rule=rule, **more)
        fix: Fix | None = more.get("fix")
        return StopError(fix.edits[0] if fix else None)

    def unsupported(self, start: int, end: int, message: str, help: str, **more: Any) -> StopError:
        """Report what a manifest must not use, and has no value as it stands."""
        return self.error(start, end, message, help, rule="yaml-unsupported", **more)

    def error_on_line(self, start: int, message: str, help: str, **more: Any) -> StopError:
        """Report the rest of a line, which the texts show where they say ``{shown}``."""
        end = max(self.line_end(start), min(start + 1, len(self.text)))
        shown = excerpt(self.text[start:end])
        if shown.startswith("//"):
            more["fix"] = self.fix(_COMMENT_SIGN, start, start + 2, "#")
        do = _COMMENT_SIGN if shown.startswith(("//", "/*")) else help
        texts = (each.replace("{shown}", shown) for each in (message, do))
        return self.error(start, end, *texts, **more)

    def report(
        self,
        start: int,
        end: int,
        message: str,
        help: str,
        *,
        rule: str = "yaml-unsupported",
        fix: Fix | None = None,
        **more: Any,
    ) -> None:
        """Report what must not be; the text has a value all the same."""
        span, fixes = self.span(start, end), (fix,) if fix else ()
        self.reporter.report(rule, span, message, help=help, fixes=fixes, **more)
        self.stop_at_most()

    def stop_at_most(self) -> None:
        """End the reading where there is more to say than is told of one file."""
        if self.reporter.is_beyond_limits:
            self.readable = False
            raise StopError

    def related(self, message: str, start: int) -> Related:
        """Return a second place that a finding refers to: the rest of a line."""
        span = self.span(start, self.line_end(start))
        return Related(message, "", self.reporter.locate(span))

    def fix(
        self,
        message: str,
        start: int,
        end: int,
        text: str,
        *,
        is_safe: bool = True,
    ) -> Fix:
        """Return a fix that puts a text in place of a stretch."""
        safety: Literal["safe", "unsafe"] = "safe" if is_safe else "unsafe"
        return Fix(message, safety, (Edit(*self.span(start, end), text),), ())


def excerpt(text: str) -> str:
    """Return a text as a message can hold it."""
    line, _, more = text.partition("\n")
    return line if not more and len(line) <= _EXCERPT else line[:_EXCERPT] + "…"
