"""Putting together the value that a YAML text says, and the places of its parts."""

from __future__ import annotations

import enum
import re
from typing import Any, NamedTuple

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.yaml.portable import MAY_BE_ODD, UNENDED, odd_characters, odd_reading
from manifestkit.decode.yaml.properties import Properties
from manifestkit.decode.yaml.scalars import Scalar
from manifestkit.decode.yaml.source import Source
from manifestkit.decode.yaml.values import Values
from manifestkit.model.document import Ambiguous, Member, Node
from manifestkit.model.limits import MOST_DIGITS, Limits
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, format_pointer

LONGEST_KEY = 1_024
"""The characters of a key without ``?``: readers of YAML 1.1 refuse a longer one."""

_NOWHERE = Span(0, 0)
_MERGE = "<<"
_KEYS_ALIKE = frozenset({"=", _MERGE})  # a merge key is told as such
_MAY_BE_NO_TEXT = frozenset("~tTfF") | MAY_BE_ODD
_MOST_REPEATED = 10_000  # values, by aliases
_PLAIN_INTEGER = re.compile(r"0|[1-9][0-9]{0,99}")  # to all readers
_COLLECTION_TAGS = {"map": dict, "seq": list}


class Phase(enum.Enum):
    """The part of an entry that is read next."""

    NEXT = enum.auto()
    KEY = enum.auto()
    VALUE = enum.auto()
    AFTER = enum.auto()


class Built(NamedTuple):
    """A value, its place, and its offsets in the source's text.

    Attributes:
        quoted: whether it is a quoted scalar or a collection in brackets.
        others: what other readers see in its place, and who they are.
    """

    value: Any
    node: Node
    start: int
    end: int
    quoted: bool = False
    others: str | None = None


_Match = re.Match[str]
"""A scalar's place until places are asked for: its group `value`, and `key` for its name."""


class Open:
    """A collection whose end has not been read yet.

    Attributes:
        kind: ``:`` and ``-`` for a block mapping and sequence, ``{`` and ``[`` for those of flow
            style, ``,`` for a mapping of one pair in a flow sequence.
        indent: the column of a block collection.
        count: the values read before it.
        height: levels of collections within it, those of aliases included.
        end: where its last value ends.
        explicit: whether the member being read was begun with ``?``.
        entry: where what is read in brackets begins, with its anchor and tag.
    """

    phase = Phase.NEXT
    key = ""
    key_span = _NOWHERE
    height = 1
    explicit = False
    entry = 0

    def __init__(
        self, kind: str, indent: int, start: int, properties: Properties | None, count: int
    ) -> None:
        self.kind = kind
        self.indent = indent
        self.start = self.end = start
        self.properties = properties
        self.count = count
        self.values: Any = [] if kind in "-[" else {}
        self.members: dict[str, Any] = {}  # before `place_all`, some are matches
        self.items: list[Any] = []


class _Anchored(NamedTuple):
    built: Built | None  # None while the collection is still open: an alias to it is a cycle
    size: int
    height: int


