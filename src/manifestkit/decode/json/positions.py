"""The places of the parts of a good JSON text, looked up as they are asked for.

A manifest with a finding or two is asked for a handful of places. Each level on the way to one is
gone over by itself, and what stands beside the way is passed over by the standard library, in C.
That costs each level anew, so what lies deep is read whole, by `scanner`.
"""

from __future__ import annotations

import json
import re
from typing import Self

from manifestkit.model.document import Member, Node
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span

_SPACE = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NAME = re.compile(rf"(?:[ \t\r\n]*,)?[ \t\r\n]*({_STRING})[ \t\r\n]*:[ \t\r\n]*")
_MEMBER = re.compile(rf'{_NAME.pattern}({_STRING}|[^"{{\[,\]}} \t\r\n]++|(?!))?+')
# Numbers are passed over too: nothing is made of them but a length.
_read = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode
_WHITE = " \t\r\n"
_SINGLE_LEVELS = 8


def positions(text: str, limits: Limits) -> Node:
    """Return the positions in a text that is known to be good, within some limits."""
    start = _after(_SPACE, text, text.startswith(BYTE_ORDER_MARK))
    # The standard library goes down by calling itself, so it cannot go very deep.
    levels = _SINGLE_LEVELS if limits.depth <= DEFAULT_LIMITS.depth else 0
    span = Span(start, len(text.rstrip(_WHITE)))
    if text[start] not in "{[":
        return Node(span)
    return _Unread.of(text, span, levels) if levels else _deep_node(text, start)


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _node(text: str, start: int, levels: int) -> Node:
    if text[start] not in "{[":
        return Node(Span(start, _read(text, start)[1]))
    if not levels:
        return _deep_node(text, start)
    return _Unread.of(text, Span(start, _read(text, start)[1]), levels)


def _deep_node(text: str, start: int) -> Node:
    from manifestkit.decode.json.scanner import read_node  # noqa: PLC0415 - few manifests are deep

    return read_node(text, start)


def _name(written: str) -> str:
    return str(json.loads(written)) if "\\" in written else written[1:-1]


class _Unread(Node):
    """An object or array whose parts are read as far as they are asked for."""

    text: str
    levels: int
    read: dict[str, Member] | list[Node]
    at: int

    @classmethod
    def of(cls, text: str, span: Span, levels: int) -> Self:
        """Return the value of some characters, the first of so many levels."""
        made = cls(span)
        made.text = text
        made.levels = levels
        made.read = {} if text[span.start] == "{" else []
        made.at = _after(_SPACE, text, span.start + 1)
        return made

    def member(self, name: str) -> Member:
        """Return a member of an object."""
        read = self.read
        if isinstance(read, list):
            raise KeyError(name)
        while name not in read and self._reads_member(read):
            pass
        return read[name]

    def child(self, token: str | int) -> Node:
        """Return a member's value or an item."""
        if isinstance(token, str):
            return self.member(token).node
        read = self.read
        if isinstance(read, dict):
            raise KeyError(token)
        while token >= len(read) and self._reads_item(read):
            pass
        if token >= len(read):
            raise KeyError(token)
        return read[token]

    @property
    def members(self) -> dict[str, Member] | None:
        """For an object, each member by name."""
        if isinstance(self.read, list):
            return None
        while self._reads_member(self.read):
            pass
        return self.read

    @property
    def items(self) -> list[Node] | None:
        """For an array, each item."""
        if isinstance(self.read, dict):
            return None
        while self._reads_item(self.read):
            pass
        return self.read

    def _reads_member(self, read: dict[str, Member]) -> bool:
        match = _MEMBER.match(self.text, self.at)
        if match is None:
            return False
        if match[2]:
            value = Node(Span(*match.span(2)))
        else:
            value = _node(self.text, match.end(), self.levels - 1)
        read[_name(match[1])] = Member(Span(*match.span(1)), value)
        self.at = value.span.end
        return True

    def _reads_item(self, read: list[Node]) -> bool:
        if self.text[self.at] == "]":
            return False
        read.append(_node(self.text, self.at, self.levels - 1))
        self.at = _after(_COMMA, self.text, read[-1].span.end)
        return True
