"""The places of the parts of a good JSON text, a level at a time as they are asked for.

A manifest with a finding or two is asked for a handful of places. Each level on the way to one is
gone over by itself, and what is below it is passed over by the standard library, in C.
"""

from __future__ import annotations

import json
import re

from manifestkit.decode.json.scanner import read_node
from manifestkit.model.document import Member, Node
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_BEFORE = r"[ \t\r\n]*+(?:,[ \t\r\n]*+)?"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_VALUE = rf'(?:(?P<scalar>{_STRING}|[^"{{\[,\]}} \t\r\n]++)|(?=[{{\[]))'
_ITEM = re.compile(rf"{_BEFORE}{_VALUE}")
_MEMBER = re.compile(rf"{_BEFORE}(?P<name>{_STRING})[ \t\r\n]*+:[ \t\r\n]*+{_VALUE}")
# Numbers are passed over too: nothing is made of them but a length.
_pass_over = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode
_WHITE = " \t\r\n"


def positions(text: str, limits: Limits) -> Node:
    """Return the positions in a text that is known to be good, within some limits."""
    start = len(text) - len(text.removeprefix(BYTE_ORDER_MARK).lstrip(_WHITE))
    # The standard library goes down by calling itself, so it cannot go very deep.
    if limits.depth > DEFAULT_LIMITS.depth:
        return read_node(text, start)
    span = Span(start, len(text.rstrip(_WHITE)))
    return _unread(text, span) if text[start] in "{[" else Node(span)


def _unread(text: str, span: Span) -> Node:
    unread = _Unread(span)
    unread.text = text
    return unread


class _Unread(Node):
    """An object or array whose parts are read when they are asked for."""

    text: str
    whole: Node | None = None

    @property
    def members(self) -> dict[str, Member] | None:
        """For an object, each member by name."""
        return self._read().members

    @property
    def items(self) -> list[Node] | None:
        """For an array, each item."""
        return self._read().items

    def _read(self) -> Node:
        if self.whole is None:
            self.whole = _read_level(self.text, self.span)
        return self.whole


def _read_level(text: str, span: Span) -> Node:
    members: dict[str, Member] = {}
    items: list[Node] = []
    is_object = text[span.start] == "{"
    pattern = _MEMBER if is_object else _ITEM
    at = span.start + 1
    while match := pattern.match(text, at):
        start, end = match.span("scalar")
        if start < 0:
            start = match.end()
            end = _pass_over(text, start)[1]
            node = _unread(text, Span(start, end))
        else:
            node = Node(Span(start, end))
        at = end
        if is_object:
            name = match["name"]
            name = json.loads(name) if "\\" in name else name[1:-1]
            members[name] = Member(Span(*match.span("name")), node)
        else:
            items.append(node)
    return Node(span, members) if is_object else Node(span, items=items)
