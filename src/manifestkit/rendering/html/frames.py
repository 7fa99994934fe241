"""The lines of a file that a finding is about, with marks, and what a fix changes in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from manifestkit.model.finding import Edit, Finding
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.printable import truncate
from manifestkit.rendering.html.page import joined, part, text

_AROUND = 1
_MOST_LINES = 8
_MOST_PLACES = 8
_LONGEST = 240
_BEFORE = 80
_MOST_CHANGED = 2_000
_TAB = "    "
_CUT = "…"
_END = Markup("\n")


class _MarkedSpan(NamedTuple):
    """Marked characters: of class ``a`` for the finding itself, ``b`` for what belongs to it."""

    span: Span
    kind: str
    message: str = ""


def frame(finding: Finding, source: str, lines: LineIndex) -> Markup:
    """Return the lines of a finding, those around them, and the other places in the file."""
    here = finding.location
    others = [each for each in finding.related if each.path is None and each.location != here]
    marks = [_MarkedSpan(here.span, "a")]
    marks += [_MarkedSpan(each.location.span, "b", each.message) for each in others[:_MOST_PLACES]]
    last = lines.position(len(source))[0]
    shown = set(range(max(1, here.line - _AROUND), min(last, here.end_line + _AROUND) + 1))
    if here.end_line - here.line > _MOST_LINES:
        shown = set(range(max(1, here.line - _AROUND), here.line + _MOST_LINES))
    shown |= {each.location.line for each in others[:_MOST_PLACES]}
    made: list[Markup] = []
    before = None
    for number in sorted(shown):
        if before is not None and number > before + 1:
            made.append(_gap())
        made += [
            part("line", number=number, text=each + _END)
            for each in _marked(source, lines.span_of(number), marks)
        ]
        before = number
    return part("frame", lines=joined(made))


def _gap() -> Markup:
    return part("line", number="⋯", text=_END)


def _marked(source: str, line: Span, marks: Iterable[_MarkedSpan]) -> Iterator[Markup]:
    """Yield a line with its marks and what they say; of a long one, the parts that have marks."""
    here = sorted(
        each
        for each in marks
        if each.span.start <= line.end
        and (each.span.end > line.start or each.span.start == line.start)
    )
    shown = -1
    for each in here or [_MarkedSpan(line, "")]:
        if each.span.start < shown or shown == line.end:
            continue
        start = line.start
        if line.end - line.start > _LONGEST:
            start = max(line.start, min(each.span.start - _BEFORE, line.end - _LONGEST))
        shown = min(line.end, start + _LONGEST)
        made = [text(_CUT)] if start > line.start else []
        made += _pieces(source, Span(start, shown), here)
        if shown < line.end:
            made.append(text(_CUT))
        made += [
            part("say", text=each.message)
            for each in here
            if each.message and start <= each.span.start <= shown
        ]
        yield joined(made)


def _pieces(source: str, window: Span, marks: Sequence[_MarkedSpan]) -> Iterator[Markup]:
    """Yield the text of a window, cut wherever a mark begins or ends."""
    cuts = {*window}
    for each in marks:
        cuts |= {min(max(place, window.start), window.end) for place in each.span}
    for place, following in pairwise([*sorted(cuts), window.end]):
        for each in marks:
            if each.span == (place, place):
                yield part("mark", kind=each.kind, text="")
        if place < following:
            kinds = {
                each.kind
                for each in marks
                if each.span.start <= place and following <= each.span.end
            }
            piece = _piece(source[place:following])
            yield part("mark", kind=" ".join(sorted(kinds)), text=piece) if kinds else piece


def change(edits: Sequence[Edit], source: str, lines: LineIndex) -> Markup | None:
    """Return the lines before and after edits; None if a few lines cannot show them."""
    if not edits or edits[-1].end - edits[0].start > _MOST_CHANGED:
        return None
    first, last = edits[0].start, edits[-1].end
    line_start = lines.span_of(lines.position(first)[0]).start
    line_end = lines.span_of(lines.position(last)[0]).end
    start, end = max(line_start, first - _BEFORE), max(last, min(line_end, last + _BEFORE))
    before, after = _CUT if start > line_start else "", _CUT if end < line_end else ""
    old, new = (
        f"{before}{each}{after}".replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for each in (source[start:end], _edited(source, edits, start, end))
    )
    same_start = _common(old, new)
    same_end = _common(old[same_start:][::-1], new[same_start:][::-1])
    old = old[same_start : len(old) - same_end]
    new = new[same_start : len(new) - same_end]
    return part("frame", lines=joined(_changed(old, new)))


def _edited(source: str, edits: Iterable[Edit], start: int, end: int) -> str:
    """Return a part of a text, in which edits in order are made."""
    pieces = []
    for each in edits:
        pieces += [source[start : each.start], each.text]
        start = each.end
    return "".join((*pieces, source[start:end]))


def _common(one: Sequence[object], two: Sequence[object]) -> int:
    """Return the length of the common start of two sequences."""
    return next(
        (index for index, (a, b) in enumerate(zip(one, two, strict=False)) if a != b),
        min(len(one), len(two)),
    )


def _changed(old: list[str], new: list[str]) -> Iterator[Markup]:
    for name, some, others in (("removed", old, new), ("added", new, old)):
        for index, line in enumerate(some[:_MOST_LINES]):
            other = others[index] if len(old) == len(new) else ""
            start = _common(line, other)
            end = len(line) - _common(line[start:][::-1], other[start:][::-1])
            yield part(
                name,
                left=_piece(line[:start]),
                text=_piece(truncate(line[start:end], _LONGEST)),
                right=_piece(line[end:]) + _END,
            )
        if len(some) > _MOST_LINES:
            yield _gap()


def _piece(given: str) -> Markup:
    return text(given.replace("\t", _TAB))
