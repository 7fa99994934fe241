"""The result of reading a text, and the findings that a reader adds to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from manifestkit.model.document import Document, Node
from manifestkit.model.finding import Edit, Finding, Fix, Related, Severity
from manifestkit.model.limits import DEFAULT_LIMITS, MOST_TEXT, Limits
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.printable import truncate

NEEDS_NO_ESCAPE = frozenset("'`")
"""Characters before which other languages allow a backslash, and JSON and YAML do not."""


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


class StopError(Exception):
    """The text cannot be read on; the reason has been reported.

    Attributes:
        repair: what makes the text readable at this place.
    """

    def __init__(self, repair: Edit | None = None) -> None:
        super().__init__()
        self.repair = repair


_MOST_SEPARATE = 3
_MOST_PLACES = 100
_MARKERS = r"(?m)^(?:<{7}|[|]{7}|={7}|>{7})(?= |\r?$)[^\r\n]*"
SPLIT_IT = "split the manifest, or simplify it"


def too_many(most: int) -> tuple[str, str]:
    """Of values."""
    return f"more than {most:,} values", SPLIT_IT


def too_deep(most: int, collections: str) -> tuple[str, str]:
    """Of collections, as the syntax calls them, nested in each other."""
    return f"more than {most:,} {collections} nested in each other", SPLIT_IT


def too_long(number: str, most: int) -> tuple[str, str]:
    """Of a number's digits."""
    return (
        f"a number of {len(number):,} characters; the limit is {most:,}",
        "write such a long number as a string",
    )


def too_large(number: str) -> tuple[str, str]:
    """Of a number, as a message shows it, beyond the largest double."""
    return (
        f"`{number}` is larger than readers can represent",
        "use a number below 1.8e308, or write it as a string",
    )


class Reporter:
    """Makes findings about the text of one file; a syntax error is one by `standard`."""

    def __init__(
        self,
        name: str,
        text: str,
        limits: Limits = DEFAULT_LIMITS,
        *,
        standard: str | None = None,
    ) -> None:
        self._name = name
        self._text = text
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
        return LineIndex(self._text)

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
            clause=self._standard if rule == "syntax-error" else None,
        ).in_plain_lines()
        self.findings.append(finding)
        self._size += finding.size()

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


def repeated_once(findings: Iterable[Finding], *, is_all: bool) -> tuple[Finding, ...]:
    """Return the findings, with a slip that is repeated as one that counts its places."""
    alike: dict[str, list[Finding]] = {}
    others: list[Finding] = []
    for each in findings:
        is_slip = each.rule == "syntax-error"
        (alike.setdefault(each.message, []) if is_slip else others).append(each)
    for group in alike.values():
        others.extend([_merged(group, is_all=is_all)] if len(group) > _MOST_SEPARATE else group)
    return tuple(sorted(others, key=lambda each: each.location.span.start))


def _merged(group: list[Finding], *, is_all: bool) -> Finding:
    first, *others = group
    count = f"{len(others):,} more" if is_all else f"{len(others):,} or more other"
    places = (Related("here too", each.pointer, each.location) for each in others[:_MOST_PLACES])
    fixes = tuple(each.fixes[0] for each in group if each.fixes)
    edits = tuple(edit for fix in fixes for edit in fix.edits)
    return first._replace(
        message=f"{first.message}, here and at {count} places",
        related=(*first.related, *places),
        fixes=(fixes[0]._replace(edits=edits),) if len(fixes) == len(group) else (),
    )


def unreadable(name: str, text: str, rule: str, span: Span, message: str, help: str) -> Decoded:
    """Return the outcome for a text with one fault that leaves no value to judge."""
    reporter = Reporter(name, text, standard="RFC 8259, section 8.1: JSON is UTF-8")
    reporter.report(rule, span, message, help=help)
    document = Document(name, text, None, lambda whole: Node(Span(0, len(whole))))
    return Decoded(document, tuple(reporter.findings), readable=False)


def conflicted(text: str, name: str, otherwise: Decoded) -> Decoded:
    """Return the outcome for a text that cannot be read, which may be for an unresolved merge."""
    markers = list(islice(re.finditer(_MARKERS, text), _MOST_PLACES))
    kinds = [match[0][0] for match in markers]
    if "".join(kinds[:3]).replace("|", "")[:2] != "<=" or ">" not in kinds:
        return otherwise
    first, *others = (Span(*match.span()) for match in markers)
    reporter = Reporter(name, text, standard=otherwise.findings[0].clause)
    reporter.report(
        "syntax-error",
        first,
        "an unresolved merge conflict",
        help="keep one side, and remove the marker lines",
        related=tuple(Related("a marker", "", reporter.locate(each)) for each in others),
    )
    return otherwise._replace(findings=tuple(reporter.findings), readable=False)
