"""The place of a cursor in a text that need not be whole.

A word is written at the cursor, as a name, as a value or as an item, and the text is read with it.
Where the readers of `decode` find the word, there is the cursor, even if the rest cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from manifestkit.decode import decode
from manifestkit.model.document import Node, Syntax
from manifestkit.model.finding import Finding
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.pointer import Path

_LONGEST = 250_000
"""The characters of a text that is read at a request; a longer one is not."""

_MOST_READINGS = 3
"""The times that a text is read with more of its faults passed over."""

_WORD = "\ue000"
"""The word that is written at the cursor; nobody else writes it."""

_TOKENS = r"""
    (?P<quoted> "(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+" | '(?:[^'\r\n]|''|(?!))*+' )
  | (?P<other>  [&!*][^\s,\[\]{{}}]*+ | (?<!\S)\#[^\r\n]*+ | [-?](?!\S) )
  | (?P<scalar> ["']?+[^\s"':,\[\]{{}}](?:[^\s:{ends}]|:(?=[^\s{ends}])|[ \t]++(?=[^\#\s:])|(?!))*+
              | ["'] )
"""
_IN_BRACKETS = re.compile(_TOKENS.format(ends=r",\[\]{}"), re.VERBOSE)
_IN_BLOCK = re.compile(_TOKENS.format(ends=""), re.VERBOSE)
_LINE_REST = re.compile(r"[^\r\n]*+")
_TRIVIA = re.compile(r"(?:\s|(?<!\S)#[^\r\n]*|(?!))*+")
_QUOTED_NAME = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+"\s*+:')


class Cursor(NamedTuple):
    """A name or value that may be written at a cursor.

    Attributes:
        span: the characters to write it in place of.
        in_brackets: whether it is in JSON, or between brackets in YAML.
        is_name: whether it is the name of a member.
        has_colon: whether a colon follows a name.
        before: what is missing before it on its line: a space, a dash.
        after: the comma that is missing behind it, if it is.
        comma_at: where the comma before it is missing, if it is.
        path: the value; for a name, the member.
        others: the names of the other members of the object, or the other items of the array.
    """

    span: Span
    in_brackets: bool
    is_name: bool = False
    has_colon: bool = False
    before: str = ""
    after: str = ""
    comma_at: int | None = None
    path: Path = ()
    others: frozenset[str] = frozenset()


def cursors_at(text: str, offset: int, syntax: Syntax) -> Iterator[Cursor]:
    """Yield what may be written at an offset of a text, in place of what is there.

    What can be read stays so. Where nothing is found in a text that cannot be read, its faults in
    the lines before are passed over.
    """
    for _ in range(_MOST_READINGS if len(text) <= _LONGEST else 0):
        decoded, is_found = decode(text, f"manifest.{syntax}"), False
        for found in _cursors(text, offset, syntax, needs_all=decoded.readable):
            is_found = True
            yield found
        if is_found or decoded.readable:
            break
        text = _without_faults(text, _line_start(text, offset), decoded.findings)


def _without_faults(text: str, before: int, findings: Iterable[Finding]) -> str:
    """Return a text with blanks from each fault before an offset to the end of its line."""
    starts = {each.location.span.start for each in findings if each.rule != "duplicate-key"}
    pieces: list[str] = []
    read = 0
    for at in sorted(each for each in starts if each < before):
        if at >= read:
            end = _line_end(text, at)
            pieces += text[read:at], " " * (end - at)
            read = end
    return "".join([*pieces, text[read:]])


def _cursors(text: str, offset: int, syntax: Syntax, *, needs_all: bool) -> Iterator[Cursor]:
    candidates = _candidates_in_json if syntax == "json" else _candidates_in_yaml
    in_brackets = _scalar_at(text, offset, _IN_BRACKETS)
    for span in dict.fromkeys((in_brackets, _scalar_at(text, offset, _IN_BLOCK))):
        for each in candidates(text, span):
            found = _locate(each, text, syntax, needs_all=needs_all)
            if found and (span == in_brackets or not found.in_brackets):
                yield found


def _scalar_at(text: str, offset: int, tokens: re.Pattern[str]) -> Span:
    """Return the scalar at an offset, or no characters there."""
    start = _line_start(text, offset)
    scalars = (
        Span(*each.span())
        for each in tokens.finditer(text, start, _line_end(text, offset))
        if each.start() <= offset <= each.end() - (each.lastgroup == "quoted")
        and each.lastgroup != "other"
    )
    return next(scalars, Span(offset, offset))


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _line_end(text: str, offset: int) -> int:
    return _LINE_REST.match(text, offset).end()  # type: ignore[union-attr]  # matches ""


def _follows(text: str, span: Span) -> int:
    """Return the offset of what follows space and comments."""
    return _TRIVIA.match(text, span.end).end()  # type: ignore[union-attr]  # matches ""


def _candidates_in_json(text: str, span: Span) -> Iterator[Cursor]:
    """Yield a name and a value, with the commas that they need."""
    before = text[: span.start].rstrip()
    lacks_comma = before != "" and not before.endswith(("{", "[", ",", ":", BYTE_ORDER_MARK))
    at = _follows(text, span)
    is_last = text[at : at + 1] in ("", "]", "}", ",", ":")
    has_value = before.endswith(":") and not (is_last or _QUOTED_NAME.match(text, at))
    if has_value or (lacks_comma and span.start == span.end):
        return
    value = Cursor(
        span,
        in_brackets=True,
        after="" if is_last else ",",
        comma_at=len(before) if lacks_comma else None,
    )
    has_colon = text.startswith(":", at)
    yield value._replace(is_name=True, has_colon=has_colon)
    if not has_colon:
        yield value


def _candidates_in_yaml(text: str, span: Span) -> Iterator[Cursor]:
    """Yield a name, a value, an item of a block, and both between brackets before another one."""
    if text.startswith("#", span.end):
        return
    before, at = text[: span.start], _follows(text, span)
    is_tight = before.endswith(("-", ":")) and text[span.end : span.end + 1] in "\r\n \t]},"
    value = Cursor(span, in_brackets=False, before=" " if is_tight else "")
    has_colon = text.startswith(":", at)
    yield value._replace(is_name=True, has_colon=has_colon)
    if has_colon:
        return
    yield value
    if not before[_line_start(text, span.start) :].strip(" "):
        yield value._replace(before="- ")
    is_last = text[at : at + 1] in ("", "]", "}", ",")
    has_value = before.rstrip().endswith(":") and not _QUOTED_NAME.match(text, at)
    if not (is_last or has_value) and ("[" in before or "{" in before):
        yield value._replace(is_name=True, after=",")
        yield value._replace(after=",")


def _locate(cursor: Cursor, text: str, syntax: Syntax, *, needs_all: bool) -> Cursor | None:
    """Return a candidate with its path; None if it is no name or value of its own.

    Args:
        cursor: the candidate.
        text: the text around it.
        syntax: how it is written.
        needs_all: whether all of the text is to be readable with it.
    """
    (start, end), is_json = cursor.span, syntax == "json"
    word = f'"{_WORD}"' if is_json else _WORD
    colon = "" if not cursor.is_name or cursor.has_colon else ":null" if is_json else ": "
    comma = "" if cursor.comma_at is None else ","
    before = f"{text[:start]}{comma}{cursor.before}"
    source = f"{before}{word}{colon}{cursor.after}{text[end:]}"
    decoded = decode(source, f"manifest.{syntax}")
    if needs_all and not decoded.readable:
        return None
    document = decoded.document
    word_span = Span(len(before), len(before) + len(word))
    place = _find(word_span, document.root)
    if place is None or place.is_name != cursor.is_name:
        return None
    if colon and document.value_at(place.path) is not None:
        return None  # what is on the next lines
    *around, in_brackets = is_json, *(source[each.start] in "[{" for each in place.owners)
    if any(around) and not in_brackets:
        return None  # a pair that is an item
    path, others = place.path, frozenset[str]()
    if place.owners and (cursor.is_name or place.owners[-1].is_array):
        values = document.value_at(path[:-1])
        others = frozenset(each for each in values if isinstance(each, str)) - {_WORD}
    if cursor.is_name:
        path = (*path[:-1], text[start:end].strip("\"'"))
    return cursor._replace(in_brackets=in_brackets, path=path, others=others)


class _Found(NamedTuple):
    """The path of a name or value, and the objects and arrays around it."""

    path: Path
    owners: list[Node]
    is_name: bool


def _find(span: Span, root: Node) -> _Found | None:
    """Return the place of the name or value that is written at a span; None if there is none."""
    owners: list[Node] = []
    path: Path = ()
    node, is_name = root, False
    while node.span != span and not is_name:
        owners.append(node)
        parts = (
            each
            for each in node.parts()
            if each[1] == span or each[2].start <= span.start < each[2].span.end
        )
        part = next(parts, None)
        if part is None:
            return None
        path, is_name, node = (*path, part[0]), part[1] == span, part[2]
    return _Found(path, owners, is_name)
