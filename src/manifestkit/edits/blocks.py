"""Entries of YAML's block collections: put in, taken out, given another value, line by line."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from manifestkit.edits import trivia
from manifestkit.edits.layout import Entry, Kind, Layout
from manifestkit.edits.writing import TextStyle
from manifestkit.model.document import Node
from manifestkit.model.finding import Edit

_KEEPS_BREAKS = re.compile(r"[|>][1-9]?\+")
_HEADER_COMMENT = re.compile(r"[|>][^\s#]*([ \t]+#[^\r\n]*)")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*")


def insert(layout: Layout, style: TextStyle, index: int, body: str) -> list[Edit]:
    """Put an entry before the one of an index, or at the end, on lines of its own."""
    text, indent, line_break = layout.text, " " * layout.column, style.line_break
    if index == 0:
        first = layout.entries[0].start
        return [Edit(first, first, f"{body}{line_break}{indent}")]
    before = layout.entries[index - 1]
    line_end = trivia.line_end(text, before.end)
    if keeps_breaks(text, before.value):
        end = lines_end(text, before.value, before.end)
        if end > line_end and text[end - 1] in "\r\n":
            return [Edit(end, end, f"{indent}{body}{line_break}")]
        line_end = len(text)
    following = trivia.after_break(text, line_end)
    deep_end = _after_deep_lines(text, following, len(text), layout.column)
    own = text[line_end:deep_end].rstrip()  # comments of the entry before, at its end
    line_end = trivia.line_end(text, line_end + len(own))
    return [Edit(line_end, line_end, f"{line_break}{indent}{body}")]


def remove(layout: Layout, index: int) -> list[Edit]:
    """Take an entry out that is not the only one, with the comment behind it on its line."""
    text, entry = layout.text, layout.entries[index]
    end = lines_end(text, entry.value, entry.end)
    line = trivia.line_start(text, entry.start)
    if not trivia.leads_line(text, entry.start):  # it shares its line with a dash before it
        following = layout.entries[1].start
        if trivia.has_comment(text, end, following):
            return [Edit(entry.start, trivia.line_end(text, entry.end), "")]
        return [Edit(entry.start, following, "")]
    kept = ""
    before = last_leaf(text, layout.entries[index - 1].value) if index else None
    if before and text.startswith(("|", ">"), before.span.start):
        # What follows must not become part of the text before.
        stop = layout.entries[index + 1].start if index + 1 < len(layout.entries) else len(text)
        begin, end = end, _after_deep_lines(text, end, stop, layout.column)
        comments = filter(None, map(str.strip, text[begin:end].splitlines(keepends=True)))
        line_break = trivia.first_break(text)
        kept = "".join(" " * layout.column + each + line_break for each in comments)
    if not kept and end == len(text) and text[end - 1] not in "\r\n":
        line = trivia.before_break(text, line)
    return [Edit(max(line, 0), end, kept)]


def lines_end(text: str, value: Node, end: int) -> int:
    """Return the end of an entry's lines, with the last one's break and comment."""
    end = trivia.after_break(text, trivia.line_end(text, end))
    if keeps_breaks(text, value):
        end = _BLANK_LINES.match(text, end).end()  # type: ignore[union-attr]  # matches ""
    return end


def keeps_breaks(text: str, value: Node) -> bool:
    """Return whether the empty lines behind a value belong to its text."""
    return _KEEPS_BREAKS.match(text, last_leaf(text, value).span.start) is not None


def end_with_breaks(text: str, value: Node, end: int) -> int:
    """Return the end of an entry or name, with the empty lines that belong to its text."""
    return lines_end(text, value, end) if keeps_breaks(text, value) else end


def last_leaf(text: str, value: Node) -> Node:
    """Return the scalar that a value ends with."""
    while not text.startswith(("*", "[", "{"), value.span.start):
        members = value.members or {}
        below = [each.node for each in members.values()] or value.items or []
        if not below:
            return value
        value = max(below, key=lambda each: each.span) if members else below[-1]
    return value


def _after_deep_lines(text: str, at: int, stop: int, column: int) -> int:
    """Pass over empty lines, and comments deeper than a column."""
    while at < stop:
        end = trivia.line_end(text, at)
        line = text[at:end]
        content = line.lstrip(" \t")
        if content and not (content.startswith("#") and len(line) - len(content) > column):
            break
        at = trivia.after_break(text, end)
    return at


class Replacing(NamedTuple):
    """Puts other values in the place of the one of an entry in a block at a column."""

    text: str
    style: TextStyle
    entry: Entry
    kind: Kind | None
    column: int

    def edits(self, node: Node, value: Any) -> list[Edit]:
        """Return the edits that put a value in the place of the one there."""
        inline = self.style.is_inline(value, node)
        if self.kind in ("block mapping", "block sequence"):
            return self._for_block(node, value, inline=inline)
        if not inline:
            return self._by_block(node, value)
        written = self.style.in_block(value, self.column, node)
        if node.span.start < node.span.end:
            return [Edit(*node.span, written + self._header_comment(node))]
        return [Edit(*node.span, f" {written}")]

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

    def _by_block(self, node: Node, value: Any) -> list[Edit]:
        text, span = self.text, node.span
        lead = text[self.entry.head : span.start]
        if self.entry.key is None and span.start < span.end and not lead.strip():
            column = trivia.column(text, span.start)
            return [Edit(*span, self.style.block(value, column, node))]
        column = self._deeper(value)
        block = self.style.line_break + " " * column + self.style.block(value, column, node)
        if span.start == span.end:
            end = trivia.line_end(text, span.start)
            return [Edit(end, end, block)]
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

    def _deeper(self, value: Any) -> int:
        if self.entry.key is None:
            return self.column + self.style.step
        step = self.style.step if isinstance(value, dict) else self.style.dash_step
        return self.column + step

    def _before_value(self, start: int) -> int:
        """Return the place after the colon or dash, and after the anchor behind it."""
        at = self.entry.head
        for each in trivia.tokens(self.text, at, start):
            if each.lastgroup == "anchor":
                at = each.end()
        return at

    def _header_comment(self, node: Node) -> str:
        match = _HEADER_COMMENT.match(self.text, node.span.start, node.span.end)
        return match[1] if match else ""
