"""The lines of a file that a finding is about, with marks, and what a fix changes in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from operator import eq
from typing import NamedTuple

from manifestkit.edits.patch import apply_edits
from manifestkit.model.finding import Edit, Finding
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.printable import truncate
from manifestkit.rendering.html.markup import Html

_AROUND = 1
_MOST_LINES = 8
_MOST_PLACES = 8
_LONGEST = 240
_BEFORE = 80
_MOST_CHANGED = 2_000
_LINE_END = re.compile(r"\r\n?|\n")
_TAB = "    "
_CUT = "…"


class _MarkedSpan(NamedTuple):
    """Marked characters: of class ``a`` for the finding itself, ``b`` for what belongs to it."""

    span: Span
    kind: str
    message: str = ""


def frame(finding: Finding, source: str, lines: LineIndex) -> Html:
    """Return the lines of a finding, those around them, and the other places in the file."""
    here = finding.location
    others = [each for each in finding.related if each.path is None and each.location != here]
    marks = [_MarkedSpan(here.span, "a")]
    marks += [_MarkedSpan(each.location.span, "b", each.message) for each in others[:_MOST_PLACES]]
    last = lines.position(len(source))[0]
    is_long = here.end_line - here.line > _MOST_LINES
    end = here.line + _MOST_LINES if is_long else min(last, here.end_line + _AROUND) + 1
    shown = {*range(max(1, here.line - _AROUND), end)}
    shown |= {each.location.line for each in others[:_MOST_PLACES]}
    made: list[Html] = []
    before = min(shown) - 1
    for number in sorted(shown):
        if number > before + 1:
            made.append(_line("⋯"))
        made += [_line(number, *each) for each in _marked(source, lines.span_of(number), marks)]
        before = number
    return _frame(made)


def _frame(lines: Iterable[Html]) -> Html:
    return Html("<pre>{}</pre>\n").format(Html().join(lines))


def _line(number: object, *pieces: str, kind: str = "l") -> Html:
    content = Html().join(pieces)
    return Html('<span class="{}" data-n="{}">{}\n</span>').format(kind, number, content)


def _marked(source: str, line: Span, marks: Iterable[_MarkedSpan]) -> Iterator[list[str]]:
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
        cut_before, cut_after = _CUT * (start > line.start), _CUT * (shown < line.end)
        said = (each for each in here if each.message and start <= each.span.start <= shown)
        yield [
            cut_before,
            *_pieces(source, Span(start, shown), here),
            cut_after,
            *(Html('<span class="say"> {}</span>').format(each.message) for each in said),
        ]


def _pieces(source: str, window: Span, marks: Sequence[_MarkedSpan]) -> Iterator[str]:
    """Yield the text of a window, cut wherever a mark begins or ends."""
    cuts = {*window}
    for each in marks:
        cuts |= {min(max(place, window.start), window.end) for place in each.span}
    for start, end in pairwise([*sorted(cuts), window.end]):
        for each in marks:
            if each.span == (start, start):
                yield _mark([each.kind], "")
        if start < end:
            over = {
                each.kind for each in marks if each.span.start <= start and end <= each.span.end
            }
            piece = source[start:end].replace("\t", _TAB)
            yield _mark(over, piece) if over else piece


def _mark(kinds: Iterable[str], text: str) -> Html:
    return Html('<mark class="{}">{}</mark>').format(" ".join(sorted(kinds)), text)


def change(edits: Sequence[Edit], source: str, lines: LineIndex) -> Html:
    """Return the lines before and after edits; nothing if a few lines cannot show them."""
    if not edits or edits[-1].end - edits[0].start > _MOST_CHANGED:
        return Html()
    first, last = edits[0].start, edits[-1].end
    line_start = lines.span_of(lines.position(first)[0]).start
    line_end = lines.span_of(lines.position(last)[0]).end
    start, end = max(line_start, first - _BEFORE), max(last, min(line_end, last + _BEFORE))
    before, after = _CUT if start > line_start else "", _CUT if end < line_end else ""
    moved = [Edit(each.start - start, each.end - start, each.text) for each in edits]
    old, new = (
        _LINE_END.split(f"{before}{each}{after}")
        for each in (source[start:end], apply_edits(source[start:end], moved))
    )
    same_start, same_end = _common_ends(old, new)
    old = old[same_start : len(old) - same_end]
    new = new[same_start : len(new) - same_end]
    return _frame([*_changed("out", "\N{MINUS SIGN}", old, new), *_changed("in", "+", new, old)])


def _changed(kind: str, sign: str, lines: Sequence[str], others: Sequence[str]) -> Iterator[Html]:
    """Yield lines, in each of which is marked what the one of the others has not."""
    mark = Html("<del>{}</del>" if kind == "out" else "<ins>{}</ins>")
    for index, line in enumerate(lines[:_MOST_LINES]):
        start, end = _common_ends(line, others[index] if len(lines) == len(others) else "")
        end = len(line) - end
        pieces = line[:start], truncate(line[start:end], _LONGEST), line[end:]
        left, middle, right = (each.replace("\t", _TAB) for each in pieces)
        yield _line(sign, left, mark.format(middle), right, kind=f"l {kind}")
    if len(lines) > _MOST_LINES:
        yield _line("⋯")


def _common_ends(one: Sequence[str], two: Sequence[str]) -> tuple[int, int]:
    """Return the lengths of the start and of the end behind it that two sequences share."""
    start = _common(one, two)
    return start, _common(one[start:][::-1], two[start:][::-1])


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(bool, map(eq, one, two)))
