"""The text of plain and quoted YAML scalars (YAML 1.2.2, 7.3)."""

from __future__ import annotations

import re
from typing import NamedTuple

from manifestkit.decode.yaml.source import Source

_PLAIN_BLOCK = re.compile(
    r"""(?: [^ \t\n\0:#]++ | :(?=[^ \t\n\0]) | (?<=[^ \t\n])\#
          | [ \t]++(?=[^ \t\n\0:#]|:[^ \t\n\0]) )*+""",
    re.VERBOSE,
)
_PLAIN_FLOW = re.compile(
    r"""(?: [^ \t\n\0:#,\[\]{}]++ | :(?=[^ \t\n\0,\[\]{}]) | (?<=[^ \t\n])\#
          | [ \t]++(?=[^ \t\n\0:#,\[\]{}]|:[^ \t\n\0,\[\]{}]) )*+""",
    re.VERBOSE,
)
_NEXT_LINE = re.compile(r"[ \t]*+\n((?:[ \t]*+\n)*+)( *+)[ \t]*+")
_MARKER = re.compile(r"(?:---|\.\.\.)(?=[ \t\n\0])")
_SINGLE = re.compile(r"'[^'\0]*+(?:''[^'\0]*+)*+'")
_DOUBLE = re.compile(r'"[^"\\\0]*+(?:\\[^\0][^"\\\0]*+)*+"')
_FOLD = re.compile(r"[ \t]*+\n((?:[ \t]*+\n)*+)[ \t]*+")
_ESCAPE_OR_FOLD = re.compile(
    r"""\\(?: \n(?P<kept>(?:[ \t]*+\n)*+)[ \t]*+
            | u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
            | x(?P<x>[0-9a-fA-F]{2}) | u(?P<u>[0-9a-fA-F]{4}) | U(?P<U>[0-9a-fA-F]{8})
            | (?P<one>.) )
      | [ \t]*+\n(?P<breaks>(?:[ \t]*+\n)*+)[ \t]*+""",
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
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEX_RUN = re.compile(r"[0-9a-fA-F]{0,8}")
_LAST_CODE_POINT = 0x10FFFF


class Scalar(NamedTuple):
    """The text of a scalar and its characters in the source."""

    text: str
    start: int
    end: int
    plain: bool


def plain_line(source: Source, *, flow: bool) -> int:
    """Where the plain text that starts at the place ends on its line."""
    pattern = _PLAIN_FLOW if flow else _PLAIN_BLOCK
    return pattern.match(source.text, source.at).end()  # type: ignore[union-attr]  # matches ""


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
    return Scalar("".join(parts), start, end, plain=True)


def quoted(source: Source, indent: int) -> Scalar:
    """Read the quoted scalar at the place; its further lines stand deeper than `indent`."""
    text, start = source.text, source.at
    double = text[start] == '"'
    match = (_DOUBLE if double else _SINGLE).match(text, start)
    if match is None:
        raise _unclosed(source, start)
    end = match.end()
    body = text[start + 1 : end - 1]
    source.at = end
    if "\n" in body:
        _check_lines(source, start, end, indent)
        source.line = text.rindex("\n", start, end) + 1
    if double:
        if "\\" in body or "\n" in body:
            body = _unescape(source, start + 1, body)
    else:
        if "\n" in body:
            body = _FOLD.sub(_fold, body)
        body = body.replace("''", "'")
    return Scalar(body, start, end, plain=False)


def _check_lines(source: Source, start: int, end: int, indent: int) -> None:
    for match in _NEXT_LINE.finditer(source.text, start, end):
        line = match.start(2)
        spaces = match.end(2) - line
        if spaces <= indent and source.text[match.end(2)] == "\t":
            raise source.tab_in_indentation(match.end(2))
        marker = not spaces and _MARKER.match(source.text, line)
        if marker or spaces <= indent:
            raise source.fatal(
                start,
                source.line_end(start),
                "quote is not closed before the text leaves its indentation",
                "close it, or indent every line of the string deeper than its key",
                related=(source.related("this line is outside", line, source.line_end(line)),),
            )


def _unclosed(source: Source, start: int) -> Exception:
    quote = source.text[start]
    end = source.text.find("\n", start)
    end = len(source.text) - 1 if end < 0 else end
    escaped = '\\"' if quote == '"' else "''"
    return source.fatal(
        start,
        start + len(source.text[start:end].rstrip(" \t")),
        "quote is not closed",
        f"write the missing `{quote}`; inside the string it is written `{escaped}`",
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
            message = f"is no escape: `\\{letter}` takes {digits} hexadecimal digits"
            if end == start + 2 + digits:
                message = "is no escape: the last character is `\\U0010FFFF`"
            source.mistake(
                start,
                end,
                f"`{source.excerpt(start, end)}` {message}",
                "write all the digits, such as `\\u00e9`, or the character itself",
            )
            return ""
        source.mistake(
            start,
            end,
            f"`{source.excerpt(start, end)}` is no escape in YAML",
            "write `\\\\`, or put the string in single quotes, which know no escapes",
            edit=source.edit(start, start + 1, "\\\\"),
        )
        return match[0]

    return _ESCAPE_OR_FOLD.sub(meant, body)
