"""A finding with the code it is about, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wcwidth import wcswidth

from manifestkit.engine import Report
from manifestkit.finding import Finding
from manifestkit.location import LineIndex, Location
from manifestkit.render.escape import defused, visible
from manifestkit.render.style import Style

_TAB = "    "
_CUT = "…"


def render(report: Report, style: Style) -> Iterator[str]:
    """One block a finding, with an empty line after each."""
    for result in report.results:
        lines = LineIndex(result.text or "")
        for finding in result.findings:
            yield from _block(finding, lines, style)


def _block(finding: Finding, lines: LineIndex, style: Style) -> Iterator[str]:
    severity = finding.severity.value
    title = style.paint(severity, f"{severity}[{visible(finding.rule)}]")
    yield f"{title}{style.paint('strong', ': ' + visible(finding.message))}\n"
    places = [finding.location, *(each.location for each in finding.related)]
    margin = len(str(max(place.line for place in places)))
    pointer = f" {visible(finding.pointer)}" if finding.pointer else ""
    place = f"{visible(finding.path)}:{finding.location.line}:{finding.location.column}"
    yield f"{' ' * margin}{style.paint('gutter', '-->')} {place}{pointer}\n"
    frame = _Frame(lines, margin, style)
    yield frame.gutter() + "\n"
    marks = [_Mark(finding.location, "^", severity)]
    marks += [_Mark(each.location, "-", "note", visible(each.message)) for each in finding.related]
    yield from frame.show(sorted(marks, key=lambda mark: mark.place.span))
    yield frame.gutter() + "\n"
    for role, text in _notes(finding):
        note = f"{style.paint('gutter', '=')} {style.paint(role, role)}: {visible(text)}"
        yield f"{' ' * margin} {note}\n"
    yield "\n"


def _notes(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.help:
        yield "help", finding.help
    if finding.profile:
        yield "note", f"demanded by the profile {finding.profile}"
    if finding.clause:
        yield "note", finding.clause
    if finding.url:
        yield "note", f"see {finding.url}"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place to mark, and what to say beside it."""

    place: Location
    sign: str
    role: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Shows lines of a file beside a gutter of their numbers."""

    lines: LineIndex
    margin: int
    style: Style

    def gutter(self, number: str = "") -> str:
        return self.style.paint("gutter", f"{number:>{self.margin}} |")

    def show(self, marks: Iterable[_Mark]) -> Iterator[str]:
        """The lines of places in order, each once, and marks below their very characters."""
        last = ""
        for mark in marks:
            place = mark.place
            text = self.lines.line(place.line)
            start = place.column - 1
            end = place.end_column - 1 if place.end_line == place.line else len(text)
            room = self.style.width - self.margin - 3
            left, middle, right = _fitted(text[:start], text[start:end], text[end:], room)
            # The parts are escaped one by one: what they make together may be a command still.
            shown = defused(f"{left}{middle}{right}")
            line = f"{self.gutter(str(place.line))} {shown}".rstrip() + "\n"
            if line != last:
                yield line
            last = line
            signs = mark.sign * max(1, _columns(middle))
            label = self.style.paint(mark.role, f"{signs} {mark.message}".rstrip())
            yield f"{self.gutter()} {' ' * _columns(left)}{label}\n"


def _fitted(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The three parts of a line, escaped, and cut so that together they fit."""
    context = room // 4
    left = _expanded(before[-room:])
    middle = _expanded(marked[:room])
    right = _expanded(after[:room])
    if len(before) + len(marked) + len(after) > room or _columns(left + middle + right) > room:
        left = _end_of(left, max(context, room - _columns(middle) - context))
        whole, middle = middle, _start_of(middle, room - _columns(left) - 1)
        right = _start_of(right, room - _columns(left) - _columns(middle))
        if middle != whole:
            right = ""
    return left, middle, right


def _expanded(text: str) -> str:
    return visible(text.replace("\t", _TAB))


def _columns(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    columns = int(wcswidth(text))
    return columns if columns >= 0 else len(text)


def _start_of(text: str, room: int) -> str:
    """As much of the start of a text as fits, with a mark where it is cut."""
    if _columns(text) <= room:
        return text
    kept = text[: max(room - 1, 0)]
    while _columns(kept) > room - 1 and kept:
        kept = kept[:-1]
    return kept + _CUT


def _end_of(text: str, room: int) -> str:
    """As much of the end of a text as fits, with a mark where it is cut."""
    if _columns(text) <= room:
        return text
    kept = text[-max(room - 1, 1) :]
    while _columns(kept) > room - 1 and kept:
        kept = kept[1:]
    return _CUT + kept
