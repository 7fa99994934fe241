"""Where each part of a manifest stands in its text."""

from __future__ import annotations

from typing import NamedTuple

from manifestkit.location import Span


class Node(NamedTuple):
    """Where a value and its parts stand in the text.

    Attributes:
        span: the characters of the value.
        members: for an object, each member by name; of a duplicate name, the last.
        items: for an array, each item.
    """

    span: Span
    members: dict[str, Member] | None = None
    items: list[Node] | None = None

    def child(self, token: str | int) -> Node:
        """Where a member's value or an item stands.

        Raises:
            KeyError: there is none.
        """
        if self.members is not None and isinstance(token, str):
            return self.members[token].node
        if self.items is not None and isinstance(token, int) and token < len(self.items):
            return self.items[token]
        raise KeyError(token)


class Member(NamedTuple):
    """Where an object's member stands.

    Attributes:
        key: the characters of its name.
        node: its value.
        repeated: whether the object names it more than once; this is the last.
    """

    key: Span
    node: Node
    repeated: bool = False
