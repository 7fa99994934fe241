"""Places in a text: offsets, spans, lines and columns.

Every offset, line and column counts code points. Lines end at LF, CRLF or CR and at nothing else;
a tab is one column; a byte order mark at the start is no column but counts as an offset.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"

_LINE_END = r"\r\n?|\n"


class Span(NamedTuple):
    """A stretch of text: offset of its first character, and offset just after its last."""

    start: int
    end: int


class Location(NamedTuple):
    """A span with the lines and columns of its two ends (1-based; the end is exclusive)."""

    span: Span
    line: int
    column: int
    end_line: int
    end_column: int


class LineIndex:
    """Finds the line and column of an offset, and the text of a line."""

    def __init__(self, text: str) -> None:
        self._text = text
        if "\r" in text:
            self._starts = [0, *(match.end() for match in re.finditer(_LINE_END, text))]
        else:
            ends = accumulate(map(len, text.split("\n")), initial=0)
            self._starts = list(map(add, ends, count()))  # each line is longer by its end
            self._starts.pop()  # the last line has none
        self._has_mark = text.startswith(BYTE_ORDER_MARK)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (1-based) of an offset from 0 to the length of the text."""
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        if line == 1 and self._has_mark:
            column = max(1, column - 1)
        return line, column

    def locate(self, span: Span) -> Location:
        """The span with the lines and columns of its ends."""
        return Location(span, *self.position(span.start), *self.position(span.end))

    def line(self, number: int) -> str:
        """The text of a line (1-based), without its end and without a byte order mark."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self._text)
        text = self._text[start:end].rstrip("\r\n")
        return text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text
