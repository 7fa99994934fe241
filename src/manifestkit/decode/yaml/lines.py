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

# A plain scalar is whole when the next line with text stands no deeper (group `next`).
_LINE = re.compile(
    rf"""
    [ ]*+ (?:(?<=[ ])\#[^\n\0]*+|(?!))?+ \n (?:[ ]*+(?:\#[^\n\0]*+|(?!))?+\n|(?!))*+
    (?P<indent>[ ]*+) (?P<dash>-(?:[ ]++|(?=\n))|(?!))?+
    (?: (?P<key>[A-Za-z_][\w.-]{{0,{LONGEST_KEY - 1}}}+): (?=[ \n]) [ ]*+ | (?!) )?+
    (?: (?P<value>
          (?: "[^"\\\n\0]*+" | '[^'\n\0]*+' ) (?=[ ]*+(?:\n|(?<=[ ])\#))
          | (?! [-?:,\[\]{{}}\#&*!|>'"%@`])
            (?: [^ \t\n\0:\#]++ | :(?=[^ \t\n\0]) | (?<=[^ \t\n])\#
              | [ ]++(?=[^ \t\n\0:\#]|:[^ \t\n\0]) | (?!) )++
            (?= [ ]++\# | [ ]*+\n(?:[ ]*+\n|(?!))*+ (?P<next>[ ]*+) [^ \t\n] ) )
      | (?= [\[{{\n] | (?<=[ ])\#) )
    """,
    re.VERBOSE | re.ASCII,
)


def read_lines(source: Source, builder: Builder, flow: FlowReader) -> None:
    """Read the plain members and items that follow the place."""
    if source.is_odd:
        return
    text, stack = source.text, builder.stack
    while match := _LINE.match(text, source.at):
        indent, dash, key, value, following = match.groups()
        at = match.end()
        is_flow = value is None and text[at] in "[{"
        column = len(indent)
        inner = column + len(dash) if dash and key else column
        if key is None and (dash is None or is_flow):
            return
        if key in NO_NAMES or (following and len(following) > inner):
            return
        top = stack[-1]
        is_item = dash is not None
        if top.indent != column or (top.kind == "-") is not is_item or top.phase is not Phase.NEXT:
            found = _collection(builder, column, match.end("indent"), is_item=is_item)
            if found is None:
                return
            top = found
        if key:
            if is_item:
                top = builder.open(":", inner, match.start("key"), None)
            elif key in top.members:
                return
            top.key = key
        source.line, source.at = match.start("indent"), at
        if value is not None:
            builder.put_text(value, match)
            continue
        if key:
            top.key_span = source.span(*match.span("key"))
        if is_flow:
            builder.put(flow.read(top.indent, None))
        else:
            source.at = match.end("key") + 1 if key else match.start("dash") + 1
            top.end = source.at if key else top.end
            top.explicit = not key
            top.phase = Phase.VALUE


def _collection(builder: Builder, column: int, at: int, *, is_item: bool) -> Open | None:
    """Go to the open collection that a line belongs to; None if that is not plain to see."""
    stack = builder.stack
    level = len(stack) - 1
    top = stack[level]
    if top.phase is Phase.VALUE:
        if column < top.indent or (column == top.indent and not (is_item and top.kind == ":")):
            return None
        top.phase = Phase.NEXT
        return builder.open("-" if is_item else ":", column, at, None)
    while stack[level].indent > column and level:
        level -= 1
        if stack[level].phase is not Phase.NEXT:
            return None
    if not is_item and stack[level].kind == "-" and level:
        level -= 1  # a sequence may stand at its key's column
    top = stack[level]
    if top.indent != column or (top.kind == "-") is not is_item or top.phase is not Phase.NEXT:
        return None
    while stack[-1] is not top:
        builder.put(builder.close(stack[-1].end))
    return top
