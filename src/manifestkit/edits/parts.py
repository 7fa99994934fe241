"""The parts of a collection, each with the trivia that belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import NamedTuple

from manifestkit.edits import trivia
from manifestkit.edits.blocks import keeps_breaks, lines_end
from manifestkit.edits.layout import Entry, Layout, kind_of
from manifestkit.model.document import Node


class Line(NamedTuple):
    """A comment on a line of its own and its column; or an empty line."""

    column: int
    text: str


EMPTY = Line(-1, "")
_EMPTY_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t\ufeff]*[\r\n]")


class Trivia(NamedTuple):
    """The comments and properties of the trivia.

    Attributes:
        tail: the comment on the line that the trivia begins on.
        lines: those below it; of several empty lines in a row, one.
        properties: the anchor and the tag.
        aligned: how many of the lines begin in the column of the tail, and so continue it.
    """

    tail: str = ""
    lines: tuple[Line, ...] = ()
    properties: str = ""
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
    tail, lines, properties = "", list[Line](), list[str]()
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
        elif kind == "property":
            properties.append(written)
        if kind != "space":
            breaks = 0
    aligned = sum(1 for _ in takewhile(lambda line: line.column == tail_column, lines))
    return Trivia(tail, tuple(lines), " ".join(properties), aligned if tail else 0)


def depth_within(text: str, entry: Entry, column: int) -> float:
    """Return the least column of comments below an entry of a block that belong to its value."""
    node = entry.value
    kind = kind_of(text, node, in_flow=False)
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
        key: its name as it is spelt, with its anchor or tag; "" for an item.
        is_explicit: whether its name comes after a ``?``.
        key_tail: the comment behind an explicit name.
        inner: what stands between its name, or dash, and its value.
        lead: the comments above it, and the empty lines that set it apart.
        behind: the comment behind it, and those below it that continue it or are in its block.
    """

    token: str | int
    entry: Entry
    key: str = ""
    is_explicit: bool = False
    key_tail: str = ""
    inner: Trivia = _NOTHING
    lead: Sequence[Line] = ()
    behind: Trivia = _NOTHING


@dataclass(slots=True)
class InBrackets:
    """The entries between brackets, with the comments before the first and after the last."""

    parts: list[Part]
    tail: str
    foot: Sequence[Line]


class PartReader:
    """Takes collections of one text apart."""

    def __init__(self, text: str) -> None:
        self._text = text

    def block(self, layout: Layout, lead: Sequence[Line]) -> list[Part]:
        """Return the entries of a block, whose first has these comments above it."""
        parts: list[Part] = []
        for part in self._parts(layout):
            if parts:
                before = parts[-1]
                end = before.entry.end
                if keeps_breaks(self._text, before.entry.value):
                    end = lines_end(self._text, before.entry.value, end)
                begins_line = end > before.entry.end
                between = trivia_between(self._text, end, part.entry.start, begins_line=begins_line)
                depth = depth_within(self._text, before.entry, layout.column)
                before.behind, above = between.split(depth)
            else:
                above = tuple(lead)
            part.lead = (*above, *part.lead)
            parts.append(part)
        return parts

    def in_brackets(self, layout: Layout) -> InBrackets:
        """Return the entries between brackets."""
        parts = self._parts(layout)
        tail = ""
        end = layout.span.start + (layout.kind != "pair")
        for number, part in enumerate(parts):
            between = trivia_between(self._text, end, part.entry.start)
            if not number:
                tail = between.tail
            elif between.tail:
                parts[number - 1].behind = Trivia(between.tail)
            part.lead = (*between.lines, *part.lead, *self._comments(part.inner))
            if part.inner is not _NOTHING:
                part.inner = Trivia(properties=part.inner.properties)
            end = part.entry.end
        after = trivia_between(self._text, end, layout.span.end - (layout.kind != "pair"))
        if not parts:
            tail = after.tail
        elif after.tail:
            parts[-1].behind = Trivia(after.tail)
        return InBrackets(parts, tail, after.lines)

    @staticmethod
    def _comments(inner: Trivia) -> tuple[Line, ...]:
        tail = (Line(0, inner.tail),) if inner.tail else ()
        return (*tail, *(line for line in inner.lines if line.text)) if inner.lines else tail

    def _parts(self, layout: Layout) -> list[Part]:
        if not layout.positions:
            return [self._item(entry, index) for index, entry in enumerate(layout.entries)]
        names = dict(zip(layout.positions, layout.entries, strict=True))
        return [self._member(entry, name) for name, entry in names.items()]

    def _item(self, entry: Entry, index: int) -> Part:
        inner = trivia_between(self._text, entry.head, entry.value.span.start)
        return Part(index, entry, inner=inner)

    def _member(self, entry: Entry, name: str) -> Part:
        text, key = self._text, entry.key
        assert key is not None  # noqa: S101 - a member has a name
        is_explicit = text.startswith("?", entry.start) and entry.start < key.start
        before = trivia_between(text, entry.start + is_explicit, key.start)
        name_end = key.end
        if is_explicit and entry.head >= 0 and keeps_breaks(text, Node(key)):
            name_end = lines_end(text, Node(key), name_end)
        spelt = text[key.start : name_end]
        if before.properties:
            spelt = f"{before.properties} {spelt}".rstrip()
        part = Part(name, entry, spelt, is_explicit, lead=self._comments(before))
        if entry.head < 0:
            part.inner = trivia_between(text, key.end, entry.value.span.start)
            return part
        part.inner = trivia_between(text, entry.head, entry.value.span.start)
        if is_explicit:
            behind = trivia_between(text, key.end, entry.head)
            part.key_tail = behind.tail
            part.lead = (*part.lead, *(line for line in behind.lines if line.text))
        elif trivia.has_comment(text, key.end, entry.head):
            part.lead = (*part.lead, *self._comments(trivia_between(text, key.end, entry.head)))
        return part
