"""Reviewdog's diagnostics: columns count bytes of UTF-8, and fixes are suggestions to apply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.engine import FileResult, Report
from manifestkit.model.finding import Finding, Fix, Related, Severity
from manifestkit.model.location import Location, Span
from manifestkit.rendering.escape import Style, is_writable, json_text, visible
from manifestkit.rendering.places import (
    ByteIndex,
    from_root,
    in_lines,
    rule_of,
    untold,
    why_no_result,
)

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document."""
    diagnostics: list[dict[str, Any]] = [
        {
            "message": visible(why_no_result(problem)),
            "location": {"path": _path(problem.path)},
            "severity": "ERROR",
            "code": {"value": rule_of(problem)},
        }
        for problem in untold(report)
    ]
    for result in report.results:
        source = _ByteText(result)
        diagnostics.extend(source.diagnostic(finding) for finding in result.findings)
    document = {"source": {"name": "manifestkit"}, "diagnostics": diagnostics}
    yield json_text(document, indent=2) + "\n"


class _ByteText:
    """A file's text, for places that count bytes."""

    def __init__(self, result: FileResult) -> None:
        self._path = _path(result.path)
        self._text = result.text
        self._bytes = ByteIndex(result.text) if result.text is not None else None

    def diagnostic(self, finding: Finding) -> dict[str, Any]:
        diagnostic: dict[str, Any] = {
            "message": in_lines(finding),
            "location": self._location(finding.location),
            "severity": _SEVERITIES[finding.severity],
            "code": {
                "value": visible(finding.rule),
                **({"url": visible(finding.url)} if finding.url else {}),
            },
        }
        suggestions = list(filter(None, map(self._suggestion, finding.fixes)))
        if suggestions:
            diagnostic["suggestions"] = suggestions
        if finding.related:
            diagnostic["related_locations"] = [
                {"message": visible(each.message), "location": self._related(each)}
                for each in finding.related
            ]
        return diagnostic

    def _related(self, related: Related) -> dict[str, Any]:
        if related.path is None:
            return self._location(related.location)
        # The text of another file is not at hand, to count its bytes.
        start, end = related.location.line, related.location.end_line
        place = {"start": {"line": start}, "end": {"line": end}}
        return {"path": _path(related.path), "range": place}

    def _location(self, place: Location) -> dict[str, Any]:
        return {"path": self._path, "range": self._range(place)}

    def _range(self, place: Location) -> dict[str, Any]:
        if self._bytes is None:
            return {"start": {"line": place.line}, "end": {"line": place.end_line}}
        return self._byte_range(place.span, self._bytes)

    def _byte_range(self, span: Span, index: ByteIndex) -> dict[str, Any]:
        ends = zip(("start", "end"), map(index.position, span), strict=True)
        return {name: {"line": line, "column": column} for name, (line, column) in ends}

    def _suggestion(self, fix: Fix) -> dict[str, Any] | None:
        """Return the fix as one piece of text: each suggestion is applied by itself."""
        if self._text is None or self._bytes is None or not fix.edits:
            return None
        first, last = fix.edits[0].start, fix.edits[-1].end
        pieces, end = [], first
        for edit in fix.edits:
            pieces += [self._text[end : edit.start], edit.text]
            end = edit.end
        written = "".join(pieces)
        if not is_writable(written):
            return None
        return {"range": self._byte_range(Span(first, last), self._bytes), "text": written}


def _path(path: str) -> str:
    return visible(from_root(path))
