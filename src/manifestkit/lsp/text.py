"""A text as a client sees it: lines, and columns in the units that were agreed on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from lsprotocol.types import Position, PositionEncodingKind, Range, TextEdit

from manifestkit.model.finding import Edit
from manifestkit.model.location import LineIndex, Span

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
        self.content = _without_lone_surrogates(content)
        self.encoding = encoding
        self._codec, self._width = ("ascii", 1) if self.content.isascii() else _UNITS[encoding]

    @cached_property
    def lines(self) -> LineIndex:
        """The lines: they end at LF, CRLF and CR, as the protocol has it."""
        return LineIndex(self.content)

    def position(self, offset: int) -> Position:
        """Return the position of an offset in code points."""
        line, column = self.lines.position(offset)
        start = 0 if line == 1 else offset - column + 1
        units = len(self.content[start:offset].encode(self._codec)) // self._width
        return Position(line - 1, units)

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
        before = self.content[start : min(end, start + position.character)].encode(self._codec)
        return start + len(before[: position.character * self._width].decode(self._codec, "ignore"))

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


def _without_lone_surrogates(content: str) -> str:
    try:
        content.encode()
    except UnicodeEncodeError:
        return content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return content
