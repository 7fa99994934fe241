"""A change of a document's data as the fewest edits of its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import compress, pairwise
from os.path import commonprefix
from typing import Any, NamedTuple

from manifestkit.decode import decode
from manifestkit.edits.layout import (
    Entry,
    Kind,
    Layout,
    before_break,
    column_at,
    has_break,
    indent_at,
    kind_of,
    lay_out,
    leads_line,
    line_start,
)
from manifestkit.edits.patch import Operation, apply_edits, check_supported
from manifestkit.edits.writing import Spellings, TextStyle
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.pointer import END, Path, path_in

_COMMENT = re.compile(r"(?<!\S)#.*")
_BRACKETS = frozenset({"{", "["})
_MOST_IN_TURN = 1_000_000  # characters that are read again for changes that overlap


class _Place(NamedTuple):
    """A value and what is around it.

    Attributes:
        kind: how it is written; None for a scalar.
        in_brackets: whether brackets are around it.
        column: the column of the innermost block around it; -1 if there is none.
        owner: the object or array that it is in.
    """

    path: Path
    node: Node
    kind: Kind | None
    in_brackets: bool = False
    column: int = -1
    owner: _Place | None = None

    @property
    def is_block(self) -> bool:
        return self.kind in ("block mapping", "block sequence")


class Editor:
    """Makes edits of a readable document, each by itself, as if the others were not.

    An edit is given only where it says exactly what the change says, and nothing else.

    Args:
        document: what is edited.
        spellings: those of new values; without them, what a patch moves is spelt as it was.

    Raises:
        EditRefusedError: no edit says just that.
        KeyError, IndexError: a change is of what is not there.
    """

    def __init__(self, document: Document, spellings: Spellings | None = None) -> None:
        self._document = document
        self._text = document.text
        self._spellings = spellings
        self._layouts: dict[Path, Layout] = {}
        self._in_turn = 0

    @cached_property
    def _style(self) -> TextStyle:
        return TextStyle(self._document, self._spellings)

    @cached_property
    def _refusal(self) -> str | None:
        """Why nothing in the document is edited; asked once, not for each of many fixes."""
        try:
            check_supported(self._document)
        except EditRefusedError as problem:
            return str(problem)
        return None

    def _check_supported(self) -> None:
        if self._refusal is not None:
            raise EditRefusedError(self._refusal)

    def patch(self, operations: Iterable[Operation]) -> tuple[Edit, ...]:
        """Return the edits for RFC 6902 operations, each on the document as it is."""
        self._check_supported()
        operations = list(operations)
        if self._spellings is None:
            self._style.spellings = self._moved(operations)
        made: list[Edit] = []
        for each in operations:
            made += self._operation(each)
        made.sort()
        meet = any(one.end > two.start or one.start == two.start for one, two in pairwise(made))
        if meet or (len(operations) > 1 and self._empties(operations)):
            return self._patched_in_turn(operations)
        return tuple(made)

    def _moved(self, operations: list[Operation]) -> Spellings | None:
        """Return how what operations take out is spelt, for what they put in.

        One scalar in the place of another is not moved from anywhere.
        """
        gone = [each["path"] for each in operations if each["op"] in ("remove", "replace")]
        places = [path_in(self._document.value, each) for each in gone]
        given = [each.get("value") for each in operations]
        parts = (*given, *map(self._document.value_at, places))
        if len(operations) == 1 and not any(isinstance(each, dict | list) for each in parts):
            return None
        return Spellings(self._document, places, given)

    def _empties(self, operations: list[Operation]) -> bool:
        """Return whether a collection loses all that it has, by one of several changes in it."""
        owners = [path_in(self._document.value, each["path"])[:-1] for each in operations]
        gone = Counter(compress(owners, (each["op"] == "remove" for each in operations)))
        return any(
            count == len(self._document.value_at(owner)) and owners.count(owner) > 1
            for owner, count in gone.items()
        )

    def _patched_in_turn(self, operations: list[Operation]) -> tuple[Edit, ...]:
        """Return one edit for members that are added and removed side by side."""
        paths = (path_in(self._document.value, each["path"]) for each in operations)
        if any(not path or not isinstance(path[-1], str) or path[-1] == END for path in paths):
            raise EditRefusedError("two of the changes overlap")
        document = self._document
        self._in_turn += len(self._text) * len(operations)
        if self._in_turn > _MOST_IN_TURN:
            raise EditRefusedError("too many members are added and removed side by side")
        for each in sorted(operations, key=lambda each: each["op"] == "remove"):
            text = apply_edits(document.text, Editor(document, self._style.spellings).patch([each]))
            document = decode(text.encode(), document.name).document
        before, after = self._text, document.text
        start = len(commonprefix((before, after)))  # noqa: RUF071 - texts, not paths
        rest = before[start:][::-1], after[start:][::-1]
        end = len(commonprefix(rest))  # noqa: RUF071 - likewise
        return (Edit(start, len(before) - end, after[start : len(after) - end]),)

    def drops_comment(self, edits: Iterable[Edit]) -> bool:
        """Return whether edits may remove a comment, or what is below one."""
        edits = list(edits)
        if self._document.syntax != "yaml" or "#" not in self._text:
            return False
        below = any(not each.text and self._is_below_comment(each) for each in edits)
        return below or self.loses_comment(edits)

    def loses_comment(self, edits: Iterable[Edit]) -> bool:
        """Return whether edits remove what looks like a comment, and do not write it elsewhere."""
        edits = list(edits)
        gone = (self._text[each.start : each.end] for each in edits)
        before, after = (
            Counter(comment for text in texts for comment in _COMMENT.findall(text))
            for texts in (gone, (each.text for each in edits))
        )
        return bool(before - after)

    def _is_below_comment(self, gone: Edit) -> bool:
        """Return whether the line above one that is removed is a comment."""
        text = self._text
        start = gone.end - len(text[gone.start : gone.end].lstrip())
        line = line_start(text, start)
        above = text[line_start(text, before_break(text, line)) : line]
        return leads_line(text, start) and above.lstrip(" \t").startswith("#")

    def _operation(self, operation: Operation) -> list[Edit]:
        path = path_in(self._document.value, operation["path"])
        match operation["op"]:
            case "add":
                return self.add(path, operation["value"])
            case "replace":
                return self.replace(path, operation["value"])
            case "remove":
                return self.remove(path)
            case "move":
                source = path_in(self._document.value, operation["from"])
                if source[:-1] == path[:-1] and isinstance(path[-1], str):
                    return self.rename(source, path[-1])
        raise EditRefusedError(f"`{operation['op']}` is not a change that can be made here")

    # -- the four changes --------------------------------------------------------------------

    def replace(self, path: Path, value: Any) -> list[Edit]:
        """Put another value in the place of one."""
        if self._document.syntax == "json" and not isinstance(value, dict | list):
            start, end = self._document.node(path).span
            return [Edit(start, end, self._style.scalar(value, None))]
        return self._replaced(self._place(path), value)

    def rename(self, path: Path, name: str) -> list[Edit]:
        """Give a member another name, in its place."""
        _, layout, index = self._owner(path)
        entry = layout.entries[index]
        if entry.key is None:
            raise KeyError(path[-1])
        if name in layout.positions:
            raise EditRefusedError(f"a member `{name}` already exists")
        written = self._style.key(name, self._text[entry.key.start : entry.key.end])
        return [Edit(*entry.key, written)]

    def add(self, path: Path, value: Any, *, after: str | None = None) -> list[Edit]:
        """Put in a member or an item; a member that is there gets another value.

        Args:
            path: where it is to be; an index or ``-`` in an array.
            value: what is to be there.
            after: the member that a new one is to stand behind; "" for before all others. Without
                it, a new member comes last.
        """
        self._check_supported()
        if not path:
            return self.replace(path, value)
        owner = self._place(path[:-1])
        if path[-1] in (owner.node.members or ()):
            return self.replace(path, value)
        layout = self._layout(owner)
        count = len(layout.entries)
        if owner.node.members is not None:
            one: Any = {str(path[-1]): value}
            index = count if after is None else layout.positions.get(after, -1) + 1
        else:
            one = [value]
            index = count if path[-1] == END else int(path[-1])
        return self._inserted(owner, layout, index, one)

    def remove(self, path: Path) -> list[Edit]:
        """Take out a member or an item."""
        if not path:
            raise EditRefusedError("the whole document cannot be removed")
        owner, layout, index = self._owner(path)
        entry = layout.entries[index]
        if layout.is_block and len(layout.entries) == 1:
            empty: Any = [] if entry.key is None else {}
            return self._replaced(owner, empty)
        return layout.remove(index)

    # -- how -----------------------------------------------------------------------------------

    def _replaced(self, place: _Place, value: Any) -> list[Edit]:
        span, owner, style = place.node.span, place.owner, self._style
        entry = self._entry(owner, place.path[-1]) if owner else None
        if place.is_block and not (entry and leads_line(self._text, span.start)):
            column = column_at(self._text, span.start)
            write = style.in_block if style.is_inline(value, place.node) else style.block
            return [Edit(*span, write(value, column, place.node))]
        if entry and self._document.syntax == "yaml" and not place.in_brackets:
            return style.replaced(entry, place.column, value)
        inline = owner is not None and owner.kind in _BRACKETS and not self._has_break(owner.node)
        indent = self._indent(place, span.start)
        written = style.in_brackets(value, place.node, indent, inline=inline)
        return [Edit(*span, written if span.start < span.end else f" {written}")]

    def _inserted(self, place: _Place, layout: Layout, index: int, one: Any) -> list[Edit]:
        """Put an entry, the only one of `one`, into a collection."""
        style = self._style
        if layout.is_block:
            body = style.block(one, layout.column, place.node)
            return layout.insert(index, body, style.comma)
        if not layout.entries:
            layout.between(0)
            return self._replaced(place, one)
        beside = layout.entries[max(index - 1, 0)]
        inline = not self._has_break(place.node)
        ((name, value, like),) = style.parts(one, place.node)
        indent = self._indent(place, beside.end)
        body = name + style.in_brackets(value, like, indent, inline=inline)
        return layout.insert(index, body, style.comma)

    def _indent(self, place: _Place, offset: int) -> str:
        """Return the indent of a value's further lines, by the line that it begins or ends on.

        All of them, that of a closing bracket too, stand deeper than the block around.
        """
        indent = indent_at(self._text, offset)
        return indent if len(indent) > place.column else " " * place.column + self._style.unit

    def _has_break(self, node: Node) -> bool:
        return has_break(self._text[node.span.start : node.span.end])

    # -- where -----------------------------------------------------------------------------------

    def _place(self, path: Path) -> _Place:
        root = self._document.root
        place = _Place((), root, kind_of(self._text, root))
        for token in path:
            in_brackets = place.in_brackets or place.kind in _BRACKETS
            column = place.column
            if place.is_block:
                column = column_at(self._text, place.node.span.start)
            node = place.node.child(token)
            kind = kind_of(self._text, node)
            place = _Place((*place.path, token), node, kind, in_brackets, column, place)
        return place

    def _owner(self, path: Path) -> tuple[_Place, Layout, int]:
        """Return what a value is in, the layout of that, and the number of the value there."""
        owner = self._place(path[:-1])
        owner.node.child(path[-1])
        layout = self._layout(owner)
        return owner, layout, layout.number_of(path[-1])

    def _layout(self, place: _Place) -> Layout:
        if place.path not in self._layouts:
            if place.kind is None:
                raise KeyError(place.path)
            if place.node.has_repeated:
                raise EditRefusedError("members appear twice there")
            self._layouts[place.path] = lay_out(self._text, place.node, place.kind)
        return self._layouts[place.path]

    def _entry(self, owner: _Place, token: str | int) -> Entry:
        layout = self._layout(owner)
        return layout.entries[layout.number_of(token)]
