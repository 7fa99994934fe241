"""The place of the cursor in a text that may not be whole yet.

JSON, and what YAML has between brackets, is read by tokens; the blocks of YAML are read by their
indentation. What the readers of `decode` refuse is passed over.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from manifestkit.model.document import Syntax
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import BYTE_ORDER_MARK, Span
from manifestkit.model.pointer import Path

_LONGEST = 1_000_000
"""The characters of a text that is read at a request; a longer one is not."""

_MARK = "\uffff"
"""The character put in at the cursor: the scalar that it becomes part of is the one there."""

_STRING = r'"(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+"?+'
_QUOTED = r"'(?:[^'\r\n]|''|(?!))*+'?+"
_PROPERTY = r"(?:&[^\s,\[\]{}]++|!(?:<[^>\s]*+>|[^\s,\[\]{}]*+))(?=[\s,\[\]{}]|\Z)"
_PUNCTUATION = r"(?P<punctuation>[\[\]{}:,])"
_JSON_TOKENS = re.compile(
    rf"{_PUNCTUATION}|(?P<trivia>//[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z))"
    rf"|(?P<scalar>{_MARK}?+{_STRING}|[^\s\[\]{{}}:,\"]++)"
)
_FLOW_TOKENS = re.compile(
    rf"{_PUNCTUATION}|(?P<trivia>(?<!\S)\#[^\r\n]*+)|(?P<property>{_PROPERTY})"
    rf"|(?P<scalar>{_MARK}?+(?:{_STRING}|{_QUOTED})|{_MARK}(?=[&!\s])"
    r"|[^\s\[\]{},\"':](?:[^\[\]{},:\r\n#]|:(?=[^\s\[\]{},])|(?<=\S)\#|(?!))*+)"
)
_COLON = re.compile(r"[ \t]*+:(?=\s|\Z)")  # after a quoted name
_LINE_BREAK = re.compile(r"\r\n?|\n")
_BLANKS = re.compile(r"[ \t]*+")
_DASH = re.compile(r"-(?:[ \t]++|(?=[\r\n]|\Z))")
_PROPERTIES = re.compile(rf"(?:{_PROPERTY}[ \t]*+|(?!))*+")
_NAME = re.compile(
    rf"(?:{_MARK}?+(?:{_STRING}(?<=\")|{_QUOTED}(?<=')){_MARK}?+"
    r"""|[^\s\[\]{},#&*!|>%@`"'-][^:#\r\n]*+(?:[:#](?=\S)[^:#\r\n]*+|(?!))*+"""
    r"""|-(?=\S)[^:#\r\n]*+|\*[^\s,\[\]{}]++(?=[ \t]))[ \t]*+:(?=[ \t\r\n]|\Z)"""
)
_VALUE = re.compile(rf"(?:{_MARK}?+{_STRING}{_MARK}?+|(?:[^\r\n#]|(?<=\S)\#|(?!))*+)")
_NO_CONTENT = re.compile(r"[ \t]*+(?:\#|---|\.\.\.|%|\r|\n|\Z)")
_DOCUMENT_END = re.compile(r"\.\.\.(?=[ \t\r\n]|\Z)")
_BLOCK_TEXT = re.compile(r"[|>][-+0-9]*+[ \t]*+(?:\#|\r|\n|\Z)")
_ANOTHER = re.compile(r"[#&!\[{]|[-?:](?:\s|\Z)")
_EXPLICIT_KEY = re.compile(r"(?:^[ \t-]*+|[\[{,]\s*+)\?(?=\s|\Z)", re.MULTILINE)
_ITEM_BELOW = re.compile(r"(?:[ \t]*+(?:#[^\r\n]*+)?+(?:\r\n?|\n)|(?!))*+( *+)-(?=\s|\Z)")


