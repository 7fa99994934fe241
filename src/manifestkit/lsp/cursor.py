"""Finding a cursor in a text that may not be whole yet, by a scan of the tokens around it.

In JSON, and between the brackets of YAML, by the tokens; in the blocks of YAML by indentation.
What a reader would refuse is passed over.
"""

from __future__ import annotations

import re

from manifestkit.lsp.brackets import Brackets
from manifestkit.lsp.frames import Cursor, Frame
from manifestkit.lsp.tokens import (
    BLOCK_TEXT,
    COMMENT,
    DASH,
    DOCUMENT_END,
    EXPLICIT,
    FLOW_TOKENS,
    JSON_TOKENS,
    LINE_BREAK,
    LONGEST,
    NAME,
    NO_CONTENT,
    PROPERTIES,
    unquoted,
)
from manifestkit.model.document import Syntax
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_INDENT = re.compile(r" *+")
_BLANK_LINES = re.compile(r"(?:[ \t]*+(?:\r\n?|\n)|(?!))*+(?:( *+)(?=\S))?")
_AHEAD = re.compile(r"(?:[ \t]*+(?:#[^\r\n]*+)?+(?:\r\n?|\n)|(?!))*+( *+)(?=\S)")
_QUOTES_CLOSED = re.compile(r"""(?:"(?:[^"\\]|\\.|(?!))*+"|'[^']*+'|[^"']|(?!))*+""")
_VALUE = re.compile(r"(?:\"(?:[^\"\\\r\n]|\\[^\r\n]|(?!))*+\"?+|(?:[^\r\n#]|(?<=\S)\#|(?!))*+)")


