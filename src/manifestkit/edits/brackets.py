"""Putting entries into brackets and taking them out: JSON, and YAML's flow style."""

from __future__ import annotations

from manifestkit.edits import trivia
from manifestkit.edits.layout import Layout
from manifestkit.edits.writing import TextStyle
from manifestkit.model.finding import Edit


def insert(layout: Layout, style: TextStyle, index: int, body: str) -> list[Edit]:
    """Put an entry before the one of an index, or at the end; there are entries."""
    if index == 0:
        first = layout.entries[0].start
        return [Edit(first, first, f"{body}{_separator(layout, 0, style)}")]
    if index == len(layout.entries):
        return _append(layout, style, body)
    before = layout.entries[index - 1]
    at = _comma(layout, index - 1) + 1
    separator = _separator(layout, index - 1, style)
    pre, _, post = separator.partition(",")
    comment = _comment_behind(layout.text, at, layout.entries[index].start)
    if comment > at:
        return [Edit(comment, comment, f"{_new_line(layout, index, style)}{body},")]
    if trivia.has_break(pre):  # commas lead their lines
        return [Edit(before.end, before.end, f"{pre},{post}{body}")]
    return [Edit(at, at, f"{post}{body},")]


def _append(layout: Layout, style: TextStyle, body: str) -> list[Edit]:
    last = layout.entries[-1]
    start, stop = layout.trivia_after(len(layout.entries) - 1)
    trailing = _comma(layout, len(layout.entries) - 1)
    separator = _separator(layout, len(layout.entries) - 2, style)
    at = trailing + 1 if trailing >= 0 else start
    gap = " " if layout.text[last.end - 1] == ":" else ""  # libyaml refuses `{a:, b: c}`
    comment = _comment_behind(layout.text, at, stop)
    if comment > at:
        line = _new_line(layout, len(layout.entries) - 1, style)
        if trailing >= 0:
            return [Edit(comment, comment, f"{line}{body},")]
        return [Edit(last.end, last.end, f"{gap},"), Edit(comment, comment, f"{line}{body}")]
    if trailing >= 0:
        return [Edit(at, at, f"{separator.partition(',')[2]}{body},")]
    return [Edit(last.end, last.end, f"{gap}{separator}{body}")]


def remove(layout: Layout, index: int) -> list[Edit]:
    """Take an entry out, with the comment behind it on its line."""
    text, entries = layout.text, layout.entries
    entry = entries[index]
    start, stop = layout.trivia_after(index)
    comma = _comma(layout, index)
    behind = _comment_behind(text, comma + 1 if comma >= 0 else start, stop)
    if len(entries) == 1:
        inner = layout.span.start + 1, layout.span.end - 1
        around = ((inner[0], entry.start), (behind, stop))
        if any(trivia.has_comment(text, *each) for each in around):
            return [Edit(entry.start, behind, "")]
        return [Edit(*inner, "")]
    if index < len(entries) - 1:
        pieces = trivia.tokens(text, behind, stop)
        others = (each.start() for each in pieces if each.lastgroup not in ("space", "break"))
        following = next(others, stop)
        if text.startswith("#", following) and not trivia.leads_line(text, entry.start):
            following = behind  # a comment keeps its own line
        return [Edit(entry.start, following, "")]
    before = _comma(layout, index - 1)
    if not trivia.has_comment(text, entries[index - 1].end, entry.start):
        kept = before + 1 if comma >= 0 else entries[index - 1].end
        return [Edit(kept, behind, "")]
    edits = [] if comma >= 0 else [Edit(before, before + 1, "")]
    rest = text[behind : trivia.line_end(text, behind)]
    if trivia.leads_line(text, entry.start) and not rest.strip(" \t"):
        line = trivia.before_break(text, trivia.line_start(text, entry.start))
        return [*edits, Edit(line, behind, "")]
    return [*edits, Edit(entry.start, behind, "")]


def _comma(layout: Layout, index: int) -> int:
    return trivia.mark(layout.text, *layout.trivia_after(index), ",")


def _comment_behind(text: str, at: int, stop: int) -> int:
    """Return the end of the comment behind a place on its line; the place if there is none."""
    for each in trivia.tokens(text, at, stop):
        if each.lastgroup == "comment":
            return each.end()
        if each.lastgroup != "space":
            break
    return at


def _separator(layout: Layout, index: int, style: TextStyle) -> str:
    """Return the text between the entry of an index and the next, its comma included."""
    if 0 <= index < len(layout.entries) - 1:
        start, stop = layout.trivia_after(index)
        if not trivia.has_comment(layout.text, start, stop):
            return layout.text[start:stop]
        return "," + _new_line(layout, index + 1, style)
    if trivia.has_break(layout.text[layout.span.start + 1 : layout.entries[0].start]):
        return "," + _new_line(layout, 0, style)
    return style.comma


def _new_line(layout: Layout, index: int, style: TextStyle) -> str:
    """Return a line break, and the indent of the line on which an entry begins."""
    text, start = layout.text, layout.entries[index].start
    indent = trivia.indent(text, start)
    column = trivia.column(text, start)
    return style.line_break + (indent if len(indent) == column else " " * column)
