"""The structure of a document: its outline, folds and selections, and its identifiers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

from lsprotocol.types import (
    DocumentSymbol,
    FoldingRange,
    Location,
    Position,
    PositionEncodingKind,
    PrepareRenamePlaceholder,
    SelectionRange,
    SymbolKind,
    TextEdit,
)

from manifestkit.decode import decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import Operation, require_editable
from manifestkit.findings.messages import quoted
from manifestkit.lsp.documents import Analysis
from manifestkit.lsp.text import Text
from manifestkit.lsp.tolerant import Cursor, build_outline, cursor_at, unquoted
from manifestkit.model.document import Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.loading.needs import needs_of

_LONGEST_DETAIL = 60
_DEEPEST = 100
"""The deepest nesting of an answer: a client's stack and ours end somewhere."""
_MOST_PARTS = 20_000
_KINDS = {
    "dict": SymbolKind.Object,
    "list": SymbolKind.Array,
    "bool": SymbolKind.Boolean,
    "int": SymbolKind.Number,
    "float": SymbolKind.Number,
    "NoneType": SymbolKind.Null,
}


class Structure:
    """The parts of a document; of one that cannot be read, those that can be made out."""

    def __init__(self, analysis: Analysis) -> None:
        document = analysis.manifest.document
        self._is_readable = analysis.manifest.readable
        self._analysis = analysis
        self._document = document if self._is_readable else build_outline(document)
        self._text = analysis.text
        self._left = _MOST_PARTS

    def symbols(self) -> list[DocumentSymbol]:
        """Return an outline: each member and item by its name."""
        return self._symbols(self._document.root, self._document.value, ())

    def _symbols(self, node: Node, value: Any, path: Path) -> list[DocumentSymbol]:
        found = []
        for token, key, child in node.parts():
            self._left -= 1
            if self._left < 0 or len(path) > _DEEPEST:
                break
            here = value[token]
            own = (*path, token)
            is_collection = isinstance(here, dict | list)
            found.append(
                DocumentSymbol(
                    name=token
                    if isinstance(token, str) and token.strip()
                    else self._label(own, here),
                    kind=_KINDS.get(type(here).__name__, SymbolKind.String),
                    range=self._text.range(Span((key or child.span).start, child.span.end)),
                    selection_range=self._text.range(key or child.span),
                    detail=None if is_collection else _short(here),
                    children=self._symbols(child, here, own) if is_collection else None,
                )
            )
        return found

    def _label(self, path: Path, value: Any) -> str:
        field = self._analysis.schema.field(path)
        names = (field.label, field.identifier) if field and isinstance(value, dict) else ()
        known = (value.get(name) for name in names if name)
        label = next((each for each in known if isinstance(each, str) and each.strip()), None)
        return label or (_short(value) if not isinstance(value, dict | list) else f"[{path[-1]}]")

    def folds(self) -> list[FoldingRange]:
        """Return the objects and arrays of more than one line; the last bracket stays."""
        found: list[FoldingRange] = []
        todo = [self._document.root]
        while todo and len(found) < _MOST_PARTS:
            node = todo.pop()
            todo.extend(child for _, _, child in node.parts())
            if node.members is None and node.items is None:
                continue
            lines = self._text.range(node.span)
            closes = self._text.content[node.span.end - 1] in "]}"
            end = lines.end.line - closes
            if end > lines.start.line:
                found.append(FoldingRange(lines.start.line, end))
        return sorted(found, key=lambda each: (each.start_line, each.end_line))

    def selections(self, positions: Iterable[Position]) -> list[SelectionRange]:
        """Return the parts around each position."""
        return [self._selection(self._text.offset(each)) for each in positions]

    def _selection(self, offset: int) -> SelectionRange:
        """Return the parts around an offset, each in the next: the innermost ones."""
        spans = [Span(0, len(self._text.content))]
        node: Node | None = self._document.root
        while node is not None:
            spans.append(node.span)
            node, around = _child_at(node, offset)
            spans.extend(around)
        chain: SelectionRange | None = None
        kept = [spans[0]]
        for outer, inner in pairwise(spans):
            if inner != outer and outer.start <= inner.start and inner.end <= outer.end:
                kept.append(inner)
        for span in kept[-_DEEPEST:]:
            chain = SelectionRange(self._text.range(span), chain)
        assert chain is not None  # noqa: S101 - the whole text is around
        return chain

    def references(self, position: Position) -> list[Location] | None:
        """Return the places of the identifier at a position; None where there is none."""
        identifier = self._identifier(position)
        spans = [self._document.node(path).span for path in self._same_as(identifier)]
        return [Location(self._analysis.uri, self._text.range(each)) for each in spans] or None

    def _identifier(self, position: Position) -> Path:
        """Return the path of the identifier at a position; an empty one where there is none."""
        cursor = self._cursor(position)
        if cursor is None or cursor.is_name or not cursor.path:
            return ()
        field = self._analysis.schema.field(cursor.path[:-1])
        is_text = isinstance(self._document.value_at(cursor.path), str)
        is_identifier = field is not None and field.identifier == cursor.path[-1]
        return cursor.path if is_text and is_identifier else ()

    def _same_as(self, identifier: Path) -> list[Path]:
        """Return an identifier, and all of its kind that are the same."""
        holder, items, name = identifier[:-1], identifier[:-2], identifier[-1:]
        if not holder or not isinstance(holder[-1], int):
            return [identifier] if identifier else []
        wanted = self._document.value_at(identifier)
        return [
            (*items, index, *name)
            for index, item in enumerate(self._document.value_at(items))
            if isinstance(item, dict) and item.get(*name) == wanted
        ]

    def prepare_rename(self, position: Position) -> PrepareRenamePlaceholder | None:
        """Return the text of the identifier at a position, and its place without quotes."""
        identifier = self._identifier(position)
        if not identifier:
            return None
        start, end = self._document.node(identifier).span
        quotes = len(self._quote_of(identifier))
        bare = Span(start + quotes, end - quotes)
        return PrepareRenamePlaceholder(self._text.range(bare), self._document.value_at(identifier))

    def _quote_of(self, path: Path) -> str:
        first = self._document.text[self._document.node(path).span.start :][:1]
        return first if first in ("'", '"') else ""

    def definition(self, position: Position) -> list[Location]:
        """Find the items that the one at a position needs, by the profiles.

        One that is not there is needed where the profile says so.
        """
        cursor = self._cursor(position)
        if cursor is None or not cursor.path or not isinstance(cursor.path[-1], int):
            return []
        analysis, found = self._analysis, list[Location]()
        item = self._document.value_at(cursor.path)
        place = tuple(0 if isinstance(token, int) else token for token in cursor.path)
        files = analysis.workspace.configuration(analysis.target.folder).profiles
        for file, profile in zip(files, analysis.policy.profiles, strict=True):
            for need in needs_of(profile):
                if (need.items, need.item) != (place, item):
                    continue
                for needed in need.needed:
                    spans = self._listed(need.others[:-1], needed)
                    there = [Location(analysis.uri, self._text.range(each)) for each in spans]
                    found += there or [_said_in(file, need.where, self._text.encoding)]
        return found

    def _listed(self, place: Path, item: str) -> list[Span]:
        if not self._holds(place):
            return []
        items, node = self._document.value_at(place), self._document.node(place)
        return [
            each.span for each, value in zip(node.items or (), items, strict=False) if value == item
        ]

    def _cursor(self, position: Position) -> Cursor | None:
        document = self._document
        cursor = cursor_at(document.text, self._text.offset(position), document.syntax)
        is_there = cursor is not None and self._is_readable and self._holds(cursor.path)
        return cursor if is_there else None

    def _holds(self, path: Path) -> bool:
        try:
            self._document.node(path)
        except KeyError:
            return False
        return True

    def rename(self, position: Position, name: str) -> list[TextEdit] | None:
        """Return the edits that give the identifier at a position another name, wherever it is.

        Raises:
            EditRefusedError: they cannot be had.
        """
        identifier = self._identifier(position)
        if not identifier:
            return None
        quote = self._quote_of(identifier)
        if quote and len(name) > 1 and name[0] == name[-1] == quote:
            name = unquoted(name)
        paths = self._same_as(identifier)
        self._check_name(paths, name)
        editor = Editor(require_editable(self._analysis.manifest))
        operations: list[Operation] = [
            {"op": "replace", "path": format_pointer(path), "value": name} for path in paths
        ]
        edits = [edit for each in operations for edit in editor.patch([each])]
        return self._text.edits(sorted(edits))

    def _check_name(self, paths: list[Path], name: str) -> None:
        """Refuse a name that no identifier can have, or that another item has.

        Raises:
            EditRefusedError: it is one.
        """
        holder, identifier = paths[0][:-1], paths[0][-1]
        if not name.strip():
            raise EditRefusedError(f"the new {identifier} must not be empty")
        if not isinstance(holder[-1], int):
            return
        for index, item in enumerate(self._document.value_at(holder[:-1])):
            is_other = (*holder[:-1], index, identifier) not in paths
            if is_other and isinstance(item, dict) and item.get(identifier) == name:
                field = self._analysis.schema.field(holder)
                noun = ((field and field.title) or "item").lower()
                raise EditRefusedError(f"another {noun} has the {identifier} {quoted(name)}")


def _said_in(file: FilePath, where: Path, encoding: PositionEncodingKind) -> Location:
    document = decode(file.read_bytes(), file.name).document
    span = document.key_span(where) or document.root.span
    return Location(file.as_uri(), Text(document.text, encoding).range(span))


def _child_at(node: Node, offset: int) -> tuple[Node | None, list[Span]]:
    for _, key, child in node.parts():
        start = (key or child.span).start
        if start <= offset <= child.span.end:
            whole = [Span(start, child.span.end)] if key else []
            if key and offset <= key.end:
                return None, [*whole, key]
            return child, whole
    return None, []


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"
