"""The places of the parts of a good JSON text, looked up as they are asked for.

A manifest with a finding or two is asked for a handful of places. Each level on the way to one is
gone over by itself, and the objects and arrays before the way are passed over by the standard
library, in C. That may cost each level anew, so what lies deep is read whole, by `scanner`.
"""

from __future__ import annotations

import json
import re

from manifestkit.model.document import Member, Node
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_SPACE = re.compile(r"[ \t\r\n]*")
_BEFORE = r"[ \t\r\n]*+(?:,[ \t\r\n]*+)?"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_VALUE = rf'(?:(?P<scalar>{_STRING}|[^"{{\[,\]}} \t\r\n]++)|(?=[{{\[]))'
_ITEM = re.compile(rf"{_BEFORE}{_VALUE}")
_MEMBER = re.compile(rf"{_BEFORE}(?P<name>{_STRING})[ \t\r\n]*+:[ \t\r\n]*+{_VALUE}")
# Numbers are passed over too: nothing is made of them but a length.
_read = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode
_WHITE = " \t\r\n"
_OPENING = "{["
_SINGLE_LEVELS = 8
_NOT_READ = Span(0, 0)


def positions(text: str, limits: Limits) -> Node:
    """Return the positions in a text that is known to be good, within some limits."""
    space = _SPACE.match(text, text.startswith(BYTE_ORDER_MARK))
    start = space.end() if space else 0
    if text[start] not in _OPENING:
        return Node(Span(start, len(text.rstrip(_WHITE))))
    # The standard library goes down by calling itself, so it cannot go very deep.
    levels = _SINGLE_LEVELS if limits.depth <= DEFAULT_LIMITS.depth else 0
    return _collection(text, start, levels)


def _collection(text: str, start: int, levels: int) -> Node:
    if not levels:
        from manifestkit.decode.json.scanner import read_node  # noqa: PLC0415 - few are deep

        return read_node(text, start)
    unread = _Unread(_NOT_READ)
    unread.text = text
    unread.begin = start
    unread.levels = levels
    unread.last = start + 1
    unread.found = {}
    unread.made = {}
    return unread


class _Unread(Node):
    """An object or array whose parts, and whose end, are read as far as they are asked for."""

    text: str
    begin: int
    levels: int
    last: int  # the end of the last part that was gone over, or the begin if it is a collection
    found: dict[str | int, re.Match[str]]
    made: dict[str | int, Node]
    end = 0
    whole: dict[str, Member] | list[Node] | None = None

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.begin

    @property
    def span(self) -> Span:
        """The characters of the value."""
        if not self.end:
            self.end = _read(self.text, self.begin)[1]
        return Span(self.begin, self.end)

    def member(self, name: str) -> Member:
        """Return a member of an object."""
        node = self.child(name)
        return Member(Span(*self.found[name].span("name")), node)

    def child(self, token: str | int) -> Node:
        """Return a member's value or an item."""
        made = self.made.get(token)
        if made is None:
            match = self._parts(token)[token]
            if match["scalar"] is None:
                made = _collection(self.text, match.end(), self.levels - 1)
            else:
                made = Node(Span(*match.span("scalar")))
            self.made[token] = made
        return made

    @property
    def is_object(self) -> bool:
        """Return whether it is an object."""
        return self.text[self.begin] == "{"

    @property
    def members(self) -> dict[str, Member] | None:
        """For an object, each member by name."""
        if self.whole is None and self.is_object:
            self.whole = {str(name): self.member(str(name)) for name in self._parts()}
        return self.whole if isinstance(self.whole, dict) else None

    @property
    def items(self) -> list[Node] | None:
        """For an array, each item."""
        if self.whole is None and not self.is_object:
            self.whole = list(map(self.child, self._parts()))
        return self.whole if isinstance(self.whole, list) else None

    def _parts(self, wanted: str | int | None = None) -> dict[str | int, re.Match[str]]:
        """Return the parts as far as they are read, which is to the one that is wanted."""
        text, last, found = self.text, self.last, self.found
        is_object = self.is_object
        pattern = _MEMBER if is_object else _ITEM
        while wanted not in found:
            if found and text[last] in _OPENING:
                last = _read(text, last)[1]
            match = pattern.match(text, last)
            if match is None:
                break
            last = match.end()
            token: str | int = len(found)
            if is_object:
                name = match["name"]
                token = json.loads(name) if "\\" in name else name[1:-1]
            found[token] = match
        self.last = last
        return found
