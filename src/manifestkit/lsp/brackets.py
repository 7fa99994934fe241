"""Where a cursor is in JSON, or between the brackets of YAML, by the tokens around it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from manifestkit.lsp.tokens import source_of, unquoted
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import Span
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
        space: what is missing between it and a dash or colon of YAML.
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
    space: str = ""

    @property
    def owner(self) -> Path:
        """The object or array that it is in."""
        return self.path[:-1]


_SPACE = re.compile(r"\s*+")


@dataclass(eq=False)
class Frame:
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


class Brackets:
    """JSON, and what YAML has between brackets."""

    def __init__(self, text: str, offset: int, tokens: re.Pattern[str]) -> None:
        self._text = text
        self._offset = offset
        self._tokens = tokens
        self._found: Cursor | None = None
        self._owner: Frame | None = None
        self._is_passed = False

    def find(self, start: int, root: Frame) -> tuple[Cursor | None, int]:
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
        begin, end = token.start(), token.start() + len(source_of(token))
        if token["punctuation"] or token.lastgroup == "comment" or not begin <= self._offset <= end:
            return False
        closings = (name for name in token.re.groupindex if name.startswith("closed"))
        return self._offset < end or not any(token[name] for name in closings)

    def _punctuation(self, mark: str, end: int, frames: list[Frame]) -> Frame | None:
        """Go into an object or array, on in it, or out of it; what is closed."""
        frame = frames[-1]
        if mark in "{[":
            is_object = mark == "{"
            expects = "name" if is_object else "value"
            if frame.expects == "," and not frame.is_object:
                frame.index += 1
            frames.append(Frame(is_object, frame.here, expects))
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

    def _scalar(self, token: re.Match[str], frame: Frame) -> None:
        text = unquoted(source_of(token))
        if frame.is_object and frame.expects != "value":
            frame.name, frame.expects = text, ":"
            frame.entries[token.start()] = text
            return
        if not frame.is_object:
            frame.index += frame.expects == ","
            frame.entries[token.start()] = text
        frame.expects, frame.end = ",", token.start() + len(source_of(token))

    def _pass(self, frame: Frame, span: Span) -> None:
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
