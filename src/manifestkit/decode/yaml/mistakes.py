"""Mistakes in the block structure of a YAML text, and what to write instead."""

from __future__ import annotations

import re
from typing import Literal

from manifestkit.decode.findings import StopError
from manifestkit.decode.yaml.builder import Built
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source

_NO_SPACE = re.compile(r"([^ \t\n:\"'{}\[\],#]++):(?![ \t\n:/])")
# Brackets, and quotes that are no apostrophes.
_MARK = re.compile(r"""["\u2018\u201a-\u201f\u2033\[\]{}]|(?<!\w)['\u2019]|['\u2019](?!\w)""")
_BETWEEN_MEMBERS = re.compile(r",|[ ][ ]|\t")
_MEMBER_COLON = re.compile(r":(?![^ \t])")
# One member without its brackets, or several items without them.
_ENTRIES = re.compile(r"[a-z0-9_][\w.-]*+:(?![^ \t])|.*:$|[@`%].*,")
_LONE = re.compile(r"\D(?![^ \t])")
_NO_KEY = (
    "expected `key: value`, found `{shown}`",
    "write a `:` and a space after the key; indent text deeper to continue a value",
)
_WHY_NO_START = {
    "#": "put a space before `#` if it is a comment, or quotes around the text",
    "]": "no `[` is open here; remove it, or put the text in quotes",
    "}": "no `{` is open here; remove it, or put the text in quotes",
}


def trailing(source: Source) -> StopError:
    """Report text after a value that is complete."""
    text = source.text
    start = source.at
    while text[start] in " \t":
        start += 1
    if text[start] == "#":
        return source.error_on_line(
            start,
            "no space before the comment",
            "put a space before `#`; text with ` #` needs quotes",
        )
    if start == source.line:
        return source.error_on_line(
            start,
            "unexpected `{shown}` after the end of the document's value",
            "indent it as part of the document, or remove it",
        )
    return source.error_on_line(
        start,
        "unexpected `{shown}` after the end of a value",
        "put the whole value in quotes, or start a new line",
    )


def bad_indentation(source: Source, columns: int, otherwise: str, beside: int) -> StopError:
    """Report a line that stands at no level of indentation.

    Args:
        source: at the line.
        columns: where it may stand.
        otherwise: the end of the advice.
        beside: where what it may belong to begins.
    """
    do = f"indent this line by {columns} spaces" if columns else "write this line unindented"
    return source.error_on_line(
        source.at,
        "bad indentation of `{shown}`",
        f"{do}{otherwise}",
        related=(source.related("it starts here", beside, source.line_end(beside)),),
    )


def no_colon(source: Source, content: Scalar | Built) -> Scalar:
    """Report a line without a colon where a key is due; the key, if only the space is missing."""
    start = content.start
    key = _NO_SPACE.match(source.text, start)
    if key and isinstance(content, Scalar) and content.plain:
        _missing_space(source, key)
        source.at = key.end()
        source.line = source.text.rfind("\n", 0, start) + 1
        return Scalar(key[1], start, key.end(1), plain=True)
    if source.text[source.at] not in " \t\n\0":
        raise trailing(source)
    raise source.error_on_line(start, *_NO_KEY)


def _missing_space(source: Source, key: re.Match[str]) -> None:
    end = source.line_end(key.start())
    value = source.text[key.end() : end]
    is_odd = not value.startswith(("'", '"', "[", "{")) and _may_be_members(value)
    is_swapped = _LONE.match(value)  # `nam:e x`
    safety: Literal["safe", "unsafe"] = "unsafe" if is_odd or is_swapped else "safe"
    do = f"write `{key[1]}: {source.excerpt(key.end(), end)}`"
    source.error(
        key.start(),
        end,
        f"missing space after the colon in `{source.excerpt(key.start(), end)}`",
        do,
        fix=source.fix(do, key.end(), key.end(), " ", safety=safety),
    )


def long_key(source: Source, start: int, end: int) -> StopError:
    """Report a colon after text of several lines."""
    if source.text[start] in "\"'":
        return source.error_on_line(
            start,
            "a key with several lines",
            "write the key on one line, or close the quote where the text ends",
        )
    line = source.text.rfind("\n", start, end) + 1
    while source.text[line] in " \t":
        line += 1
    key = _NO_SPACE.match(source.text, start)
    if key:
        _missing_space(source, key)
    elif line - source.text.rfind("\n", 0, line) == start - source.text.rfind("\n", 0, start):
        return source.error_on_line(start, *_NO_KEY)
    return source.error_on_line(
        line,
        "`{shown}` continues the text of the line above, so it cannot be a member",
        "if it is a member, indent it like the key above; if it is part of the text, put the whole "
        "text in quotes",
        related=(source.related("the text starts here", start, source.line_end(start)),),
    )


def no_value(source: Source) -> StopError:
    """Report a character that begins no value."""
    first = source.text[source.at]
    return source.error_on_line(
        source.at,
        f"a value cannot start with `{first}`",
        _WHY_NO_START.get(first, "put the text in quotes"),
    )


def unquoted(source: Source, start: int, message: str) -> Scalar:
    """Report the rest of a line that needs quotes, and return it as the text that was meant."""
    end = max(source.line_end(start), source.at + 1)
    text = source.text[start:end]
    line = source.text[start : source.text.find("\n", start)]
    if _may_be_members(text) or _MARK.search(line):  # what follows a `#` may be text, too
        do, fix = "put the text in quotes, or the members in brackets: `{…}`", None
    else:
        do = f"put the text in quotes: `{_quote(source.excerpt(start, end))}`"
        safety: Literal["safe", "unsafe"] = "unsafe" if _ENTRIES.match(text) else "safe"
        fix = source.fix(do, start, end, _quote(text), safety=safety)
    source.error(start, end, message, do, fix=fix)
    source.at = end
    return Scalar(text, start, end, plain=False)


def _may_be_members(text: str) -> bool:
    """Return whether a text may be members that lost a bracket, a quote or a line end."""
    if _MARK.search(text):
        return True
    between = _BETWEEN_MEMBERS.search(text)
    return between is not None and _MEMBER_COLON.search(text, between.end()) is not None


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'
