"""Replacing a value that a block around it holds."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from manifestkit.edits import trivia
from manifestkit.edits.layout import Entry, Kind
from manifestkit.edits.writing import TextStyle
from manifestkit.model.document import Node
from manifestkit.model.finding import Edit

_HEADER_COMMENT = re.compile(r"[|>][^\s#]*([ \t]+#[^\r\n]*)")


class Replacing(NamedTuple):
    """The place of a value that a block around it holds.

    Attributes:
        text: the whole text.
        style: how the document is written.
        entry: the member or item whose value it is; None for a whole document in block style.
        kind: how the value is written; None for a scalar.
        column: the column of the block around it; -1 if there is none.
    """

    text: str
    style: TextStyle
    entry: Entry | None
    kind: Kind | None
    column: int

    def edits(self, node: Node, value: Any) -> list[Edit]:
        """Return the edits that put a value in the place of the one there."""
        inline = self.style.is_inline(value, node)
        was_block = self.kind in ("block mapping", "block sequence")
        if self.entry is None or (was_block and not trivia.leads_line(self.text, node.span.start)):
            column = trivia.column(self.text, node.span.start)
            write = self.style.in_block if inline else self.style.block
            return [Edit(*node.span, write(value, column, node))]
        if was_block:
            return self._for_block(node, value, inline=inline)
        if inline:
            return [self._for_inline(node, value)]
        return self._by_block(node, value)

    def _for_block(self, node: Node, value: Any, *, inline: bool) -> list[Edit]:
        text, start = self.text, node.span.start
        if not inline:
            column = trivia.column(text, start)
            if column <= self.column and not (node.items and isinstance(value, list)):
                column = self._deeper(value)
            line = trivia.line_start(text, start)
            return [Edit(line, node.span.end, " " * column + self.style.block(value, column, node))]
        at = self._before_value(start)
        written = self.style.in_block(value, self.column, node)
        line = trivia.before_break(text, trivia.line_start(text, start))
        cut = Edit(line, trivia.line_end(text, node.span.end), "")
        if at == line:
            return [Edit(cut.start, cut.end, f" {written}")]
        return [Edit(at, at, f" {written}"), cut]

    def _for_inline(self, node: Node, value: Any) -> Edit:
        written = self.style.in_block(value, self.column, node)
        span = node.span
        if span.start < span.end:
            return Edit(*span, written + self._header_comment(node))
        return self._completed(span.start, f" {written}")

    def _by_block(self, node: Node, value: Any) -> list[Edit]:
        text, span = self.text, node.span
        assert self.entry is not None  # noqa: S101 - a whole document is no such value
        is_item = self.entry.key is None
        if is_item and span.start < span.end and not self._lead().strip():
            column = trivia.column(text, span.start)
            return [Edit(*span, self.style.block(value, column, node))]
        column = self._deeper(value)
        block = self.style.line_break + " " * column + self.style.block(value, column, node)
        if span.start == span.end:
            return [self._completed(trivia.line_end(text, span.start), block)]
        line = trivia.line_start(text, span.start)
        at = span.start
        while at > max(line, self.entry.head) and text[at - 1] in " \t":
            at -= 1
        if at == line:
            at = trivia.before_break(text, line)
        end = trivia.line_end(text, span.end)
        if end == span.end:
            return [Edit(at, end, self._header_comment(node) + block)]
        return [Edit(at, span.end, self._header_comment(node)), Edit(end, end, block)]

    def _completed(self, at: int, written: str) -> Edit:
        """Put a value after a colon or a dash; first put in the colon, where there is none."""
        entry = self.entry
        if entry is None or entry.head >= 0:
            return Edit(at, at, written)
        end = trivia.line_end(self.text, at)
        return Edit(end, end, f"{self.style.line_break}{' ' * self.column}:{written}")

    def _deeper(self, value: Any) -> int:
        assert self.entry is not None  # noqa: S101 - likewise
        if self.entry.key is None:
            return self.column + self.style.step
        step = self.style.step if isinstance(value, dict) else self.style.dash_step
        return self.column + step

    def _lead(self) -> str:
        assert self.entry is not None  # noqa: S101 - likewise
        return self.text[self.entry.head : self.entry.value.span.start]

    def _before_value(self, start: int) -> int:
        """Return the place after the colon or dash, and after the anchor behind it."""
        assert self.entry is not None  # noqa: S101 - likewise
        at = self.entry.head
        for each in trivia.tokens(self.text, at, start):
            if each.lastgroup == "property":
                at = each.end()
        return at

    def _header_comment(self, node: Node) -> str:
        match = _HEADER_COMMENT.match(self.text, node.span.start, node.span.end)
        return match[1] if match else ""
