"""The short way through the lines that most manifests consist of.

``key: text``, ``key:``, ``-``, ``- text`` and ``- key: text`` are read here by one regular
expression; whatever else a line holds is left to the reader. It decides nothing by itself: in a
text with an odd character each of these lines goes the long way, to the same value and place.
"""

from __future__ import annotations

import re

from manifestkit.decode.yaml.builder import LONGEST_KEY, Builder, Open, Phase
from manifestkit.decode.yaml.flow import FlowReader
from manifestkit.decode.yaml.source import Source
from manifestkit.decode.yaml.values import NO_NAMES

_NEXT, _VALUE = Phase.NEXT, Phase.VALUE  # Python 3.11 finds a member of an enum slowly

# A plain scalar is whole when the next line with text stands no deeper (group `next`).
_LINE = re.compile(
    rf"""
    [ ]*+ (?:\n|(?<=[ ])\#[^\n\0]*+\n) (?:[ ]*+(?:\n|\#[^\n\0]*+\n)|(?!))*+
    (?P<lead> [ ]*+ (?:-(?:[ ]++|(?=\n))|(?!))?+ )
    (?: (?P<key>[A-Za-z_][\w.-]{{0,{LONGEST_KEY - 1}}}+): (?=[ \n]) [ ]*+ | (?!) )?+
    (?: (?P<value>
          (?: "[^"\\\n\0]*+" | '[^'\n\0]*+' ) (?=[ ]*+(?:\n|(?<=[ ])\#))
          | (?! [-?:,\[\]{{}}\#&*!|>'"%@`])
            [^\n\0:\#]*[^ \n\0:\#] (?::[^ \n\0:\#]++|(?!))*+
            (?= [ ]++\# | [ ]*+\n(?:[ ]*+\n|(?!))*+ (?P<next>[ ]*+) [^ \n] ) )
      | (?= [\[{{\n] | (?<=[ ])\#) )
    """,
    re.VERBOSE | re.ASCII,
)


def read_lines(source: Source, builder: Builder, flow: FlowReader) -> None:
    """Read the plain members and items that follow the place."""
    if source.is_odd:
        return
    text, at, stack = source.text, source.at, builder.stack
    while match := _LINE.match(text, at):
        lead, key, value, following = match.groups()
        is_item = "-" in lead
        is_flow = value is None and text[match.end()] in "[{"
        if key in NO_NAMES or (key is None and (is_flow or not is_item)):
            break
        column = lead.index("-") if is_item else len(lead)
        inner = len(lead) if key else column
        if following and len(following) > inner:
            break
        last = stack[-1]
        goes_on = last.indent == column and (last.kind == "-") is is_item
        if goes_on and last.phase is _NEXT:
            top: Open | None = last
        else:
            start = match.start("lead") + column
            top = _collection(builder, column, start, is_item=is_item)
        if top is None or key in top.members:
            break
        if is_item and key:
            top = builder.open(":", inner, match.start("key"), None)
        top.key = key
        if value is not None:
            builder.put_text(top, value, match)
            at = match.end()
        elif is_flow:
            source.line, source.at = match.start("lead"), match.end()
            top.key_span = source.span(*match.span("key"))
            builder.put(flow.read(top.indent, None))
            at = source.at
        else:
            at = _begin_below(source, top, match)
    source.line, source.at = text.rfind("\n", 0, at) + 1, at


def _begin_below(source: Source, top: Open, match: re.Match[str]) -> int:
    """Expect the value on the lines below, and return where to read on."""
    top.phase = _VALUE
    if not match["key"]:
        top.explicit = True
        return source.text.index("-", match.start("lead")) + 1
    top.explicit = False
    top.key_span = source.span(*match.span("key"))
    top.end = match.end("key") + 1
    return top.end


def _collection(builder: Builder, column: int, at: int, *, is_item: bool) -> Open | None:
    """Go to the open collection that a line belongs to; None if that is not plain to see."""
    stack = builder.stack
    level = len(stack) - 1
    top = stack[level]
    if top.phase is _VALUE:
        if column < top.indent or (column == top.indent and not (is_item and top.kind == ":")):
            return None
        top.phase = _NEXT
        return builder.open("-" if is_item else ":", column, at, None)
    while stack[level].indent > column and level:
        level -= 1
        if stack[level].phase is not _NEXT:
            return None
    if not is_item and stack[level].kind == "-" and level:
        level -= 1  # a sequence may stand at its key's column
    top = stack[level]
    if top.indent != column or (top.kind == "-") is not is_item or top.phase is not _NEXT:
        return None
    while stack[-1] is not top:
        builder.close_block()
    return top
