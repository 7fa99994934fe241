"""Where the parts of a good JSON text stand, looked up as they are asked for.

A manifest with a finding or two is asked for a handful of places. Each level on the way to one is
gone over by itself, and what stands beside the way is passed over by the standard library, in C.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Self

from manifestkit.decode.json.scanner import scan_positions
from manifestkit.document import Member, Node
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.location import BYTE_ORDER_MARK, Span

_SPACE = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")[ \t\r\n]*:[ \t\r\n]*')
_COMMA = re.compile(r"[ \t\r\n]*,?[ \t\r\n]*")
# Numbers are passed over too: nothing is made of them but a length.
_read = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode
# Level by level, the cost is that of the whole times its depth.
_MOST_CHARACTERS = 256 * 1024


def positions(text: str, limits: Limits) -> Node:
    """The positions in a text that is known to be good, within some limits."""
    if len(text) > _MOST_CHARACTERS or limits.depth > DEFAULT_LIMITS.depth:
        return scan_positions(text)
    return _Unread(text, _after(_SPACE, text, text.startswith(BYTE_ORDER_MARK)))


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


class _Unread(Node):
    """A value whose parts are looked up when they are asked for."""

    def __new__(cls, text: str, start: int) -> Self:
        """The value that starts at an offset of a text."""
        made = super().__new__(cls, Span(start, _read(text, start)[1]))
        made.text = text
        return made

    text: str

    @cached_property
    def members(self) -> dict[str, Member] | None:
        """For an object, each member by name."""
        text, at = self.text, self.span.start
        if text[at] != "{":
            return None
        found: dict[str, Member] = {}
        at = _after(_SPACE, text, at + 1)
        while name := _NAME.match(text, at):
            value = _Unread(text, name.end())
            found[json.loads(name[1])] = Member(Span(*name.span(1)), value)
            at = _after(_COMMA, text, value.span.end)
        return found

    @cached_property
    def items(self) -> list[Node] | None:
        """For an array, each item."""
        text, at = self.text, self.span.start
        if text[at] != "[":
            return None
        found: list[Node] = []
        at = _after(_SPACE, text, at + 1)
        while text[at] != "]":
            found.append(_Unread(text, at))
            at = _after(_COMMA, text, found[-1].span.end)
        return found
