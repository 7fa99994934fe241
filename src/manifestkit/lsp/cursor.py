"""Where a cursor is in a text that may not be whole yet: a scan of the tokens around it.

In JSON, and between the brackets of YAML, by the tokens; in the blocks of YAML by indentation.
What a reader would refuse is passed over.
"""

from __future__ import annotations

import re

from manifestkit.lsp.brackets import Brackets, Cursor, Frame
from manifestkit.lsp.tokens import (
    BLOCK_TEXT,
    COMMENT,
    DASH,
    FLOW_TOKENS,
    JSON_TOKENS,
    LINE_BREAK,
    LONGEST,
    NAME,
    NO_CONTENT,
    unquoted,
)
from manifestkit.model.document import Syntax
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_INDENT = re.compile(r" *+")
_BLANK_LINES = re.compile(r"(?:[ \t]*+(?:\r\n?|\n)|(?!))*+(?:( *+)(?=\S))?")
_QUOTES_CLOSED = re.compile(r"""(?:"(?:[^"\\]|\\.|(?!))*+"|'[^']*+'|[^"']|(?!))*+""")
_VALUE = re.compile(r"(?:\"(?:[^\"\\\r\n]|\\.|(?!))*+\"?+|(?:[^\r\n#]|(?<=\S)\#|(?!))*+)")


def cursor_at(text: str, offset: int, syntax: Syntax) -> Cursor | None:
    """What stands at an offset of a text; None where nothing is due.

    None in what is too deep too, and in a text that is too long to be scanned for each request.
    """
    if len(text) > LONGEST:
        return None
    if syntax == "yaml":
        found = _Blocks(text, offset).find()
        return _apart(found, text) if found else None
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    root = Frame(is_object=False, path=(), index=-1)
    return Brackets(text, offset, JSON_TOKENS).find(start, root)[0]


def _apart(cursor: Cursor, text: str) -> Cursor | None:
    """A cursor in YAML, with the space that is missing before it; None right before a comment."""
    start, end = cursor.span
    if start < end:
        return cursor
    if text[end : end + 1] == "#":
        return None
    if text[max(0, start - 1) : start] not in ("-", ":"):
        return cursor
    return cursor._replace(space=" ", column=None if cursor.column is None else cursor.column + 1)