class Builder:
    """Takes in scalars, aliases and collections in the order of the text.

    Attributes:
        stack: the open collections, outermost first.
        root: the whole value, once it is read; its node is whole after `place_all`.
        values: gives scalars their values.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self.stack: list[Open] = []
        self.root: Built | None = None
        self._source = source
        self._limits = limits
        self.values = Values(source)
        self._anchors: dict[str, _Anchored] = {}
        self._collections: list[Node] = []
        self._count = 0
        self._repeated = 0

    # -- values ------------------------------------------------------------------------------

    def scalar(self, scalar: Scalar, properties: Properties | None) -> Built:
        """Return the value of a scalar."""
        text, start, end, plain, others = scalar
        source = self._source
        self._count_one(start, end)
        value: Any = text
        if properties and properties.tag is not None:
            value = self.values.tagged(scalar, properties.tag, self.next_path)
            if value is not text:
                others = odd_reading(text, value, is_tagged=True)
        elif plain and (not text or text[0] in _MAY_BE_NO_TEXT):
            value = self.values.resolve(scalar, self.next_path)
            others = odd_reading(text, value) or others
        if source.is_odd:
            source.scalars.append((start, end))
            others = others or odd_characters(source.text[start:end], plain=plain)
        built = Built(value, Node(source.span(start, end)), start, end, not plain, others)
        if properties and properties.anchor:
            self._declare(properties, _Anchored(built, 1, 0))
        return built

    def absent(self, at: int, properties: Properties | None = None) -> Built:
        """Return the value of what is not there."""
        return self.scalar(Scalar("", at, at, plain=True), properties)

    def put_text(self, top: Open, text: str, match: _Match) -> None:
        """Take in a scalar as it is written, with nothing before it, in the innermost collection.

        The same as `put(scalar(...))`, without what only anchors and keys need: most of a
        manifest's values come this way. Its place, and that of its key, are groups of the match.
        """
        start, end = match.span("value")
        self._count += 1
        if self._count > self._limits.nodes:
            raise self._too_many(start, end)
        value: Any = text
        if text[0] in "\"'":
            value = text[1:-1]
        elif text[0] in _MAY_BE_NO_TEXT:
            value = self._plain_value(text, start, end)
        top.end = end
        if top.kind in "-[":
            top.values.append(value)
            top.items.append(match)
        else:
            top.values[top.key] = value
            top.members[top.key] = match

    def _plain_value(self, text: str, start: int, end: int) -> Any:
        if _PLAIN_INTEGER.fullmatch(text) and len(text) <= MOST_DIGITS:
            return int(text)
        value = self.values.resolve(Scalar(text, start, end, plain=True), self.next_path)
        if others := odd_reading(text, value):
            span = self._source.span(start, end)
            self._source.ambiguous.append(Ambiguous(self.next_path(), span, value, others))
        return value

    def alias(self, name: str, start: int) -> Built:
        """Return the value that an alias repeats."""
        source = self._source
        end = source.at
        anchored = self._anchors.get(name)
        shown = f"alias `{source.excerpt(start, end)}`"
        if anchored is None:
            raise source.error(
                start,
                end,
                f"{shown} has no anchor before it",
                f"write `&{name}` before the value to repeat; text that starts with `*` needs "
                "quotes",
            )
        if anchored.built is None:
            raise source.error(
                start,
                end,
                f"{shown} is inside the value it repeats",
                "write the value out; a value cannot contain itself",
                rule="yaml-unsupported",
            )
        self._count += anchored.size - 1
        self._repeated += anchored.size
        if self._repeated > _MOST_REPEATED:
            message = f"aliases repeat more than {_MOST_REPEATED:,} values"
            raise self._limit(start, end, (message, limit_messages.SPLIT_IT))
        self._count_one(start, end)
        self._check_depth(anchored.height, start, end)
        if self.stack:
            self.stack[-1].height = max(self.stack[-1].height, anchored.height + 1)
        built = anchored.built
        node = built.node._replace(span=source.span(start, end), repeated=built.node.span)
        return Built(built.value, node, start, end)

    def open(self, kind: str, indent: int, start: int, properties: Properties | None) -> Open:
        """Begin a collection."""
        self._count_one(start, start + 1)
        opened = Open(kind, indent, start, properties, self._count)
        self._check_depth(1, start, start + 1)
        self.stack.append(opened)
        if properties:
            if properties.anchor:
                self._declare(properties, _Anchored(None, 0, 0))
            tag = properties.tag or "!"
            if tag != "!" and _COLLECTION_TAGS.get(tag) is not type(opened.values):
                self.values.mismatch(properties.start, properties.end, tag)
        return opened

    def _declare(self, properties: Properties, anchored: _Anchored) -> None:
        name = properties.anchor or ""
        if name in self._anchors:
            self._source.report(
                properties.start,
                properties.end,
                f"anchor `&{self._source.excerpt_of(name)}` twice: many readers refuse it",
                "give each anchor its own name",
            )
        self._anchors[name] = anchored

    def close(self, end: int) -> Built:
        """End the innermost open collection."""
        closed = self.stack[-1]
        built = Built(closed.values, self._end(end), closed.start, end, quoted=True)
        if closed.properties and closed.properties.anchor:
            size = self._count - closed.count + 1
            self._anchors[closed.properties.anchor] = _Anchored(built, size, closed.height)
        return built

    def close_block(self) -> None:
        """End the innermost open collection, and take it in: the same as `put(close(...))`."""
        closed = self.stack[-1]
        if closed.properties:
            self.put(self.close(closed.end))
        else:
            self._put(closed.values, self._end(closed.end), closed.end)

    def _end(self, end: int) -> Node:
        closed = self.stack.pop()
        span = self._source.span(closed.start, end)
        if closed.kind in "-[":
            node = Node(span, items=closed.items)
        else:
            node = Node(span, members=closed.members)
        self._collections.append(node)
        if self.stack and self.stack[-1].height <= closed.height:
            self.stack[-1].height = closed.height + 1
        return node

    # -- places in collections ---------------------------------------------------------------

    def put(self, built: Built) -> None:
        """Take a value in as the root, the next item, or the value of the key read last."""
        if built.others:
            self._note(self.next_path(), built)
        if self.stack:
            self._put(built.value, built.node, built.end)
        else:
            self.root = built

    def _put(self, value: Any, node: Node, end: int) -> None:
        top = self.stack[-1]
        top.end = end
        if top.kind in "-[":
            top.values.append(value)
            top.items.append(node)
        else:
            top.values[top.key] = value
            top.members[top.key] = Member(top.key_span, node, top.key in top.members)

    def place_all(self) -> None:
        """Put members and items in place of the matches that the nodes of collections hold."""
        for node in self._collections:
            members, items = node.members or {}, node.items or []
            for key, each in members.items():
                members[key] = self._member(each)
            items[:] = map(self._item, items)

    def _member(self, place: Member | _Match) -> Member:
        if isinstance(place, re.Match):
            return Member(self._source.span(*place.span("key")), self._item(place))
        return place

    def _item(self, place: Node | _Match) -> Node:
        if isinstance(place, re.Match):
            return Node(self._source.span(*place.span("value")))
        return place

    def implicit_key(self, built: Built, start: int, colon: int) -> None:
        """Take a value in as a key without ``?``; where it has no colon, that is -1."""
        source = self._source
        what = None
        if colon < 0:
            pass
        elif colon - start > LONGEST_KEY:
            what = f"a key of more than {LONGEST_KEY:,} characters", "write a shorter key"
        elif "\n" in source.text[start:colon]:
            what = "a key that continues on another line", "write key and `:` on one line"
        elif source.text[colon + 1] not in " \t\n\0" and (
            not built.quoted or self.stack[-1].kind == ","
        ):
            what = "no space after the colon of a key", "put a space after it"
        if what:
            message = f"{what[0]}, which many readers refuse"
            source.report(built.start, built.end, message, what[1])
        self.key(built)

    def key(self, built: Built) -> None:
        """Take a value in as the key of the innermost open mapping's next member."""
        self._count -= 1  # what it counts is values
        top = self.stack[-1]
        key = built.value
        if not isinstance(key, str):
            key = self._no_string(built)
        elif built.others and (key not in _KEYS_ALIKE or built.quoted):
            self._note((*self.path(), key), built, is_key=True)
        span = built.node.span
        if key == _MERGE and not built.quoted:
            self._source.error(
                built.start,
                built.end,
                "merge key `<<` is not part of YAML 1.2",
                "write the members out instead",
                rule="yaml-unsupported",
            )
        elif key in top.members:
            pointer = format_pointer((*self.path(), key))
            first = self._member(top.members[key]).key
            self._source.reporter.report_duplicate(key, span, first, pointer)
            self._source.stop_at_most()
        top.key, top.key_span, top.end = key, span, built.end

    def _no_string(self, built: Built) -> str:
        source, start, end = self._source, built.start, built.end
        if isinstance(built.value, dict | list):
            texts = "a list or mapping as a key", "keys must be text"
            raise source.error_on_line(start, *texts, rule="yaml-unsupported")
        text = source.text[start:end]
        shown = f"key `{source.excerpt(start, end)}`" if text else "an empty key"
        is_spelt = text and not built.quoted and built.node.repeated is None
        do = f'write `"{text}"`' if is_spelt else "write the key's name as text before the `:`"
        source.error(
            start,
            end,
            f"{shown} is not text but {_kind(built.value)}",
            do,
            fix=source.fix(do, start, end, f'"{text}"') if is_spelt else None,
            rule="yaml-unsupported",
        )
        return text

    def _note(self, path: Path, built: Built, *, is_key: bool = False) -> None:
        span, text = built.node.span, self._source.text
        alike = None
        if text[built.start] in "|>" and built.others == UNENDED:
            alike = text[built.start :].rstrip(" \t\0") + "\n"
            span = span._replace(end=self._source.span(0, len(text) - 1).end)
        self._source.ambiguous.append(
            Ambiguous(path, span, built.value, built.others or "", is_key, alike)
        )

    def path(self) -> Path:
        """Return the path of the innermost open collection."""
        return tuple(len(each.items) if each.kind in "-[" else each.key for each in self.stack[:-1])

    def next_path(self) -> Path:
        """Return the path of the value that is read next."""
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*self.path(), len(top.items) if top.kind in "-[" else top.key)

    # -- limits ------------------------------------------------------------------------------

    def _count_one(self, start: int, end: int) -> None:
        self._count += 1
        if self._count > self._limits.nodes:
            raise self._too_many(start, end)

    def _too_many(self, start: int, end: int) -> Exception:
        return self._limit(start, end, limit_messages.too_many(self._limits.nodes))

    def _check_depth(self, levels: int, start: int, end: int) -> None:
        if len(self.stack) + levels > self._limits.depth:
            texts = limit_messages.too_deep(self._limits.depth, "lists and mappings")
            raise self._limit(start, end, texts)

    def _limit(self, start: int, end: int, texts: tuple[str, str]) -> Exception:
        return self._source.error(start, end, *texts, rule="limit-exceeded")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return "a boolean" if isinstance(value, bool) else "a number"