def cursor_at(text: str, offset: int, syntax: Syntax) -> Cursor | None:
    """Return what stands at an offset of a text; None where nothing is due.

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
    """Add the space that is missing before a cursor in YAML; None right before a comment."""
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
        """Find what stands at the offset."""
        at = len(BYTE_ORDER_MARK) if self._text.startswith(BYTE_ORDER_MARK) else 0
        while at <= len(self._text):
            line_break = LINE_BREAK.search(self._text, at)
            end = line_break.start() if line_break else len(self._text)
            if DOCUMENT_END.match(self._text, at):
                break
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
        """Go through a line; return the end of what begins in it."""
        text = self._text
        at = _INDENT.match(text, start, end).end()  # type: ignore[union-attr]
        is_here = not self._is_passed and start <= self._offset <= end
        if self._is_in_block_text(start, at, end, is_here=is_here):
            self._is_passed = self._is_passed or is_here
            return end
        self._deeper_than = None
        line_end = end
        if is_here:
            end = self._end(at, end)
            at = min(at, end)
        is_blank = at == end or text[at:end].isspace()
        if is_here and is_blank:
            self._at_blank(self._offset - start, line_end)
        if is_blank or (is_here and self._offset < at) or NO_CONTENT.match(text, at, end):
            self._is_passed = self._is_passed or is_here
            return end
        return self._content(start, at, end, is_here=is_here)

    def _content(self, start: int, at: int, end: int, *, is_here: bool) -> int:
        text = self._text
        at, mark = self._indicators(start, at, end)
        if is_here and self._offset < at:
            self._is_passed = True
            return end
        if is_here:
            comment = COMMENT.search(text, at, end)
            if comment and self._offset > comment.start():
                self._is_passed, is_here = True, False
        column, at = at - start, self._past_properties(at, end, is_here=is_here)
        if is_here and self._is_passed:
            return end
        if mark == "?":
            return self._key(at, end, column, is_here=is_here)
        if not mark and NO_CONTENT.match(text, at, end):
            self._is_passed = self._is_passed or is_here
            return end
        return self._entry(column, at, end, is_inside=mark != "", is_here=is_here)

    def _indicators(self, start: int, at: int, end: int) -> tuple[int, str]:
        """Go through the dashes and marks of explicit keys; return their end, and the last."""
        mark = ""
        while indicator := DASH.match(self._text, at, end) or EXPLICIT.match(self._text, at, end):
            if self._frames[-1].is_too_deep:
                break
            is_inside, mark = mark != "", indicator[0][0]
            if mark == "-":
                self._dash(at - start)
            else:
                self._explicit(at - start, mark, is_inside=is_inside)
            at = indicator.end()
        return at, mark

    def _past_properties(self, at: int, end: int, *, is_here: bool) -> int:
        """Return the end of the anchor and the tag at a place; nothing is due in them."""
        match = PROPERTIES.match(self._text, at, end)
        behind = match.end() if match else at
        is_apart = self._text[behind - 1 : behind].isspace()
        if is_here and at < behind and at <= self._offset < behind + (not is_apart):
            self._is_passed = True
        return behind

    def _explicit(self, column: int, mark: str, *, is_inside: bool) -> None:
        """Go into a member with an explicit key, or on to its value."""
        frame = self._object_at(column, is_inside=is_inside)
        if mark == "?" or frame.expects != "value":
            frame.name = ""
        frame.expects = "value"

    def _key(self, at: int, end: int, column: int, *, is_here: bool) -> int:
        """Go through an explicit key; return its end, if that is behind the line."""
        frame = self._frames[-1]
        if self._text[at : at + 1] in ("[", "{") or BLOCK_TEXT.match(self._text, at, end):
            self._is_passed = self._is_passed or is_here
            behind = self._value(frame, at, end, column, is_here=False)
            frame.expects = "value"
            return behind
        span = self._scalar(at, end)
        self._is_passed = self._is_passed or is_here
        frame.name = unquoted(self._text[span.start : span.end])
        if is_here and span.start <= self._offset <= span.end > span.start:
            self._owner = frame
            path = (*frame.path, frame.name)
            self._found = Cursor(path, span, is_name=True, has_colon=True, column=column)
        frame.entries[at] = frame.name
        return end

    def _scalar(self, at: int, end: int) -> Span:
        value = _VALUE.match(self._text, at, end)
        return Span(at, at + len(value[0].rstrip()) if value else at)

    def _is_in_block_text(self, start: int, at: int, end: int, *, is_here: bool) -> bool:
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
        """Return the end of a line for a cursor in it, without the comment or blanks behind it."""
        text = self._text
        comment = COMMENT.search(text, at, end)
        is_comment = comment and _QUOTES_CLOSED.fullmatch(text, at, comment.start())
        stop = comment.start() if comment and is_comment else end
        if self._offset >= stop:
            return end
        return stop if text[self._offset : stop].strip() else self._offset

    def _entry(self, column: int, at: int, end: int, *, is_inside: bool, is_here: bool) -> int:
        """Go through what stands in a line behind its dashes."""
        text = self._text
        name = NAME.match(text, at, end)
        if name is None and at < end and text[at] not in "[{" and not is_inside:
            span = Span(at, at + len(text[at:end].rstrip()))
            self._is_passed = self._is_passed or is_here
            if is_here and span.start <= self._offset <= span.end:
                self._at_column(column, span, end)
            return end
        if name is None:
            return self._value(self._frames[-1], at, end, column, is_here=is_here)
        frame = self._object_at(column, is_inside=is_inside)
        key_end = at + len(text[at : name.end() - 1].rstrip())
        frame.name = unquoted(text[at:key_end])
        frame.expects = "value"
        if is_here and at <= self._offset <= key_end:
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
        at = self._past_properties(at, end, is_here=is_here)
        is_here = is_here and not self._is_passed
        if text[at : at + 1] in ("[", "{"):
            around = Frame(is_object=False, path=frame.here, index=-1)
            scan = Brackets(text, self._offset if not self._is_passed else -1, FLOW_TOKENS)
            found, behind = scan.find(at, around)
            frame.expects = ","
            if not self._is_passed and at <= self._offset < behind + (behind == len(text)):
                self._is_passed = True
                self._found = found if self._is_within(frame, at) else None
            return max(behind, end)
        if BLOCK_TEXT.match(text, at, end):
            self._deeper_than = frame.column
            self._is_passed = self._is_passed or is_here
        stop = self._scalar(at, end).end
        if stop > at:
            frame.expects = ","
        if is_here and self._is_more(frame, Span(at, stop), end, column):
            self._is_passed = True
        if is_here and not self._is_passed and (stop == at or at <= self._offset <= stop):
            self._is_passed = True
            self._owner = frame
            span = Span(at, stop) if stop > at else Span(self._offset, self._offset)
            self._found = Cursor(frame.here, span, column=None if frame.is_object else column)
        if not frame.is_object and stop > at:
            frame.entries[at] = unquoted(text[at:stop])
        return end

    def _is_within(self, frame: Frame, start: int) -> bool:
        """Return whether what is put in at the offset is deep enough for the brackets around."""
        before = self._text[start : self._offset]
        lead = LINE_BREAK.split(before)[-1]
        return lead == before or lead.strip() != "" or len(lead) > frame.column

    def _ahead(self, at: int) -> tuple[int, int] | None:
        """Return the column of the next line with content, and the start of its content."""
        line = _AHEAD.match(self._text, at)
        return (len(line[1]), line.end()) if line else None

    def _goes_on(self, column: int, end: int) -> bool:
        """Return whether a line's text goes on in lines deeper than a column."""
        ahead = self._ahead(end)
        if ahead is None or ahead[0] <= column:
            return False
        starts = (NAME, DASH, EXPLICIT)
        return not any(each.match(self._text, ahead[1]) for each in starts)

    def _is_more(self, frame: Frame, span: Span, end: int, column: int) -> bool:
        """Return whether more of a value, or all of it, stands in the lines below.

        Args:
            frame: what the value is in.
            span: what there is of it in its line.
            end: where the line ends.
            column: where the value begins, or is to begin.
        """
        ahead = self._ahead(end)
        if span.start < span.end or ahead is None:
            return self._goes_on(frame.column, end)
        if ahead[0] == frame.column:
            return frame.is_object and DASH.match(self._text, ahead[1]) is not None
        first = column + (self._text[span.start - 1 : span.start] == "-")
        is_member = NAME.match(self._text, ahead[1]) is not None
        return ahead[0] > frame.column and (frame.is_object or ahead[0] != first or not is_member)

    def _dash(self, column: int) -> None:
        self._close(column)
        frame = self._frames[-1]
        if frame.is_object or frame.column != column:
            frame.expects = ","
            self._frames.append(Frame(is_object=False, path=frame.here, column=column))
        else:
            frame.index += 1
        self._frames[-1].expects = "value"

    def _object_at(self, column: int, *, is_inside: bool) -> Frame:
        """Return the object whose members stand at a column, behind a dash if inside an item."""
        self._close(column)
        frame = self._frames[-1]
        if not frame.is_object and frame.column == column and not is_inside:
            self._frames.pop()
            frame = self._frames[-1]
        if not frame.is_object or frame.column != column:
            path = frame.here
            frame.expects = ","
            frame = Frame(is_object=True, path=path, column=column)
            self._frames.append(frame)
        return frame

    def _at_blank(self, column: int, end: int) -> None:
        """Keep what is due in a blank line at a column, if what follows stands as it does."""
        ahead = self._ahead(end)
        self._close(column)
        if ahead and ahead[0] < column and self._has_value_at(*ahead):
            return
        follows = ahead[1] if ahead and ahead[0] == column else None
        is_item = follows is not None and DASH.match(self._text, follows) is not None
        is_value = follows is not None and self._text.startswith(":", follows)
        if (ahead is None or ahead[0] <= column) and not is_value:
            span = Span(self._offset, self._offset)
            self._at_column(column, span, end, before_item=is_item)

    def _has_value_at(self, column: int, at: int) -> bool:
        frame = self._frames[-1]
        is_item = DASH.match(self._text, at) is not None
        needs_value = frame.is_object and frame.expects == "value"
        return column > frame.column or (column == frame.column and needs_value and is_item)

    def _at_column(self, column: int, span: Span, end: int, *, before_item: bool = False) -> None:
        """Keep what is due in a line of its own at a column, that ends at a place."""
        self._close(column)
        frame = self._frames[-1]
        is_beside = not frame.is_object and frame.column == column
        if is_beside and self._frames[-2].column == column and not before_item:
            self._frames.pop()
            frame = self._frames[-1]
        name = unquoted(self._text[span.start : span.end])
        if frame.is_object and frame.column == column:
            if before_item:
                return
            self._owner = frame
            self._found = Cursor((*frame.path, name), span, is_name=True, column=column)
        elif not frame.is_object and frame.column == column:
            self._owner = frame
            path = (*frame.path, frame.index + 1)
            self._found = Cursor(path, span, column=column, is_alone=True)
        elif frame.expects == "value" and not (name and self._goes_on(frame.column, end)):
            path = frame.here
            self._owner = Frame(is_object=True, path=path, column=column)
            self._frames.append(self._owner)
            is_alone = frame.is_object or frame.index < 0
            self._found = Cursor(path, span, column=column, is_alone=is_alone)

    def _close(self, column: int) -> None:
        while self._frames[-1].column > column:
            self._frames.pop()
