"""`fmt`: a manifest in its one form, with every number, string and comment as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from math import inf
from typing import Any, NamedTuple

from manifestkit.edits.layout import (
    Entry,
    Kind,
    Layout,
    first_break,
    has_break,
    kind_of,
    lay_out,
)
from manifestkit.edits.patch import check_supported, read_again
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import BYTE_ORDER_MARK, column_at
from manifestkit.model.pointer import Path
from manifestkit.schema.model import Field, Schema

_STEP = 2
_WIDTH = 100
_BREAK = re.compile(r"\r\n?|\n")
_START = re.compile(r"(?s)(?:.*?[\r\n])?---(?=\s)[^\r\n]*(?:\r\n?|\n)?")
_END = re.compile(r"^\.\.\.(?=\s|\Z)", re.MULTILINE)

_Order = Callable[[Path], tuple[str, ...]]
"""The names of an object's known members at a path, in their order."""


@dataclass(frozen=True, slots=True)
class _BlockAround:
    """The block around a value: the column that it stood at, and the one it is written at."""

    old: int
    new: int


class _Writer:
    """Writes one document, in which no member appears twice, with its members in an order."""

    def __init__(self, document: Document, order: _Order) -> None:
        self._text = document.text
        self._root = document.root
        self._is_all_brackets = self._text[self._root.span.start :][:1] in ("{", "[")
        self._order = order

    def written(self) -> str:
        """Return the whole text."""
        text, root = self._text, self._root
        kind = kind_of(text, root)
        opening, header, lead = self._opening(kind)
        stop = self._closing_start(root.span.end)
        closing = _trivia_between(text, root.span.end, stop)
        count = len(closing.lines) - (closing.lines[-1:] == (_EMPTY,))
        behind = closing._replace(lines=closing.lines[:count])
        if kind is not None and kind.startswith("block"):
            lines = self._block((), lay_out(text, root, kind), 0, lead, behind)
        else:
            lines = self._undivided((), root, kind, _BlockAround(-1, -1), 0)
            lines = [*_indented(_without_edges(lead), 0), *_commented(lines, behind, 0, 0)]
        lines = [*_indented(header, 0), *lines]
        lines += filter(None, _BREAK.split(text[stop:].rstrip()))
        line_break = first_break(text)
        return opening + line_break.join(lines) + line_break

    # -- before and after ----------------------------------------------------------------------

    def _opening(
        self, kind: Kind | None
    ) -> tuple[str, Sequence[_CommentLine], Sequence[_CommentLine]]:
        """Return the text that stays, the comments at the top, and those of the first entry."""
        text, start = self._text, self._root.span.start
        begin = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        marker = _START.match(text, begin, start + 1)
        if marker:
            begin = marker.end()
        found = _trivia_between(text, min(begin, start), start, begins_line=True)
        if begin > start or kind is None:
            return text[:start], [], []
        ends = [number for number, line in enumerate(found.lines) if not line.text]
        number = ends[-1] + 1 if ends else 0
        header = _without_edges(found.lines[:number])
        return (
            text[:begin],
            [*header, *found.lines[number - 1 : number]] if header else [],
            found.lines[number:],
        )

    def _closing_start(self, end: int) -> int:
        marker = _END.search(self._text.replace("\r", "\n"), end)
        return marker.start() if marker else len(self._text)

    # -- values ----------------------------------------------------------------------------------

    def _undivided(
        self, path: Path, node: Node, kind: Kind | None, around: _BlockAround, column: int
    ) -> list[str]:
        """Return the lines of what is no block; the first goes on where its name ends.

        Further lines in brackets end at a column.
        """
        if kind is None:  # a scalar, as it is spelt
            return self._moved(self._text[node.span.start : node.span.end], around)
        return self._brackets(path, lay_out(self._text, node, kind), around, column)

    @staticmethod
    def _moved(source: str, around: _BlockAround) -> list[str]:
        """Return the lines of a text, each as deep in its block as it was."""
        if not has_break(source):
            return [source]
        first, *rest = _BREAK.split(source)
        shift = around.new - around.old
        return [first, *(_shifted(line, shift) for line in rest)]

    # -- blocks ----------------------------------------------------------------------------------

    def _block(
        self, path: Path, layout: Layout, column: int, lead: Sequence[_CommentLine], behind: _Trivia
    ) -> list[str]:
        """Return the lines of a block at a column.

        Its first entry has comments above it; of those behind and below it, its last may own some.
        """
        lines: list[str] = []
        around = _BlockAround(layout.column, column)
        parts = _block_parts(self._text, layout, lead)
        last = parts[-1]
        last.behind, foot = behind.split(_depth_within(self._text, last.entry, layout.column))
        for number, part in enumerate(self._ordered(path, parts)):
            above = part.lead if number else dropwhile(lambda line: line == _EMPTY, part.lead)
            lines += _indented(above, column)
            entry = self._block_entry(path, part, around)
            lines += [" " * column + entry[0], *entry[1:]]
        return [*lines, *_indented(foot, column)]

    def _block_entry(self, path: Path, part: _EntryPart, around: _BlockAround) -> list[str]:
        node, deeper = part.entry.value, around.new + _STEP
        kind = kind_of(self._text, node)
        here = (*path, part.token)
        before = f"{part.key}:" if part.key else "-"
        # Behind one character, a comment stands as deep as those that do not continue it.
        continues = part.key and len(before) > 1
        inner, above_value = (
            part.inner.split(inf)
            if continues
            else (part.inner._replace(lines=(), aligned=0), part.inner.lines)
        )
        name = _commented([before], inner, around.new, deeper)
        if kind is not None and kind.startswith("block"):
            layout = lay_out(self._text, node, kind)
            lines = self._block(here, layout, deeper, above_value, part.behind)
            if part.key or inner.tail:
                return [*name, *lines]
            return _behind_dash(lines, around.new)
        first, *rest = self._undivided(here, node, kind, around, deeper)
        lead = _without_edges(above_value)
        if inner.tail or lead:
            lines = [*name, *_indented(lead, deeper), " " * deeper + first, *rest]
        else:
            lines = [_joined(before, first), *rest]
        return _commented(lines, part.behind, around.new, deeper)

    # -- brackets --------------------------------------------------------------------------------

    def _brackets(self, path: Path, layout: Layout, around: _BlockAround, column: int) -> list[str]:
        """Return the lines of an object or array in brackets, in which no comment stands."""
        parts = _parts(self._text, layout)
        between = [layout.between(number) for number in range(len(parts) + 1)]
        for part, above in zip(parts, between, strict=False):
            part.is_apart = len(_BREAK.findall(above)) > 1
        parts = self._ordered(path, parts)
        opener: str = layout.kind
        closer = "}" if opener == "{" else "]"
        if not parts:
            return [opener + closer]
        if path or not self._is_all_brackets:
            inline = self._inline(path, layout, parts, around, column)
            if inline is not None:
                return [inline]
        inner = column + _STEP
        lines = [opener]
        for number, part in enumerate(parts):
            if number and part.is_apart:
                lines.append("")
            entry = self._entry_in_brackets(path, part, around, inner)
            lines += [" " * inner + entry[0], *entry[1:]]
            lines[-1] = f"{lines[-1]}," if number < len(parts) - 1 else lines[-1].rstrip()
        return [*lines, " " * column + closer]

    def _inline(
        self, path: Path, layout: Layout, parts: list[_EntryPart], around: _BlockAround, column: int
    ) -> str | None:
        """Return the whole on one line; None where it does not stand on one, or does not fit."""
        source = self._text[layout.span.start : layout.span.end]
        if has_break(source):
            return None
        # What is sure not to fit is not tried: each level would try all those below it twice.
        if self._is_all_brackets and column + len("".join(source.split())) >= _WIDTH:
            return None
        entries = [self._entry_in_brackets(path, part, around, column) for part in parts]
        if any(len(entry) > 1 for entry in entries):
            return None
        pad = " " if layout.kind == "{" else ""
        body = ", ".join(entry[0] for entry in entries)
        body = body.rstrip() if pad else body
        whole = f"{layout.kind}{pad}{body}{pad}{'}' if layout.kind == '{' else ']'}"
        name = f'"{path[-1]}": ' if path and isinstance(path[-1], str) else ""
        fits = not self._is_all_brackets or column + len(name) + len(whole) < _WIDTH
        return whole if fits else None

    def _entry_in_brackets(
        self, path: Path, part: _EntryPart, around: _BlockAround, column: int
    ) -> list[str]:
        node = part.entry.value
        kind = kind_of(self._text, node)
        value = self._undivided((*path, part.token), node, kind, around, column)
        if not part.key:
            return value
        lines = self._moved(part.key, around)
        lines[-1] += f": {value[0]}"  # a colon without a space is part of a text to some readers
        return [*lines, *value[1:]]

    # -- order -----------------------------------------------------------------------------------

    def _ordered(self, path: Path, parts: list[_EntryPart]) -> list[_EntryPart]:
        """Return members in their order; items as they are."""
        if not parts or isinstance(parts[0].token, int):
            return parts
        by_name = {str(part.token): part for part in parts}
        return [by_name[name] for name in _in_order(by_name, self._order(path))]


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _behind_dash(lines: list[str], column: int) -> list[str]:
    """Yield the lines of a block as an item at a column, with the comments above it."""
    number = next(
        at for at, line in enumerate(lines) if line and not line.lstrip(" ").startswith("#")
    )
    texts = [line.lstrip(" ") for line in lines[: number + 1]]
    texts[-1] = f"- {texts[-1]}"
    return [texts[0], *(_shifted(text, column) for text in texts[1:]), *lines[number + 1 :]]


