"""The trivia between the values of a text, and the entries of its collections.

Trivia is space, line breaks, comments and the marks `, : -`. An entry is put in or taken
out with the marks and comments that belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from manifestkit.model.document import Document, Member, Node
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Edit
from manifestkit.model.location import Span, column_at, leads_line, line_start
from manifestkit.model.printable import truncate

_TOKEN = re.compile(
    r"""(?P<break>\r\n?|\n) | (?P<comment>\#[^\r\n]*) | (?P<anchor>&[^\s,\[\]{}]*)
      | (?P<tag>!<[^>]*>|![^\s,\[\]{}]*) | (?P<explicit>\?) | (?P<kept>[|>][1-9]?\+)
      | (?P<mark>[,:-]) | (?P<space>[ \t\ufeff]+) | (?P<other>.)""",
    re.VERBOSE,
)
_LINE_REST = re.compile(r"[^\r\n]*")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_INDENT = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t]*(?:\r\n?|\n))+")

Kind = Literal["block mapping", "block sequence", "{", "["]
"""JSON has ``{`` and ``[`` only."""


# -- trivia ----------------------------------------------------------------------------------


def tokens(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the pieces of the trivia, in order; the last group of each tells its kind."""
    return _TOKEN.finditer(text, start, end)


def trivia(document: Document) -> Iterator[re.Match[str]]:
    """Yield the pieces of all trivia between scalars and names, in order."""
    at = 0
    for start, end in sorted(_scalars_and_names(document)):
        yield from tokens(document.text, at, start)
        at = end
    yield from tokens(document.text, at, len(document.text))


def comments(document: Document) -> Iterator[str]:
    """Yield the comments of a document, in order."""
    if document.syntax == "yaml" and "#" in document.text:
        yield from (each[0] for each in trivia(document) if each["comment"])


def _scalars_and_names(document: Document) -> Iterator[Span]:
    """Yield their spans; a block of text begins below its header."""
    text, todo = document.text, [document.root]
    while todo:
        node = todo.pop()
        if node.repeated is None and (node.is_object or node.is_array):
            for _, key, part in node.parts():
                if key:
                    yield key
                todo.append(part)
        elif text.startswith(("|", ">"), node.start):
            yield Span(line_end(text, node.start), node.span.end)
        else:
            yield node.span


def _mark(text: str, start: int, end: int, sign: str) -> int:
    """Return the offset of a mark in the trivia; -1 if there is none."""
    if has_comment(text, start, end):
        return next((each.start() for each in tokens(text, start, end) if each[0] == sign), -1)
    return text.find(sign, start, end)


def has_comment(text: str, start: int, end: int) -> bool:
    """Return whether a comment stands in the trivia."""
    return "#" in text[start:end] and any(
        each.lastgroup == "comment" for each in tokens(text, start, end)
    )


def line_end(text: str, offset: int) -> int:
    """Return the end of an offset's line, before its break."""
    return _LINE_REST.match(text, offset).end()  # type: ignore[union-attr]  # matches ""


def _next_line(text: str, offset: int) -> int:
    """Return the start of the line after an offset's; the end of the text if there is none."""
    end = line_end(text, offset)
    match = _LINE_BREAK.match(text, end)
    return match.end() if match else end


def before_break(text: str, line: int) -> int:
    """Return the start of the line break before a line; -1 for the first line."""
    return line - 2 if text[line - 2 : line] == "\r\n" else line - 1


def indent_at(text: str, offset: int) -> str:
    """Return the space that the line of an offset begins with."""
    return _INDENT.match(text, line_start(text, offset))[0]  # type: ignore[index]  # matches ""


def has_break(text: str) -> bool:
    """Return whether a text has several lines."""
    return "\n" in text or "\r" in text


def first_break(text: str) -> str:
    """Return the line break that a text uses first; LF if it has one line."""
    match = _LINE_BREAK.search(text)
    return match[0] if match else "\n"


def _after_deep_lines(text: str, at: int, stop: int, column: int) -> int:
    """Pass over empty lines, and comments deeper than a column."""
    while at < stop:
        end = line_end(text, at)
        line = text[at:end]
        content = line.lstrip(" \t")
        if content and not (content.startswith("#") and len(line) - len(content) > column):
            break
        at = _next_line(text, end)
    return at


def _above_comments(text: str, start: int) -> int:
    """Return the start of the comments of an entry, above it in its column; those at the top stay.

    Without them, it is that of the entry.
    """
    at, line = start, line_start(text, start)
    column = at - line
    while leads_line(text, at) and line > 0:
        above = line_start(text, before_break(text, line))
        if indent_at(text, above) != " " * column or text[above + column] != "#":
            return at
        at, line = above + column, above
    return start


# -- collections ------------------------------------------------------------------------------


class Entry(NamedTuple):
    """One member or item.

    Attributes:
        start: its first character: in a block sequence its dash.
        key: a member's name.
        head: the offset after a member's colon or an item's dash.
        value: its value.
    """

    start: int
    key: Span | None
    head: int
    value: Node

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return max(self.value.span.end, self.key.end if self.key else 0, self.head)


class Layout(NamedTuple):
    """One object or array in the text, its entries in order and their numbers by name.

    Of a member that appears twice, only the last is an entry.
    """

    text: str
    kind: Kind
    span: Span
    entries: list[Entry]
    positions: Mapping[str, int] = {}

    @property
    def is_block(self) -> bool:
        """Return whether it is written by indentation."""
        return self.kind.startswith("block")

    @property
    def column(self) -> int:
        """The column that its entries begin at, of a block."""
        return column_at(self.text, self.span.start)

    def number_of(self, token: str | int) -> int:
        """Return the number of an entry."""
        return range(len(self.entries))[token] if isinstance(token, int) else self.positions[token]

    def entry(self, token: str | int) -> Entry:
        """Return a member or an item."""
        return self.entries[self.number_of(token)]

    def between(self, number: int) -> str:
        """Return the text before the entry of a number, in brackets.

        Raises:
            EditRefusedError: a comment stands there.
        """
        start = self.entries[number - 1].end if number else self.span.start + 1
        stop = self.entries[number].start if number < len(self.entries) else self.span.end - 1
        found = self.text[start:stop]
        for each in tokens(self.text, start, stop) if "#" in found else ():
            if each.lastgroup == "comment":
                raise EditRefusedError(f"the comment `{truncate(each[0])}` stands in brackets")
        return found

    def check_comments(self) -> None:
        """Refuse brackets with a comment in them."""
        for number in range(len(self.entries) + 1) if not self.is_block else ():
            self.between(number)

    def last_beside(self, gone: set[int]) -> int:
        """Return the number of the last entry that stays."""
        return next(each for each in reversed(range(len(self.entries))) if each not in gone)

    def changed(self, gone: set[int], index: int, bodies: list[str], comma: str) -> list[Edit]:
        """Take out entries, each with the comment behind it on its line, and put others in.

        Args:
            gone: the numbers of those that go; at least one stays.
            index: the number of the entry before which the new ones come; if some go, they come
                behind the last one that stays.
            bodies: the texts of the new ones; one for all on lines of their own.
            comma: the text between entries in brackets where none is.
        """
        if self.is_block:
            return [
                *self._without_lines(gone),
                *(self._insert_line(index, each) for each in bodies),
            ]
        return self._changed_in_brackets(gone, index, bodies, comma)

    # -- on lines of their own ------------------------------------------------------------------

    def _insert_line(self, index: int, body: str) -> Edit:
        text, indent, line_break = self.text, " " * self.column, first_break(self.text)
        if index == 0:
            first = _above_comments(text, self.entries[0].start)
            return Edit(first, first, f"{body}{line_break}{indent}")
        before = self.entries[index - 1]
        at = line_end(text, before.end)
        deep_end = _after_deep_lines(text, _next_line(text, at), len(text), self.column)
        own = text[at:deep_end].rstrip()  # comments of the entry before, at its end
        at = line_end(text, at + len(own))
        return Edit(at, at, f"{line_break}{indent}{body}")

    def _without_lines(self, gone: set[int]) -> Iterator[Edit]:
        text, entries = self.text, self.entries
        first = next(number for number in range(len(entries)) if number not in gone)
        if first and not leads_line(text, self.span.start):  # it shares its line with a dash
            end, following = entries[first - 1].end, entries[first].start
            stays = has_comment(text, _next_line(text, end), following)
            yield Edit(self.span.start, line_end(text, end) if stays else following, "")
            gone = gone.difference(range(first))
        for number in gone:
            entry = entries[number]
            line, end = line_start(text, entry.start), _next_line(text, entry.end)
            below = text[end : _after_deep_lines(text, end, len(text), self.column)]
            before = entries[number - 1] if number else entry
            if "#" in below and re.search(r"[|>]", text[before.head : before.end]):
                why = "a comment below it would be read as a part of the text above"
                raise EditRefusedError(why)
            own = text[_above_comments(text, entry.start) : entry.start]
            if not own and line and _BLANK.match(text, line_start(text, before_break(text, line))):
                blank = _BLANK.match(text, end)  # one of those above and below stays
                end = blank.end() if blank else end
                if end == len(text):
                    line = _next_line(text, len(text[:line].rstrip()))
            if end == len(text) and text[end - 1] not in "\r\n" and number - 1 not in gone:
                line = before_break(text, line)
            is_beside = indent_at(text, end) == indent_at(text, entry.start)
            has_next = is_beside and text[end : line_end(text, end)].strip()
            yield Edit(max(line, 0), end, first_break(text) if own and has_next else "")

    # -- in brackets: JSON, and YAML's flow style ------------------------------------------------

    def _changed_in_brackets(
        self, gone: set[int], index: int, bodies: list[str], comma: str
    ) -> list[Edit]:
        text, entries = self.text, self.entries
        count = len(entries)
        last = self.last_beside(gone)
        for number in gone:
            for side in (number, number + 1):
                self.between(side)
        edits = [
            Edit(entries[each].start, entries[each + 1].start, "") for each in gone if each < last
        ]
        if not bodies and last == count - 1:
            return edits
        separator = self._separator(index, comma) if bodies else ""
        if index == 0:
            start = entries[0].start
            return [Edit(start, start, "".join(f"{body}{separator}" for body in bodies))]
        start, here = entries[index - 1].end, self.between(index)
        stop, behind = (start, here) if index <= last else (entries[-1].end, self.between(count))
        if "," in behind:
            rest = separator.partition(",")[2]
            start, stop = start + here.find(",") + 1, stop + behind.find(",") + 1
            return [*edits, Edit(start, stop, "".join(f"{rest}{body}," for body in bodies))]
        gap = " " if bodies and text[start - 1] == ":" else ""  # libyaml refuses `{a:, b: c}`
        return [*edits, Edit(start, stop, gap + "".join(f"{separator}{body}" for body in bodies))]

    def _separator(self, index: int, comma: str) -> str:
        """Return the text between two entries that are there: at an index, or else near it."""
        number = min(max(index, 1), len(self.entries) - 1)
        if number:
            return self.between(number)
        start = self.entries[0].start
        if not has_break(self.text[self.span.start + 1 : start]):
            return comma
        blanks, width = indent_at(self.text, start), column_at(self.text, start)
        return f",{first_break(self.text)}{blanks if len(blanks) == width else ' ' * width}"


def kind_of(text: str, node: Node) -> Kind | None:
    """Return the style of a value; None for a scalar."""
    if node.is_array:
        return "[" if text.startswith("[", node.start) else "block sequence"
    if not node.is_object:
        return None
    return "{" if text.startswith("{", node.start) else "block mapping"


def lay_out(text: str, node: Node, kind: Kind) -> Layout:
    """Return the layout of an object or array of a kind."""
    if node.items is not None:
        return Layout(text, kind, node.span, list(_items(text, node, kind)))
    members = dict(sorted((node.members or {}).items(), key=lambda each: each[1].key.start))
    entries = list(_members(text, members.values()))
    positions = {name: number for number, name in enumerate(members)}
    return Layout(text, kind, node.span, entries, positions)


def _items(text: str, node: Node, kind: Kind) -> Iterator[Entry]:
    end = node.span.start + (kind == "[")
    for item in node.items or []:
        if kind == "block sequence":
            start = _mark(text, end, item.span.start, "-")
            yield Entry(start, None, start + 1, item)
        else:
            yield Entry(item.span.start, None, item.span.start, item)
        end = item.span.end


def _members(text: str, members: Iterable[Member]) -> Iterator[Entry]:
    for key, value, _ in members:
        colon = _mark(text, key.end, value.span.start, ":")
        yield Entry(key.start, key, colon + 1, value)
