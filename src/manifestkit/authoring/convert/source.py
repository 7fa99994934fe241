"""A document beside its data: the spelling of its numbers, and its comments.

A comment on a line of its own stands above the next entry, one behind something on the line of
that; an empty line stays where it sets entries apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from manifestkit.edits import trivia
from manifestkit.edits.scalars import as_json
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.pointer import Path

Syntax = Literal["json", "yaml"]
Kind = Literal["{", "}", "[", "]", "key", "scalar"]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_REAL = re.compile(
    r"""(?=[-+.]?\.?[0-9])(?P<sign>[-+]?)0*(?P<whole>[0-9]*)(?P<point>\.)?(?P<fraction>[0-9]*)
        (?:(?P<e>[eE])(?P<direction>[-+]?)(?P<exponent>[0-9]+))?""",
    re.VERBOSE,
)
_ALIAS = re.compile(r"\*[^\s,\[\]{}]+")


class SourceToken(NamedTuple):
    """A part of a document.

    Attributes:
        kind: what begins or ends, or is there.
        text: how a number is to be written; "" for all else.
        value: a key's name, or a scalar.
    """

    kind: Kind
    text: str = ""
    value: Any = None


_OPEN_OBJECT, _CLOSE_OBJECT = SourceToken("{"), SourceToken("}")
_OPEN_ARRAY, _CLOSE_ARRAY = SourceToken("["), SourceToken("]")


def tokens(document: Document, to: Syntax) -> Iterator[SourceToken]:
    """Yield the parts of a document in order, what aliases repeat written out.

    Args:
        document: where numbers are spelt.
        to: the syntax that they are to be spelt in.

    Raises:
        EditRefusedError: a number has too many digits to write.
    """
    spellings = _Spellings(document, to)
    has_odd_numbers = document.has_fractions or document.syntax == "yaml" or "-0" in document.text
    root = document.root if has_odd_numbers else None
    todo: list[tuple[Any, Node | None] | SourceToken] = [(document.value, root)]
    while todo:
        each = todo.pop()
        if isinstance(each, SourceToken):
            yield each
            continue
        value, node = each
        if isinstance(value, dict):
            yield _OPEN_OBJECT
            todo.append(_CLOSE_OBJECT)
            for name in reversed(value):
                todo.append((value[name], node and (node.members or {})[name].node))
                todo.append(SourceToken("key", value=name))
        elif isinstance(value, list):
            yield _OPEN_ARRAY
            todo.append(_CLOSE_ARRAY)
            items = node.items if node and node.items is not None else [None] * len(value)
            todo.extend(zip(reversed(value), reversed(items), strict=True))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield SourceToken("scalar", spellings.of(value, node), value)
        else:
            yield SourceToken("scalar", value=value)


def is_alias(document: Document, node: Node) -> bool:
    """Return whether a value is written as an alias of another."""
    return (
        document.syntax == "yaml"
        and document.text.startswith("*", node.span.start)
        and _ALIAS.fullmatch(document.text, *node.span) is not None
    )


class _Spellings:
    """Spells numbers as a document does, in a syntax."""

    def __init__(self, document: Document, to: Syntax) -> None:
        self._document = document
        self._to = to

    def of(self, value: float, node: Node | None) -> str:
        """Spell a number."""
        source = (self._document.spelling(node) if node else None) or ""
        if isinstance(value, int):
            return source if _INTEGER.fullmatch(source) else _digits(value)
        match = _REAL.fullmatch(source) or _REAL.fullmatch(as_json(value))
        assert match is not None  # noqa: S101 - JSON's numbers are such
        return self._real(match)

    def _real(self, match: re.Match[str]) -> str:
        """Return a real number, with a fraction or an exponent.

        YAML 1.1 takes for text what has an exponent, but no point or no sign before it.
        """
        sign, whole, exponent = match["sign"].replace("+", ""), match["whole"] or "0", ""
        fraction = f".{match['fraction'] or '0'}" if match["point"] else ""
        if match["e"]:
            direction = match["direction"] or ("+" if self._to == "yaml" else "")
            exponent = f"{match['e']}{direction}{match['exponent']}"
        if not exponent or self._to == "yaml":
            fraction = fraction or ".0"
        return f"{sign}{whole}{fraction}{exponent}"


def _digits(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no number of so many digits
        raise EditRefusedError("a number has too many digits to write") from None


_COMMENT = re.compile(r"(?:(?<=[\s\ufeff])|\A)#[^\r\n]*")
_COMMENT_OR_EMPTY_LINE = re.compile(
    rf"{_COMMENT.pattern}|(?<=\n)[ \t]*(?=\r?\n)|(?<=\r)[ \t]*(?=\r)"
)
_BEFORE = " \t\ufeff"


class _Anchor(NamedTuple):
    """A member, item or value that a comment may belong to.

    Attributes:
        start: where it stands.
        path: the member, item or value.
        is_key: whether it is a member's name.
    """

    start: int
    path: Path
    is_key: bool


@dataclass(slots=True)
class _Line:
    """The comments that a line of a text gets: above it, and behind it."""

    above: list[str] = field(default_factory=list)
    behind: str = ""

    def put_empty(self) -> None:
        """Put an empty line above; of several in a row, one."""
        if self.above[-1:] != [""]:
            self.above.append("")

    def put_above(self, comment: str, depth: int) -> None:
        """Put a comment above the line, and above it the one that stands behind."""
        if self.behind:
            self.above.append(" " * depth + self.behind)
            self.behind = ""
        self.above.append(" " * depth + comment)

    def put_behind(self, comment: str, depth: int) -> None:
        """Put a comment behind the line, and above it the one that stands there."""
        if self.behind:
            self.above.append(" " * depth + self.behind)
        self.behind = comment


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
    anchors = sorted(_anchors(document), key=lambda each: each.start)
    starts = [each.start for each in anchors]
    added: dict[int, _Line] = {}
    lines = bare.text.split("\n")
    end = len(lines) - 1
    for match in _outside_texts(document, _COMMENT_OR_EMPTY_LINE):
        comment = match[0].rstrip()
        at = bisect_right(starts, match.start())
        before = _line_of(anchors[at - 1], bare) if at else None
        after = _line_of(anchors[at], bare) if at < len(anchors) else end
        start = trivia.line_start(document.text, match.start())
        is_alone = not document.text[start : match.start()].strip(_BEFORE)
        if before is not None and not is_alone:
            added.setdefault(before, _Line()).put_behind(comment, _depth(lines, before))
            continue
        here = added.setdefault(after, _Line())
        if not comment:
            here.put_empty()
            continue
        depth = _depth(lines, after)
        column = match.start() - start
        if before is not None and column > (
            _indent(document, starts[at]) if at < len(starts) else 0
        ):
            depth = max(depth, min(column, _depth(lines, before)))
        here.put_above(comment, depth)
    return "\n".join(_joined(lines, added)).strip("\n") + "\n"


def _joined(lines: list[str], added: dict[int, _Line]) -> Iterator[str]:
    nothing = _Line()
    for number, line in enumerate(lines):
        here = added.get(number, nothing)
        yield from here.above
        yield f"{line} {here.behind}" if here.behind else line


def _line_of(anchor: _Anchor, bare: Document) -> int:
    span = bare.key_span(anchor.path) if anchor.is_key else bare.node(anchor.path).span
    assert span is not None  # noqa: S101 - a member has a name
    return bare.lines.position(span.start)[0] - 1


def _depth(lines: list[str], number: int) -> int:
    return len(lines[number]) - len(lines[number].lstrip(" "))


def _indent(document: Document, offset: int) -> int:
    start = trivia.line_start(document.text, offset)
    line = document.text[start : offset + 1]
    return len(line) - len(line.lstrip(_BEFORE))


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
    todo = [document.root]
    while todo:
        node = todo.pop()
        if is_alias(document, node):
            yield node.span.start, node.span.end
        elif node.members is not None:
            for member in node.members.values():
                yield member.key.start, member.key.end
                todo.append(member.node)
        elif node.items is not None:
            todo.extend(node.items)
        else:
            yield _body(document.text, node), node.span.end


def _body(text: str, node: Node) -> int:
    start = node.span.start
    return trivia.line_end(text, start) if text.startswith(("|", ">"), start) else start


def _anchors(document: Document) -> Iterator[_Anchor]:
    todo: list[tuple[Path, Node]] = [((), document.root)]
    while todo:
        path, node = todo.pop()
        if path and not (node.members and isinstance(path[-1], str)):
            yield _Anchor(node.span.start, path, is_key=False)
        if is_alias(document, node):
            continue
        for name, member in (node.members or {}).items():
            yield _Anchor(member.key.start, (*path, name), is_key=True)
            todo.append(((*path, name), member.node))
        todo.extend(((*path, index), item) for index, item in enumerate(node.items or ()))