def _shifted(line: str, columns: int) -> str:
    """Return a further line of a scalar, moved to the right, or to the left as far as it can be."""
    if columns >= 0:
        return " " * columns + line if line else line
    return line.removeprefix(" " * -columns) if line.strip(" ") else line[-columns:]


def _commented(lines: list[str], behind: _Trivia, start: int, column: int) -> list[str]:
    """Return the lines of an entry with the comments behind and below it.

    The entry begins at one column; at the other stand comments that do not continue the one behind.
    """
    if not behind.tail and not behind.lines:
        return lines
    *above, last = lines
    below = len(last) + 1 + (0 if above else start)
    last = _joined(last, behind.tail)
    aligned, others = behind.lines[: behind.aligned], behind.lines[behind.aligned :]
    return [*above, last, *_indented(aligned, below), *_indented(others, column)]


_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_SCALAR = rf"(?:{_STRING}|[-+.\w]++)"
_INLINE_LIST = re.compile(
    rf"^( +)((?:{_STRING}: |(?!))?+)\[({_SCALAR}(?:, {_SCALAR})*)\](?=,?$)", re.MULTILINE
)


def _is_formatted(text: str, value: Any, order: _Order) -> bool:
    """Return whether a JSON text is formatted; False where that is not easily seen.

    Most files are, and to see it takes an eighth of the time that writing them anew would.
    """
    exploded = _INLINE_LIST.sub(_exploded, text)
    indented = f"{json.dumps(value, indent=_STEP, ensure_ascii=False)}\n"
    return exploded == indented and _is_in_order(value, (), order)