class _Blocks:
    """YAML's blocks, by indentation."""

    def __init__(self, text: str, offset: int) -> None:
        self._text = text
        self._offset = offset
        self._frames = [Frame(is_object=False, path=(), index=-1, expects="value")]
        self._found: Cursor | None = None
        self._owner: Frame | None = None
        self._is_passed = False
        self._deeper_than: int | None = None

    def find(self) -> Cursor | None:
        """What stands at the offset."""
        at = len(BYTE_ORDER_MARK) if self._text.startswith(BYTE_ORDER_MARK) else 0
        while at <= len(self._text):
            line_break = LINE_BREAK.search(self._text, at)
            end = line_break.start() if line_break else len(self._text)
            behind = self._line(at, end)
            if self._frames[-1].is_too_deep:
                return None
            if self._is_passed and (self._owner is None or self._owner not in self._frames):
                break
            if behind > end:  # in brackets over several lines
                line_break = LINE_BREAK.search(self._text, behind)
            if line_break is None:
                break
            at = line_break.end()
        if self._found is None or self._owner is None:
            return self._found
        start, stop = self._found.span
        entries = self._owner.entries.items()
        others = {each for at, each in entries if at != start or start == stop}
        is_of_owner = self._found.column is not None or not self._owner.is_object
        return self._found._replace(others=frozenset(others if is_of_owner else ()))

    def _line(self, start: int, end: int) -> int:
        """Go through a line; where what begins in it ends, if that is behind it."""
        text = self._text
        at = _INDENT.match(text, start, end).end()  # type: ignore[union-attr]
        is_here = not self._is_passed and start <= self._offset <= end
        if self._is_in_block_text(start, at, end, is_here=is_here):
            self._is_passed = self._is_passed or is_here
            return end
        self._deeper_than = None
        if is_here:
            end = self._end(at, end)
            at = min(at, end)
        is_blank = at == end or text[at:end].isspace()
        if is_here and is_blank:
            self._at_column(self._offset - start, Span(self._offset, self._offset))
        if is_blank or (is_here and self._offset < at) or NO_CONTENT.match(text, at, end):
            self._is_passed = self._is_passed or is_here
            return end
        has_dash = False
        while (dash := DASH.match(text, at, end)) and not self._frames[-1].is_too_deep:
            has_dash = True
            self._dash(at - start)
            at = dash.end()
            if is_here and self._offset < at:
                self._is_passed = True
                return end
        if is_here:
            comment = COMMENT.search(text, at, end)
            if comment and self._offset > comment.start():
                self._is_passed, is_here = True, False
        return self._entry(start, at, end, has_dash=has_dash, is_here=is_here)

    def _is_in_block_text(self, start: int, at: int, end: int, *, is_here: bool) -> bool:
        """Whether a line belongs to the text in a block above it."""
        if self._deeper_than is None:
            return False
        text = self._text
        if text[at:end].strip():
            return at - start > self._deeper_than
        following = _BLANK_LINES.match(text, end)
        assert following is not None  # noqa: S101 - it matches anything
        goes_on = following[1] is not None and len(following[1]) > self._deeper_than
        return not is_here or goes_on or self._offset - start > self._deeper_than

    def _end(self, at: int, end: int) -> int:
        """Where a line ends for a cursor in it, which sees no comment or blanks behind it."""
        text = self._text
        comment = COMMENT.search(text, at, end)
        is_comment = comment and _QUOTES_CLOSED.fullmatch(text, at, comment.start())
        stop = comment.start() if comment and is_comment else end
        if self._offset >= stop:
            return end
        return stop if text[self._offset : stop].strip() else self._offset

    def _entry(self, start: int, at: int, end: int, *, has_dash: bool, is_here: bool) -> int:
        """Go through what stands in a line behind its dashes."""
        text = self._text
        column = at - start
        name = NAME.match(text, at, end)
        if name is None and at < end and text[at] not in "[{" and not has_dash:
            span = Span(at, at + len(text[at:end].rstrip()))
            self._is_passed = self._is_passed or is_here
            if is_here and self._offset <= span.end:
                self._at_column(column, span)
            return end
        if name is None:
            return self._value(self._frames[-1], at, end, column, is_here=is_here)
        frame = self._object_at(column, at_dash=has_dash)
        key_end = at + len(text[at : name.end() - 1].rstrip())
        frame.name = unquoted(text[at:key_end])
        frame.expects = "value"
        if is_here and self._offset <= key_end:
            self._is_passed = True
            self._owner = frame
            self._found = Cursor(
                (*frame.path, frame.name),
                Span(at, key_end),
                is_name=True,
                has_colon=True,
                column=column,
            )
        frame.entries[at] = frame.name
        value = name.end() + len(text[name.end() : end]) - len(text[name.end() : end].lstrip(" \t"))
        is_here = is_here and not self._is_passed
        if is_here and (self._offset == name.end() or self._offset < value < end):
            self._is_passed, is_here = True, False
        return self._value(frame, value, end, column, is_here=is_here)

    def _value(self, frame: Frame, at: int, end: int, column: int, *, is_here: bool) -> int:
        """Go through the value of a member, or an item behind a dash."""
        text = self._text
        if text[at : at + 1] in ("[", "{"):
            around = Frame(is_object=False, path=frame.here, index=-1)
            scan = Brackets(text, self._offset if not self._is_passed else -1, FLOW_TOKENS)
            found, behind = scan.find(at, around)
            frame.expects = ","
            if not self._is_passed and at <= self._offset < behind + (behind == len(text)):
                self._is_passed = True
                self._found = found
            return max(behind, end)
        if BLOCK_TEXT.match(text, at, end):
            self._deeper_than = column if frame.is_object else frame.column
        value = _VALUE.match(text, at, end)
        stop = at + len(value[0].rstrip()) if value else at
        if stop > at:
            frame.expects = ","
        if is_here and (stop == at or at <= self._offset <= stop):
            self._is_passed = True
            self._owner = frame
            span = Span(at, stop) if stop > at else Span(self._offset, self._offset)
            self._found = Cursor(frame.here, span, column=None if frame.is_object else column)
        if not frame.is_object and stop > at:
            frame.entries[at] = unquoted(text[at:stop])
        return end

    def _dash(self, column: int) -> None:
        self._close(column)
        frame = self._frames[-1]
        if frame.is_object or frame.column != column:
            frame.expects = ","
            self._frames.append(Frame(is_object=False, path=frame.here, column=column))
        else:
            frame.index += 1
        self._frames[-1].expects = "value"

    def _object_at(self, column: int, *, at_dash: bool) -> Frame:
        """The object whose members stand at a column."""
        self._close(column)
        frame = self._frames[-1]
        if not frame.is_object and frame.column == column and not at_dash:
            self._frames.pop()
            frame = self._frames[-1]
        if not frame.is_object or frame.column != column:
            path = frame.here
            frame.expects = ","
            frame = Frame(is_object=True, path=path, column=column)
            self._frames.append(frame)
        return frame

    def _at_column(self, column: int, span: Span) -> None:
        """Keep what is due in a line of its own at a column."""
        self._close(column)
        frame = self._frames[-1]
        if not frame.is_object and frame.column == column and self._frames[-2].column == column:
            self._frames.pop()
            frame = self._frames[-1]
        name = unquoted(self._text[span.start : span.end])
        if frame.is_object and frame.column == column:
            self._owner = frame
            self._found = Cursor((*frame.path, name), span, is_name=True, column=column)
        elif not frame.is_object and frame.column == column:
            self._owner = frame
            path = (*frame.path, frame.index + 1)
            self._found = Cursor(path, span, column=column, is_alone=True)
        elif frame.expects == "value":
            path = frame.here
            self._owner = Frame(is_object=True, path=path, column=column)
            self._frames.append(self._owner)
            is_alone = frame.is_object or frame.index < 0
            self._found = Cursor(path, span, column=column, is_alone=is_alone)

    def _close(self, column: int) -> None:
        while self._frames[-1].column > column:
            self._frames.pop()
