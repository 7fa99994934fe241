"""Putting entries into YAML's block collections and taking them out, line by line."""

from __future__ import annotations

import re

from manifestkit.edits import trivia
from manifestkit.edits.layout import Layout
from manifestkit.model.document import Node
from manifestkit.model.finding import Edit

_KEEPS_BREAKS = re.compile(r"[|>][1-9]?\+")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n?|\n))*(?:[ \t]+\Z)?")


def insert(layout: Layout, index: int, body: str, line_break: str) -> list[Edit]:
    """Put an entry before the one of an index, or at the end, on lines of its own."""
    text, indent = layout.text, " " * layout.column
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
    if index and ends_with_block_scalar(text, layout.entries[index - 1].value):
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


def ends_with_block_scalar(text: str, value: Node) -> bool:
    """Return whether a value ends with a block of text."""
    return text[last_leaf(text, value).span.start :][:1] in ("|", ">")


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
