"""New values, in the style of those that are there; what moves, as it was spelt."""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from manifestkit.edits.layout import (
    Entry,
    Kind,
    before_break,
    first_break,
    has_break,
    indent_at,
    kind_of,
    line_end,
)
from manifestkit.model.document import Document, Node, Syntax
from manifestkit.model.finding import Edit
from manifestkit.model.limits import each_value
from manifestkit.model.location import column_at, line_start
from manifestkit.model.pointer import Path

_INDENT = "  "
_STEP = 2
_ENCODER = json.JSONEncoder(ensure_ascii=False)
# Words with a letter first: no reader of any YAML takes them for anything but text.
_PLAIN = re.compile(r"[^\W\d_]\w*(?:(?:[ ]|[./+-]+)\w+)*")
_NOT_TEXT = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
# What a file in UTF-8 cannot hold, or YAML wants written as an escape.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# YAML 1.1 wants a point in a number with an exponent.
_NO_POINT = re.compile(r"\A(-?[0-9]+)(?=[eE])")
_NUMBER: dict[Syntax, re.Pattern[str]] = {
    "json": re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"),
    # YAML 1.1 takes for text what has an exponent, but no point or no sign before it.
    "yaml": re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE][-+][0-9]+)?)?"),
}
_OF_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)")  # the comment of a block scalar
_NEXT_LINE = re.compile(r"(?<=[\r\n])(?=[^\r\n])")


def as_json(value: Any) -> str:
    """Return a scalar as JSON has it, which is YAML too."""
    return escaped(_ENCODER.encode(value))


def escaped(text: str) -> str:
    """Return a text of JSON as a file in UTF-8 can hold it, and YAML too."""
    return _UNPRINTABLE.sub(lambda odd: f"\\u{ord(odd[0]):04x}", text)


def as_yaml(value: Any, like: str = "") -> str:
    """Return a scalar as YAML of any age has it, with quotes like those of its neighbour's text."""
    if not isinstance(value, str):
        return _NO_POINT.sub(r"\1.0", as_json(value))
    if like.startswith('"'):
        return as_json(value)
    if like.startswith("'") and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return value if _may_be_plain(value) else as_json(value)


def _may_be_plain(value: str) -> bool:
    """Return whether a text needs no quotes, whatever reads it."""
    return _PLAIN.fullmatch(value) is not None and value.lower() not in _NOT_TEXT


# -- values that move --------------------------------------------------------------------------


