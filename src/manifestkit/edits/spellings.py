"""The texts of values that move: numbers and strings, and in JSON whole objects and arrays."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

from manifestkit.edits import trivia
from manifestkit.model.document import Document, Node, Syntax
from manifestkit.model.limits import each_value
from manifestkit.model.pointer import Path

_NUMBER: dict[Syntax, re.Pattern[str]] = {
    "json": re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"),
    # YAML 1.1 takes for text what has an exponent, but no point or no sign before it.
    "yaml": re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE][-+][0-9]+)?)?"),
}
_NEXT_LINE = re.compile(r"(?<=[\r\n])(?=[^\r\n])")


class Spellings:
    """The texts of a document's values, for those that are written elsewhere.

    A number is told by its identity, not by what it equals; so is a string, unless it is a new one;
    an object or array by what is in it. Where several are the same, such as 0, which Python has
    only once, each place has its turn.

    Args:
        document: what the values are of.
        places: where in it they stand.
        moved: what is written; an object or array of the document in it keeps its layout.
    """

    def __init__(
        self, document: Document, places: Iterable[Path] = ((),), moved: Iterable[Any] = ()
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
        return text if _NUMBER[syntax].fullmatch(text) else None

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
                indent = re.escape(trivia.indent(self._document.text, start))
                source = re.sub(rf"(?<=[\r\n]){indent}", "", source)
                texts[_signature(value)].append(source)
            elif not isinstance(value, str) or _is_quoted(source):
                texts[id(value)].append(source)
                if isinstance(value, str):
                    texts[value].append(source)
        return texts

    def _parts(self) -> Iterator[tuple[Any, int, int]]:
        """Yield the values and names whose texts are kept, in order, and where each stands."""
        document, todo = self._document, list[tuple[Any, Node]]()
        for path in self._places:
            todo.insert(0, (document.value_at(path), document.node(path)))
            if name := document.key_span(path):
                yield path[-1], *name
        while todo:
            value, node = todo.pop()
            if not _is_collection(value) or (self._whole and _signature(value) in self._whole):
                yield value, *(node.repeated or node.span)
            elif node.repeated is not None:
                continue  # it is there where its anchor is
            elif isinstance(value, dict):
                members = [(name, node.member(name)) for name in value]
                for name, member in members:
                    yield name, *member.key
                todo += [(value[name], member.node) for name, member in reversed(members)]
            else:
                todo += [*zip(value, node.items or (), strict=True)][::-1]


def _is_collection(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_quoted(source: str) -> bool:
    """Return whether a string can stand anywhere as it is."""
    return source.startswith(('"', "'")) and not trivia.has_break(source)


def _signature(value: Any) -> Hashable:
    """Return what an object or array has in common with a copy of it, and with nothing else."""
    return tuple(map(_part_of_signature, each_value(value)))


def _part_of_signature(value: Any) -> Hashable:
    if isinstance(value, dict):
        return tuple(value)
    if isinstance(value, list):
        return (None, len(value))
    return value if isinstance(value, str) else id(value)
