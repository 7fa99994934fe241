"""What a text gives to say while it is read."""

from __future__ import annotations

from manifestkit.decode.outcome import Decoded
from manifestkit.document import Document
from manifestkit.finding import Finding, Fix, Related
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.location import LineIndex, Location, Span
from manifestkit.node import Node
from manifestkit.severity import Severity


class Reporter:
    """Makes findings about the text of one file."""

    def __init__(self, name: str, text: str, limits: Limits = DEFAULT_LIMITS) -> None:
        self._name = name
        self._lines = LineIndex(text)
        self._limits = limits
        self._size = 0
        self.findings: list[Finding] = []

    @property
    def is_beyond_limits(self) -> bool:
        """Whether there is more to say than is told of one file."""
        return len(self.findings) > self._limits.findings or self._size > self._limits.text

    def locate(self, span: Span) -> Location:
        """The lines and columns of a span of the text."""
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
        """Note an error at a span."""
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
        ).in_plain_lines()
        self.findings.append(finding)
        self._size += finding.size()


def unreadable(name: str, text: str, rule: str, span: Span, message: str, help: str) -> Decoded:
    """The outcome for a text with one fault that leaves no value to judge."""
    reporter = Reporter(name, text)
    reporter.report(rule, span, message, help=help)
    document = Document(name, text, None, lambda whole: Node(Span(0, len(whole))))
    return Decoded(document, tuple(reporter.findings), readable=False)
