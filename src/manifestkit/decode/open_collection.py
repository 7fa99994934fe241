"""An object or array while its text is read."""

from __future__ import annotations

from typing import Any

from manifestkit.model.document import Member, Node
from manifestkit.model.location import Span


class OpenCollection:
    """An object or array whose end has not been read yet.

    Attributes:
        start, end: where it begins, and where its last value ends.
        is_object: whether it is an object.
        values, places: what it has so far; the places of its members, or of its items.
        key: the name whose value is read next; None where there is none.
    """

    def __init__(self, start: int, *, is_object: bool) -> None:
        self.start = self.end = start
        self.is_object = is_object
        self.values: Any = {} if is_object else []
        self.places: Any = {} if is_object else []
        self.key: str | None = None
        self.key_span = Span(start, start)

    @property
    def token(self) -> str | int:
        """The name or index of the value that is read next."""
        return self.key or "" if self.is_object else len(self.values)

    def put(self, value: Any, node: Node, end: int) -> None:
        """Take in the next item, or the value of the last key, which ends at an offset."""
        self.end = end
        if self.is_object:
            self.values[self.key] = value
            self.places[self.key] = Member(self.key_span, node, self.key in self.places)
            self.key = None
        else:
            self.values.append(value)
            self.places.append(node)

    def node(self, span: Span) -> Node:
        """Return the places of the whole."""
        return Node(span, self.places)
