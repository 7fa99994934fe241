"""A finding with the code it is about, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from manifestkit.model.finding import Finding
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.printable import truncate
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, columns, defused, visible
from manifestkit.rendering.places import Mark, marks, notes
from manifestkit.rules.catalogue import rule_page

_TAB = "    "
_LONGEST_POINTER = 160
_MOST_PLACES = 8


def render(report: Report, style: Style) -> Iterator[str]:
    """One block a finding, with an empty line after each."""
    for result in report.results:
        lines = LineIndex(result.text or "")
        for finding in result.findings:
            yield from _block(finding, result.text, lines, style)


def _block(finding: Finding, text: str | None, lines: LineIndex, style: Style) -> Iterator[str]:
    severity = finding.severity.value
    title = style.paint(severity, f"{severity}[{visible(finding.rule)}]")
    yield f"{title}{style.paint('strong', ': ' + visible(finding.message))}\n"
    here = finding.location
    found = marks(finding)
    shown = found[: 1 + _MOST_PLACES]
    margin = len(str(max(mark.location.line for mark in shown)))
    pointer = f" {visible(truncate(finding.pointer, _LONGEST_POINTER))}" if finding.pointer else ""
    place = f"{visible(finding.path)}:{here.line}:{here.column}"
    yield f"{' ' * margin}{style.paint('gutter', '-->')} {place}{pointer}\n"
    if text is not None:  # a file that cannot be read has none
        frame = _Frame(text, lines, margin, style)
        yield frame.gutter() + "\n"
        yield from frame.show(sorted(shown, key=lambda mark: mark.location.span), severity)
        if len(found) > len(shown):
            yield f"{frame.gutter()} {style.ellipsis}\n"
        yield frame.gutter() + "\n"
    is_elsewhere = finding.url and finding.url != rule_page(finding.rule)
    page = [("note", f"see {finding.url}")] if is_elsewhere else []
    for role, note_text in (*notes(finding), *page):
        note = f"{style.paint('gutter', '=')} {style.paint(role, role)}: {visible(note_text)}"
        yield f"{' ' * margin} {note}\n"
    yield "\n"


class _Frame(NamedTuple):
    """Shows lines of a file beside a gutter of their numbers."""

    text: str
    lines: LineIndex
    margin: int
    style: Style

    def gutter(self, number: str = "") -> str:
        return self.style.paint("gutter", f"{number:>{self.margin}} |")

    def show(self, found: Iterable[Mark], severity: str) -> Iterator[str]:
        """Yield the lines of places in order, each once, and marks below their very characters."""
        last = ""
        for place, message, is_own in found:
            line = self.lines.span_of(place.line)
            start = line.start + place.column - 1
            is_whole = place.end_line == place.line
            end = line.start + place.end_column - 1 if is_whole else line.end
            left, middle, right = self._fitted(line, Span(start, end))
            above = f"{self.gutter(str(place.line))} {left}{middle}{right}".rstrip() + "\n"
            if above != last:
                yield above
            last = above
            signs = ("^" if is_own else "-") * max(1, columns(middle))
            role = severity if is_own else "note"
            label = self.style.paint(role, f"{signs} {visible(message)}".rstrip())
            yield f"{self.gutter()} {' ' * columns(left)}{label}\n"

    def _fitted(self, line: Span, marked: Span) -> tuple[str, str, str]:
        """Return the parts of a line before, in and behind a mark, cut so that together they fit.

        A line may hold a whole file: only what could fit is taken from it.
        """
        room = self.style.width - self.margin - 3
        context = room // 4
        left = self._expanded(max(line.start, marked.start - room), marked.start)
        middle = self._expanded(marked.start, min(marked.end, marked.start + room))
        right = self._expanded(marked.end, min(line.end, marked.end + room))
        if (whole := left + middle + right) != defused(whole):  # a command, which the mark divides
            left, middle, right = (each.replace("#", r"\x23") for each in (left, middle, right))
        if line.end - line.start > room or columns(left + middle + right) > room:
            left = self._cut(left, max(context, room - columns(middle) - context), keeps_end=True)
            whole, middle = middle, self._cut(middle, room - columns(left) - 1)
            right = self._cut(right, room - columns(left) - columns(middle))
            if middle != whole:
                right = ""
        return left, middle, right

    def _expanded(self, start: int, end: int) -> str:
        return self.style.writable(visible(self.text[start:end].replace("\t", _TAB)))

    def _cut(self, text: str, room: int, *, keeps_end: bool = False) -> str:
        """Return as much of one end of a text as fits, with a mark where it is cut."""
        if columns(text) <= room:
            return text
        ellipsis = self.style.ellipsis
        fitting = room - len(ellipsis)
        kept = text[-max(fitting, 1) :] if keeps_end else text[: max(fitting, 0)]
        while columns(kept) > fitting and kept:
            kept = kept[1:] if keeps_end else kept[:-1]
        return ellipsis + kept if keeps_end else kept + ellipsis
