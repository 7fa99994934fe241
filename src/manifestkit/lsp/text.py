"""A text as a client sees it: lines, and columns in the units that were agreed on."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range, TextEdit

from manifestkit.model.finding import Edit
from manifestkit.model.location import LineIndex, Span

_BLOCK = 1_024
_MOST_LINES_COMPARED = 5_000
_UNITS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class Text:
    """One version of a text; nobody changes it.

    Args:
        content: the text. A lone surrogate, which no file can hold, becomes U+FFFD.
        encoding: what columns count.
    """

    def __init__(self, content: str, encoding: PositionEncodingKind) -> None:
        self.content = content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.encoding = encoding
        self._codec, self._width = _UNITS[encoding]

    @cached_property
    def lines(self) -> LineIndex:
        """The lines: they end at LF, CRLF and CR, as the protocol has it."""
        return LineIndex(self.content)

    def position(self, offset: int) -> Position:
        """Return the position of an offset in code points."""
        line, column = self.lines.position(offset)
        if self.content.isascii():
            return Position(line - 1, column - 1)
        start = 0 if line == 1 else offset - column + 1
        return Position(line - 1, self._units(offset) - self._units(start))

    def range(self, span: Span) -> Range:
        """Return the range of a span."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        """Return the offset of a position.

        For one beyond a line, the end of that line; for one beyond the text, the end of the text.
        """
        try:
            start, end = self.lines.span_of(position.line + 1)
        except IndexError:
            return len(self.content)
        start = 0 if position.line == 0 else start
        return min(self._offset(self._units(start) + position.character), end)

    def span(self, wanted: Range) -> Span:
        """Return the span of a range, whichever of its ends comes first."""
        return Span(*sorted((self.offset(wanted.start), self.offset(wanted.end))))

    def edited(self, wanted: Range, new: str) -> Text:
        """Return the text with something else in place of a range."""
        start, end = self.span(wanted)
        return Text(f"{self.content[:start]}{new}{self.content[end:]}", self.encoding)

    def edits(self, edits: Iterable[Edit]) -> list[TextEdit]:
        """Return edits as the client reads them."""
        return [TextEdit(self.range(Span(each.start, each.end)), each.text) for each in edits]

    def edits_to(self, after: str) -> list[TextEdit]:
        """Return the edits to another text, line by line, so that other marks stay."""
        before = self.content
        if before == after:
            return []
        old, new = _lines(before), _lines(after)
        if len(old) + len(new) > _MOST_LINES_COMPARED:
            return self.edits([Edit(0, len(before), after)])
        starts = [0]
        for line in old:
            starts.append(starts[-1] + len(line))
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return self.edits(
            Edit(starts[i1], starts[i2], "".join(new[j1:j2]))
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
            if tag != "equal"
        )

    @cached_property
    def _before(self) -> list[int]:
        """The units before each block: one line may hold the whole text."""
        before = [0]
        for start in range(0, len(self.content), _BLOCK):
            before.append(before[-1] + self._size(start, start + _BLOCK))
        return before

    def _units(self, offset: int) -> int:
        if self.content.isascii():
            return offset
        block = offset // _BLOCK
        return self._before[block] + self._size(block * _BLOCK, offset)

    def _offset(self, units: int) -> int:
        """Return the offset of the character that begins at or before so many units."""
        if self.content.isascii():
            return min(units, len(self.content))
        block = bisect_right(self._before, units) - 1
        start = block * _BLOCK
        left = (units - self._before[block]) * self._width
        raw = self.content[start : start + _BLOCK].encode(self._codec)
        return start + len(raw[:left].decode(self._codec, "ignore"))

    def _size(self, start: int, end: int) -> int:
        return len(self.content[start:end].encode(self._codec)) // self._width


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", text)
