"""New values, written in the style of the values that are there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from manifestkit.edits import scalars as spelling
from manifestkit.edits import trivia
from manifestkit.edits.layout import Kind, kind_of, lay_out
from manifestkit.edits.spellings import Spellings
from manifestkit.model.document import Document, Node

_INDENT = "  "
_STEP = 2


class _Model(NamedTuple):
    """A value that new ones may be written like, and how it is written."""

    node: Node
    kind: Kind


class _Survey:
    """The first value of each kind in a document."""

    def __init__(self) -> None:
        self.text = ""
        self.models: dict[str, _Model] = {}
        self.named: dict[str, Node] = {}
        self.step: int | None = None
        self.dash_step: int | None = None


class TextStyle:
    """The style of a document, for new values: its line breaks, indent, space and quotes.

    Attributes:
        line_break: between lines.
        spellings: how those that come from elsewhere are spelt there.
    """

    def __init__(self, document: Document, spellings: Spellings | None = None) -> None:
        self._document = document
        self._text = document.text
        self.spellings = spellings
        self.line_break = trivia.first_break(document.text)

    @property
    def is_yaml(self) -> bool:
        """Return whether scalars may be written as YAML has them."""
        return self._document.syntax == "yaml"

    @cached_property
    def unit(self) -> str:
        """The indent of one level in brackets."""
        model = self._survey.models.get("exploded")
        if model is None:
            return _INDENT
        outer = trivia.indent(self._text, model.node.span.start)
        inner = trivia.indent(self._text, _first(model.node))
        return inner.removeprefix(outer) or _INDENT

    @cached_property
    def colon(self) -> str:
        """The text between a name and its value in brackets."""
        for kind in ("{ inline", "{"):
            model = self._survey.models.get(kind)
            if model and model.node.members:
                member = next(iter(model.node.members.values()))
                between = self._text[member.key.end : member.node.span.start]
                if between.strip(" ") == ":" and (not self.is_yaml or between != ":"):
                    return between
        return ": "

    @cached_property
    def comma(self) -> str:
        """The text between entries on one line."""
        for kind in ("[ inline", "{ inline"):
            model = self._survey.models.get(kind)
            entries = lay_out(self._text, *model).entries if model else []
            if len(entries) > 1:
                between = self._text[entries[0].end : entries[1].start]
                if between.strip(" ") == ",":
                    return between
        return "," if self.colon == ":" else ", "

    @property
    def step(self) -> int:
        """Columns from a block mapping to a block in it."""
        return self._survey.step or _STEP

    @property
    def dash_step(self) -> int:
        """Columns from a block mapping to the dashes of a sequence in it."""
        found = self._survey.dash_step
        return self.step if found is None else found

    # -- scalars -----------------------------------------------------------------------------

    def scalar(self, value: Any, like: Node | None) -> str:
        """Return a scalar, written like a neighbour."""
        kept = self._kept(value)
        if kept is not None:
            return kept
        if not self.is_yaml:
            return spelling.as_json(value)
        return spelling.as_yaml(value, self._quoting(like))

    def key(self, name: str, like: str = "") -> str:
        """Return a member's name, written like another."""
        kept = self._kept(name)
        if kept is not None:
            return kept
        if not self.is_yaml:
            return spelling.as_json(name)
        return spelling.as_yaml(name, like)

    def _kept(self, value: Any) -> str | None:
        return self.spellings.scalar(value, self._document.syntax) if self.spellings else None

    def _quoting(self, like: Node | None) -> str:
        """Return a neighbour's text, as a model of quotes, or else the document's first text."""
        if like is not None and like.members is None and like.items is None:
            source = self._text[like.span.start : like.span.end]
            if source and source[0] != "*":
                return source
        return self._survey.text

    # -- collections -------------------------------------------------------------------------

    def in_brackets(
        self, value: Any, like: Node | None, indent: str, *, inline: bool = False
    ) -> str:
        """Return a value as JSON and YAML's flow style have it.

        It is written like a neighbour, or what stood there; further lines begin with an indent.
        """
        if not isinstance(value, dict | list):
            return self.scalar(value, like)
        kept = self.spellings and self.spellings.collection(value, indent)
        if kept:
            return kept
        brackets = "{}" if isinstance(value, dict) else "[]"
        if not value:
            return brackets
        model = self._model(value, like)
        exploded = not inline and self._explodes(value, model)
        inner = indent + self.unit
        if model and like is model.node and exploded:
            own = trivia.indent(self._text, _first(model.node))
            outer = trivia.indent(self._text, model.node.span.start)
            if own.startswith(outer) and own != outer:
                inner = indent + own.removeprefix(outer)
        parts = [
            name + self.in_brackets(each, part, inner if exploded else indent, inline=not exploded)
            for name, each, part in self.parts(value, model and model.node)
        ]
        if exploded:
            between = self.line_break + inner
            body = f",{between}".join(parts)
            return f"{brackets[0]}{between}{body}{self.line_break}{indent}{brackets[1]}"
        pad = self._pad(value, model)
        return brackets[0] + pad + self.comma.join(parts) + pad + brackets[1]

    def in_block(self, value: Any, column: int, like: Node | None) -> str:
        """Return a value in brackets in a block at a column: its closing bracket stands deeper."""
        return self.in_brackets(value, like, " " * column + self.unit)

    def is_inline(self, value: Any, like: Node | None) -> bool:
        """Return whether a value takes no block of lines where it might."""
        if not isinstance(value, dict | list) or not value:
            return True
        model = self._model(value, like)
        return model is not None and model.kind in "{["

    def block(self, value: Any, column: int, like: Node | None) -> str:
        """Return a collection as YAML's block style has it; its first line is not indented."""
        model = self._model(value, like)
        space = self._space_behind_dash(model)
        entries: list[str] = []
        for name, each, part in self.parts(value, model and model.node, block=True):
            is_item = not isinstance(value, dict)
            if self.is_inline(each, part):
                text = self.in_block(each, column, part)
                entries.append(f"{name}{space if is_item else ' '}{text}")
            elif is_item:
                inner = column + len(name) + len(space)
                entries.append(f"{name}{space}{self.block(each, inner, part)}")
            else:
                deeper = column + (self.step if isinstance(each, dict) else self.dash_step)
                start = self.line_break + " " * deeper
                entries.append(f"{name}{start}{self.block(each, deeper, part)}")
        return (self.line_break + " " * column).join(entries)

    def _space_behind_dash(self, model: _Model | None) -> str:
        if model is None or model.kind != "block sequence" or not model.node.items:
            return " "
        behind = self._text[model.node.span.start + 1 : model.node.items[0].span.start]
        return behind if behind and not behind.strip(" ") else " "

    def parts(
        self, value: Any, model: Node | None, *, block: bool = False
    ) -> Iterator[tuple[str, Any, Node | None]]:
        """Yield of each value of a collection the text before it, itself, and its model."""
        if isinstance(value, dict):
            known = model.members if model and model.members else {}
            first = next(iter(known.values()), None)
            quoting = self._text[first.key.start : first.key.end] if first else ""
            for name, each in value.items():
                part = known[name].node if name in known else self._survey.named.get(name)
                if part is None and isinstance(each, dict):
                    part = next((m.node for m in known.values() if m.node.members), None)
                colon = ":" if block else self.colon
                yield self.key(name, quoting) + colon, each, part
        else:
            items = model.items if model and model.items else []
            for each in value:
                like = next((item for item in reversed(items) if _is_alike(item, each)), None)
                yield "-" if block else "", each, like

    def _model(self, value: Any, like: Node | None) -> _Model | None:
        if like is not None and (like.members if isinstance(value, dict) else like.items):
            kind = kind_of(self._text, like)
            if kind not in (None, "alias"):
                return _Model(like, kind)
        return self._survey.models.get(_class(value))

    def _explodes(self, value: Any, model: _Model | None) -> bool:
        """Return whether a collection in brackets gets a line for each entry."""
        if model is not None and model.kind in "{[":
            return trivia.has_break(self._text[model.node.span.start : _first(model.node)])
        is_list_of_scalars = isinstance(value, list) and not any(
            isinstance(each, dict | list) for each in value
        )
        return "exploded" in self._survey.models and not is_list_of_scalars

    def _pad(self, value: Any, model: _Model | None) -> str:
        usual = self._survey.models.get("{ inline" if isinstance(value, dict) else "[ inline")
        for each in (model, usual):
            if each and each.kind in "{[":
                pad = self._text[each.node.span.start + 1 : _first(each.node)]
                if not trivia.has_break(pad) and not pad.strip(" "):
                    return pad
        return " " if isinstance(value, dict) and self.colon != ":" else ""

    @cached_property
    def _survey(self) -> _Survey:
        found = _Survey()
        todo: list[tuple[Any, Node, int | None]] = [
            (self._document.value, self._document.root, None)
        ]
        for value, node, above in todo:
            kind = kind_of(self._text, node)
            if kind is None:
                source = self._text[node.span.start : node.span.end]
                if not found.text and isinstance(value, str) and spelling.may_be_plain(value):
                    found.text = source
                continue
            if kind == "alias" or not value:
                continue
            self._note(found, value, _Model(node, kind), above)
            column = None
            if kind == "block mapping":
                column = trivia.column(self._text, node.span.start)
            if isinstance(value, dict):
                for name, member in (node.members or {}).items():
                    found.named.setdefault(name, member.node)
                    todo.append((value[name], member.node, column))
            else:
                todo += [(value[index], item, None) for index, item in enumerate(node.items or [])]
        return found

    def _note(self, found: _Survey, value: Any, model: _Model, above: int | None) -> None:
        found.models.setdefault(_class(value), model)
        if model.kind in "{[":
            found.models.setdefault(model.kind, model)
            lead = self._text[model.node.span.start + 1 : _first(model.node)]
            if trivia.has_break(lead):
                found.models.setdefault("exploded", model)
            else:
                found.models.setdefault(f"{model.kind} inline", model)
        elif above is not None:
            step = trivia.column(self._text, model.node.span.start) - above
            if model.kind == "block mapping" and found.step is None:
                found.step = step
            elif model.kind == "block sequence" and found.dash_step is None:
                found.dash_step = step


def _is_alike(node: Node, value: Any) -> bool:
    if isinstance(value, dict):
        return node.members is not None
    return (node.items is not None) is isinstance(value, list) and node.members is None


def _class(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    nested = any(isinstance(each, dict | list) for each in value)
    return "array of arrays or objects" if nested else "array of scalars"


def _first(node: Node) -> int:
    """Return the start of a collection's first entry; it is not empty."""
    if node.members:
        return min(member.key.start for member in node.members.values())
    return node.items[0].span.start if node.items else node.span.start
