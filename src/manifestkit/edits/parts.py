"""The parts of a collection, each with the trivia that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import NamedTuple

from manifestkit.edits import trivia
from manifestkit.edits.blocks import end_with_breaks
from manifestkit.edits.layout import Entry, Layout, kind_of


class Line(NamedTuple):
    """A comment on a line of its own and its column; or an empty line."""

    column: int
    text: str


EMPTY = Line(-1, "")
_EMPTY_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t\ufeff]*[\r\n]")


class Trivia(NamedTuple):
    """The comments and anchors of the trivia.

    Attributes:
        tail: the comment on the line that the trivia begins on.
        lines: those below it; of several empty lines in a row, one.
        anchors: the anchors, as they are spelt.
        aligned: how many of the lines begin in the column of the tail, and so continue it.
    """

    tail: str = ""
    lines: tuple[Line, ...] = ()
    anchors: str = ""
    aligned: int = 0

    def split(self, column: float) -> tuple[Trivia, tuple[Line, ...]]:
        """Divide it into what belongs to the value before, and the lines of what follows.

        A comment below the value that stands no less deep than a column belongs to it.
        """
        number = self.aligned
        for at, line in enumerate(self.lines[number:], number + 1):
            if line != EMPTY and line.column < column:
                break
            if line != EMPTY:  # an empty line belongs to what it sets apart
                number = at
        return self._replace(lines=self.lines[:number]), self.lines[number:]


_NOTHING = Trivia()
_AN_EMPTY_LINE = Trivia(lines=(EMPTY,))


def trivia_between(text: str, start: int, end: int, *, begins_line: bool = False) -> Trivia:
    """Read the trivia between two offsets, which may begin a line."""
    if text[start:end] in trivia.USUAL:
        return _NOTHING
    if not begins_line and not trivia.has_content(text, start, end):
        return _AN_EMPTY_LINE if _EMPTY_LINE.search(text, start, end) else _NOTHING
    tail, lines, anchors = "", list[Line](), list[str]()
    tail_column = -1
    is_below, breaks = begins_line, int(begins_line)
    for each in trivia.tokens(text, start, end):
        kind, written = each.lastgroup, each[0]
        if kind == "break":
            is_below = True
            breaks += 1
            if breaks > 1 and lines[-1:] != [EMPTY]:
                lines.append(EMPTY)
            continue
        if kind == "comment" and is_below:
            lines.append(Line(trivia.column(text, each.start()), written.rstrip()))
        elif kind == "comment":
            tail, tail_column = written.rstrip(), trivia.column(text, each.start())
        elif kind == "anchor":
            anchors.append(written)
        if kind != "space":
            breaks = 0
    aligned = sum(1 for _ in takewhile(lambda line: line.column == tail_column, lines))
    return Trivia(tail, tuple(lines), " ".join(anchors), aligned if tail else 0)


def depth_within(text: str, entry: Entry, column: int) -> float:
    """Return the least column of comments below an entry of a block that belong to its value."""
    node = entry.value
    kind = kind_of(text, node)
    if kind is not None and kind.startswith("block"):
        return max(trivia.column(text, node.span.start), column + 1)
    return column + 1 if node.span.start == node.span.end else inf


def without_edges(lines: Sequence[Line]) -> Sequence[Line]:
    """Lines without empty ones at their beginning and end."""
    start, end = 0, len(lines)
    while start < end and lines[start] == EMPTY:
        start += 1
    while end > start and lines[end - 1] == EMPTY:
        end -= 1
    return lines[start:end]


def indented(lines: Sequence[Line], column: int) -> Iterator[str]:
    """Yield the lines at a column."""
    for line in lines:
        yield " " * column + line.text if line.text else ""


@dataclass(slots=True)
class Part:
    """A member or item on its way from the old text to the new.

    Attributes:
        token: its name or index.
        entry: where it stands.
        key: its name as it is spelt, with its anchor; "" for an item.
        inner: what stands between its name, or dash, and its value.
        lead: the comments above it, and the empty lines that set it apart.
        behind: the comment behind it, and those below it that continue it or are in its block.
    """

    token: str | int
    entry: Entry
    key: str = ""
    inner: Trivia = _NOTHING
    lead: Sequence[Line] = ()
    behind: Trivia = _NOTHING


def block_parts(text: str, layout: Layout, lead: Sequence[Line]) -> list[Part]:
    """Return the entries of a block, whose first has these comments above it."""
    parts: list[Part] = []
    for part in _parts(text, layout):
        above = tuple(lead)
        if parts:
            before = parts[-1]
            end = end_with_breaks(text, before.entry.value, before.entry.end)
            begins_line = end > before.entry.end
            between = trivia_between(text, end, part.entry.start, begins_line=begins_line)
            before.behind, above = between.split(depth_within(text, before.entry, layout.column))
        part.lead = (*above, *part.lead)
        parts.append(part)
    return parts


def parts_in_brackets(text: str, layout: Layout) -> tuple[list[Part], str, Sequence[Line]]:
    """Return the entries, the comment behind the opening bracket, and those after the last one."""
    parts = _parts(text, layout)
    tail = ""
    end = layout.span.start + 1
    for number, part in enumerate(parts):
        between = trivia_between(text, end, part.entry.start)
        if not number:
            tail = between.tail
        elif between.tail:
            parts[number - 1].behind = Trivia(between.tail)
        part.lead = (*between.lines, *part.lead, *_comments(part.inner))
        if part.inner is not _NOTHING:
            part.inner = Trivia(anchors=part.inner.anchors)
        end = part.entry.end
    after = trivia_between(text, end, layout.span.end - 1)
    if not parts:
        tail = after.tail
    elif after.tail:
        parts[-1].behind = Trivia(after.tail)
    return parts, tail, after.lines


def _comments(inner: Trivia) -> tuple[Line, ...]:
    tail = (Line(0, inner.tail),) if inner.tail else ()
    return (*tail, *(line for line in inner.lines if line.text))


def _parts(text: str, layout: Layout) -> list[Part]:
    if not layout.positions:
        return [
            Part(index, entry, inner=trivia_between(text, entry.head, entry.value.span.start))
            for index, entry in enumerate(layout.entries)
        ]
    names = zip(layout.positions, layout.entries, strict=True)
    return [_member(text, entry, name) for name, entry in names]


def _member(text: str, entry: Entry, name: str) -> Part:
    key = entry.key
    assert key is not None  # noqa: S101 - a member has a name
    before = trivia_between(text, entry.start, key.start)
    spelt = text[key.start : key.end]
    if before.anchors:
        spelt = f"{before.anchors} {spelt}".rstrip()
    behind = trivia_between(text, key.end, entry.head)
    inner = trivia_between(text, entry.head, entry.value.span.start)
    return Part(name, entry, spelt, inner, lead=(*_comments(before), *_comments(behind)))
