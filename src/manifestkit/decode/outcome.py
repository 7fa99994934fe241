"""What reading a text gives."""

from __future__ import annotations

from dataclasses import dataclass

from manifestkit.document import Document, Node
from manifestkit.finding import Finding, Fix, Related, Severity
from manifestkit.location import LineIndex, Location, Span


@dataclass(frozen=True, slots=True)
class Decoded:
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


class Reporter:
    """Makes findings about the text of one file."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._lines = LineIndex(text)
        self.findings: list[Finding] = []

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
        self.findings.append(
            Finding(
                path=self._name,
                rule=rule,
                severity=Severity.ERROR,
                message=message,
                pointer=pointer,
                location=self.locate(span),
                related=related,
                fixes=fixes,
                help=help,
            )
        )


def unreadable(name: str, text: str, rule: str, span: Span, message: str, help: str) -> Decoded:
    """The outcome for a text with one fault that leaves no value to judge."""
    reporter = Reporter(name, text)
    reporter.report(rule, span, message, help=help)
    document = Document(name, text, None, lambda whole: Node(Span(0, len(whole))))
    return Decoded(document, tuple(reporter.findings), readable=False)
