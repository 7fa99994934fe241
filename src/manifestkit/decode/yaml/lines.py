"""The short way through the lines that most manifests consist of.

``key: text`` and ``- text`` on lines of their own are read here by one regular expression each;
whatever else a line holds is left to the reader. It decides nothing by itself: with a comment
after it, each of these lines goes the long way, to the same value and place (there is a test).
"""

from __future__ import annotations

import re

from manifestkit.decode.yaml.builder import Builder, Open, Phase
from manifestkit.decode.yaml.portable import ODD_WORDS
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source
from manifestkit.decode.yaml.values import WORDS

# A plain scalar is whole when the next line with text stands no deeper (group `next`).
_VALUE = r"""
    (?P<value> "[^"\\\n\0]*+"(?=\n)
      | (?: (?![-?:,\[\]{}\#&*!|>'"%@`])
          (?: [^ \t\n\0:\#]++ | :(?=[^ \t\n\0]) | (?<=[^ \t\n])\#
            | [ ]++(?=[^ \t\n\0:\#]|:[^ \t\n\0]) )++ )
        (?=\n(?P<next>[ ]*+)[^ \t\n\0\#]) )
"""
_LINE = re.compile(
    rf"\n(?P<indent>[ ]*+)(?P<dash>-[ ]++)?+(?:(?P<key>[A-Za-z_][\w.-]*+):[ ]++)?+{_VALUE}",
    re.VERBOSE | re.ASCII,
)
_FLOW_VALUE = r"""
    (?P<value> "[^"\\\n\0]*+"
      | (?![-?:,\[\]{}\#&*!|>'"%@`])
        (?: [^ \t\n\0:?\#,\[\]{}]++ | [ ]++(?=[^ \t\n\0:?\#,\[\]{}]) )++ (?=[ ,\]}]) )
    [ ]*+
"""
_PAIR = re.compile(
    rf"[ ]*+(?P<key>[A-Za-z_][\w.-]*+):[ ]++{_FLOW_VALUE}(?=[,}}])", re.VERBOSE | re.ASCII
)
_ENTRY = re.compile(rf"[ ]*+{_FLOW_VALUE}(?=[,\]])", re.VERBOSE)

_NO_NAMES = frozenset(WORDS) | ODD_WORDS


def read_entries(source: Source, builder: Builder, top: Open) -> None:
    """Read the plain entries, on this line, of a collection in brackets."""
    if source.is_odd:
        return
    text = source.text
    pattern = _PAIR if top.kind == "{" else _ENTRY
    while top.phase is Phase.NEXT and (match := pattern.match(text, source.at)):
        if top.kind == "{":
            key = match["key"]
            if key in top.members or key in _NO_NAMES:
                return
            top.key, top.key_span = key, source.span(*match.span("key"))
        start, end = match.span("value")
        if text[start] == '"':
            builder.put_scalar(Scalar(text[start + 1 : end - 1], start, end, plain=False))
        else:
            builder.put_scalar(Scalar(text[start:end], start, end, plain=True))
        source.at = match.end()
        if text[source.at] == ",":
            source.at += 1
        else:
            top.phase = Phase.AFTER


def read_lines(source: Source, builder: Builder) -> None:
    """Read the plain members and items that follow the place."""
    if source.is_odd:
        return
    text, stack = source.text, builder.stack
    while match := _LINE.match(text, source.at):
        line, at = match.span("indent")
        dash, key, following = match["dash"], match["key"], match["next"]
        level = _level(stack, at - line, dash=dash is not None)
        if level < 0 or key in _NO_NAMES or not (dash or key):
            return
        target = stack[level]
        column = at - line + len(dash or "") if key else at - line
        if (key and not dash and key in target.members) or (
            following is not None and len(following) > column
        ):
            return
        while stack[-1] is not target:
            builder.put(builder.close(stack[-1].end))
        if key:
            if dash:
                target = builder.open(":", column, match.start("key"), None)
            target.key, target.key_span = key, source.span(*match.span("key"))
        start, end = match.span("value")
        if following is None:
            builder.put_scalar(Scalar(text[start + 1 : end - 1], start, end, plain=False))
        else:
            builder.put_scalar(Scalar(text[start:end], start, end, plain=True))
        source.at, source.line = end, line


def _level(stack: list[Open], column: int, *, dash: bool) -> int:
    """Which open collection a line belongs to; -1 if that is not plain to see."""
    level = len(stack) - 1
    while stack[level].indent > column and level:
        level -= 1
        if stack[level].phase is not Phase.NEXT:
            return -1
    if not dash and stack[level].kind == "-" and level:
        level -= 1  # a sequence may stand at its key's column
    top = stack[level]
    fits = top.indent == column and (top.kind == "-") is dash and top.phase is Phase.NEXT
    return level if fits else -1
