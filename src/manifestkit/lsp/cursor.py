"""Where a cursor is in a text that may not be whole yet: a scan of the tokens around it.

In JSON, and between the brackets of YAML, by the tokens; in the blocks of YAML by indentation.
What a reader would refuse is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

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
    source_of,
    unquoted,
)
from manifestkit.model.document import Syntax
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.pointer import Path


class Cursor(NamedTuple):
    """What stands at a cursor, or is to be written there.

    Attributes:
        path: the value; for a name, the member.
        span: the characters of the name or value; none where there is nothing yet.
        is_name: whether it is the name of a member.
        others: the names of the other members of the object, or the other items of the array.
        is_last: whether nothing more follows in the object or array.
        has_colon: whether a colon follows a name.
        comma_at: where the comma before it is missing, if it is.
        in_brackets: whether it is in JSON, or between brackets in YAML.
        column: the column of an entry of a YAML block; None behind a name and in brackets.
        is_alone: whether the value stands in a line of its own, without a dash.
    """

    path: Path
    span: Span
    is_name: bool = False
    others: frozenset[str] = frozenset()
    is_last: bool = True
    has_colon: bool = False
    comma_at: int | None = None
    in_brackets: bool = False
    column: int | None = None
    is_alone: bool = False

    @property
    def owner(self) -> Path:
        """The object or array that it is in."""
        return self.path[:-1]


_SPACE = re.compile(r"\s*+")
_VALUE = re.compile(r"(?:\"(?:[^\"\\\r\n]|\\.|(?!))*+\"?+|(?:[^\r\n#]|(?<=\S)\#|(?!))*+)")


@dataclass(eq=False)
class _Frame:
    """An object or array around the place that the scan has come to."""

    is_object: bool
    path: Path
    expects: str = "value"
    name: str = ""
    index: int = 0
    column: int = -1
    end: int | None = None
    entries: dict[int, str] = field(default_factory=dict)

    @property
    def here(self) -> Path:
        """The value that comes next."""
        if self.is_object:
            return (*self.path, self.name)
        return self.path if self.index < 0 else (*self.path, self.index)

    @property
    def is_too_deep(self) -> bool:
        """Whether it is in so many others that no reader reads it."""
        return len(self.path) >= DEFAULT_LIMITS.depth


def cursor_at(text: str, offset: int, syntax: Syntax) -> Cursor | None:
    """What stands at an offset of a text; None where nothing is due.

    None in what is too deep too, and in a text that is too long to be scanned for each request.
    """
    if len(text) > LONGEST:
        return None
    if syntax == "yaml":
        return _Blocks(text, offset).find()
    start = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    root = _Frame(is_object=False, path=(), index=-1)
    return _Brackets(text, offset, JSON_TOKENS).find(start, root)[0]


class _Brackets:
    """JSON, and what YAML has between brackets."""

    def __init__(self, text: str, offset: int, tokens: re.Pattern[str]) -> None:
        self._text = text
        self._offset = offset
        self._tokens = tokens
        self._found: Cursor | None = None
        self._owner: _Frame | None = None
        self._is_passed = False

    def find(self, start: int, root: _Frame) -> tuple[Cursor | None, int]:
        """What stands at the offset, if it is in the value that starts there; where that ends."""
        frames = [root]
        for token in self._tokens.finditer(self._text, start):
            begin, end = token.span()
            if not self._is_passed and begin >= self._offset and not self._is_at(token):
                self._pass(frames[-1], Span(self._offset, self._offset))
            if token.lastgroup == "comment":
                self._is_passed = self._is_passed or begin < self._offset <= end
            elif token["punctuation"]:
                closed = self._punctuation(token["punctuation"], end, frames)
                if closed is not None and (closed is self._owner or len(frames) == 1):
                    return self._cursor(), end
                if frames[-1].is_too_deep:
                    return None, len(self._text)
            else:
                if not self._is_passed and self._is_at(token):
                    self._pass(frames[-1], Span(begin, begin + len(source_of(token))))
                self._scalar(token, frames[-1])
        if not self._is_passed:
            self._pass(frames[-1], Span(self._offset, self._offset))
        return self._cursor(), len(self._text)

    def _is_at(self, token: re.Match[str]) -> bool:
        begin, end = token.span()
        if token["punctuation"] or token.lastgroup == "comment" or not begin <= self._offset <= end:
            return False
        closings = (name for name in token.re.groupindex if name.startswith("closed"))
        return self._offset < end or not any(token[name] for name in closings)

    def _punctuation(self, mark: str, end: int, frames: list[_Frame]) -> _Frame | None:
        """Go into an object or array, on in it, or out of it; what is closed."""
        frame = frames[-1]
        if mark in "{[":
            is_object = mark == "{"
            expects = "name" if is_object else "value"
            if frame.expects == "," and not frame.is_object:
                frame.index += 1
            frames.append(_Frame(is_object, frame.here, expects))
            return None
        if mark in "}]":
            closed = frames.pop() if len(frames) > 1 else frame
            frames[-1].expects, frames[-1].end = ",", end
            return closed
        if mark == ":":
            frame.expects = "value"
        elif frame.index >= 0:
            frame.expects, frame.end = ("name" if frame.is_object else "value"), None
            frame.index += 1
        return None

    def _scalar(self, token: re.Match[str], frame: _Frame) -> None:
        text = unquoted(source_of(token))
        if frame.is_object and frame.expects != "value":
            frame.name, frame.expects = text, ":"
            frame.entries[token.start()] = text
            return
        if not frame.is_object:
            frame.index += frame.expects == ","
            frame.entries[token.start()] = text
        frame.expects, frame.end = ",", token.start() + len(source_of(token))

    def _pass(self, frame: _Frame, span: Span) -> None:
        """The scan comes by the offset: keep what is due there."""
        self._is_passed = True
        is_missing = frame.expects == ","
        is_name = frame.is_object and frame.expects in ("name", ",")
        is_between = span.start == span.end
        if frame.expects == ":" or (is_missing and (is_between or frame.index < 0)):
            return
        index = frame.index + (is_missing and not frame.is_object)
        name = unquoted(self._text[span.start : span.end])
        path = (*frame.path, name) if is_name else frame.here
        if not frame.is_object and frame.index >= 0:
            path = (*frame.path, index)
        self._owner = frame
        comma_at = frame.end if is_missing else None
        self._found = Cursor(path, span, is_name=is_name, comma_at=comma_at, in_brackets=True)

    def _cursor(self) -> Cursor | None:
        found, owner = self._found, self._owner
        if found is None or owner is None:
            return None
        start, end = found.span
        others = {each for at, each in owner.entries.items() if at != start or start == end}
        follows = self._text[_SPACE.match(self._text, end).end() :][:1]  # type: ignore[union-attr]
        if owner.index < 0 or (owner.is_object and not found.is_name):
            others = set()
        return found._replace(
            others=frozenset(others),
            is_last=follows in ("", "}", "]", ",", ":"),
            has_colon=follows == ":",
        )


class _Blocks:
    """YAML's blocks, by indentation."""

    def __init__(self, text: str, offset: int) -> None:
        self._text = text
        self._offset = offset
        self._frames = [_Frame(is_object=False, path=(), index=-1, expects="value")]
        self._found: Cursor | None = None
        self._owner: _Frame | None = None
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
        at = start + len(text[start:end]) - len(text[start:end].lstrip(" "))
        is_here = not self._is_passed and start <= self._offset <= end
        is_blank = at == end or text[at:end].isspace()
        if self._deeper_than is not None:
            if is_blank or at - start > self._deeper_than:
                self._is_passed = self._is_passed or is_here
                return end
            self._deeper_than = None
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

    def _entry(self, start: int, at: int, end: int, *, has_dash: bool, is_here: bool) -> int:
        """Go through what stands in a line behind its dashes."""
        text = self._text
        column = at - start
        name = NAME.match(text, at, end)
        if name is None and at < end and text[at] not in "[{" and not has_dash:
            if is_here:
                self._is_passed = True
                self._at_column(column, Span(at, at + len(text[at:end].rstrip())))
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

    def _value(self, frame: _Frame, at: int, end: int, column: int, *, is_here: bool) -> int:
        """Go through the value of a member, or an item behind a dash."""
        text = self._text
        if text[at : at + 1] in ("[", "{"):
            around = _Frame(is_object=False, path=frame.here, index=-1)
            scan = _Brackets(text, self._offset if not self._is_passed else -1, FLOW_TOKENS)
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
            self._frames.append(_Frame(is_object=False, path=frame.here, column=column))
        else:
            frame.index += 1
        self._frames[-1].expects = "value"

    def _object_at(self, column: int, *, at_dash: bool) -> _Frame:
        """The object whose members stand at a column."""
        self._close(column)
        frame = self._frames[-1]
        if not frame.is_object and frame.column == column and not at_dash:
            self._frames.pop()
            frame = self._frames[-1]
        if not frame.is_object or frame.column != column:
            path = frame.here
            frame.expects = ","
            frame = _Frame(is_object=True, path=path, column=column)
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
            self._owner = _Frame(is_object=True, path=path, column=column)
            self._frames.append(self._owner)
            is_alone = frame.is_object or frame.index < 0
            self._found = Cursor(path, span, column=column, is_alone=is_alone)

    def _close(self, column: int) -> None:
        while self._frames[-1].column > column:
            self._frames.pop()
