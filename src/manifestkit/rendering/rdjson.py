"""Reviewdog's diagnostics: columns count bytes of UTF-8, and fixes are suggestions to apply."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from manifestkit.engine import FileResult, Report
from manifestkit.model.finding import Finding, Fix, Related
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.rendering.escape import Style, is_writable, json_text, visible
from manifestkit.rendering.places import (
    edited,
    in_lines,
    rule_of,
    untold,
    visible_path,
    why_no_result,
)

_BLOCK = 1024


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document."""
    diagnostics: list[dict[str, Any]] = [
        {
            "message": visible(why_no_result(problem)),
            "location": {"path": visible_path(problem.path)},
            "severity": "ERROR",
            "code": {"value": rule_of(problem)},
        }
        for problem in untold(report)
    ]
    for result in report.results:
        diagnostics.extend(map(_ByteText(result).diagnostic, result.findings))
    document = {"source": {"name": "manifestkit"}, "diagnostics": diagnostics}
    yield json_text(document, indent=2) + "\n"


class _ByteText:
    """A file's text, with places that count bytes of UTF-8, a byte order mark's among them."""

    def __init__(self, result: FileResult) -> None:
        self._path = visible_path(result.path)
        self._has_text = result.text is not None
        self._text = result.text or ""
        self._lines = LineIndex(self._text)
        # One line may hold a whole file: what stands before an offset is not counted anew.
        starts = range(0, len(self._text), _BLOCK)
        blocks = (_size(self._text[start : start + _BLOCK]) for start in starts)
        self._before = list(accumulate(blocks, initial=0))

    def diagnostic(self, finding: Finding) -> dict[str, Any]:
        diagnostic: dict[str, Any] = {
            "message": in_lines(finding),
            "location": self._location(finding.location),
            "severity": finding.severity.name,
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
        return {"path": visible_path(related.path), "range": _lines_of(related.location)}

    def _location(self, place: Location) -> dict[str, Any]:
        shown = self._range(place.span) if self._has_text else _lines_of(place)
        return {"path": self._path, "range": shown}

    def _range(self, span: Span) -> dict[str, Any]:
        return {"start": self._position(span.start), "end": self._position(span.end)}

    def _position(self, offset: int) -> dict[str, int]:
        line, column = self._lines.position(offset)
        start = 0 if line == 1 else offset - column + 1
        return {"line": line, "column": self._bytes_before(offset) - self._bytes_before(start) + 1}

    def _bytes_before(self, offset: int) -> int:
        block = offset // _BLOCK
        return self._before[block] + _size(self._text[block * _BLOCK : offset])

    def _suggestion(self, fix: Fix) -> dict[str, Any] | None:
        """Return the fix as one piece of text: each suggestion is applied by itself."""
        if not self._has_text or not fix.edits:
            return None
        span = Span(fix.edits[0].start, fix.edits[-1].end)
        written = edited(self._text, fix.edits, *span)
        return {"range": self._range(span), "text": written} if is_writable(written) else None


def _lines_of(place: Location) -> dict[str, Any]:
    return {"start": {"line": place.line}, "end": {"line": place.end_line}}


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