class Cursor(NamedTuple):
    """The name or value at a cursor, or the one to be written there.

    Attributes:
        path: the value; for a name, the member.
        span: the characters of the name or value; none where there is nothing yet.
        is_name: whether it is the name of a member.
        others: the names of the other members of the object, or the other items of the array.
        is_last: whether nothing more follows in the object or array.
        has_colon: whether a colon follows a name.
        comma_at: where the comma before it is missing, if it is.
        in_brackets: whether it is in JSON, or between brackets in YAML.
        column: the column of an entry of a YAML block; None behind a name and in brackets.
        is_alone: whether the value stands in a line of its own, without a dash.
        space: what is missing between it and a dash or colon of YAML.
    """

    path: Path
    span: Span
    is_name: bool = False
    others: frozenset[str] = frozenset()
    is_last: bool = True
    has_colon: bool = False
    comma_at: int | None = None
    in_brackets: bool = False
    column: int | None = None
    is_alone: bool = False
    space: str = ""


def cursor_at(text: str, offset: int, syntax: Syntax) -> Cursor | None:
    """Return what stands at an offset of a text; None where nothing is due.

    None in what is too deep too, in a text that is too long to be read for each request, and in
    YAML with explicit keys (`? key`), which nobody writes in a manifest.
    """
    before, after = text[:offset], text[offset:]
    if len(text) > _LONGEST or (syntax == "yaml" and _is_undue(before, after)):
        return None
    is_tight = before[-1:] in ("-", ":") and after[:1] in "\r\n \t]},"
    space = " " if syntax == "yaml" and is_tight else ""
    mark = Span(offset, offset + len(space) + 1)
    found = _TolerantReader(f"{before}{space}{_MARK}{after}", mark).read(syntax)
    return found._replace(space=space) if found and found.span.start == found.span.end else found


def _is_undue(before: str, after: str) -> bool:
    """Return whether nothing is due between two parts of a YAML text, whatever is around."""
    line = max(before.rfind("\n"), before.rfind("\r")) + 1
    return (
        (after[:1] == "#" and before[-1:] in " \t\r\n-:")
        or (before[line:] + after[:3]).startswith(("---", "...", "%"))
        or (before.rstrip(" \t")[-1:] in ("'", '"') and _COLON.match(after) is not None)
        or any("?" in part and _EXPLICIT_KEY.search(part) for part in (before, after))
    )


def _unquoted(source: str) -> str:
    """Return the text of a name or string, quoted or not, and even if it is not closed yet."""
    if source.startswith("'"):
        return source[1:].removesuffix("'").replace("''", "'")
    if not source.startswith('"'):
        return source
    try:
        said = json.loads(source, strict=False)
    except ValueError:
        return source[1:].removesuffix('"')
    return said if isinstance(said, str) else source


class _EndError(Exception):
    """Nothing more is read: it is nested too deep, or behind all that is around the cursor."""


class _Scalar(NamedTuple):
    source: str
    span: Span
    is_here: bool  # whether it is what stands at the cursor


@dataclass(eq=False, slots=True)
class _Collection:
    """An object or array that is not closed yet; the text itself is an array of one value.

    Attributes:
        is_object: whether it is an object.
        column: the column of a block of YAML.
        expects: what comes next: `name`, `:`, `value` or `,`.
        name: the name of the member that is read.
        count: how many values were read.
        end: where the last value between brackets ends, if no comma follows it.
        is_at_cursor: whether the last entry, without a colon, is what stands at the cursor.
        others: the names or items but for the one at the cursor.
    """

    is_object: bool
    column: int = -1
    expects: str = "value"
    name: str = ""
    count: int = 0
    end: int | None = None
    is_at_cursor: bool = False
    others: set[str] = field(default_factory=set)

    @property
    def token(self) -> str | int:
        """The token of the value that comes next, in its path."""
        return self.name if self.is_object else self.count

    def put(self, end: int | None = None) -> None:
        """Take in a value; between brackets, with its end."""
        self.count += 1
        self.expects, self.end = ",", end


