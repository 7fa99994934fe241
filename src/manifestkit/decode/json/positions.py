"""The places of the parts of a good JSON text, a level at a time as they are asked for.

A manifest with a finding or two is asked for a handful of places. Each level on the way to one is
gone over by itself, and what is below it is passed over by the standard library, in C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial

from manifestkit.decode.json.scanner import read_node
from manifestkit.model.document import Member, Node, Parts, Spans
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.pointer import Path

_BEFORE = r"[ \t\r\n]*+(?:,[ \t\r\n]*+)?"
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_VALUE = rf'(?:(?P<scalar>{_STRING}|[^"{{\[,\]}} \t\r\n]++)|(?=[{{\[]))'
_ITEM = re.compile(rf"{_BEFORE}{_VALUE}")
_MEMBER = re.compile(rf"{_BEFORE}(?P<name>{_STRING})[ \t\r\n]*+:[ \t\r\n]*+{_VALUE}")
# Numbers are passed over too: nothing is made of them but a length.
_pass_over = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode
_WHITE = " \t\r\n"
_Range = tuple[int, int]


def positions(text: str, limits: Limits) -> Node:
    """Return the positions in a text that is known to be good, within some limits."""
    span = _whole(text)
    # The standard library goes down by calling itself, so it cannot go very deep.
    if limits.depth > DEFAULT_LIMITS.depth:
        return read_node(text, span.start)
    return Node(span, partial(_parts, text) if text[span.start] in "{[" else None)


def spans(text: str, path: Path) -> Spans:
    """Return the characters of the member name that a path ends in, and of its value.

    Raises:
        KeyError: there is no value at that path.
    """
    key: _Range | None = None
    span: _Range = _whole(text)
    for token in path:
        owner, _ = span
        for name, key, span in _entries(text, owner, token):  # noqa: B007 - the last ones are found
            if name == token:
                break
        else:
            raise KeyError(token)
    start, end = span
    end = end if start < end else _pass_over(text, start)[1]
    return Span(*key) if key else None, Span(start, end)


def _whole(text: str) -> Span:
    """Return the characters of the whole value."""
    start = len(text) - len(text.removeprefix(BYTE_ORDER_MARK).lstrip(_WHITE))
    return Span(start, len(text.rstrip(_WHITE)))


def _parts(text: str, span: Span) -> Parts:
    """Return the parts of an object or array in a text."""
    members: dict[str, Member] = {}
    items: list[Node] = []
    read = partial(_parts, text)
    for name, key, part in _entries(text, span.start):
        node = Node(Span(*part), read if text[part[0]] in "{[" else None)
        if key and isinstance(name, str):
            members[name] = Member(Span(*key), node)
        else:
            items.append(node)
    return members if text[span.start] == "{" else items


def _entries(
    text: str, start: int, wanted: str | int | None = None
) -> Iterator[tuple[str | int, _Range | None, _Range]]:
    """Yield each member and item of a value: its name or index, that name's characters, its own.

    One that is wanted is the last, and has no end unless it is a scalar.
    """
    if text[start] not in "{[":
        return
    is_object = text[start] == "{"
    pattern = _MEMBER if is_object else _ITEM
    at, index = start + 1, 0
    while match := pattern.match(text, at):
        begin, at = match.span("scalar")
        name: str | int = index
        if is_object:
            written = match["name"]
            name = json.loads(written) if "\\" in written else written[1:-1]
        if begin < 0:
            begin = match.end()
            at = begin if name == wanted else _pass_over(text, begin)[1]
        yield name, match.span("name") if is_object else None, (begin, at)
        index += 1
