"""The result of reading a text, and the findings that a reader adds to it."""

from __future__ import annotations

import unicodedata
from functools import cached_property
from typing import NamedTuple

from manifestkit.model.document import Document, Node
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.finding import Finding, Fix, Related, Severity
from manifestkit.model.limits import DEFAULT_LIMITS, MOST_TEXT, Limits
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.printable import truncate

FILL_IT = "write a manifest, or fill this file with `manifest new FILE --fill --yes`"
ODD_SPACE = "[\u00a0\u1680\u180e\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]"
"""A character that looks like a space, or like nothing, for a regular expression."""


class Decoded(NamedTuple):
    """A document, and what its text gives to say.

    Attributes:
        document: the manifest.
        findings: syntax errors, duplicate keys, passed limits.
        readable: whether the text is one value that can be judged. If not, the document's value
            is what could be made out, or None.
    """

    document: Document
    findings: tuple[Finding, ...] = ()
    readable: bool = True

    def require_readable(self, name: str) -> Document:
        """Return the document, or refuse what cannot be read as the file of a name."""
        if not self.readable:
            first = self.findings[0]
            place = f"line {first.location.line}, column {first.location.column}"
            raise UnreadableFileError(name, f"cannot be read: {first.message} ({place})")
        return self.document


class StopError(Exception):
    """The text cannot be read on; the reason has been reported."""


_EXCERPT = 40


def excerpt(text: str) -> str:
    """Return a text as a message can hold it."""
    line, _, more = text.partition("\n")
    return line if not more and len(line) <= _EXCERPT else line[:_EXCERPT] + "…"


def in_plain_spaces(odd: str) -> tuple[str, str, str]:
    """Return what to say of characters that look like spaces, and the spaces that they look like.

    The first is a message, the second what to do.
    """
    spaces = "".join("  " if each == "\u3000" else " " * each.isspace() for each in odd)
    name = unicodedata.name(odd[0], "a character that nobody sees").lower()
    place, do = ("in place of a space", "write plain spaces") if spaces else ("here", "remove it")
    return f"U+{ord(odd[0]):04X} ({name}) {place}", do, spaces


class Reporter:
    """Makes findings about the text of one file; a syntax error is one by `standard`."""

    def __init__(
        self, name: str, text: str, limits: Limits = DEFAULT_LIMITS, *, standard: str | None = None
    ) -> None:
        self._name = name
        self.text = text
        self._limits = limits
        self._standard = standard
        self._size = 0
        self.findings: list[Finding] = []

    @property
    def is_beyond_limits(self) -> bool:
        """Return whether there is more to report than is shown of one file."""
        return len(self.findings) > self._limits.findings or self._size > MOST_TEXT

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.text)

    def locate(self, span: Span) -> Location:
        """Return the lines and columns of a span of the text."""
        return self._lines.locate(span)

    def report(
        self,
        rule: str,
        span: Span,
        message: str,
        *,
        help: str | None = None,
        pointer: str = "",
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Note an error at a span.

        Raises:
            StopError: there is more to say than is shown of one file.
        """
        finding = Finding(
            path=self._name,
            rule=rule,
            severity=Severity.ERROR,
            message=message,
            pointer=pointer,
            location=self.locate(span),
            related=related,
            fixes=fixes,
            help=help,
            clause=self._standard if rule == "syntax-error" else None,
        ).in_plain_lines()
        self.findings.append(finding)
        self._size += finding.size()
        if self.is_beyond_limits:
            raise StopError

    def report_limit(self, span: Span, message: str, pointer: str = "") -> StopError:
        """Note that the text exceeds a limit; the error to raise."""
        do = "split the manifest, or simplify it"
        self.report("limit-exceeded", span, message, help=do, pointer=pointer)
        return StopError()

    def report_duplicate(self, name: str, key: Span, first: Span, pointer: str) -> None:
        """Note that an object names a member twice."""
        self.report(
            "duplicate-key",
            key,
            f"member `{truncate(name)}` appears twice",
            help="keep one of the two: some programs use the first, others the last",
            pointer=pointer,
            related=(Related("first appears here", pointer, self.locate(first)),),
        )

    def unreadable(self) -> Decoded:
        """Return the outcome for a text that leaves no value to judge."""
        document = Document(self._name, self.text, None, lambda whole: Node(Span(0, len(whole))))
        return Decoded(document, tuple(self.findings), readable=False)
