"""Places in a text: offsets, spans, lines and columns.

Every offset, line and column counts code points. Lines end at LF, CRLF or CR and at nothing else;
a tab is one column; a byte order mark at the start is no column but counts as an offset.
"""

from bisect import bisect_left
from typing import NamedTuple

BYTE_ORDER_MARK = "\ufeff"

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
        # The text with LF for the end of every line, at the same offset.
        self._ended = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
        self._lines = [1]  # the line that each block begins in
        self._starts = [0]  # and where that line begins
        self._spans: dict[int, Span] = {}
        for begin in range(0, len(text) - _BLOCK, _BLOCK):
            end = begin + _BLOCK
            self._lines.append(self._lines[-1] + self._ended.count("\n", begin, end))
            self._starts.append(self._ended.rfind("\n", begin, end) + 1 or self._starts[-1])

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (1-based) of an offset from 0 to the length of the text."""
        block = min(offset // _BLOCK, len(self._lines) - 1)
        begin = block * _BLOCK
        line = self._lines[block] + self._ended.count("\n", begin, offset)
        start = self._ended.rfind("\n", begin, offset) + 1 or self._starts[block]
        column = offset - start + 1
        if line == 1 and self._has_mark:
            column = max(1, column - 1)
        return line, column

    def locate(self, span: Span) -> Location:
        """Return the span with the lines and columns of its ends."""
        start, end = span
        line, column = self.position(start)
        if self._has_mark or self._ended.find("\n", start, end) >= 0:
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
        start = int(self._has_mark)
        if number > 1:
            block = bisect_left(self._lines, number) - 1
            start = block * _BLOCK
            for _ in range(number - self._lines[block]):
                start = self._ended.find("\n", start) + 1
                if not start:
                    raise IndexError(number)
        end = self._ended.find("\n", start)
        end = len(self._text) if end < 0 else end
        return Span(start, end - self._text.startswith("\r\n", end - 1) if end else end)
