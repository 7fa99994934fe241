"""Finding a cursor in JSON, or between the brackets of YAML, by the tokens around it."""

from __future__ import annotations

import re

from manifestkit.lsp.frames import Cursor, Frame
from manifestkit.lsp.tokens import source_of, unquoted
from manifestkit.model.location import Span


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
        """Find the cursor in the value that starts at an offset, and the end of that value."""
        frames = [root]
        for token in self._tokens.finditer(self._text, start):
            begin, end = token.span()
            if not self._is_passed and begin >= self._offset and not self._is_at(token):
                self._pass(frames[-1], Span(self._offset, self._offset))
            if token.lastgroup in ("comment", "property"):
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
        is_scalar = token.lastgroup in ("string", "word")
        if not is_scalar or not begin <= self._offset <= end:
            return False
        closings = (name for name in token.re.groupindex if name.startswith("closed"))
        return self._offset < end or not any(token[name] for name in closings)

    def _punctuation(self, mark: str, end: int, frames: list[Frame]) -> Frame | None:
        """Go into, on in, or out of an object or array; return the one that is closed."""
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
        """Keep what is due at the offset, as the scan passes it."""
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
        follows = self._follows(end)
        has_colon = follows is not None and follows[0] == ":"
        if has_colon and not owner.is_object and owner.index >= 0:
            return None  # the name of a pair that is an item
        if owner.index < 0 or (owner.is_object and not found.is_name):
            others = set()
            if start == end and self._is_value(follows):
                return None
        return found._replace(
            others=frozenset(others),
            is_last=follows is None or follows[0] in ("}", "]", ",", ":"),
            has_colon=has_colon,
        )

    def _follows(self, at: int) -> re.Match[str] | None:
        tokens = self._tokens.finditer(self._text, at)
        return next((each for each in tokens if each.lastgroup != "comment"), None)

    def _is_value(self, token: re.Match[str] | None) -> bool:
        """Return whether a value begins with a token: no name with its colon does."""
        if token is None or token["punctuation"]:
            return token is not None and token[0] in ("{", "[")
        behind = self._follows(token.start() + len(source_of(token)))
        return behind is None or behind[0] != ":"
