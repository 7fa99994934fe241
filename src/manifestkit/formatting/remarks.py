"""What a person put between the values of a text: comments, and empty lines that set them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from manifestkit.edits import gaps


class Line(NamedTuple):
    """A comment on a line of its own, or an empty line.

    Attributes:
        column: where it begins; of an empty line, -1.
        text: the comment; of an empty line, nothing.
    """

    column: int
    text: str


_EMPTY = Line(-1, "")


@dataclass(slots=True)
class Remarks:
    """What stands in a gap, beside its marks.

    Attributes:
        tail: the comment on the line that the gap begins on.
        lines: those below it; of several empty lines in a row, one.
        properties: the anchor and the tag.
    """

    tail: str = ""
    lines: list[Line] = field(default_factory=list)
    properties: str = ""

    def split(self, column: int) -> tuple[list[Line], list[Line]]:
        """The lines that begin deeper than a column, and from the first that does not, the rest."""
        for number, line in enumerate(self.lines):
            if 0 <= line.column <= column:
                while number and self.lines[number - 1] == _EMPTY:
                    number -= 1  # noqa: PLW2901 - an empty line belongs to what it sets apart
                return self.lines[:number], self.lines[number:]
        end = len(self.lines) - (self.lines[-1:] == [_EMPTY])
        return self.lines[:end], self.lines[end:]


def remarks(text: str, start: int, end: int, *, begins_line: bool = False) -> Remarks:
    """What stands in a gap.

    Args:
        text: the whole text.
        start: where the gap begins.
        end: where it ends.
        begins_line: whether nothing stands before the gap on its line.
    """
    found = Remarks()
    properties: list[str] = []
    is_below, breaks = begins_line, int(begins_line)
    for each in gaps.tokens(text, start, end):
        if each.kind == "break":
            is_below = True
            breaks += 1
            if breaks > 1 and found.lines[-1:] != [_EMPTY]:
                found.lines.append(_EMPTY)
            continue
        if each.kind == "comment" and is_below:
            found.lines.append(Line(gaps.column(text, each.start), each.text.rstrip()))
        elif each.kind == "comment":
            found.tail = each.text.rstrip()
        elif each.kind == "property":
            properties.append(each.text)
        if each.kind != "space":
            breaks = 0
    found.properties = " ".join(properties)
    return found


def without_edges(lines: list[Line]) -> list[Line]:
    """Lines without empty ones at their beginning and end."""
    start, end = 0, len(lines)
    while start < end and lines[start] == _EMPTY:
        start += 1
    while end > start and lines[end - 1] == _EMPTY:
        end -= 1
    return lines[start:end]


def indented(lines: list[Line], column: int) -> Iterator[str]:
    """The lines at a column."""
    for line in lines:
        yield " " * column + line.text if line.text else ""
