"""The parts of a text that cannot be read: by its brackets, and in YAML by its indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from manifestkit.decode.json.scanner import OpenCollection
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
from manifestkit.model.document import Document, Node
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_OPENERS = {"}": "{", "]": "["}


def build_outline(document: Document) -> Document:
    """Return a document with what can be made out of its text."""
    outline = _Outline(document.text)
    start = len(BYTE_ORDER_MARK) if document.text.startswith(BYTE_ORDER_MARK) else 0
    if len(document.text) > LONGEST:
        pass
    elif document.syntax == "yaml":
        outline.read_blocks(start)
    else:
        outline.read_brackets(start, len(document.text), JSON_TOKENS)
    value, node = outline.found
    return Document(document.name, document.text, value, lambda _: node, document.syntax)


@dataclass(slots=True)
class _Around(OpenCollection):
    """An object or array that is not closed yet; of a block of YAML, its column."""

    column: int = -1
    has_key: bool = False


class _Outline:
    """Reads over what no reader takes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Around] = []
        self._end = 0
        self.found: tuple[Any, Node] = None, Node(Span(0, len(text)))

    def read_brackets(self, start: int, stop: int, tokens: re.Pattern[str]) -> int:
        """Read what brackets are around, and where that ends."""
        outside = len(self._open)
        for token in tokens.finditer(self._text, start, stop):
            mark = token["punctuation"]
            if token.lastgroup in ("comment", "property") or mark == ":":
                continue
            self._end = token.start() + len(source_of(token))
            if not mark:
                self._scalar(Span(token.start(), self._end))
            elif mark == ",":
                self._finish_member()
            elif mark in "{[":
                if len(self._open) >= DEFAULT_LIMITS.depth:
                    self._end = stop = len(self._text)
                    break
                self._begin(mark, token.start())
            elif self._closes(outside, _OPENERS[mark]) and len(self._open) == outside:
                return token.end()
        self._close(outside)
        return stop

    def _begin(self, bracket: str, start: int, column: int = -1) -> None:
        self._open.append(_Around(bracket, start, {} if bracket == "{" else [], column=column))

    def _closes(self, outside: int, bracket: str) -> bool:
        """Close the innermost object or array that a bracket may close, if there is one."""
        for index in range(len(self._open) - 1, outside - 1, -1):
            if self._open[index].bracket == bracket:
                self._close(index)
                return True
        return False

    def _scalar(self, span: Span) -> None:
        around = self._open[-1] if self._open else None
        if around is not None and around.bracket == "{" and not around.has_key:
            self._take_key(around, span)
        else:
            self._put(unquoted(self._text[span.start : span.end]), Node(span))

    def _take_key(self, around: _Around, span: Span) -> None:
        around.key, around.key_span = unquoted(self._text[span.start : span.end]), span
        around.has_key = True

    def _finish_member(self) -> None:
        """Take a name without a value for a member too."""
        if self._open and self._open[-1].has_key:
            end = self._open[-1].key_span.end
            self._put(None, Node(Span(end, end)))

    def _put(self, value: Any, node: Node) -> None:
        if not self._open:
            self.found = value, node
            return
        around = self._open[-1]
        if around.has_key or around.bracket == "[":
            around.put(value, node)
            around.has_key = False

    def _close(self, outside: int) -> None:
        """Close all but so many."""
        while len(self._open) > outside:
            self._finish_member()
            done = self._open.pop()
            self._put(done.values, done.close(self._end))

    def read_blocks(self, start: int) -> None:
        """Read the blocks of YAML."""
        deeper_than: int | None = None
        while start <= len(self._text):
            line_break = LINE_BREAK.search(self._text, start)
            end = line_break.start() if line_break else len(self._text)
            line = self._text[start:end]
            at = start + len(line) - len(line.lstrip(" "))
            is_text = deeper_than is not None and at - start > deeper_than
            if line.strip() and is_text:
                self._end = start + len(line.rstrip())
            elif line.strip() and not NO_CONTENT.match(self._text, at, end):
                behind, deeper_than = self._line(start, at, end)
                if behind > end:
                    line_break = LINE_BREAK.search(self._text, behind)
            if line_break is None:
                break
            start = line_break.end()
        self._close(0)

    def _line(self, start: int, at: int, end: int) -> tuple[int, int | None]:
        """Read a line; return the end of what begins in it, and the column of a text below it."""
        text, column = self._text, at - start
        dash = DASH.match(text, at, end)
        self._close_to(column, at_dash=bool(dash))
        while dash:
            if not self._is_in(column, "["):
                if len(self._open) >= DEFAULT_LIMITS.depth:
                    self._end = len(text)
                    return self._end, None
                self._begin("[", at, column)
            self._end = at + 1
            at = dash.end()
            column, dash = at - start, DASH.match(text, at, end)
        name = NAME.match(text, at, end)
        if name:
            if not self._is_in(column, "{"):
                self._begin("{", at, column)
            self._finish_member()
            self._end = at + len(text[at : name.end() - 1].rstrip())
            self._take_key(self._open[-1], Span(at, self._end))
            at = (
                name.end() + len(text[name.end() : end]) - len(text[name.end() : end].lstrip(" \t"))
            )
        return self._value(at, end)

    def _value(self, at: int, end: int) -> tuple[int, int | None]:
        text = self._text
        column = self._open[-1].column if self._open else -1
        if text[at : at + 1] in ("[", "{"):
            # Brackets that are not closed end before a line with the same indentation, or less.
            same_or_less = re.compile(rf"[\r\n](?! {{{column + 1}}})(?=[^\r\n])")
            line = same_or_less.search(text, end)
            stop = line.start() if line else len(text)
            return self.read_brackets(at, stop, FLOW_TOKENS), None
        comment = COMMENT.search(text, at, end)
        stop = at + len(text[at : comment.start() if comment else end].rstrip())
        if stop > at and self._open:
            self._end = stop
            self._put(unquoted(text[at:stop]), Node(Span(at, stop)))
        return end, column if BLOCK_TEXT.match(text, at, end) else None

    def _is_in(self, column: int, bracket: str) -> bool:
        around = self._open[-1] if self._open else None
        return around is not None and (around.column, around.bracket) == (column, bracket)

    def _close_to(self, column: int, *, at_dash: bool) -> None:
        while self._open:
            around = self._open[-1]
            is_ended = around.column == column and not (around.bracket == "{" or at_dash)
            if around.column < column or (around.column == column and not is_ended):
                return
            self._close(len(self._open) - 1)