def _exploded(found: re.Match[str]) -> str:
    indent, name, items = found.groups()
    if len(found[0]) >= _WIDTH:
        return found[0]
    deeper = f"\n{indent}{' ' * _STEP}"
    return f"{indent}{name}[{deeper}{f',{deeper}'.join(re.findall(_SCALAR, items))}\n{indent}]"


def _is_in_order(value: Any, path: Path, order: _Order) -> bool:
    parts: Iterable[tuple[str | int, Any]] = enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        parts = value.items()
        if [*value] != _in_order(value, order(path)):
            return False
    return all(_is_in_order(each, (*path, token), order) for token, each in parts)


def _in_order(names: Iterable[str], known: tuple[str, ...]) -> list[str]:
    """Sort members: `$schema` and its like, then the known ones, then the others."""
    ranks = {name: rank for rank, name in enumerate(known)}
    return sorted(names, key=lambda name: ranks.get(name, -1 if name[:1] == "$" else len(ranks)))


def formatted(document: Document, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the text of a manifest with its members in the schema's order, and two spaces a level.

    Args:
        document: the manifest.
        schema: what a manifest must be.
        limits: bounds on what is read.

    Raises:
        EditRefusedError: the document has more values than the limit, or YAML that is not edited,
            or the text would say something else, or lose a comment.
    """

    def order(path: Path) -> tuple[str, ...]:
        return (schema.field(path) or Field()).members

    try:
        if document.syntax == "json" and _is_formatted(document.text, document.value, order):
            return document.text
        check_supported(document)
        text = _Writer(document, order).written()
    except RecursionError:
        raise EditRefusedError("it is nested too deeply") from None
    if text == document.text:
        return text
    read_again(text, document.name, document.value, limits, "formatted")
    if document.syntax == "yaml" and text.count("#") != document.text.count("#"):
        raise EditRefusedError("a comment would be lost")
    return text


# -- the parts of a collection, each with the trivia that belongs to it -------------------------


class _CommentLine(NamedTuple):
    """A comment on a line of its own and its column; or an empty line."""

    column: int
    text: str


_EMPTY = _CommentLine(-1, "")


class _Trivia(NamedTuple):
    """The comments of the trivia.

    Attributes:
        tail: the comment on the line that the trivia begins on.
        lines: those below it; of several empty lines in a row, one.
        aligned: how many of the lines begin in the column of the tail, and so continue it.
    """

    tail: str = ""
    lines: tuple[_CommentLine, ...] = ()
    aligned: int = 0

    def split(self, column: float) -> tuple[_Trivia, tuple[_CommentLine, ...]]:
        """Divide it into what belongs to the value before, and the lines of what follows.

        A comment below the value that stands no less deep than a column belongs to it.
        """
        number = self.aligned
        for at, line in enumerate(self.lines[number:], number + 1):
            if line != _EMPTY and line.column < column:
                break
            if line != _EMPTY:  # an empty line belongs to what it sets apart
                number = at
        return self._replace(lines=self.lines[:number]), self.lines[number:]


_NOTHING = _Trivia()


def _trivia_between(text: str, start: int, end: int, *, begins_line: bool = False) -> _Trivia:
    """Read the trivia between two offsets, which may begin a line."""
    first, *below = _BREAK.split(text[start:end])
    if begins_line:
        first, below = "", [first, *below]
    tail, lines = first.strip(), list[_CommentLine]()
    for number, line in enumerate(below, 1):
        content = line.strip()
        if content:
            lines.append(_CommentLine(line.index("#"), content))
        elif number < len(below) and lines[-1:] != [_EMPTY]:
            lines.append(_EMPTY)
    at = column_at(text, start + first.find("#"))
    aligned = sum(1 for _ in takewhile(lambda line: line.column == at, lines)) if tail else 0
    return _Trivia(tail, tuple(lines), aligned)


def _depth_within(text: str, entry: Entry, column: int) -> float:
    """Return the least column of comments below an entry of a block that belong to its value."""
    node = entry.value
    kind = kind_of(text, node)
    if kind is not None and kind.startswith("block"):
        return max(column_at(text, node.span.start), column + 1)
    return column + 1 if node.span.start == node.span.end else inf


def _without_edges(lines: Sequence[_CommentLine]) -> Sequence[_CommentLine]:
    """Lines without empty ones at their beginning and end."""
    for _ in ("above", "below"):
        lines = [*dropwhile(lambda line: line == _EMPTY, lines)][::-1]
    return lines


def _indented(lines: Iterable[_CommentLine], column: int) -> Iterator[str]:
    """Yield the lines at a column."""
    for line in lines:
        yield " " * column + line.text if line.text else ""


@dataclass(slots=True)
class _EntryPart:
    """A member or item on its way from the old text to the new.

    Attributes:
        token: its name or index.
        entry: where it stands.
        key: its name as it is spelt; "" for an item.
        inner: what stands between its name, or dash, and its value.
        lead: the comments above it, and the empty lines that set it apart.
        behind: the comment behind it, and those below it that continue it or are in its block.
        is_apart: in brackets, whether an empty line stands above it.
    """

    token: str | int
    entry: Entry
    key: str = ""
    inner: _Trivia = _NOTHING
    lead: Sequence[_CommentLine] = ()
    behind: _Trivia = _NOTHING
    is_apart: bool = False


def _block_parts(text: str, layout: Layout, lead: Sequence[_CommentLine]) -> list[_EntryPart]:
    """Return the entries of a block, whose first has these comments above it."""
    parts: list[_EntryPart] = []
    for part in _parts(text, layout):
        above = tuple(lead)
        if parts:
            before = parts[-1]
            between = _trivia_between(text, before.entry.end, part.entry.start)
            before.behind, above = between.split(_depth_within(text, before.entry, layout.column))
        part.lead = above
        parts.append(part)
    return parts


def _parts(text: str, layout: Layout) -> list[_EntryPart]:
    names: Iterable[str | int] = layout.positions or range(len(layout.entries))
    return [
        _EntryPart(
            token,
            entry,
            text[entry.key.start : entry.key.end] if entry.key else "",
            _trivia_between(text, entry.head, entry.value.span.start),
        )
        for token, entry in zip(names, layout.entries, strict=True)
    ]
