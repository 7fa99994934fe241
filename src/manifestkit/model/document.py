"""A manifest as read: its text, its value, and where each part of the value stands."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.pointer import Path

_NUMBER = r"[-+]?\.?[0-9][0-9A-Za-z.+-]*"


class Node(NamedTuple):
    """Place of a value and its parts in the text.

    Attributes:
        span: the characters of the value.
        members: for an object, each member by name; of a duplicate name, the last.
        items: for an array, each item.
        repeated: of a YAML alias, the characters of the value that it repeats.
    """

    span: Span
    members: "dict[str, Member] | None" = None
    items: "list[Node] | None" = None
    repeated: Span | None = None

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.span.start

    @property
    def is_object(self) -> bool:
        """Return whether it is an object."""
        return self.members is not None

    @property
    def is_array(self) -> bool:
        """Return whether it is an array."""
        return self.items is not None

    @property
    def has_repeated(self) -> bool:
        """Return whether it is an object that names a member more than once."""
        return any(member.repeated for member in (self.members or {}).values())

    def member(self, name: str) -> "Member":
        """Return a member of an object.

        Raises:
            KeyError: there is none.
        """
        if self.members is None:
            raise KeyError(name)
        return self.members[name]

    def child(self, token: str | int) -> "Node":
        """Return a member's value or an item.

        Raises:
            KeyError: there is none.
        """
        if isinstance(token, str):
            return self.member(token).node
        if self.items is None or token >= len(self.items):
            raise KeyError(token)
        return self.items[token]

    def parts(self) -> "Iterator[tuple[str | int, Span | None, Node]]":
        """Yield each member and item: its name or index, the characters of the name, its value."""
        for name, member in (self.members or {}).items():
            yield name, member.key, member.node
        for index, item in enumerate(self.items or ()):
            yield index, None, item


class Member(NamedTuple):
    """Place of an object's member.

    Attributes:
        key: the characters of its name.
        node: its value.
        repeated: whether the object names it more than once; this is the last.
    """

    key: Span
    node: Node
    repeated: bool = False


Syntax = Literal["json", "yaml"]

SUFFIXES = (".json", ".yaml", ".yml")
"""The ends of the names of files that may be manifests, in small letters."""

YAML_SUFFIXES = SUFFIXES[1:]
"""The ends of the names of files in YAML, in small letters; any other is read as JSON."""


class Ambiguous(NamedTuple):
    """A YAML scalar that other readers take for something else.

    Attributes:
        path: the value; of a key, the member.
        span: its characters.
        value: what it says: text, a number, a boolean or null.
        others: what others see, and who they are.
        is_key: whether it is the name of a member.
    """

    path: Path
    span: Span
    value: Any
    others: str
    is_key: bool = False


class Document:
    """One manifest; nobody changes it.

    Attributes:
        name: the file, as it is named to the user.
        text: the whole text, a byte order mark included.
        value: what the text says, in Python's ``dict``, ``list``, ``str``, ``int``, ``float``,
            ``bool`` and ``None``.
        scan: finds the positions of a text; called once, when the first position is asked for,
            so that a clean manifest never pays for it.
        syntax: how the text is written.
        has_fractions: whether a number may be written with a fraction or an exponent; False when
            the reader has seen that none is.
        ambiguous: the YAML scalars that other readers take for something else, in order.
    """

    def __init__(
        self,
        name: str,
        text: str,
        value: Any,
        scan: Callable[[str], Node],
        syntax: Syntax = "json",
        has_fractions: bool = True,  # noqa: FBT001, FBT002 - read by name only
        ambiguous: tuple[Ambiguous, ...] = (),
    ) -> None:
        self.name = name
        self.text = text
        self.value = value
        self.scan = scan
        self.syntax = syntax
        self.has_fractions = has_fractions
        self.ambiguous = ambiguous
        # No cached_property: before Python 3.12, its lock makes the threads of all documents wait.
        self._root: Node | None = None
        self._lines: LineIndex | None = None

    def named(self, name: str) -> "Document":
        """Return the manifest by another name."""
        return Document(
            name,
            self.text,
            self.value,
            self.scan,
            self.syntax,
            self.has_fractions,
            self.ambiguous,
        )

    @property
    def root(self) -> Node:
        """The places of the whole value and its parts."""
        if self._root is None:
            self._root = self.scan(self.text)
        return self._root

    @property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    def value_at(self, path: Path) -> Any:
        """Return the value at a path.

        Raises:
            KeyError, IndexError, TypeError: there is no value at that path.
        """
        value = self.value
        for token in path:
            value = value[token]
        return value

    def value_or_none(self, path: Path) -> Any:
        """Return the value at a path; None where there is none."""
        value = self.value
        for token in path:
            if isinstance(value, dict):
                value = value.get(token)
            elif isinstance(value, list) and isinstance(token, int) and token < len(value):
                value = value[token]
            else:
                return None
        return value

    def node(self, path: Iterable[str | int]) -> Node:
        """Return the node of the value at a path.

        Raises:
            KeyError: there is no value at that path.
        """
        node = self.root
        for token in path:
            node = node.child(token)
        return node

    def spelling(self, node: Node) -> str | None:
        """Return how a number is spelt: `1.10`.

        For a YAML alias, as the value that it repeats is; for a number that a tag makes of text in
        quotes, without them. None where it cannot be seen: in escapes, or over several lines.
        """
        start, end = node.repeated or node.span
        source = self.text[start:end]
        bare = source[1:-1] if source[:1] in ("'", '"') else source
        return bare if re.fullmatch(_NUMBER, bare) else None

    def key_span(self, path: Path) -> Span | None:
        """Return the span of the member name of a path; None for the root and array items."""
        if not path or not isinstance(path[-1], str):
            return None
        return self.node(path[:-1]).member(path[-1]).key

    def locate(self, path: Iterable[str | int]) -> Location:
        """Return the place of the value at a path."""
        return self.lines.locate(self.node(path).span)

    def locate_key(self, path: Path) -> Location:
        """Return the place of the member name that owns a path, or else the first character there.

        The root and array items have no name: for them it is their opening bracket (in a YAML
        block, its first character).
        """
        span = self.key_span(path)
        if span is None:
            start = self.node(path).start
            span = Span(start, start + 1)
        return self.lines.locate(span)
