"""Checks that no alias or tag forbids a change."""

from __future__ import annotations

import re
from functools import cached_property

from manifestkit.edits import trivia
from manifestkit.model.document import Document
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
        """Refuse to change a value that an alias repeats; its anchor stands in the trivia."""
        for name in self._properties(start, end, "&"):
            if name in self._aliased:
                raise EditRefusedError(f"an alias, `*{name}`, repeats it elsewhere")

    def check_tag(self, start: int, end: int) -> None:
        """Refuse to change what a tag in the trivia speaks of."""
        for name in self._properties(start, end, "!"):
            raise EditRefusedError(f"the tag `!{name}` before it determines its meaning")

    def check_gone(self, start: int, end: int) -> None:
        """Refuse to take out a stretch with an anchor that an alias needs."""
        if self.possible and self._aliased:
            for name in _ANCHOR.findall(self._document.text, start, end):
                if name in self._aliased:
                    raise EditRefusedError(f"an alias, `*{name}`, uses its anchor")

    def _properties(self, start: int, end: int, sign: str) -> list[str]:
        found = trivia.tokens(self._document.text, start, end)
        properties = (each[0] for each in found if each.lastgroup == "property")
        return [each[1:] for each in properties if each[0] == sign]

    @cached_property
    def _aliased(self) -> frozenset[str]:
        starts: list[int] = []
        todo = [self._document.root]
        while todo:
            node = todo.pop()
            starts.append(node.span.start)
            if node.repeated is None:
                members = (node.members or {}).values()
                starts += (each.key.start for each in members)
                todo += (each.node for each in members)
                todo += node.items or ()
        aliases = (_ALIAS.match(self._document.text, start) for start in starts)
        return frozenset(alias[1] for alias in aliases if alias)
