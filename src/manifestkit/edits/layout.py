"""The layout of one object or array in the text: its entries, and the marks around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from manifestkit.edits import trivia
from manifestkit.model.document import Member, Node
from manifestkit.model.location import Span

Kind = Literal["block mapping", "block sequence", "{", "[", "alias"]
"""JSON has ``{`` and ``[`` only."""


class Entry(NamedTuple):
    """One member or item.

    Attributes:
        start: its first character: in a block sequence its dash.
        key: a member's name.
        head: the offset after a member's colon or an item's dash.
        value: its value.
    """

    start: int
    key: Span | None
    head: int
    value: Node

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return max(self.value.span.end, self.key.end if self.key else 0, self.head)


class Layout(NamedTuple):
    """One object or array in the text, its entries in order and their numbers by name.

    Of a member that appears twice, only the last is an entry.
    """

    text: str
    kind: Kind
    span: Span
    entries: list[Entry]
    repeated: bool = False
    positions: Mapping[str, int] = {}

    @property
    def is_block(self) -> bool:
        """Return whether it is written by indentation."""
        return self.kind.startswith("block")

    @property
    def column(self) -> int:
        """The column that its entries begin at, of a block."""
        return trivia.column(self.text, self.span.start)

    def number_of(self, token: str | int) -> int:
        """Return the number of an entry."""
        return token if isinstance(token, int) else self.positions[token]

    def trivia_after(self, index: int) -> tuple[int, int]:
        """Return the offsets between an entry and the next one, or the end of the whole."""
        stop = self.span.end - (self.kind in ("{", "["))
        if index + 1 < len(self.entries):
            stop = self.entries[index + 1].start
        return self.entries[index].end, stop


def kind_of(text: str, node: Node) -> Kind | None:
    """Return the style of a value; None for a scalar."""
    if node.repeated is not None:
        return "alias"
    if node.is_array:
        return "[" if text.startswith("[", node.start) else "block sequence"
    if not node.is_object:
        return None
    return "{" if text.startswith("{", node.start) else "block mapping"


def lay_out(text: str, node: Node, kind: Kind) -> Layout:
    """Return the layout of an object or array of a kind."""
    if node.items is not None:
        return Layout(text, kind, node.span, list(_items(text, node, kind)))
    members = dict(sorted((node.members or {}).items(), key=lambda each: each[1].key.start))
    entries = list(_members(text, node.span.start + (kind == "{"), members.values()))
    positions = {name: number for number, name in enumerate(members)}
    return Layout(text, kind, node.span, entries, node.has_repeated, positions)


def _items(text: str, node: Node, kind: Kind) -> Iterator[Entry]:
    end = node.span.start + (kind == "[")
    for item in node.items or []:
        if kind == "block sequence":
            start = trivia.mark(text, end, item.span.start, "-")
            yield Entry(start, None, start + 1, item)
        else:
            start = _begin(text, end, item.span.start)
            yield Entry(start, None, start, item)
        end = item.span.end


def _members(text: str, end: int, members: Iterable[Member]) -> Iterator[Entry]:
    for member in members:
        key, value = member.key, member.node
        colon = trivia.mark(text, key.end, value.span.start, ":")
        yield Entry(_begin(text, end, key.start), key, colon + 1, value)
        end = max(value.span.end, key.end)


def _begin(text: str, end: int, start: int) -> int:
    """Return the start of an entry: its anchor, or itself."""
    if not trivia.has_content(text, end, start):
        return start
    tokens = trivia.tokens(text, end, start)
    return next((each.start() for each in tokens if each.lastgroup == "anchor"), start)
