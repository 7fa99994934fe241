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
    r"""
    [ ]*+ (?:(?<=[ ])\#[^\n\0]*+|(?!))?+ \n (?:[ ]*+(?:\#[^\n\0]*+|(?!))?+\n|(?!))*+
    (?P<indent>[ ]*+) (?P<dash>-(?:[ ]++|(?=\n))|(?!))?+
    (?: (?P<key>[A-Za-z_][\w.-]*+): (?=[ \n]) [ ]*+ | (?!) )?+
    (?: (?P<quoted> "[^"\\\n\0]*+" | '[^'\n\0]*+' ) (?=[ ]*+(?:\n|(?<=[ ])\#))
      | (?P<plain>
          (?! [-?:,\[\]{}\#&*!|>'"%@`])
          (?: [^ \t\n\0:\#]++ | :(?=[^ \t\n\0]) | (?<=[^ \t\n])\#
            | [ ]++(?=[^ \t\n\0:\#]|:[^ \t\n\0]) | (?!) )++ )
        (?= [ ]++\# | [ ]*+\n(?:[ ]*+\n|(?!))*+ (?P<next>[ ]*+) [^ \t\n\0] )
      | (?P<brackets>(?=[\[{]))
      | (?P<below> (?= \n | (?<=[ ])\#)) )
    """,
    re.VERBOSE | re.ASCII,
)


def read_lines(source: Source, builder: Builder, flow: FlowReader) -> None:
    """Read the plain members and items that follow the place."""
    if source.is_odd:
        return
    while match := _LINE.match(source.text, source.at):
        target = _begin_entry(source, builder, match)
        if target is None:
            return
        kind = match.lastgroup
        if kind == "brackets":
            source.at = match.end()
            builder.put(flow.read(target.indent, None))
        elif kind == "below":
            is_member = target.kind == ":"
            source.at = match.end("key") + 1 if is_member else match.start("dash") + 1
            target.end = source.at if is_member else target.end
            target.explicit = not is_member
            target.phase = Phase.VALUE
        elif quoted := match["quoted"]:
            start, source.at = match.span("quoted")
            builder.put_text(quoted[1:-1], start, source.at, plain=False)
        else:
            start, source.at = match.span("plain")
            builder.put_text(match["plain"], start, source.at, plain=True)


def _begin_entry(source: Source, builder: Builder, match: re.Match[str]) -> Open | None:
    """Take in a line's key, and return the collection of its value; None for the long way."""
    line, at = match.span("indent")
    dash, key, following = match.group("dash", "key", "next")
    column = at - line
    inner = column + len(dash) if dash and key else column
    if key in NO_NAMES or len(key or "") > LONGEST_KEY or len(following or "") > inner:
        return None
    if not key and (not dash or match.lastgroup == "brackets"):
        return None
    target = _target(builder, column, at, dash=dash is not None)
    is_repeated = key and not dash and target and (key in target.members or key == target.key)
    if target is None or is_repeated:
        return None
    stack = builder.stack
    while stack[-1] is not target:
        builder.put(builder.close(stack[-1].end))
    if key:
        start, end = match.span("key")
        if dash:
            target = builder.open(":", inner, start, None)
        target.key, target.key_span = key, source.span(start, end)
    source.line = line
    return target


def _target(builder: Builder, column: int, at: int, *, dash: bool) -> Open | None:
    """Return the open collection that a line belongs to; None if that is not plain to see."""
    stack = builder.stack
    level = len(stack) - 1
    top = stack[level]
    if top.phase is Phase.VALUE:
        if column < top.indent or (column == top.indent and not (dash and top.kind == ":")):
            return None
        top.phase = Phase.NEXT
        return builder.open("-" if dash else ":", column, at, None)
    while stack[level].indent > column and level:
        level -= 1
        if stack[level].phase is not Phase.NEXT:
            return None
    if not dash and stack[level].kind == "-" and level:
        level -= 1  # a sequence may stand at its key's column
    top = stack[level]
    fits = top.indent == column and (top.kind == "-") is dash and top.phase is Phase.NEXT
    return top if fits else None
