"""The comments of a document, and their places in the same data written anew.

A comment on a line of its own stands above the next entry, one behind something on the line of
that; an empty line stays where it sets entries apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from manifestkit.edits import trivia
from manifestkit.model.document import Document

_COMMENT = re.compile(r"(?:(?<=[\s\ufeff])|\A)#[^\r\n]*")
_COMMENT_OR_EMPTY_LINE = re.compile(
    rf"{_COMMENT.pattern}|(?<=\n)[ \t]*(?=\r?\n)|(?<=\r)[ \t]*(?=\r)"
)
_BEFORE = " \t\ufeff"


def comments(document: Document) -> list[str]:
    """Return the comments of a document, in order."""
    return [match[0].rstrip() for match in _outside_texts(document, _COMMENT)]


def first_comment(document: Document) -> int:
    """Return the line of the first comment of a document that has some."""
    return document.lines.position(next(_outside_texts(document, _COMMENT)).start())[0]


def with_comments(document: Document, bare: Document) -> str:
    """Return a text with the comments of a document.

    Args:
        document: where the comments are.
        bare: the same data in a text without any; each entry begins a line there.
    """
    text, lines = document.text, bare.text.split("\n")
    entries = sorted(_entries(document, bare), key=lambda each: each[0])
    starts = [start for start, _ in entries]
    numbers = [bare.lines.position(there)[0] - 1 for _, there in entries]
    depths = [len(line) - len(line.lstrip(" ")) for line in lines]
    above: list[list[str]] = [[] for _ in lines]
    behind = [""] * len(lines)
    for match in _outside_texts(document, _COMMENT_OR_EMPTY_LINE):
        comment = match[0].rstrip()
        at = bisect_right(starts, match.start())
        line_start = trivia.line_start(text, match.start())
        is_alone = not text[line_start : match.start()].strip(_BEFORE)
        number = numbers[at] if at < len(numbers) else len(lines) - 1
        depth = depths[number]
        if at and not is_alone:
            number = numbers[at - 1]
            depth = depths[number]
        elif not comment:
            if above[number][-1:] != [""]:
                above[number].append("")
            continue
        elif at:
            column = match.start() - line_start
            if column > (len(trivia.indent(text, starts[at])) if at < len(starts) else 0):
                depth = max(depth, min(column, depths[numbers[at - 1]]))
        if behind[number]:  # one comment fits there
            above[number].append(" " * depth + behind[number])
            behind[number] = ""
        if at and not is_alone:
            behind[number] = comment
        else:
            above[number].append(" " * depth + comment)
    written: list[str] = []
    for lead, line, tail in zip(above, lines, behind, strict=True):
        written += [*lead, f"{line} {tail}" if tail else line]
    return "\n".join(written).strip("\n") + "\n"


def _entries(document: Document, bare: Document) -> Iterator[tuple[int, int]]:
    """Yield where each name, item and value stands in a document, and where in the bare text."""
    todo = [(document.root, bare.root)]
    while todo:
        node, there = todo.pop()
        if node.repeated is not None:
            continue
        for name, member in (node.members or {}).items():
            twin = there.member(name)
            yield member.key.start, twin.key.start
            if not member.node.members:
                yield member.node.span.start, twin.node.span.start
            todo.append((member.node, twin.node))
        for item, its_twin in zip(node.items or (), there.items or (), strict=True):
            yield item.span.start, its_twin.span.start
            todo.append((item, its_twin))


def _outside_texts(document: Document, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern between scalars and names."""
    if document.syntax != "yaml":
        return
    at = 0
    end = len(document.text)
    for start, stop in sorted({*_texts(document), (end, end)}):
        yield from pattern.finditer(document.text, at, start)
        at = stop


def _texts(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the spans of scalars and names; a block of text begins below its header."""
    text, todo = document.text, [document.root]
    while todo:
        node = todo.pop()
        start, end = node.span
        if node.repeated is not None:
            yield start, end
        elif node.members is not None:
            for member in node.members.values():
                yield member.key.start, member.key.end
                todo.append(member.node)
        elif node.items is not None:
            todo.extend(node.items)
        else:
            is_block = text.startswith(("|", ">"), start)
            yield trivia.line_end(text, start) if is_block else start, end
