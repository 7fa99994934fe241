"""From the parser's events to the value that a YAML text says, and the places of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import yaml

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.findings import Decoded, StopError
from manifestkit.decode.yaml import mistakes
from manifestkit.decode.yaml.scalars import (
    MAY_BE_NO_TEXT,
    OTHERWISE,
    UNENDED,
    NumberError,
    odd_reading,
    resolve,
    tagged,
)
from manifestkit.decode.yaml.source import NEXT_LINE, ODD, TRIVIA, Source, excerpt
from manifestkit.model.document import Ambiguous, Document, Member, Node
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Edit, Finding
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, format_pointer

if not yaml.__with_libyaml__:
    raise ConfigurationError(
        "to read YAML, PyYAML needs its part in C, which is missing here: "
        "python -m pip install --force-reinstall --only-binary pyyaml pyyaml"
    )

_MERGE = "<<"
_KEYS_ALIKE = frozenset({"=", _MERGE})  # a merge key is told as such
_MOST_REPEATED = 10_000  # values, by aliases
_MOST_READ_AGAIN = 300_000  # characters
_PROPERTY = re.compile(r"&[\w-]+|!(?:<[^>\s]*>|[^\s,\[\]{}]*)", re.ASCII)
_CORE = "tag:yaml.org,2002:"
_ODD_IN_FLOW = re.compile("[?:]")
_BLOCK_STYLES = frozenset("|>")
_AFTER_NAME = (*" \t\r\n,]}", "")
_MEANT = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "`true` or `false`",
    "null": "`null`",
    "seq": "a list",
    "map": "a mapping",
}


class _Value(NamedTuple):
    """A value that has been read.

    Attributes:
        value, node: what it says, and the places of its parts.
        is_plain: whether it is a scalar without quotes.
        size: how many values it has, itself included.
        height: how many levels of collections it has.
    """

    value: Any
    node: Node
    is_plain: bool = False
    size: int = 1
    height: int = 0


class _Open:
    """A collection whose end has not been read yet.

    Attributes:
        start, end: where it begins, and where its last value ends.
        indent: the column of the innermost block collection, itself included.
        count: the values read before it.
        values, places: what it has so far; the places of its members, or of its items.
        height: levels of collections within it, those of aliases included.
        key: the name whose value is read next; None where a name is.
    """

    key: str | None = None
    key_span = Span(0, 0)
    height = 1

    def __init__(self, event: Any, start: int, indent: int, count: int) -> None:
        self.is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.is_flow: bool = event.flow_style
        self.anchor: str | None = event.anchor
        self.start = self.end = start
        self.indent = indent
        self.count = count
        self.values: Any = {} if self.is_mapping else []
        self.places: Any = {} if self.is_mapping else []

    @property
    def expects_key(self) -> bool:
        """Return whether the next value is the name of a member."""
        return self.is_mapping and self.key is None


def compose(text: str, name: str, limits: Limits) -> Decoded:
    """Read a text that holds one document.

    Where the parser stops at a mistake that has a fix, it reads on as if it was applied.
    """
    repairs: list[Edit] = []
    told: list[Finding] = []
    while True:
        source = Source(text, name, limits, repairs)
        composer = _Composer(source, limits)
        repair = composer.read()
        findings = source.reporter.findings
        if repair is None or len(text) * len(repairs) > _MOST_READ_AGAIN:
            break
        if any(repair.start <= each.end for each in repairs):
            break
        told.append(findings[-1])
        repairs.append(repair)
    stack = composer.stack
    root = composer.root or _Value(stack[0].values if stack else None, Node(Span(0, len(text))))
    document = Document(
        name,
        text,
        root.value,
        lambda _: root.node,
        syntax="yaml",
        has_fractions=composer.has_fractions,
        ambiguous=tuple(source.ambiguous),
    )
    readable = source.readable and not told
    return Decoded(document, (*told, *findings), readable=readable)


class _Composer:
    """Takes in events in the order of the text.

    Attributes:
        stack: the open collections, outermost first.
        root: the whole value, once it is read.
        has_fractions: whether a number has a fraction or an exponent.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self.stack: list[_Open] = []
        self.root: _Value | None = None
        self.has_fractions = False
        self._source = source
        self._limits = limits
        self._anchors: dict[str, _Value | None] = {}  # None while its collection is open
        self._count = 0
        self._repeated = 0
        self._begin = 0  # where the document's content begins
        self._last = Span(0, 0)  # the scalar read last

    def read(self) -> Edit | None:
        """Read the text; return what makes it readable where it cannot be read on."""
        take: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
        }
        try:
            for event in self._events():
                take[type(event)](event)
        except StopError as stop:
            return stop.repair
        except yaml.MarkedYAMLError as error:
            inner = self.stack[-1] if self.stack else None
            opened, indent = (inner.start, inner.indent) if inner else (0, -1)
            around = mistakes.Around(self._last, opened, indent, self._is_in_list())
            return mistakes.explain(self._source, error, around, self._limits).repair
        return None

    def _is_in_list(self) -> bool:
        """Return whether the next line may only be an item: not of a list at its key's column."""
        *_, owner, inner = (None, None, *self.stack)
        if inner is None or inner.is_mapping:
            return False
        return owner is None or not owner.is_mapping or owner.indent < inner.indent

    def _events(self) -> Iterator[Any]:
        """Yield the events of the document's content, and see that it is all there is."""
        source = self._source
        next_event: Callable[[], Any] = yaml.CBaseLoader(source.parseable()).get_event
        next_event()  # the stream starts
        first = next_event()
        self._begin = first.end_mark.index
        if isinstance(first, yaml.StreamEndEvent):
            is_empty = not source.text.strip()
            what = "the file is empty" if is_empty else "the file has only comments"
            end = len(source.text)
            raise source.error(end, end, what, "write a manifest: `key: value`")
        while not isinstance(event := next_event(), yaml.DocumentEndEvent):
            yield event
        self._check_end(event)

    def _check_end(self, event: Any) -> None:
        """Refuse what follows the document."""
        source = self._source
        at = TRIVIA.match(source.text, event.end_mark.index).end()  # type: ignore[union-attr]  # matches ""
        if at >= len(source.text):
            return
        if event.explicit or source.text.startswith("---", at):
            raise source.error_on_line(
                at,
                "a second document starts here",
                "keep one document in the file; remove the `---` or `...` before it",
                rule="yaml-unsupported",
            )
        raise mistakes.trailing(source, at, self._last)

    # -- scalars -----------------------------------------------------------------------------

    def _scalar(self, event: Any) -> None:
        source, text, style = self._source, event.value, event.style
        start, tag, after = self._before(event)
        if (text or style) and self.stack:
            self._check_indentation(event, start)
        start, end = self._place(event, start, after)
        if source.is_odd and (odd := ODD.search(source.text, start, end)):
            mistakes.odd_character(source, odd)
        here = Span(start, end)
        if start < end:
            self._last = here
        value, others = text, None
        if style in _BLOCK_STYLES and event.end_mark.index > len(source.text):
            others = UNENDED if text.endswith("\n") else None
        if tag:
            value = self._resolve(text, tag, start, end)
            others = others if value is text else odd_reading(text, value, is_tagged=True)
        elif not style:
            value, others = self._plain(text, start, end)
        self._count_one(start, end)
        built = _Value(value, Node(source.in_file(here)), not style)
        if event.anchor:
            self._anchors[event.anchor] = built
        if others:
            self._note(built, others)
        self._put(built, start, end)

    def _place(self, event: Any, start: int, after: int) -> tuple[int, int]:
        """Return where a scalar begins and ends; `start` and `after` are what `_before` says."""
        end = event.end_mark.index
        if event.style in _BLOCK_STYLES:
            return start, self._block_end(event.value, start, end)
        if not (event.value or event.style):
            start = self._absent(start) if after == event.start_mark.index else after
            return start, start
        if event.end_mark.line > event.start_mark.line:
            self._check_lines(start, end, is_quoted=bool(event.style))
        return start, end

    def _plain(self, text: str, start: int, end: int) -> tuple[Any, str | None]:
        """Return the value of a plain scalar, and what it is to other readers."""
        value, others = text, None
        if not text or text[0] in MAY_BE_NO_TEXT:
            value = self._resolve(text, None, start, end)
            others = odd_reading(text, value)
        if self.stack and self.stack[-1].is_flow and _ODD_IN_FLOW.search(text):
            others = others or OTHERWISE
        return value, others

    def _resolve(self, text: str, tag: str | None, start: int, end: int) -> Any:
        """Return the value of a scalar with a core tag, or of one that is plain."""
        try:
            value = resolve(text) if tag is None else tagged(text, tag)
        except NumberError as error:
            pointer = format_pointer(self._next_path()) if error.rule == "limit-exceeded" else ""
            self._source.error(
                start, end, error.message, error.help, rule=error.rule, pointer=pointer
            )
            return 0
        except KeyError:
            self._mismatch(start, end, str(tag))
            return text
        self.has_fractions = self.has_fractions or isinstance(value, float)
        return value

    def _mismatch(self, start: int, end: int, tag: str) -> None:
        self._source.error(
            start,
            end,
            f"tag `!!{tag}` is used for a value that is not {_MEANT[tag]}",
            "remove the tag",
            rule="yaml-unsupported",
        )

    def _block_end(self, value: str, start: int, end: int) -> int:
        """Return the end of the last line of a block of text that is not empty to YAML."""
        end = start + len(self._source.text[start:end].rstrip(" \t\r\n"))
        kept = value.rstrip("\n")
        if not kept.endswith((" ", "\t")):
            return end
        blank = kept[len(kept.rstrip()) :].count("\n") + (not kept.strip())
        lines = re.compile(rf"(?:[^\r\n]*(?:\r\n?|\n)){{{blank}}}[^\r\n]*")
        return lines.match(self._source.text, end).end()  # type: ignore[union-attr]  # so many

    def _check_lines(self, start: int, end: int, *, is_quoted: bool) -> None:
        """Refuse text that goes on outside its collection: most often, a quote lacks its end."""
        source, indent = self._source, self.stack[-1].indent if self.stack else -1
        for line in NEXT_LINE.finditer(source.text, start, end):
            if source.column(line.end()) > indent:
                continue
            if not is_quoted:
                raise mistakes.unclosed_bracket(source, self.stack[-1].start, line.end())
            raise source.error_on_line(
                start,
                "quote is not closed before its indentation ends",
                "close it, or indent every line of the string deeper than its key",
                related=(source.related("this line is outside", line.end()),),
            )

    def _absent(self, start: int) -> int:
        """Return the place of a value that is not there: after the indicator before it."""
        top = self.stack[-1] if self.stack else None
        if top is None or top.expects_key:
            return start if top else self._begin
        text = self._source.text
        at = TRIVIA.match(text, top.end).end()  # type: ignore[union-attr]  # matches ""
        return at + 1 if text.startswith((":", "?", "-"), at, start) else min(start, top.end)

    # -- anchors, tags and aliases -----------------------------------------------------------

    def _before(self, event: Any) -> tuple[int, str | None, int]:
        """Return where a value begins, the name of its core tag, and where anchor and tag end.

        Of any other tag, the name is `!`.
        """
        source, text = self._source, self._source.text
        end = at = event.start_mark.index
        tag = None
        if not (event.anchor or event.tag or (self.stack and self.stack[-1].is_flow)):
            return at, tag, end
        if self.stack and self.stack[-1].is_flow and text.startswith("?", at - 1):
            raise source.error_on_line(
                at - 1, "`{shown}`: a value in brackets cannot start with `?`", "put it in quotes"
            )
        while (event.anchor or event.tag) and (found := _PROPERTY.match(text, at)):
            end = found.end()
            if found[0].startswith("!"):
                tag = self._tag(event.tag, *found.span())
            elif text[end : end + 1] not in _AFTER_NAME:
                raise self._after_name(end)
            at = TRIVIA.match(text, end).end()  # type: ignore[union-attr]  # matches ""
        if event.anchor in self._anchors:
            message = f"anchor `&{excerpt(event.anchor)}` twice: many readers refuse it"
            source.report(event.start_mark.index, end, message, "give each anchor its own name")
        return at, tag, end

    def _column(self, event: Any, start: int) -> int:
        """Return the column of an event's value, which begins behind its anchor and tag."""
        mark = event.start_mark
        return mark.column if start == mark.index else self._source.column(start)

    def _check_indentation(self, event: Any, start: int) -> None:
        """Refuse a value that is not deeper than the block that it is in."""
        top, source, column = self.stack[-1], self._source, self._column(event, start)
        if column > top.indent or (top.expects_key and not top.is_flow):
            return
        if top.is_flow:
            raise mistakes.unclosed_bracket(source, top.start, start)
        message = "`{shown}` is not indented deeper than its key"
        raise source.error_on_line(start, message, "indent it")

    def _tag(self, tag: str, start: int, end: int) -> str:
        name = tag.removeprefix(_CORE)
        if name in _MEANT and name != tag:
            return name
        message = f"tag `{self._source.excerpt(start, end)}`: a manifest is plain data"
        self._source.report(start, end, message, "remove the tag; put text in quotes")
        return "!"

    def _after_name(self, at: int) -> StopError:
        return self._source.error_on_line(
            at,
            "unexpected `{shown}` after the name of an anchor",
            "put a space after the name, and use only ASCII letters, digits, `-` and `_` in it",
        )

    def _alias(self, event: Any) -> None:
        source, name = self._source, event.anchor
        start, end = event.start_mark.index, event.end_mark.index
        if source.text[end : end + 1] not in _AFTER_NAME:
            raise self._after_name(end)
        shown = f"alias `{source.excerpt(start, end)}`"
        if name not in self._anchors:
            raise source.error(
                start,
                end,
                f"{shown} has no anchor before it",
                f"write `&{name}` before the value to repeat; text that starts with `*` needs "
                "quotes",
            )
        anchored = self._anchors[name]
        if anchored is None:
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
        node = anchored.node._replace(span=source.span(start, end), repeated=anchored.node.span)
        self._put(anchored._replace(node=node, is_plain=False), start, end)

    # -- collections -------------------------------------------------------------------------

    def _open(self, event: Any) -> None:
        top = self.stack[-1] if self.stack else None
        start, tag, after = self._before(event)
        if top is not None and top.expects_key:
            raise self._collection_as_key(start)
        if event.flow_style and top:
            self._check_indentation(event, start)
        self._count_one(start, start + 1)
        self._check_depth(1, start, start + 1)
        outer = top.indent if top else -1
        indent = outer if event.flow_style else self._column(event, start)
        opened = _Open(event, start, indent, self._count)
        self.stack.append(opened)
        if event.anchor:
            self._anchors[event.anchor] = None
        if tag not in (None, "!", "map" if opened.is_mapping else "seq"):
            self._mismatch(event.start_mark.index, after, str(tag))

    def _close(self, event: Any) -> None:
        closed = self.stack.pop()
        end = closed.end
        if closed.is_flow and event.end_mark.index > event.start_mark.index:
            end = event.end_mark.index  # a pair without braces ends with its value
        span = self._source.span(closed.start, end)
        places = {"members" if closed.is_mapping else "items": closed.places}
        size = self._count - closed.count + 1
        built = _Value(closed.values, Node(span, **places), size=size, height=closed.height)
        if closed.anchor:
            self._anchors[closed.anchor] = built
        self._put(built, closed.start, end)

    def _put(self, built: _Value, start: int, end: int) -> None:
        """Take a value in as the root, the next item, a key, or the value of the last key."""
        if self._source.text.startswith("#", end):
            raise mistakes.trailing(self._source, end, self._last)
        if not self.stack:
            self.root = built
            return
        top = self.stack[-1]
        if not top.is_mapping:
            top.values.append(built.value)
            top.places.append(built.node)
        elif top.key is None:
            top.key = self._key(top, built, start, end)
            top.key_span = built.node.span
        else:
            top.values[top.key] = built.value
            top.places[top.key] = Member(top.key_span, built.node, top.key in top.places)
            top.key = None
        top.end = end
        if built.height >= top.height:
            top.height = built.height + 1

    def _collection_as_key(self, start: int) -> StopError:
        texts = "a list or mapping as a key", "keys must be text"
        return self._source.error_on_line(start, *texts, rule="yaml-unsupported")

    def _key(self, top: _Open, built: _Value, start: int, end: int) -> str:
        self._count -= 1  # what it counts is values
        key = built.value
        if not isinstance(key, str):
            key = self._no_string(built, start, end)
        if key == _MERGE and built.is_plain:
            self._source.error(
                start,
                end,
                "merge key `<<` is not part of YAML 1.2",
                "write the members out instead",
                rule="yaml-unsupported",
            )
        elif key in top.places:
            pointer = format_pointer((*self._path(), key))
            first = top.places[key].key
            self._source.reporter.report_duplicate(key, built.node.span, first, pointer)
            self._source.stop_at_most()
        return key

    def _no_string(self, built: _Value, start: int, end: int) -> str:
        source, text = self._source, self._source.text[start:end]
        if isinstance(built.value, dict | list):
            raise self._collection_as_key(start)
        shown = f"key `{source.excerpt(start, end)}`" if text else "an empty key"
        is_spelt = text and built.is_plain
        do = f'write `"{text}"`' if is_spelt else "write the key's name as text before the `:`"
        kinds: dict[type, str] = {bool: "a boolean", type(None): "null"}
        source.error(
            start,
            end,
            f"{shown} is not text but {kinds.get(type(built.value), 'a number')}",
            do,
            fix=source.fix(do, start, end, f'"{text}"') if is_spelt else None,
            rule="yaml-unsupported",
        )
        return text

    def _note(self, built: _Value, others: str) -> None:
        source, span, alike = self._source, built.node.span, None
        path, is_key = self._next_path(), bool(self.stack) and self.stack[-1].expects_key
        if is_key:
            if not isinstance(built.value, str) or (built.is_plain and built.value in _KEYS_ALIKE):
                return
            path = (*self._path(), built.value)
        if others == UNENDED:
            span = span._replace(end=source.span(0, len(source.text)).end)
            alike = source.text[self._last.start :].rstrip(" \t") + "\n"
        source.ambiguous.append(Ambiguous(path, span, built.value, others, is_key, alike))

    def _path(self) -> Path:
        """Return the path of the innermost open collection."""
        return tuple(
            each.key or "" if each.is_mapping else len(each.values) for each in self.stack[:-1]
        )

    def _next_path(self) -> Path:
        """Return the path of the value that is read next."""
        if not self.stack:
            return ()
        top = self.stack[-1]
        return (*self._path(), top.key or "" if top.is_mapping else len(top.values))

    # -- limits ------------------------------------------------------------------------------

    def _count_one(self, start: int, end: int) -> None:
        self._count += 1
        if self._count > self._limits.nodes:
            raise self._limit(start, end, limit_messages.too_many(self._limits.nodes))

    def _check_depth(self, levels: int, start: int, end: int) -> None:
        if len(self.stack) + levels > self._limits.depth:
            texts = limit_messages.too_deep(self._limits.depth, "lists and mappings")
            raise self._limit(start, end, texts)

    def _limit(self, start: int, end: int, texts: tuple[str, str]) -> StopError:
        return self._source.error(start, end, *texts, rule="limit-exceeded")