class _TolerantReader:
    """Reads over what no other reader takes.

    Args:
        text: the text.
        mark: the characters in it that stand for the cursor; the last is the mark.
    """

    def __init__(self, text: str, mark: Span) -> None:
        self._text = text
        self._mark = mark
        self._root = _Collection(is_object=False)
        self._stack = [self._root]
        self._text_deeper_than: int | None = None
        self._found: Cursor | None = None
        self._found_depth = 0
        self._owners: list[_Collection] = []

    def read(self, syntax: Syntax) -> Cursor | None:
        """Read the text, and return the name or value at the cursor."""
        start = len(BYTE_ORDER_MARK) if self._text.startswith(BYTE_ORDER_MARK) else 0
        with suppress(_EndError):
            if syntax == "yaml":
                self._read_blocks(start)
            else:
                self._read_flow(start, len(self._text), _JSON_TOKENS)
        others = frozenset(name for each in self._owners for name in each.others)
        return self._found and self._found._replace(others=others)

    def _find(self, cursor: Cursor, *owners: _Collection) -> None:
        self._found, self._found_depth, self._owners = cursor, len(self._stack), [*owners]

    def _end_behind_cursor(self, at: int) -> None:
        is_found = self._found is not None
        if self._mark.end <= at and not (is_found and len(self._stack) >= self._found_depth):
            raise _EndError

    def _begin(self, column: int = -1, *, is_object: bool) -> None:
        if len(self._stack) > DEFAULT_LIMITS.depth:
            raise _EndError
        around = self._stack[-1]
        if around.is_at_cursor and around.expects != "value":
            self._found = None  # there is a value already
        expects = "name" if is_object else "value"
        self._stack.append(_Collection(is_object, column, expects))

    def _close(self, depth: int, end: int | None = None) -> None:
        """Close all but so many; those between brackets, with their end."""
        while len(self._stack) > depth:
            self._stack.pop()
            self._stack[-1].put(end)

    def _path(self) -> Path:
        return tuple(each.token for each in self._stack[1:])

    def _scalar(self, start: int, end: int) -> _Scalar:
        """Return the scalar between two offsets, without the mark and the blanks behind it."""
        source, mark = self._text[start:end].rstrip(), self._mark
        end = start + len(source)
        if not start < mark.end <= end:
            return _Scalar(source, Span(start, end), is_here=False)
        before, behind = source[: max(0, mark.start - start)], source[mark.end - start :]
        source = before + behind
        is_before_another = before[-1:] in ("", " ", "\t") and _ANOTHER.match(behind)
        is_beside = source != source.strip() or is_before_another
        is_here = source.startswith(("'", '"')) or not is_beside
        span = Span(min(start, mark.start), end - (mark.end - mark.start))
        return _Scalar(source.strip(), span, is_here=is_here)

    def _take_name(self, scalar: _Scalar, expects: str) -> None:
        around = self._stack[-1]
        around.name, around.expects = _unquoted(scalar.source), expects
        around.is_at_cursor = False
        if not scalar.is_here:
            around.others.add(around.name)

    def _take_value(self, scalar: _Scalar) -> None:
        around = self._stack[-1]
        around.put(scalar.span.end)
        if not (around.is_object or scalar.is_here):
            around.others.add(_unquoted(scalar.source))

    # -- JSON, and between brackets ----------------------------------------------------------

    def _read_flow(self, start: int, stop: int, tokens: re.Pattern[str]) -> int:
        """Read what brackets are around, and return its end."""
        outside = len(self._stack)
        for token in tokens.finditer(self._text, start, stop):
            self._end_behind_cursor(token.start())
            around, mark = self._stack[-1], token[0]
            if token.lastgroup == "scalar":
                self._flow_scalar(token, tokens)
            if token.lastgroup != "punctuation":
                continue
            if mark == ":":
                self._flow_colon(is_inside=len(self._stack) > outside)
            elif mark == ",":
                if around is not self._root:
                    around.expects, around.end = "name" if around.is_object else "value", None
            elif mark in ("{", "["):
                self._begin(is_object=mark == "{")
            elif self._closes(outside, token) and len(self._stack) == outside:
                return token.end()
        self._close(outside)
        return stop

    def _flow_colon(self, *, is_inside: bool) -> None:
        around = self._stack[-1]
        if around.is_object and around.expects in ("name", ","):
            around.name = ""
        elif not around.is_object and is_inside and around.count:
            around.count -= 1  # a name: the item is a pair
        around.expects = "value"

    def _closes(self, outside: int, bracket: re.Match[str]) -> bool:
        """Close the innermost object or array that a bracket may close, if there is one."""
        for depth in range(len(self._stack) - 1, outside - 1, -1):
            if self._stack[depth].is_object == (bracket[0] == "}"):
                self._close(depth, bracket.end())
                return True
        return False

    def _flow_scalar(self, token: re.Match[str], tokens: re.Pattern[str]) -> None:
        around, scalar = self._stack[-1], self._scalar(*token.span())
        if scalar.is_here:
            self._find_in_flow(scalar, token.end(), tokens)
        if not scalar.source:  # nothing but the cursor
            return
        if around.is_object and around.expects != "value":
            self._take_name(scalar, ":")
        else:
            self._take_value(scalar)

    def _find_in_flow(self, scalar: _Scalar, end: int, tokens: re.Pattern[str]) -> None:
        around, is_outside = self._stack[-1], len(self._stack) == 1
        lacks_comma = around.expects == ","
        if around.expects == ":" or (lacks_comma and (is_outside or not scalar.source)):
            return
        is_name = around.is_object and around.expects != "value"
        follows = (each[0] for each in tokens.finditer(self._text, end) if not each["trivia"])
        first, second = (*islice(follows, 2), "", "")[:2]
        if first == ":" and not (around.is_object or is_outside):
            return  # the name of a pair that is an item
        is_only_value = is_outside or (around.is_object and not is_name)
        is_value = first in ("{", "[") or (first not in ("}", "]", ",", ":", "") and second != ":")
        if is_only_value and is_value and not scalar.source:
            return
        path = (*self._path()[:-1], _unquoted(scalar.source)) if is_name else self._path()
        found = Cursor(
            path,
            scalar.span,
            is_name=is_name,
            is_last=first in ("}", "]", ",", ":", ""),
            has_colon=first == ":",
            comma_at=around.end if lacks_comma else None,
            in_brackets=True,
        )
        self._find(found, *(() if is_only_value else (around,)))

    # -- the blocks of YAML ------------------------------------------------------------------

    def _read_blocks(self, start: int) -> None:
        text = self._text
        while not _DOCUMENT_END.match(text, start):
            line_break = _LINE_BREAK.search(text, start)
            end = line_break.start() if line_break else len(text)
            at = start + len(text[start:end]) - len(text[start:end].lstrip(" "))
            is_in_text = self._text_deeper_than is not None and at - start > self._text_deeper_than
            if not (is_in_text and at < end) and not _NO_CONTENT.match(text, at, end):
                self._text_deeper_than = None
                behind = self._read_line(start, at, end)
                if behind > end:  # in brackets over several lines
                    line_break = _LINE_BREAK.search(text, behind)
            if line_break is None:
                break
            start = line_break.end()

    def _read_line(self, start: int, at: int, end: int) -> int:
        """Read a line from its first character on; return the end of what begins in it."""
        text, is_item = self._text, False
        while self._stack[-1].column > at - start:
            self._close(len(self._stack) - 1)
        self._end_behind_cursor(at)
        while dash := _DASH.match(text, at, end):
            self._begin_item(at - start)
            at, is_item = dash.end(), True
        column = at - start
        at = _PROPERTIES.match(text, at, end).end()  # type: ignore[union-attr]  # matches ""
        if _NO_CONTENT.match(text, at, end):
            return end
        if name := _NAME.match(text, at, end):
            self._go_into_object(column, is_item=is_item)
            scalar = self._scalar(at, name.end() - 1)
            self._take_name(scalar, "value")
            if scalar.is_here and scalar.source:
                self._find_name(scalar, column, has_colon=True)
            return self._block_value(_BLANKS.match(text, name.end()).end(), end)  # type: ignore[union-attr]  # matches ""
        if is_item or text[at] in "[{":
            return self._block_value(at, end, column)
        self._line_without_colon(at, end, column)
        return end

    def _begin_item(self, column: int) -> None:
        around = self._stack[-1]
        if around.is_object or around.column != column:
            self._begin(column, is_object=False)
        elif around.expects == "value":
            around.put()
        around = self._stack[-1]
        around.expects, around.is_at_cursor = "value", False

    def _go_into_object(self, column: int, *, is_item: bool) -> None:
        """Go into the object whose members stand at a column, behind a dash if it is an item."""
        around = self._stack[-1]
        if not around.is_object and around.column == column and not is_item:
            self._close(len(self._stack) - 1)
            around = self._stack[-1]
        if not around.is_object or around.column != column:
            self._begin(column, is_object=True)

    def _find_name(self, scalar: _Scalar, column: int, *, has_colon: bool) -> None:
        path = (*self._path()[:-1], _unquoted(scalar.source))
        found = Cursor(path, scalar.span, is_name=True, has_colon=has_colon, column=column)
        self._find(found, self._stack[-1])

    def _block_value(self, at: int, end: int, column: int | None = None) -> int:
        """Read the value of a member, or with its column an item behind a dash."""
        text = self._text
        around = self._stack[-1]
        at = _PROPERTIES.match(text, at, end).end()  # type: ignore[union-attr]  # matches ""
        if text[at : at + 1] in ("[", "{"):
            # Brackets that are not closed end before a line with the same indentation, or less.
            same_or_less = re.compile(rf"[\r\n](?! {{{around.column + 1}}})(?=[^\r\n])")
            line = same_or_less.search(text, end)
            return self._read_flow(at, line.start() if line else len(text), _FLOW_TOKENS)
        if _BLOCK_TEXT.match(text, at, end):
            self._text_deeper_than = around.column
        stop = _end_of_value(text, at, end)
        if stop > at:
            self._block_scalar(self._scalar(at, stop), column, is_alone=False)
        return end

    def _block_scalar(self, scalar: _Scalar, column: int | None, *, is_alone: bool) -> None:
        """Take in a value; the one at the cursor may become the first name of an object."""
        around, path = self._stack[-1], self._path()
        self._take_value(scalar)
        if not scalar.is_here:
            return
        found = Cursor(path, scalar.span, column=column, is_alone=is_alone)
        self._find(found, *(() if around.is_object else (around,)))
        if column is not None:
            self._begin(column, is_object=True)
            self._stack[-1].is_at_cursor = True
            self._owners.append(self._stack[-1])
        around.is_at_cursor = True

    def _line_without_colon(self, at: int, end: int, column: int) -> None:
        scalar = self._scalar(at, _end_of_value(self._text, at, end))
        around = self._stack[-1]
        if not around.is_object and around.column == column == self._stack[-2].column:
            below = _ITEM_BELOW.match(self._text, end)
            if below is None or len(below[1]) != column:
                self._close(len(self._stack) - 1)
                around = self._stack[-1]
        if around.column != column and around.expects == "value":
            is_alone = around.is_object or around is self._root
            self._block_scalar(scalar, column, is_alone=is_alone)
        elif around.is_at_cursor and (around.column != column or around.expects == "name"):
            self._found = None  # what stands at the cursor goes on here
        elif around.column == column and scalar.is_here:
            around.expects, around.is_at_cursor = ",", not scalar.source
            if around.is_object:
                self._find_name(scalar, column, has_colon=False)
            else:
                found = Cursor(self._path(), scalar.span, column=column, is_alone=True)
                self._find(found, around)


def _end_of_value(text: str, at: int, end: int) -> int:
    value = _VALUE.match(text, at, end)
    return value.end() if value else at