class Spellings:
    """The texts of a document's values, for those that are written elsewhere.

    A number is told by its identity, not by what it equals; so is a string, unless it is a new one;
    an object or array by what is in it. Where several are the same, such as 0, which Python has
    only once, each place has its turn.

    Args:
        places: where in the document they stand.
        moved: what is written; an object or array of the document in it keeps its layout.
    """

    def __init__(
        self, document: Document, places: Iterable[Path], moved: Iterable[Any] = ()
    ) -> None:
        self._document = document
        self._places = places
        self._moved = moved

    def scalar(self, value: Any, syntax: Syntax) -> str | None:
        """Return the text of a number, a string or a name, if it says the same in a syntax."""
        text = self._next(id(value))
        if text is None and isinstance(value, str):
            text = self._next(value)
        if text is None or isinstance(value, str):
            return text if syntax == self._document.syntax else None
        if syntax == "yaml":
            text = re.sub(r"(?<=[eE])(?=[0-9])", "+", _NO_POINT.sub(r"\1.0", text))
        is_same = isinstance(value, float) == any(each in ".eE" for each in text)
        return text if is_same and _NUMBER[syntax].fullmatch(text) else None

    def collection(self, value: Any, indent: str) -> str | None:
        """Return the text of an object or array that moves; its further lines get an indent."""
        text = self._next(_signature(value)) if self._whole else None
        return text and _NEXT_LINE.sub(indent, text)

    def _next(self, key: Hashable) -> str | None:
        texts = self._texts.get(key)
        if texts is None:
            return None
        return texts.popleft() if len(texts) > 1 else texts[0]

    @cached_property
    def _whole(self) -> frozenset[Hashable]:
        """The objects and arrays whose texts are kept."""
        if self._document.syntax == "yaml":
            return frozenset()
        parts = (part for each in self._moved for part in each_value(each))
        return frozenset(_signature(each) for each in parts if each and _is_collection(each))

    @cached_property
    def _texts(self) -> dict[Hashable, deque[str]]:
        texts = defaultdict[Hashable, deque[str]](deque)
        for value, start, end in self._parts():
            source = self._document.text[start:end]
            if _is_collection(value):
                indent = re.escape(indent_at(self._document.text, start))
                source = re.sub(rf"(?<=[\r\n]){indent}", "", source)
                texts[_signature(value)].append(source)
            elif not isinstance(value, str):
                texts[id(value)].append(source)
            elif source.startswith(('"', "'")) and not has_break(source):  # it can stand anywhere
                texts[id(value)].append(source)
                texts[value].append(source)
        return texts

    def _parts(self) -> Iterator[tuple[Any, int, int]]:
        """Yield the values and names whose texts are kept, in order, and where each stands."""
        document, todo = self._document, list[tuple[Any, Node]]()
        for path in self._places:
            todo.insert(0, (document.value_at(path), document.node(path)))
            if name := document.spans(path)[0]:
                yield path[-1], *name
        while todo:
            value, node = todo.pop()
            if not _is_collection(value) or (self._whole and _signature(value) in self._whole):
                yield value, *(node.repeated or node.span)
            elif node.repeated is None:  # else it is there where its anchor is
                parts = [*node.parts()]
                yield from ((name, *key) for name, key, _ in parts if key)
                todo += [(value[token], part) for token, _, part in reversed(parts)]


def _is_collection(value: Any) -> bool:
    return isinstance(value, dict | list)


def _signature(value: Any) -> Hashable:
    """Return what an object or array has in common with a copy of it, and with nothing else."""
    return tuple(map(_part_of_signature, each_value(value)))


