"""Literal and folded block scalars (YAML 1.2.2, 8.1)."""

from __future__ import annotations

import re
from functools import lru_cache

from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source

_HEADER = re.compile(
    r"[|>](?:([1-9])([+-]?)|([+-])([1-9]?))?+(?=[ \t\n\0])(?:[ \t]++#[^\n\0]*+)?+[ \t]*+"
)
_BLANK_LINES = re.compile(r"(?: *+\n)*+")
_SPACES = re.compile(r" *+")
_TAB_LINE = re.compile(r" *+\t[ \t]*+(?=[\n\0])")
_MARKER_AHEAD = r"(?!(?:---|\.\.\.)[ \t\n\0])"


def block_scalar(source: Source, indent: int) -> Scalar:
    """Read the block scalar at the place; its lines stand deeper than `indent`."""
    text, start = source.text, source.at
    header = _HEADER.match(text, start)
    if header is None or text[header.end()] not in "\n\0":
        raise source.fatal(
            start,
            source.line_end(start),
            f"`{source.excerpt(start, source.line_end(start))}` begins no block of text",
            f"after `{text[start]}` only `+`, `-` or a digit may stand; the text begins on the next"
            " line. A value that starts so needs quotes",
        )
    digit, chomping = header[1] or header[4], header[2] or header[3]
    body_start = min(header.end() + 1, len(text) - 1)
    depth = max(indent, 0) + int(digit) if digit else _detect(source, body_start, indent)
    body_end = _body(depth).match(text, body_start).end()  # type: ignore[union-attr]  # matches ""
    *lines, last = text[body_start:body_end].split("\n")
    if last:
        lines.append(last)  # the end of the text ends its last line, too
    content = _join(
        [line[depth:] for line in lines],
        chomping,
        folded=text[start] == ">",
    )
    end = _content_end(text, header.end(), body_start, body_end, depth)
    source.at = body_end
    source.line = text.rfind("\n", 0, body_end) + 1
    if tab := _TAB_LINE.match(text, body_end):
        raise source.tab_in_indentation(tab.end() - 1)
    return Scalar(content, start, end, plain=False)


def _detect(source: Source, body_start: int, indent: int) -> int:
    """How deep the first line with text stands."""
    text = source.text
    blank = _BLANK_LINES.match(text, body_start).end()  # type: ignore[union-attr]  # matches ""
    depth = _SPACES.match(text, blank).end() - blank  # type: ignore[union-attr]  # matches ""
    widest = max((len(line) for line in text[body_start:blank].split("\n")), default=0)
    at_end = text[blank + depth] == "\0"
    if depth <= indent or at_end:
        return max(widest, depth if at_end else 0, indent + 1, 0)
    if widest > depth:
        raise source.fatal(
            blank,
            blank + depth,
            "the empty lines before this text are indented deeper than it",
            "take the spaces off the empty lines",
        )
    return depth


@lru_cache(maxsize=64)
def _body(depth: int) -> re.Pattern[str]:
    """The lines of a block that stands at a depth."""
    marker = "" if depth else _MARKER_AHEAD
    return re.compile(
        rf"(?:{marker}(?: {{{depth}}}[^\n\0]*+| {{0,{depth}}}(?=\n))\n)*+"
        rf"(?:{marker} {{{depth}}}[^\n\0]++(?=\0)| *+(?=\0))?+"
    )


def _content_end(text: str, header: int, start: int, end: int, depth: int) -> int:
    """Where the last line with text ends."""
    at = end
    while at > start:
        line = text.rfind("\n", 0, at) + 1
        if at - line > depth:
            return at
        if line == 0:
            break
        at = line - 1
    return header


def _join(lines: list[str], chomping: str | None, *, folded: bool) -> str:
    parts: list[str] = []
    pending = 0
    last_break = False
    was_deeper = False
    for line in lines:
        if not line:
            pending += 1
            continue
        deeper = line[0] in " \t"
        if folded and last_break and not was_deeper and not deeper:
            parts.append("\n" * pending or " ")
        else:
            parts.append("\n" * (pending + last_break))
        parts.append(line)
        pending, last_break, was_deeper = 0, True, deeper
    if chomping == "+":
        parts.append("\n" * (pending + last_break))
    elif chomping != "-" and last_break:
        parts.append("\n")
    return "".join(parts)
