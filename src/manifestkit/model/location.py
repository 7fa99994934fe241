"""Places in a text: offsets, spans, lines and columns.

Every offset, line and column counts code points. Lines end at LF, CRLF or CR and at nothing else;
a tab is one column; a byte order mark at the start is no column but counts as an offset.
"""

import re
from bisect import bisect_left, bisect_right
from itertools import islice
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"

_LINE_END = re.compile(r"\r\n?|\n")
_BLOCK = 4_096


class Span(NamedTuple):
    """A range of text: the offset of its first character, and the offset after its last.

    Example:
        >>> (finding,) = manifestkit.lint(MANIFEST.replace('"1.0"', "1.0", 1)).findings
        >>> finding.location.span
        Span(start=22, end=25)
    """

    start: int
    end: int


class Location(NamedTuple):
    """A span with the lines and columns of its two ends (1-based; the end is exclusive).

    Example:
        >>> (finding,) = manifestkit.lint(MANIFEST.replace('"1.0"', "1.0", 1)).findings
        >>> finding.location.line, finding.location.column
        (2, 21)
    """

    span: Span = Span(0, 0)  # as of what is about a file as a whole
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


def line_start(text: str, offset: int) -> int:
    """Return the start of an offset's line, after a byte order mark."""
    start = text.rfind("\n", 0, offset) + 1
    start = max(start, text.rfind("\r", start, offset) + 1)
    return start + text.startswith(BYTE_ORDER_MARK, start) if start < offset else start


def leads_line(text: str, offset: int) -> bool:
    """Return whether nothing but space stands before an offset on its line."""
    return not text[line_start(text, offset) : offset].strip(" \t")


def column_at(text: str, offset: int) -> int:
    """Characters between the start of the line and an offset."""
    return offset - line_start(text, offset)


class LineIndex:
    """Finds the line and column of an offset, and the text of a line.

    What is kept is the line that each block of the text begins in: a text may be all line ends.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._has_mark = text.startswith(BYTE_ORDER_MARK)
        self._has_returns = "\r" in text
        self._blocks = [0]  # where each block begins, never between CR and LF
        self._lines = [1]  # the line it begins in
        self._starts = [0]  # and where that line begins
        self._spans: dict[int, Span] = {}
        while (begin := self._blocks[-1]) + _BLOCK < len(text):
            end = begin + _BLOCK
            end += self._splits_end(end)
            self._lines.append(self._lines[-1] + self._count_ends(begin, end))
            self._starts.append(self._last_start(begin, end) or self._starts[-1])
            self._blocks.append(end)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (1-based) of an offset from 0 to the length of the text."""
        block = bisect_right(self._blocks, offset) - 1
        begin = self._blocks[block]
        line = self._lines[block] + self._count_ends(begin, offset)
        start = self._last_start(begin, offset) or self._starts[block]
        column = offset - start + 1
        if line == 1 and self._has_mark:
            column = max(1, column - 1)
        return line, column

    def _count_ends(self, begin: int, end: int) -> int:
        """Count the lines that end in a stretch of the text that begins at no LF of a CRLF."""
        count = self._text.count("\n", begin, end)
        if self._has_returns:
            count += self._text.count("\r", begin, end) - self._text.count("\r\n", begin, end)
            count -= self._splits_end(end)
        return count

    def _last_start(self, begin: int, end: int) -> int:
        """Find the start of the last line that begins in such a stretch; 0 for none."""
        start = self._text.rfind("\n", begin, end) + 1
        if self._has_returns:
            start = max(start, self._text.rfind("\r", begin, end - self._splits_end(end)) + 1)
        return start

    def _splits_end(self, offset: int) -> bool:
        return self._has_returns and self._text.startswith("\r\n", offset - 1) and offset > 0

    def locate(self, span: Span) -> Location:
        """Return the span with the lines and columns of its ends."""
        start, end = span
        line, column = self.position(start)
        if self._has_mark or self._last_start(start, end):
            return Location(span, line, column, *self.position(end))
        return Location(span, line, column, line, column + end - start)

    def line(self, number: int) -> str:
        """Return the text of a line (1-based), without its end and without a byte order mark."""
        start, end = self.span_of(number)
        return self._text[start:end]

    def span_of(self, number: int) -> Span:
        """Return the span of a line (1-based), without its end and without a byte order mark.

        Raises:
            IndexError: the text has fewer lines.
        """
        if number not in self._spans:
            self._spans[number] = self._span_of(number)
        return self._spans[number]

    def _span_of(self, number: int) -> Span:
        block = bisect_left(self._lines, number) - 1
        start = 0
        if number > 1:
            ends = _LINE_END.finditer(self._text, self._blocks[block])
            last = next(islice(ends, number - self._lines[block] - 1, None), None)
            if last is None:
                raise IndexError(number)
            start = last.end()
        end = self._text.find("\n", start)
        end = len(self._text) if end < 0 else end
        if self._has_returns:
            a_return = self._text.find("\r", start, end)
            end = end if a_return < 0 else a_return
        has_mark = number == 1 and self._has_mark
        return Span(start + has_mark, end)
