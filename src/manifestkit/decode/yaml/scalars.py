"""The text of YAML scalars: plain and quoted (YAML 1.2.2, 7.3), literal and folded (8.1)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from manifestkit.decode.yaml.portable import DIFFERENT, OTHERWISE, REFUSED, UNENDED
from manifestkit.decode.yaml.source import Source

_PLAIN_BLOCK = re.compile(
    r"""(?: [^ \t\n\0:#]++ | :(?=[^ \t\n\0]) | (?<=[^ \t\n])\#
          | [ \t]++(?=[^ \t\n\0:#]|:[^ \t\n\0]) | (?!) )*+""",
    re.VERBOSE,
)
_PLAIN_FLOW = re.compile(
    r"""(?: [^ \t\n\0:#,\[\]{}]++ | :(?=[^ \t\n\0,\[\]{}]) | (?<=[^ \t\n])\#
          | [ \t]++(?=[^ \t\n\0:#,\[\]{}]|:[^ \t\n\0,\[\]{}]) | (?!) )*+""",
    re.VERBOSE,
)
_NEXT_LINE = re.compile(r"[ \t]*+\n((?:[ \t]*+\n|(?!))*+)( *+)[ \t]*+")
_MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n\0])")
_SINGLE = re.compile(r"'[^'\0]*+(?:''[^'\0]*+|(?!))*+'")
_DOUBLE = re.compile(r'"[^"\\\0]*+(?:\\[^\0][^"\\\0]*+|(?!))*+"')
_FOLD = re.compile(r"[ \t]*+\n((?:[ \t]*+\n|(?!))*+)[ \t]*+")
_ESCAPE_OR_FOLD = re.compile(
    r"""\\(?: \n(?P<kept>(?:[ \t]*+\n|(?!))*+)[ \t]*+
            | u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
            | x(?P<x>[0-9a-fA-F]{2}) | u(?P<u>[0-9a-fA-F]{4}) | U(?P<U>[0-9a-fA-F]{8})
            | (?P<one>.) )
      | [ \t]*+\n(?P<breaks>(?:[ \t]*+\n|(?!))*+)[ \t]*+""",
    re.VERBOSE,
)
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_PAIR = re.compile(r"(?<!\\)(?:\\\\)*\\u[dD][89abAB]..\\u[dD][c-fC-F]")
_KEPT = re.compile(r"(?<!\\)(?:\\\\)*\\\n[ \t]*\n")
_ODD_BEGIN = re.compile(r"\n*+(?: ++\n| *+\t)")
_ODD_IN_FLOW = re.compile(r"[?:]")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEX_RUN = re.compile(r"[0-9a-fA-F]{0,8}")
_LAST_CODE_POINT = 0x10FFFF

_HEADER = re.compile(
    r"[|>](?:([1-9])([+-]?)|([+-])([1-9]?)|(?!))?+(?=[ \t\n\0])(?:[ \t]++#[^\n\0]*+)?+[ \t]*+"
)
_BLANK_LINES = re.compile(r"(?: *+\n|(?!))*+")
_SPACES = re.compile(r" *+")
_TAB_LINE = re.compile(r" *+\t[ \t]*+(?=[\n\0])")
_MARKER_AHEAD = r"(?!(?:---|\.\.\.)[ \t\n\0])"


class Scalar(NamedTuple):
    """A scalar as it is written.

    Attributes:
        text: what it says.
        start, end: its characters.
        plain: whether it stands without quotes, and is no block of text.
        others: what other readers see for the way in which it is written, and who they are.
    """

    text: str
    start: int
    end: int
    plain: bool
    others: str | None = None


def plain_line(source: Source, *, flow: bool) -> int:
    """Return the offset after the plain text that starts at the place, on its line."""
    pattern = _PLAIN_FLOW if flow else _PLAIN_BLOCK
    return pattern.match(source.text, source.at).end()  # type: ignore[union-attr]  # matches ""


def looks_like_marker(source: Source, start: int) -> bool:
    """Return whether a plain scalar begins its line as a document marker does."""
    return start == source.line and source.text.startswith(("---", "..."), start)


def plain(source: Source, indent: int, *, flow: bool) -> Scalar:
    """Read the plain scalar at the place; its further lines stand deeper than `indent`."""
    text, start = source.text, source.at
    pattern = _PLAIN_FLOW if flow else _PLAIN_BLOCK
    end = pattern.match(text, start).end()  # type: ignore[union-attr]  # matches ""
    parts = [text[start:end]]
    while match := _NEXT_LINE.match(text, end):
        at = match.end()
        spaces = match.end(2) - match.start(2)
        if spaces <= indent or text[at] in "#\0" or (not spaces and _MARKER.match(text, at)):
            break
        line_end = pattern.match(text, at).end()  # type: ignore[union-attr]  # matches ""
        if line_end == at:
            break
        parts += ("\n" * match[1].count("\n") or " ", text[at:line_end])
        source.line = match.start(2)
        end = line_end
    source.at = end
    others = None
    if flow and _ODD_IN_FLOW.search(text, start, end):
        others = OTHERWISE
    elif not flow and looks_like_marker(source, start):
        others = DIFFERENT
    return Scalar("".join(parts), start, end, plain=True, others=others)


def quoted(source: Source, indent: int) -> Scalar:
    """Read the quoted scalar at the place; its further lines stand deeper than `indent`."""
    text, start = source.text, source.at
    double = text[start] == '"'
    match = (_DOUBLE if double else _SINGLE).match(text, start)
    if match is None:
        raise _unclosed(source, start)
    end = match.end()
    body = text[start + 1 : end - 1]
    others = None
    source.at = end
    if "\n" in body:
        _check_lines(source, start, end, indent)
        source.line = text.rindex("\n", start, end) + 1
    if double:
        if "\\" in body or "\n" in body:
            others = REFUSED if _PAIR.search(body) else DIFFERENT if _KEPT.search(body) else None
            body = _unescape(source, start + 1, body)
    else:
        if "\n" in body:
            body = _FOLD.sub(_fold, body)
        body = body.replace("''", "'")
    return Scalar(body, start, end, plain=False, others=others)


def _check_lines(source: Source, start: int, end: int, indent: int) -> None:
    for match in _NEXT_LINE.finditer(source.text, start, end):
        line = match.start(2)
        spaces = match.end(2) - line
        if spaces <= indent and source.text[match.end(2)] == "\t":
            raise source.tab_in_indentation(match.end(2))
        marker = not spaces and _MARKER.match(source.text, line)
        if marker or spaces <= indent:
            raise source.error_on_line(
                start,
                "quote is not closed before its indentation ends",
                "close it, or indent every line of the string deeper than its key",
                related=(source.related("this line is outside", line, source.line_end(line)),),
            )


def _unclosed(source: Source, start: int) -> Exception:
    quote = source.text[start]
    end = source.text.find("\n", start)
    end = len(source.text) - 1 if end < 0 else end
    escaped = '\\"' if quote == '"' else "''"
    return source.error(
        start,
        start + len(source.text[start:end].rstrip(" \t")),
        "quote is not closed",
        f"write the missing `{quote}`; inside the string, write `{escaped}`",
    )


def _fold(match: re.Match[str]) -> str:
    return "\n" * match[1].count("\n") or " "


def _unescape(source: Source, offset: int, body: str) -> str:
    def meant(match: re.Match[str]) -> str:
        kind = match.lastgroup
        group = match[kind or 0]
        if kind == "breaks":
            return "\n" * group.count("\n") or " "
        if kind == "one":
            known = _ESCAPES.get(group)
            return known if known is not None else bad(match, group)
        if kind == "kept":
            return "\n" * group.count("\n")
        if kind == "low":
            high, low = int(match["high"], 16), int(group, 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        code = int(group, 16)
        return chr(code) if code <= _LAST_CODE_POINT else bad(match, "U")

    def bad(match: re.Match[str], letter: str) -> str:
        start = offset + match.start()
        end = offset + match.end()
        digits = _HEX_DIGITS.get(letter)
        if digits:
            end = min(_HEX_RUN.match(source.text, start + 2).end(), start + 2 + digits)  # type: ignore[union-attr]
            message = f"is not an escape: `\\{letter}` takes {digits} hexadecimal digits"
            if end == start + 2 + digits:
                message = "is not an escape: the last character is `\\U0010FFFF`"
            source.error(
                start,
                end,
                f"`{source.excerpt(start, end)}` {message}",
                "write all the digits, such as `\\u00e9`, or the character itself",
            )
            return ""
        do = "write `\\\\`, or use single quotes, which have no escapes"
        source.error(
            start,
            end,
            f"`{source.excerpt(start, end)}` is not an escape in YAML",
            do,
            fix=source.fix(do, start, start + 1, "\\\\"),
        )
        return match[0]

    return _ESCAPE_OR_FOLD.sub(meant, body)


# -- blocks of text ----------------------------------------------------------------------------


def block_scalar(source: Source, indent: int) -> Scalar:
    """Read the block scalar at the place; its lines stand deeper than `indent`."""
    text, start = source.text, source.at
    header = _HEADER.match(text, start)
    if header is None or text[header.end()] not in "\n\0":
        raise source.error_on_line(
            start,
            "`{shown}` does not start a block of text",
            f"after `{text[start]}` only `+`, `-` or a digit is allowed; the text starts on the "
            "next line. A value that starts like this needs quotes",
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
    others = None
    if text[body_end - 1] != "\n" and content.endswith("\n"):
        others = UNENDED
    elif content.isspace() and content.strip("\n"):
        others = DIFFERENT
    elif "\t" in header[0].partition("#")[0] or (not digit and _ODD_BEGIN.match(text, body_start)):
        others = REFUSED
    return Scalar(content, start, end, plain=False, others=others)


def _detect(source: Source, body_start: int, indent: int) -> int:
    text = source.text
    blank = _BLANK_LINES.match(text, body_start).end()  # type: ignore[union-attr]  # matches ""
    depth = _SPACES.match(text, blank).end() - blank  # type: ignore[union-attr]  # matches ""
    widest = max((len(line) for line in text[body_start:blank].split("\n")), default=0)
    at_end = text[blank + depth] == "\0"
    if depth <= indent or at_end:
        return max(widest, depth if at_end else 0, indent + 1, 0)
    if widest > depth:
        raise source.error(
            blank,
            blank + depth,
            "the empty lines before this text are indented deeper than the text",
            "remove the spaces from the empty lines",
        )
    return depth


@lru_cache(maxsize=64)
def _body(depth: int) -> re.Pattern[str]:
    marker = "" if depth else _MARKER_AHEAD
    return re.compile(
        rf"(?:{marker}(?: {{{depth}}}[^\n\0]*+| {{0,{depth}}}(?=\n))\n|(?!))*+"
        rf"(?:{marker} {{{depth}}}[^\n\0]++(?=\0)| *+(?=\0)|(?!))?+"
    )


def _content_end(text: str, header: int, start: int, end: int, depth: int) -> int:
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
