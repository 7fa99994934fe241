"""A manifest as read: its text, its value, and where each part of the value stands."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.pointer import Path, value_at

_MOST_ALONE = 4  # places that are found one by one, before the text is read for all of them
_NUMBER = r"[-+]?\.?[0-9][0-9A-Za-z.+-]*"


class Node:
    """Place of a value and its parts in the text.

    Attributes:
        span: the characters of the value.
        repeated: of a YAML alias, the characters of the value that it repeats.
    """

    __slots__ = ("_parts", "repeated", "span")

    def __init__(
        self,
        span: Span,
        parts: "Parts | Callable[[Span], Parts]" = None,
        repeated: Span | None = None,
    ) -> None:
        self.span = span
        self._parts = parts
        self.repeated = repeated

    @property
    def start(self) -> int:
        """The offset of its first character."""
        return self.span.start

    @property
    def _read(self) -> "Parts":
        """The parts, which may be read only when they are first asked for."""
        if callable(self._parts):
            self._parts = self._parts(self.span)
        return self._parts

    @property
    def members(self) -> "dict[str, Member] | None":
        """For an object, each member by name; of a duplicate name, the last."""
        parts = self._read
        return parts if isinstance(parts, dict) else None

    @property
    def items(self) -> "list[Node] | None":
        """For an array, each item."""
        parts = self._read
        return parts if isinstance(parts, list) else None

    @property
    def is_object(self) -> bool:
        """Return whether it is an object."""
        return isinstance(self._read, dict)

    @property
    def is_array(self) -> bool:
        """Return whether it is an array."""
        return isinstance(self._read, list)

    @property
    def has_repeated(self) -> bool:
        """Return whether it is an object that names a member more than once."""
        return any(member.repeated for member in (self.members or {}).values())

    def child(self, token: str | int) -> "Node":
        """Return a member's value or an item.

        Raises:
            KeyError: there is none.
        """
        parts = self._read
        if isinstance(parts, dict) and isinstance(token, str):
            return parts[token].node
        if isinstance(parts, list) and isinstance(token, int) and token < len(parts):
            return parts[token]
        raise KeyError(token)

    def parts(self) -> "Iterator[tuple[str | int, Span | None, Node]]":
        """Yield each member and item: its name or index, the characters of the name, its value."""
        for name, member in (self.members or {}).items():
            yield name, member.key, member.node
        for index, item in enumerate(self.items or ()):
            yield index, None, item

    def repeated_at(self, span: Span) -> "Node":
        """Return the place of an alias that repeats the value."""
        return Node(span, self._parts, self.span)


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


Parts = dict[str, Member] | list[Node] | None
"""The members of an object by name, or the items of an array; None for what has neither."""

Spans = tuple[Span | None, Span]
"""The characters of a member's name, if it is one, and of its value."""

Syntax = Literal["json", "yaml"]

SUFFIXES = (".json", ".yaml", ".yml")
"""The ends of the names of files that may be manifests, in small letters."""


def is_yaml(name: str) -> bool:
    """Return whether the last suffix of JSON or YAML in a name is of YAML, as in `x.yml.bak`."""
    if name.endswith(".json"):
        return False
    suffixes = re.findall(r"\.(json|ya?ml)(?![^\W_])", re.split(r"[/\\]", name.lower())[-1])
    return suffixes[-1:] not in ([], ["json"])


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
        find: finds one place faster, and returns what `spans` does; None where nothing can.
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
        *,
        find: "Callable[[str, Path], Spans] | None" = None,
        has_fractions: bool = True,
        ambiguous: tuple[Ambiguous, ...] = (),
    ) -> None:
        self.name = name
        self.text = text
        self.value = value
        self.scan = scan
        self.find = find
        self.syntax = syntax
        self.has_fractions = has_fractions
        self.ambiguous = ambiguous
        # No cached_property: before Python 3.12, its lock makes the threads of all documents wait.
        self._root: Node | None = None
        self._alone: dict[Path, Spans] = {}
        self._lines: LineIndex | None = None

    def named(self, name: str) -> "Document":
        """Return the manifest by another name."""
        return Document(
            name,
            self.text,
            self.value,
            self.scan,
            self.syntax,
            find=self.find,
            has_fractions=self.has_fractions,
            ambiguous=self.ambiguous,
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
        return value_at(self.value, path)

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

    def spans(self, path: Path) -> "Spans":
        """Return the characters of the member name that a path ends in, and of its value.

        The root and array items have no name.

        Raises:
            KeyError: there is no value at that path.
        """
        if path in self._alone:
            return self._alone[path]
        if self.find and self._root is None and len(self._alone) < _MOST_ALONE:
            return self._alone.setdefault(path, self.find(self.text, path))
        span = self.node(path).span
        members = self.node(path[:-1]).members if path else None
        return members[str(path[-1])].key if members else None, span

    def spelling(self, path: Path) -> str | None:
        """Return how a number is spelt: `1.10`.

        For a YAML alias, as the value that it repeats is; for a number that a tag makes of text in
        quotes, without them. None where it cannot be seen: in escapes, or over several lines.
        """
        repeated = self.node(path).repeated if self.syntax == "yaml" else None
        start, end = repeated or self.spans(path)[1]
        source = self.text[start:end]
        bare = source[1:-1] if source[:1] in ("'", '"') else source
        return bare if re.fullmatch(_NUMBER, bare) else None

    def locate(self, path: Path) -> Location:
        """Return the place of the value at a path."""
        return self.lines.locate(self.spans(path)[1])

    def locate_key(self, path: Path) -> Location:
        """Return the place of the member name that owns a path, or else the first character there.

        The root and array items have no name: for them it is their opening bracket (in a YAML
        block, its first character).
        """
        key, (start, _) = self.spans(path)
        return self.lines.locate(key or Span(start, start + 1))
