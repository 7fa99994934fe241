"""The objects and arrays that are open in a JSON text, and their lines."""

from __future__ import annotations

import re
from typing import Any

from manifestkit.decode.findings import StopError
from manifestkit.decode.open_collection import OpenCollection
from manifestkit.model.document import Node
from manifestkit.model.location import Span
from manifestkit.model.pointer import format_pointer

_NEXT_LINE = re.compile(r"[\r\n]([ \t]*+)(?=\S)")
_LONG_LINE = 1_000
_PART = re.compile(r"""["'\[{\]}]|[\w$]++[ \t]*+:""")
_MOST_LINES = 10_000  # that are tried after faults
_CLOSER = {"{": "}", "[": "]"}
_BREAK = re.compile(r"[\r\n]")


class OpenBrackets(OpenCollection):
    """An array or object of a JSON text.

    Attributes:
        closer: the bracket that ends it.
        entries: how many it has had since reading went on in it.
        outside, inside: the indentation of its line and of those of its parts, once looked up.
    """

    def __init__(self, start: int, bracket: str) -> None:
        super().__init__(start, is_object=bracket == "{")
        self.bracket = bracket
        self.closer = _CLOSER[bracket]
        self.entries = 0
        self.outside: int | None = None
        self.inside: int | None = None


class Nesting:
    """The objects and arrays that are open, the innermost last.

    Attributes:
        stack: them all.
        root: the value of the text and its positions; of a text that cannot be read, what was
            made out.
        resumed: the one in which reading went on after the last fault.
    """

    def __init__(self, text: str) -> None:
        self.stack: list[OpenBrackets] = []
        self.root: tuple[Any, Node] = None, Node(Span(0, len(text)))
        self.resumed: OpenBrackets | None = None
        self._text = text
        self._outermost: OpenBrackets | None = None
        self._lines_left = _MOST_LINES

    def open(self, start: int) -> None:
        """Begin the object or array whose bracket is at an offset."""
        self.stack.append(OpenBrackets(start, self._text[start]))

    def put(self, value: Any, node: Node) -> None:
        """Take in a value: in the innermost, or as that of the text."""
        if self.stack:
            self.stack[-1].put(value, node, node.span.end)
            self.stack[-1].entries += 1
        else:
            self.root = value, node

    def close(self, end: int) -> None:
        """End the innermost at an offset."""
        container = self.stack.pop()
        if not self.stack:
            self._outermost = container
        self.put(container.values, container.node(Span(container.start, end)))

    def pointer(self) -> str:
        """Return the JSON pointer of the member or item that was begun last."""
        return format_pointer(each.token for each in self.stack)

    def finish(self) -> None:
        """End what is open where a text is not read to its end."""
        while self.stack:
            self.close(self.root[1].span.end)

    def next_line(self, at: int) -> int:
        """Return where reading goes on after a fault: what that line belongs to is the innermost.

        Raises:
            StopError: it goes on nowhere.
        """
        if not self.stack and self._outermost:
            self.stack.append(self._outermost)
        tried: set[tuple[int, str]] = set()
        for line in _NEXT_LINE.finditer(self._text, at):
            self._lines_left -= 1
            if not self._lines_left:
                break
            if not _PART.match(self._text, line.end()):
                continue
            if self._return_to(line.end(), tried):
                self.resumed = self.stack[-1]
                self.resumed.entries = 0
                return line.end()
        raise StopError

    def _return_to(self, at: int, tried: set[tuple[int, str]]) -> bool:
        """Return whether the line of an offset is a part, or the end, of what is open.

        What is within that is left.
        """
        column, end = self.indent(at), self._text[at] if self._text[at] in _CLOSER.values() else ""
        if (column, end) in tried:
            return False
        for index in range(len(self.stack) - 1, -1, -1):
            each = self.stack[index]
            outside, inside = self._columns(each)
            if inside is not None and inside <= outside:
                is_found = False  # its lines do not tell what they belong to
            elif end:
                is_found = column == outside and end == each.closer
            else:
                is_found = column > outside if inside is None else column == inside
            if is_found:
                while len(self.stack) > index + 1:
                    self.close(at)
                return True
            if outside < column:
                break
        tried.add((column, end))
        return False

    def _columns(self, each: OpenBrackets) -> tuple[int, int | None]:
        """Return the indentation of a collection's line and, if known, of those of its parts."""
        if each.outside is None:
            each.outside = self.indent(each.start)
        if each.inside is None:
            parts = iter(each.places.values() if each.is_object else each.places)
            part: Any = next(parts, None)
            first = each.start
            if part:
                first = part.key.start if each.is_object else part.start
            is_below = not self.is_one_line(each.start, first)
            each.inside = self.indent(first) if is_below else None
        return each.outside, each.inside

    def indent(self, at: int) -> int:
        """Return the blanks that begin the line of an offset; of a very long line, 0."""
        start = max(0, at - _LONG_LINE)
        before = self._text[max(self.last_break(start, at) + 1, start) : at]
        return len(before) - len(before.lstrip())

    def is_one_line(self, start: int, end: int) -> bool:
        """Return whether no line ends between two offsets."""
        return _BREAK.search(self._text, start, end) is None

    def last_break(self, start: int, end: int) -> int:
        """Return the offset of the last line end between two offsets, or -1."""
        return max(self._text.rfind("\n", start, end), self._text.rfind("\r", start, end))
