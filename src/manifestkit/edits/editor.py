"""A change of a document's data as the fewest edits of its text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from manifestkit.decode import Decoded
from manifestkit.edits.layout import (
    Kind,
    Layout,
    before_break,
    has_break,
    indent_at,
    kind_of,
    lay_out,
)
from manifestkit.edits.patch import (
    Operation,
    apply_edits,
    apply_patch,
    check_supported,
    read_again,
)
from manifestkit.edits.writing import Spellings, TextStyle
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.limits import Limits
from manifestkit.model.location import column_at, leads_line, line_start
from manifestkit.model.pointer import Path, path_in

_COMMENT = re.compile(r"(?<!\S)#.*")
_BRACKETS = frozenset({"{", "["})

_Entries = tuple[list[str | int], list[tuple[str | int, Any]]]
"""The names or indices of entries that go, and of new ones with their values."""


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


def edited(
    document: Document,
    operations: list[Operation],
    limits: Limits,
    *,
    after: str | None = None,
    typed: Document | None = None,
) -> Decoded:
    """Return a document with the edits that `Editor.patch` makes, read again.

    What is typed is the text of a new value, whose spelling is kept.

    Raises:
        EditRefusedError: no edit says just that.
    """
    spellings = Spellings(typed, [()]) if typed else None
    edits = Editor(document, spellings).patch(operations, after=after)
    text, value = apply_edits(document.text, edits), apply_patch(document.value, operations)
    return read_again(text, document.name, value, limits, "edited")


class Editor:
    """Makes edits of a readable document, each by itself, as if the others were not.

    An edit is given only where it says exactly what the change says, and nothing else.

    Args:
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

    def patch(
        self, operations: Iterable[Operation], *, after: str | None = None
    ) -> tuple[Edit, ...]:
        """Return the edits for RFC 6902 operations, each on the document as it is.

        Args:
            operations: additions, removals, replacements and renamings.
            after: the member that a new one is to stand behind; "" for before all others. Without
                it, a new member comes last.
        """
        if self._refusal is not None:
            raise EditRefusedError(self._refusal)
        value = self._document.value
        steps = [(each, path_in(value, each["path"])) for each in operations]
        if self._spellings is None:
            self._style.spellings = self._moved(steps)
        made: list[Edit] = []
        entries = defaultdict[Path, _Entries](lambda: ([], []))
        for operation, path in steps:
            match operation["op"]:
                case "remove" if path:
                    entries[path[:-1]][0].append(path[-1])
                case "add" if path and not self._is_member(path):
                    entries[path[:-1]][1].append((path[-1], operation["value"]))
                case "add" | "replace":
                    made += self._replaced_at(path, operation["value"])
                case "move":
                    made += self._renamed(path_in(value, operation["from"]), path)
                case _:
                    raise EditRefusedError("the whole document cannot be removed")
        for owner, changed in entries.items():
            made += self._changed(owner, changed, after)
        made.sort()
        if any(one.end > two.start or one.start == two.start for one, two in pairwise(made)):
            raise EditRefusedError("two of the changes overlap")
        return tuple(made)

    def _moved(self, steps: list[tuple[Operation, Path]]) -> Spellings | None:
        """Return how what operations take out is spelt, for what they put in.

        One scalar in the place of another is not moved from anywhere.
        """
        places = [path for each, path in steps if each["op"] in ("remove", "replace")]
        values = [each.get("value") for each, _ in steps]
        if len(steps) == 1 and not isinstance(values[0], dict | list):
            path = places[0] if places else ()
            if not isinstance(self._document.value_or_none(path), dict | list):
                return None
        return Spellings(self._document, places, values)

    def comments_at_risk(self, edits: Iterable[Edit]) -> Literal["dropped", "above"] | None:
        """Return whether edits drop a comment, or remove what is below one; None for others."""
        edits, text = list(edits), self._text
        if self._document.syntax != "yaml" or "#" not in text:
            return None
        before, after = (
            Counter(comment for each in texts for comment in _COMMENT.findall(each))
            for texts in ((text[each.start : each.end] for each in edits), (e.text for e in edits))
        )
        if before - after:
            return "dropped"
        return "above" if any(map(self._is_below_comment, edits)) else None

    def _is_below_comment(self, edit: Edit) -> bool:
        """Return whether an edit removes what begins the line after a comment."""
        text = self._text
        start = edit.end - len(text[edit.start : edit.end].lstrip())
        line = line_start(text, start)
        above = text[line_start(text, before_break(text, line)) : line]
        is_gone = not edit.text.strip() and leads_line(text, start)
        return is_gone and above.lstrip(" \t").startswith("#")

    # -- the changes ---------------------------------------------------------------------------

    def _replaced_at(self, path: Path, value: Any) -> list[Edit]:
        """Put another value in the place of one."""
        if self._document.syntax == "json" and not isinstance(value, dict | list):
            return [Edit(*self._document.spans(path)[1], self._style.scalar(value, None))]
        return self._replaced(self._place(path), value)

    def _is_member(self, path: Path) -> bool:
        return path[-1] in (self._document.node(path[:-1]).members or ())

    def _renamed(self, path: Path, to: Path) -> list[Edit]:
        """Give a member another name, in its place."""
        name = to[-1]
        if path[:-1] != to[:-1] or not isinstance(name, str):
            raise EditRefusedError("what moves elsewhere is removed there, and added")
        layout = self._layout(self._place(path[:-1]))
        key = layout.entry(path[-1]).key
        if key is None:
            raise KeyError(path[-1])
        if name in layout.positions:
            raise EditRefusedError(f"a member `{name}` already exists")
        return [Edit(*key, self._style.key(name, self._text[key.start : key.end]))]

    def _changed(self, path: Path, changed: _Entries, after: str | None) -> list[Edit]:
        """Take entries out of a collection, and put others in: behind a member, or at the end."""
        place, style = self._place(path), self._style
        layout, (gone, new) = self._layout(place), changed
        numbers = {layout.number_of(each) for each in gone}
        values: Any = dict(new) if place.node.is_object else [each for _, each in new]
        at = [each for each, _ in new if isinstance(each, int)]
        if at and len(gone) + len(new) > 1:
            raise EditRefusedError("two of the changes overlap")
        if len(numbers) == len(layout.entries):
            layout.check_comments()
            return self._replaced(place, values)
        index = at[0] if at else layout.last_beside(numbers) + 1
        if after is not None:
            index = layout.positions.get(after, -1) + 1
        if layout.is_block:
            bodies = [style.block(values, layout.column, place.node)] if new else []
        else:
            inline = not self._has_break(place.node)
            indent = self._indent(place, layout.entries[max(index - 1, 0)].end)
            bodies = [
                name + style.in_brackets(value, like, indent, inline=inline)
                for name, value, like in style.parts(values, place.node)
            ]
        return layout.changed(numbers, index, bodies, style.comma if bodies else "")

    # -- how -----------------------------------------------------------------------------------

    def _replaced(self, place: _Place, value: Any) -> list[Edit]:
        span, owner, style = place.node.span, place.owner, self._style
        entry = self._layout(owner).entry(place.path[-1]) if owner else None
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

    def _layout(self, place: _Place) -> Layout:
        if place.path not in self._layouts:
            if place.kind is None:
                raise KeyError(place.path)
            if place.node.has_repeated:
                raise EditRefusedError("members appear twice there")
            self._layouts[place.path] = lay_out(self._text, place.node, place.kind)
        return self._layouts[place.path]
