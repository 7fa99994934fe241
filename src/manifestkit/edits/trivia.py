"""The text between values: space, line breaks, comments and marks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manifestkit.model.document import Document
from manifestkit.model.location import Span

_TOKEN = re.compile(
    r"""(?P<break>\r\n?|\n) | (?P<comment>\#[^\r\n]*) | (?P<anchor>&[^\s,\[\]{}]*)
      | (?P<tag>!<[^>]*>|![^\s,\[\]{}]*) | (?P<mark>[,:?-])
      | (?P<space>[ \t\ufeff]+) | (?P<other>.)""",
    re.VERBOSE,
)
_LINE_REST = re.compile(r"[^\r\n]*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"[ \t]*")
_USUAL_LINE = 200
USUAL = frozenset({"", " ", ",", ", ", ":", ": "})
"""The text of most gaps."""


def tokens(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the pieces of the trivia, in order; the last group of each tells its kind.

    A ``mark`` is one of ``, : ? -``.
    """
    return _TOKEN.finditer(text, start, end)


def gaps(document: Document) -> Iterator[Span]:
    """Yield the stretches between scalars and names, in order."""
    at = 0
    for start, end in sorted(_scalars_and_names(document)):
        yield Span(at, start)
        at = end
    yield Span(at, len(document.text))


def _scalars_and_names(document: Document) -> Iterator[Span]:
    """Yield their spans; a block of text begins below its header."""
    text, todo = document.text, [document.root]
    while todo:
        node = todo.pop()
        if node.repeated is None and (node.is_object or node.is_array):
            for _, key, part in node.parts():
                if key:
                    yield key
                todo.append(part)
        elif text.startswith(("|", ">"), node.start):
            yield Span(line_end(text, node.start), node.span.end)
        else:
            yield node.span


def mark(text: str, start: int, end: int, sign: str) -> int:
    """Return the offset of a mark in the trivia; -1 if there is none."""
    if has_content(text, start, end):
        return next((each.start() for each in tokens(text, start, end) if each[0] == sign), -1)
    return text.find(sign, start, end)


def has_content(text: str, start: int, end: int) -> bool:
    """Return whether there may be more than space and marks: a comment or an anchor."""
    part = text[start:end]
    return part not in USUAL and ("#" in part or "&" in part)


def has_comment(text: str, start: int, end: int) -> bool:
    """Return whether a comment stands in the trivia."""
    return "#" in text[start:end] and any(
        each.lastgroup == "comment" for each in tokens(text, start, end)
    )


def space_end(text: str, offset: int) -> int:
    """Return the end of the space at an offset of a JSON text."""
    return _SPACE.match(text, offset).end()  # type: ignore[union-attr]  # matches ""


def space_start(text: str, offset: int) -> int:
    """Return the start of the space before an offset of a JSON text."""
    while text[offset - 1] in " \t\r\n":
        offset -= 1
    return offset


def line_end(text: str, offset: int) -> int:
    """Return the end of an offset's line, before its break."""
    return _LINE_REST.match(text, offset).end()  # type: ignore[union-attr]  # matches ""


def after_break(text: str, offset: int) -> int:
    """Return the offset after the line break at an offset; the offset itself if there is none."""
    match = _LINE_BREAK.match(text, offset)
    return match.end() if match else offset


def line_start(text: str, offset: int) -> int:
    """Return the start of an offset's line, after a byte order mark."""
    reach = _USUAL_LINE
    while not (start := _after_break_in(text, max(offset - reach, 0), offset)) and reach < offset:
        reach *= 8
    return start + text.startswith("\ufeff", start) if start < offset else start


def _after_break_in(text: str, begin: int, end: int) -> int:
    """Return the offset after the last line break in a part of a text; 0 where there is none."""
    return max(text.rfind("\n", begin, end), text.rfind("\r", begin, end)) + 1


def leads_line(text: str, offset: int) -> bool:
    """Return whether nothing but space stands before an offset on its line."""
    return not text[line_start(text, offset) : offset].strip(" \t")


def before_break(text: str, line: int) -> int:
    """Return the start of the line break before a line; -1 for the first line."""
    return line - 2 if text[line - 2 : line] == "\r\n" else line - 1


def column(text: str, offset: int) -> int:
    """Characters between the start of the line and an offset."""
    return offset - line_start(text, offset)


def indent(text: str, offset: int) -> str:
    """Return the space that the line of an offset begins with."""
    return _INDENT.match(text, line_start(text, offset))[0]  # type: ignore[index]  # matches ""


def has_break(text: str) -> bool:
    """Return whether a text has several lines."""
    return "\n" in text or "\r" in text


def first_break(text: str) -> str:
    """Return the line break that a text uses first; LF if it has one line."""
    match = _LINE_BREAK.search(text)
    return match[0] if match else "\n"
