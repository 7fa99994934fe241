"""YAML that nothing is edited around: explicit keys, tags, pairs without braces, lone names."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.edits import trivia
from manifestkit.model.document import Document, Node
from manifestkit.model.printable import printable

_Found = tuple[int, str, str]
"""Offset, name and instruction."""


def unsupported(document: Document) -> str | None:
    """Return what a document has of such YAML first, where, and what to write instead."""
    if document.syntax == "json":
        return None
    found = [*_marks(document), *_pairs_and_lone_names(document)]
    if not found:
        return None
    start, what, instead = min(found)
    line, column = document.lines.position(start)
    return f"it has {what} (line {line}, column {column}); {instead} first"


def _marks(document: Document) -> Iterator[_Found]:
    for start, end in trivia.gaps(document):
        for each in trivia.tokens(document.text, start, end):
            if each.lastgroup == "tag":
                yield each.start(), f"the tag `{printable(each[0])}`", "remove the tag"
            elif each[0] == "?":
                yield each.start(), "an explicit key", "write `key: value`"


def _pairs_and_lone_names(document: Document) -> Iterator[_Found]:
    text = document.text
    todo: list[tuple[Node, bool]] = [(document.root, False)]
    while todo:
        node, in_flow = todo.pop()
        if in_flow and node.members and not text.startswith("{", node.start):
            yield node.start, "a pair without braces", "write `{key: value}`"
        is_flow = in_flow or text.startswith(("{", "["), node.start)
        for _, key, part in node.parts() if node.repeated is None else ():
            if key and trivia.mark(text, key.end, part.start, ":") < 0:
                yield key.start, "a key without a value", "write `key: null`"
            todo.append((part, is_flow))