def _part_of_signature(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple(value)
    if isinstance(value, list):
        return (None, len(value))
    return value if isinstance(value, str) else id(value)


# -- new values --------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A value that new ones may be written like.

    Attributes:
        kind: how it is written; None for a scalar.
        above: the column of the block mapping that it is a member of; None without one.
    """

    value: Any
    node: Node
    kind: Kind | None
    above: int | None


class TextStyle:
    """The style of a document, for new values: its line breaks, indent, space and quotes.

    Attributes:
        is_yaml: whether scalars may be written as YAML has them.
        spellings: how those that come from elsewhere are spelt there.
    """

    def __init__(self, document: Document, spellings: Spellings | None = None) -> None:
        self._document = document
        self._text = document.text
        self.spellings = spellings
        self.is_yaml = document.syntax == "yaml"

    @cached_property
    def _line_break(self) -> str:
        return first_break(self._text)

    @cached_property
    def _values(self) -> list[_Part]:
        """All values of the document, the outer ones first."""
        parts: list[_Part] = []
        todo: list[tuple[Any, Node, int | None]] = [
            (self._document.value, self._document.root, None)
        ]
        for value, node, above in todo:
            kind = kind_of(self._text, node)
            parts.append(_Part(value, node, kind, above))
            column = column_at(self._text, node.start) if kind == "block mapping" else None
            todo += ((value[token], part, column) for token, _, part in node.parts())
        return parts

    @cached_property
    def _models(self) -> dict[str, _Part]:
        """The first object, array of scalars and array of others."""
        found = (each for each in reversed(self._values) if each.kind and each.value)
        return {_class(each.value): each for each in found}

    @cached_property
    def _in_brackets(self) -> list[tuple[_Part, str]]:
        """The objects and arrays in brackets, each with the text before its first entry."""
        found = (each for each in self._values if each.kind in ("{", "[") and each.value)
        return [(each, self._text[each.node.start + 1 : _first(each.node)]) for each in found]

    @cached_property
    def _unit(self) -> str | None:
        """The indent of a level in brackets; None where none is over several lines."""
        node = next((each.node for each, lead in self._in_brackets if has_break(lead)), None)
        if node is None:
            return None
        outer = indent_at(self._text, node.start)
        return indent_at(self._text, _first(node)).removeprefix(outer) or _INDENT

    @property
    def unit(self) -> str:
        """The indent of one level in brackets."""
        return self._unit or _INDENT

    @cached_property
    def colon(self) -> str:
        """The text between a name and its value in brackets."""
        found = (
            self._text[key.end : value.start]
            for each, _ in self._in_brackets
            for _, key, value in each.node.parts()
            if key
        )
        return ":" if next(found, "") == ":" and not self.is_yaml else ": "

    @property
    def comma(self) -> str:
        """The text between entries on one line."""
        return "," if self.colon == ":" else ", "

    @cached_property
    def _steps(self) -> dict[Kind | None, int]:
        """Columns from a block mapping to the first block of a kind in it."""
        return {
            each.kind: column_at(self._text, each.node.start) - each.above
            for each in reversed(self._values)
            if each.above is not None
        }

    def _step(self, *, is_list: bool) -> int:
        step = self._steps.get("block mapping") or _STEP
        return self._steps.get("block sequence", step) if is_list else step

    @cached_property
    def _plain_text(self) -> str:
        """The first text that needs no quotes, as it is written."""
        found = (
            self._text[each.node.start : each.node.span.end]
            for each in self._values
            if isinstance(each.value, str) and _may_be_plain(each.value)
        )
        return next(found, "")

    # -- scalars -----------------------------------------------------------------------------

    def scalar(self, value: Any, like: Node | None) -> str:
        """Return a scalar, written like a neighbour."""
        return self.key(value, self._quoting(like) if self.is_yaml else "")

    def key(self, name: Any, like: str = "") -> str:
        """Return a member's name, or a scalar, written like another."""
        syntax = self._document.syntax
        kept = self.spellings.scalar(name, syntax) if self.spellings else None
        if kept is not None:
            return kept
        return as_yaml(name, like) if self.is_yaml else as_json(name)

    def _quoting(self, like: Node | None) -> str:
        """Return a neighbour's text, as a model of quotes, or else the document's first text."""
        if like is not None and like.members is None and like.items is None:
            source = self._text[like.span.start : like.span.end]
            if source:
                return source
        return self._plain_text

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
        parts = [
            name + self.in_brackets(each, part, inner if exploded else indent, inline=not exploded)
            for name, each, part in self.parts(value, model and model.node)
        ]
        if exploded:
            between = self._line_break + inner
            body = f",{between}".join(parts)
            return f"{brackets[0]}{between}{body}{self._line_break}{indent}{brackets[1]}"
        pad = self._pad(brackets[0], model)
        return brackets[0] + pad + self.comma.join(parts) + pad + brackets[1]

    def in_block(self, value: Any, column: int, like: Node | None) -> str:
        """Return a value in brackets in a block at a column: its closing bracket stands deeper."""
        return self.in_brackets(value, like, " " * column + self.unit)

    def is_inline(self, value: Any, like: Node | None) -> bool:
        """Return whether a value takes no block of lines where it might."""
        if not isinstance(value, dict | list) or not value:
            return True
        model = self._model(value, like)
        return model is not None and model.kind in ("{", "[")

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
                deeper = column + self._step(is_list=isinstance(each, list))
                start = self._line_break + " " * deeper
                entries.append(f"{name}{start}{self.block(each, deeper, part)}")
        return (self._line_break + " " * column).join(entries)

    def _space_behind_dash(self, model: _Part | None) -> str:
        if model is None or model.kind != "block sequence":
            return " "
        between = self._text[model.node.span.start + 1 : _first(model.node)]
        return between if between.isspace() and not has_break(between) else " "

    def parts(
        self, value: Any, model: Node | None, *, block: bool = False
    ) -> Iterator[tuple[str, Any, Node | None]]:
        """Yield of each value of a collection the text before it, itself, and its model."""
        if isinstance(value, dict):
            known = model.members if model and model.members else {}
            first = next(iter(known.values()), None)
            quoting = self._text[first.key.start : first.key.end] if first else ""
            for name, each in value.items():
                part = known[name].node if name in known else None
                if part is None and isinstance(each, dict):
                    part = next((m.node for m in known.values() if m.node.members), None)
                colon = ":" if block else self.colon
                yield self.key(name, quoting) + colon, each, part
        else:
            items = model.items if model and model.items else []
            for each in value:
                like = next((item for item in reversed(items) if _is_alike(item, each)), None)
                yield "-" if block else "", each, like

    def _model(self, value: Any, like: Node | None) -> _Part | None:
        if like is not None and (like.members if isinstance(value, dict) else like.items):
            return _Part(value, like, kind_of(self._text, like), None)
        return self._models.get(_class(value))

    def _explodes(self, value: Any, model: _Part | None) -> bool:
        """Return whether a collection in brackets gets a line for each entry."""
        if model is not None and model.kind in ("{", "["):
            return has_break(self._text[model.node.span.start : _first(model.node)])
        is_list_of_scalars = isinstance(value, list) and not any(
            isinstance(each, dict | list) for each in value
        )
        is_first = not self._models  # there is nothing to be like, but people who read it
        return (is_first or self._unit is not None) and not is_list_of_scalars

    def _pad(self, opener: str, model: _Part | None) -> str:
        if model and model.kind == opener:
            lead = self._text[model.node.span.start + 1 : _first(model.node)]
            if not has_break(lead):
                return lead
        usual = " " if opener == "{" and self.colon != ":" else ""
        pads = (lead for each, lead in self._in_brackets if each.kind == opener)
        return next((each for each in pads if not has_break(each)), usual)

    # -- in place of others ------------------------------------------------------------------

    def replaced(self, entry: Entry, column: int, value: Any) -> list[Edit]:
        """Return the edits that give an entry of a block at a column another value."""
        text, node = self._text, entry.value
        span, inline = node.span, self.is_inline(value, node)
        if kind_of(text, node) in ("block mapping", "block sequence"):
            return self._for_block(entry, column, value, inline=inline)
        if not inline:
            return self._by_block(entry, column, value)
        written = self.in_block(value, column, node)
        if comment := _OF_HEADER.match(text, span.start):
            head, line_break, rest = written.partition(self._line_break)
            written = f"{head}{comment[1]}{line_break}{rest}"
        return [Edit(*span, written if span.start < span.end else f" {written}")]

    def _for_block(self, entry: Entry, column: int, value: Any, *, inline: bool) -> list[Edit]:
        text, node = self._text, entry.value
        start, end = node.span
        line = line_start(text, start)
        if not inline:
            is_alike = node.is_object is isinstance(value, dict)
            own = start - line if is_alike else self._deeper(entry, column, value)
            return [Edit(line, end, " " * own + self.block(value, own, node))]
        at, written = entry.head, self.in_block(value, column, node)
        before = before_break(text, line)
        cut = Edit(before, line_end(text, end), f" {written}" if at == before else "")
        return [cut] if at == before else [Edit(at, at, f" {written}"), cut]

    def _by_block(self, entry: Entry, column: int, value: Any) -> list[Edit]:
        text, node = self._text, entry.value
        start, end = node.span
        if entry.key is None and start < end and not text[entry.head : start].strip():
            return [Edit(start, end, self.block(value, column_at(text, start), node))]
        deeper = self._deeper(entry, column, value)
        block = " " * deeper + self.block(value, deeper, node)
        if has_break(text[entry.head : start]):
            return [Edit(line_start(text, start), end, block)]
        stop, block = line_end(text, end), self._line_break + block
        if start == end:
            return [Edit(stop, stop, block)]
        if stop == end:
            return [Edit(entry.head, end, block)]
        return [Edit(entry.head, end, ""), Edit(stop, stop, block)]

    def _deeper(self, entry: Entry, column: int, value: Any) -> int:
        return column + self._step(is_list=bool(entry.key) and isinstance(value, list))


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
