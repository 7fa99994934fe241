"""Checks that no alias or tag forbids a change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from manifestkit.edits import trivia
from manifestkit.model.document import Document, Node
from manifestkit.model.errors import EditRefusedError

_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")
_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


class Anchors:
    """Knows what of a document stands in several places."""

    def __init__(self, document: Document) -> None:
        self._document = document
        text = document.text
        self.possible = document.syntax == "yaml" and ("&" in text or "!" in text)

    def check_lead(self, start: int, end: int) -> None:
        """Refuse to change a value that an alias repeats; its anchor stands in the trivia.

        Raises:
            EditRefusedError: that is so.
        """
        for each in trivia.tokens(self._document.text, start, end):
            if each.kind == "property" and each.text[1:] in self._aliased and each.text[0] == "&":
                raise EditRefusedError(f"an alias, `*{each.text[1:]}`, repeats it elsewhere")

    def check_tag(self, start: int, end: int) -> None:
        """Refuse to change what a tag in the trivia speaks of.

        Raises:
            EditRefusedError: that is so.
        """
        for each in trivia.tokens(self._document.text, start, end):
            if each.kind == "property" and each.text[0] == "!":
                raise EditRefusedError(f"the tag `{each.text}` before it determines its meaning")

    def check_gone(self, start: int, end: int) -> None:
        """Refuse to take out a stretch with an anchor that an alias needs.

        Raises:
            EditRefusedError: that is so.
        """
        if self.possible and self._aliased:
            for name in _ANCHOR.findall(self._document.text, start, end):
                if name in self._aliased:
                    raise EditRefusedError(f"an alias, `*{name}`, uses its anchor")

    @cached_property
    def _aliased(self) -> frozenset[str]:
        text = self._document.text
        found: set[str] = set()
        todo = [self._document.root]
        while todo:
            node = todo.pop()
            places: Iterable[int] = (node.span.start,)
            below: list[Node] = node.items or []
            if node.members is not None:
                places = (*places, *(each.key.start for each in node.members.values()))
                below = [each.node for each in node.members.values()]
            for start in places:
                alias = _ALIAS.match(text, start)
                if alias:
                    found.add(alias[1])
            if not text.startswith("*", node.span.start) or node.members:
                todo.extend(below)
        return frozenset(found)
