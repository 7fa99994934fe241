"""From the parser's events to the value that a YAML text says, and the places of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

from manifestkit.decode.findings import FILL_IT, ODD_SPACE, Decoded, StopError, excerpt
from manifestkit.decode.numbers import NumberError
from manifestkit.decode.open_collection import OpenCollection
from manifestkit.decode.yaml.scalars import read_scalar
from manifestkit.decode.yaml.source import Source, safe_fix
from manifestkit.model.document import Ambiguous, Document, Node
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span, column_at, leads_line
from manifestkit.model.pointer import Path, format_pointer

if not yaml.__with_libyaml__:
    raise ConfigurationError(
        "to read YAML, PyYAML needs its part in C, which is missing here: "
        "python -m pip install --force-reinstall --only-binary pyyaml pyyaml"
    )

_DEEPEST = 1_000
# The first characters of plain scalars that are no text, or not to all readers.
_MAY_BE_NO_TEXT = frozenset(("", *"~tTfF+-.0123456789yYnNoO=<"))
_ODD_START = re.compile(rf"({ODD_SPACE}{ODD_SPACE[:-1]} ]*+)(?=[A-Za-z]\w)")
_ODD_ITEM = re.compile(rf"(-)?({ODD_SPACE}{ODD_SPACE[:-1]} ]*+)(?(1)(?=\w)|(?=- ))")
_MERGE = "<<"
_KEYS_ALIKE = frozenset({"=", _MERGE})  # a merge key is told as such
_MOST_REPEATED = 10_000  # values, by aliases
_PROPERTY = re.compile(r"&[\w-]+|!(?:<[^>\s]*>|[^\s,\[\]{}]*)", re.ASCII)
_CORE = "tag:yaml.org,2002:"
_ODD_IN_FLOW = re.compile(r"[?:]|\A-\Z")
_ESCAPED_BEFORE_EMPTY = re.compile(r"(?<!\\)(?:\\\\)*\\(?:\r\n?|\n)[ \t]*[\r\n]")
_BLOCK_STYLES = frozenset("|>")
_AFTER_NAME = (*" \t\r\n,]}", "")
_MEMBER = re.compile(r"(?m)^[a-z_$]+:(?=\s)")
_TOP_NAMES = re.compile(r"(?m)^([\w$-]+):")
_REFERRING = frozenset({"!reference", "!Ref", "!Sub", "!GetAtt", "!secret", "!vault", "!env_var"})
_CORE_TAGS = frozenset({"str", "int", "float", "bool", "null", "seq", "map"})


class _Anchored(NamedTuple):
    """A value that aliases may repeat.

    Attributes:
        value, node: what it says, and the places of its parts.
        size: how many values it has, itself included.
        height: how many levels of collections it has.
    """

    value: Any
    node: Node
    size: int = 1
    height: int = 0


class _Open(OpenCollection):
    """A list or mapping of a YAML text.

    Attributes:
        indent: the column of the innermost block collection, itself included.
        count: the values read up to it.
        height: levels of collections in it, itself and those of aliases included.
    """

    def __init__(
        self,
        start: int,
        indent: int,
        anchor: str | None = None,
        count: int = 0,
        *,
        is_object: bool,
        is_flow: bool,
    ) -> None:
        super().__init__(start, is_object=is_object)
        self.indent = indent
        self.anchor = anchor
        self.count = count
        self.is_flow = is_flow
        self.height = 1

    @property
    def expects_key(self) -> bool:
        """Return whether the next value is the name of a member."""
        return self.is_object and self.key is None


def decode_yaml(text: str, name: str, limits: Limits) -> Decoded:
    """Read a YAML text."""
    limits = limits._replace(depth=min(limits.depth, _DEEPEST))
    source = Source(text, name, limits)
    composer = _Composer(source, limits)
    composer.read()
    value, node = composer.root()
    document = Document(
        name,
        text,
        value,
        lambda _: node,
        syntax="yaml",
        has_fractions=composer.has_fractions,
        ambiguous=tuple(source.ambiguous),
    )
    return Decoded(document, tuple(source.findings), readable=source.readable)


class _Composer:
    """Takes in events in the order of the text.

    Attributes:
        has_fractions: whether a number has a fraction or an exponent.
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        self.has_fractions = False
        self._source = source
        self._limits = limits
        self._top = _Open(0, -1, is_object=False, is_flow=False)  # a list of the one value
        self._stack = [self._top]
        self._anchors: dict[str, _Anchored | None] = {}  # None while its collection is open
        self._count = 0
        self._repeated = 0
        self._last = Span(0, 0)  # the scalar read last
        self._object: Path | None = None  # the last one of Python, which its tags belong to

    def root(self) -> tuple[Any, Node]:
        """Return the whole value and its places, or what there is of it."""
        while len(self._stack) > 1:
            end = self._top.end
            if self._top.key is not None:
                self._put(None, Node(Span(end, end)), end)
            self._pop(end)
        whole = self._stack[0]
        if whole.values:
            return whole.values[0], whole.places[0]
        return None, Node(Span(self._source.start, len(self._source.text)))

    def read(self) -> None:
        """Read the text, as far as it can be read."""
        try:
            self._read_events()
        except StopError:
            self._source.readable = False

    def _read_events(self) -> None:
        take: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
        }
        try:
            next_event: Callable[[], Any] = yaml.CBaseLoader(self._source.parseable()).get_event
            next_event()  # the stream starts
            self._begin(next_event())
            while taker := take.get(type(event := next_event())):
                taker(event)
            self._check_end(event)
        except yaml.MarkedYAMLError as error:
            if error.problem_mark and "nesting depth" in str(error.problem):
                raise self._too_deep(self._source.offset(error.problem_mark)) from None
            opened, indent = self._top.start, self._top.indent
            raise self._source.explain(error, self._last, opened, indent) from None

    def _begin(self, event: Any) -> None:
        """Take in the beginning of the document, or refuse a text that has none."""
        source = self._source
        if isinstance(event, yaml.StreamEndEvent):
            is_empty = not source.text[source.start :].strip()
            what = "the file is empty" if is_empty else "the file has only comments"
            end = len(source.text)
            do = FILL_IT if is_empty else "write a manifest: `key: value`"
            raise source.error(end, end, what, do)
        self._top.end = source.offset(event.end_mark)

    def _check_end(self, event: Any) -> None:
        """Refuse what follows the document."""
        source = self._source
        at = source.skip_trivia(source.offset(event.end_mark))
        if at >= len(source.text):
            return
        if event.explicit or source.text.startswith("---", at):
            names = (set(_TOP_NAMES.findall(source.text, *part)) for part in ((0, at), (at,)))
            do = "remove the `---`, and all behind it, which is not part of a manifest"
            if not set.isdisjoint(*names):
                do = "documents are not merged: delete this, or move it to `x.manifest.yaml`"
            elif _MEMBER.search(source.text, at):
                do = "keep one: remove this line if the manifest goes on below, or else all below"
            message = "a second document starts here"
            raise source.error_on_line(at, message, do, rule="yaml-unsupported")
        raise source.trailing(at, self._last)

    # -- scalars -----------------------------------------------------------------------------

    def _scalar(self, event: Any) -> None:
        source, top = self._source, self._top
        value, style, mark, end_mark = event.value, event.style, event.start_mark, event.end_mark
        start, end = mark.index + source.start, end_mark.index + source.start
        tag, others = None, None
        is_key = top.expects_key
        is_one_line = (value or style) and mark.line == end_mark.line
        is_deeper = mark.column > top.indent or is_key
        if top.is_flow or event.anchor or event.tag or not (is_one_line and is_deeper):
            value, start, end, tag = self._place(event)
        here = Span(start, end)
        if start < end:
            self._last = here
        if source.is_odd:
            source.check_characters(start, end)
        if style and source.text[end : end + 1] == "#":
            raise source.trailing(end, here)
        if tag or (not style and value[:1] in _MAY_BE_NO_TEXT):
            value, others = self._meaning(value, tag, here)
        if top.is_flow and not (style or tag or others) and _ODD_IN_FLOW.search(event.value):
            others = "something else, or an error,"
        if others:
            self._note(value, here, others, is_plain=not style)
        if is_key:
            self._take_key(value, here, is_plain=not style)
        else:
            self._count_one(start, end)
            self._put(value, Node(here), end)
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, Node(here))

    def _place(self, event: Any) -> tuple[str, int, int, str | None]:
        """Return the text of a scalar, where it begins and ends, and its tag."""
        top, text, style = self._top, event.value, event.style
        mark, end_mark = event.start_mark, event.end_mark
        start, end_of_tag, tag = self._properties(event)
        end, column = self._source.offset(end_mark), column_at(self._source.text, start)
        if not (text or style):
            start = end = end_of_tag if event.anchor or event.tag else self._absent(start)
        elif column <= top.indent and not (top.is_flow or top.expects_key):
            raise self._outside(start)
        elif style in _BLOCK_STYLES:
            end = self._block_end(text, start, end)
            if end_mark.index + self._source.start > len(self._source.text):
                text = self._without_own_end(text)
        elif end_mark.line > mark.line:
            self._check_lines(start, end, style)
        return text, start, end, tag

    def _meaning(self, text: str, tag: str | None, span: Span) -> tuple[Any, str | None]:
        """Return the value of a scalar that is plain or has a tag, and what it is to others."""
        if text.startswith("-"):
            self._check_item(span.start)
        value, others = text, None
        try:
            value, others = read_scalar(text, tag)
        except NumberError as error:
            pointer = format_pointer(self._next_path()) if error.rule == "limit-exceeded" else ""
            self._source.error(*span, error.message, error.help, rule=error.rule, pointer=pointer)
        except KeyError:
            self._mismatch(span, str(tag))
        self.has_fractions = self.has_fractions or isinstance(value, float)
        return value, others

    def _check_item(self, start: int) -> None:
        """Refuse an item that begins a line with what looks like a space, or has it behind `-`."""
        odd = _ODD_ITEM.match(self._source.text, start)
        if odd and leads_line(self._source.text, start):
            raise self._source.odd_spaces(*odd.span(2))

    def _mismatch(self, span: Span, tag: str) -> None:
        self._source.unsupported(*span, f"tag `!!{tag}` does not fit its value", "remove the tag")

    def _without_own_end(self, value: str) -> str:
        """Return a block of text without the line end that its last, blank line has not."""
        text = self._source.text
        blank = text[len(text.rstrip(" \t")) :]
        is_line = blank and text[: -len(blank)].endswith(("\n", "\r"))
        return value[:-1] if is_line and value.endswith("\n\n") else value

    def _block_end(self, value: str, start: int, end: int) -> int:
        """Return the end of the last line of a block of text that is not empty to YAML."""
        end = start + len(self._source.text[start:end].rstrip(" \t\r\n"))
        kept = value.rstrip("\n")
        if not kept.endswith((" ", "\t")):
            return end
        blank = kept[len(kept.rstrip(" \t\n")) :].count("\n") + (not kept.strip(" \t\n"))
        lines = re.compile(rf"(?:[^\r\n]*(?:\r\n?|\n)){{{blank}}}[^\r\n]*")
        return lines.match(self._source.text, end).end()  # type: ignore[union-attr]  # so many

    def _check_lines(self, start: int, end: int, quote: str) -> None:
        """Refuse text that goes on outside its collection: most often, a quote lacks its end.

        An escaped line end before an empty line, too, in which each reader sees something else.
        """
        source, indent = self._source, self._top.indent
        if quote == '"' and (found := _ESCAPED_BEFORE_EMPTY.search(source.text, start, end)):
            message = "an empty line after `\\` at a line's end"
            source.unsupported(*found.span(), message, "write `\\n` for a line end in a string")
        for line in source.further_lines(start, end):
            if not quote:
                self._check_item(line)
            if column_at(source.text, line) > indent:
                continue
            if not quote:
                raise source.unclosed_bracket(self._top.start, line)
            raise source.unclosed_quote(start, line)

    def _check_indent(self, brackets: _Open, end: int) -> None:
        """Refuse a line in brackets that is not deeper than the block around."""
        source = self._source
        for line in source.further_lines(brackets.start, end):
            if column_at(source.text, line) <= brackets.indent and source.text[line] != "#":
                raise source.unclosed_bracket(brackets.start, line)

    def _absent(self, start: int) -> int:
        """Return the place of a value that is not there: after the indicator before it."""
        if self._top.expects_key:
            return start
        text, last = self._source.text, self._top.end
        at = self._source.skip_trivia(last)
        return at + 1 if text.startswith((":", "?", "-"), at, start) else min(start, last)

    def _outside(self, start: int) -> StopError:
        """Report a value that is not deeper than the block that it is in."""
        message = "`{shown}` is not indented deeper than its key"
        return self._source.error_on_line(start, message, "indent it")

    # -- anchors, tags and aliases -----------------------------------------------------------

    def _properties(self, event: Any) -> tuple[int, int, str | None]:
        """Return where a value begins, where its anchor and tag end, and the name of its core tag.

        Of any other tag, the name is `!`.
        """
        source, text = self._source, self._source.text
        start = end = at = source.offset(event.start_mark)
        tag = None
        if self._top.is_flow and text.startswith("?", start - 1):  # the parser takes it for a key
            raise source.no_value(start - 1, is_flow=True)
        own = {"&": event.anchor, "!": event.tag}  # what follows them may be of the first key
        while (found := _PROPERTY.match(text, at)) and own.pop(found[0][0], None):
            end = found.end()
            if found[0].startswith("!"):
                tag = self._tag(event.tag, *found.span())
            elif text[end : end + 1] not in _AFTER_NAME:
                raise self._after_name(end)
            at = source.skip_trivia(end)
        if event.anchor in self._anchors:
            message = f"anchor `&{excerpt(event.anchor)}` twice: many readers refuse it"
            do = "give each anchor its own name"
            source.report("yaml-unsupported", Span(start, end), message, help=do)
        return at, end, tag

    def _tag(self, tag: str, start: int, end: int) -> str:
        name = tag.removeprefix(_CORE)
        if name in _CORE_TAGS and name != tag:
            return name
        path = self._path() if self._top.expects_key else self._next_path()
        if self._object and path[: len(self._object)] == self._object:
            return "!"
        message = f"tag `{excerpt(self._source.text[start:end])}`: a manifest is plain data"
        do = "write the value itself, without the tag; put text in quotes"
        if name.startswith("python/object/"):  # made by a call
            self._object, self._source.readable = path, False
            do = (
                "convert it to plain values first, as with `int` or `.tolist()`, or write its value"
            )
        elif tag == "!include":
            do = "paste the content of that file here: no other file is read"
        elif tag in _REFERRING:
            do = "write here the value that it refers to, as it is"
            self._source.readable &= not self._source.text.startswith("[", end + 1)
        self._source.report(
            "yaml-unsupported", Span(start, end), message, help=do, pointer=format_pointer(path)
        )
        return "!"

    def _after_name(self, at: int) -> StopError:
        return self._source.error_on_line(
            at,
            "unexpected `{shown}` after the name of an anchor",
            "put a space after the name, and use only ASCII letters, digits, `-` and `_` in it",
        )

    def _alias(self, event: Any) -> None:
        source, name = self._source, event.anchor
        start, end = source.offset(event.start_mark), source.offset(event.end_mark)
        if source.text[end : end + 1] not in _AFTER_NAME:
            raise self._after_name(end)
        shown = f"alias `{excerpt(source.text[start:end])}`"
        if name not in self._anchors:
            if _MERGE in self._next_path() and not source.readable:  # told as such
                self._put(None, Node(Span(start, end)), end)
                return
            before = f"write `&{name}` before the value to repeat"
            do = f"{before}; text that starts with `*` needs quotes"
            raise source.error(start, end, f"{shown} has no anchor before it", do)
        anchored = self._anchors[name]
        if anchored is None:
            do = "write the value out; a value cannot contain itself"
            raise source.unsupported(start, end, f"{shown} is inside the value it repeats", do)
        if self._top.expects_key:
            self._take_key(anchored.value, Span(start, end), is_plain=False)
            return
        self._count += anchored.size - 1
        self._repeated += anchored.size
        if self._repeated > _MOST_REPEATED:
            message = f"aliases repeat more than {_MOST_REPEATED:,} values"
            raise source.report_limit(Span(start, end), message)
        self._count_one(start, end)
        self._check_depth(anchored.height, start)
        node = anchored.node.repeated_at(Span(start, end))
        self._put(anchored.value, node, end, anchored.height)

    # -- collections -------------------------------------------------------------------------

    def _open(self, event: Any) -> None:
        top, source = self._top, self._source
        start, end_of_tag, tag = self._properties(event)
        column = column_at(source.text, start)
        if top.expects_key:
            raise self._collection_as_key(start)
        if event.flow_style and column <= top.indent and not top.is_flow:
            raise self._outside(start)
        self._count_one(start, start + 1)
        self._check_depth(1, start)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        indent = top.indent if event.flow_style else column
        self._top = _Open(
            start,
            indent,
            event.anchor,
            self._count,
            is_object=is_mapping,
            is_flow=event.flow_style,
        )
        self._stack.append(self._top)
        if event.anchor:
            self._anchors[event.anchor] = None
        if tag not in (None, "!", "map" if is_mapping else "seq"):
            self._mismatch(Span(source.offset(event.start_mark), end_of_tag), str(tag))

    def _close(self, event: Any) -> None:
        top, source, mark = self._top, self._source, event.start_mark
        end, start = top.end, source.offset(mark)
        if top.is_flow and source.offset(event.end_mark) > start:
            if not self._stack[-2].is_flow:
                self._check_indent(top, start)
            end = source.offset(event.end_mark)  # a pair without braces ends with its value
            if source.text[end : end + 1] == "#":
                raise source.trailing(end, self._last)
        self._pop(end)

    def _pop(self, end: int) -> None:
        closed = self._stack.pop()
        self._top = self._stack[-1]
        node = closed.node(Span(closed.start, end))
        if closed.anchor:
            size = self._count - closed.count + 1
            self._anchors[closed.anchor] = _Anchored(closed.values, node, size, closed.height)
        self._put(closed.values, node, end, closed.height)

    def _put(self, value: Any, node: Node, end: int, height: int = 0) -> None:
        """Take a value in as the next item, or the value of the last key."""
        top = self._top
        top.put(value, node, end)
        if height >= top.height:
            top.height = height + 1

    def _take_key(self, key: Any, here: Span, *, is_plain: bool) -> None:
        top, source = self._top, self._source
        if is_plain and (odd := _ODD_START.match(source.text, here.start, here.end)):
            raise source.odd_spaces(*odd.span(1))
        if not isinstance(key, str):
            key = self._no_string(key, here, is_plain=is_plain)
        if key == _MERGE and is_plain:
            message = "merge key `<<` is not part of YAML 1.2"
            source.unsupported(*here, message, "write the members out instead")
        elif key in top.places:
            pointer = format_pointer((*self._path(), key))
            source.report_duplicate(key, here, top.places[key].key, pointer)
        top.key, top.key_span, top.end = key, here, here.end

    def _collection_as_key(self, start: int) -> StopError:
        texts = "a list or mapping as a key", "keys must be text"
        return self._source.error_on_line(start, *texts, rule="yaml-unsupported")

    def _no_string(self, key: Any, here: Span, *, is_plain: bool) -> str:
        source, text = self._source, self._source.text[here.start : here.end]
        if isinstance(key, dict | list):
            raise self._collection_as_key(here.start)
        shown = f"key `{excerpt(text)}`" if text else "an empty key"
        kinds: dict[type, str] = {bool: "a boolean", type(None): "null"}
        message = f"{shown} is not text but {kinds.get(type(key), 'a number')}"
        if text and is_plain:  # it is read as it is written, and all else can be judged
            fix = safe_fix(f'write `"{text}"`', *here, f'"{text}"')
            source.report("yaml-unsupported", here, message, help=fix.message, fixes=(fix,))
        else:
            source.unsupported(*here, message, "write the key's name as text before the `:`")
        return text

    def _note(self, value: Any, span: Span, others: str, *, is_plain: bool) -> None:
        path, is_key = self._next_path(), self._top.expects_key
        if is_key:
            if not isinstance(value, str) or (is_plain and value in _KEYS_ALIKE):
                return
            path = (*self._path(), value)
        self._source.ambiguous.append(Ambiguous(path, span, value, others, is_key))

    def _path(self) -> Path:
        """Return the path of the innermost open collection."""
        return self._next_path()[:-1]

    def _next_path(self) -> Path:
        """Return the path of the value that is read next."""
        return tuple(each.token for each in self._stack[1:])

    # -- limits ------------------------------------------------------------------------------

    def _count_one(self, start: int, end: int) -> None:
        self._count += 1
        if self._count > self._limits.nodes:
            message = f"more than {self._limits.nodes:,} values"
            raise self._source.report_limit(Span(start, end), message)

    def _check_depth(self, levels: int, start: int) -> None:
        if len(self._stack) - 1 + levels > self._limits.depth:
            raise self._too_deep(start)

    def _too_deep(self, start: int) -> StopError:
        most = f"{self._limits.depth:,} lists and mappings"
        message = f"more than {most} nested in each other"
        return self._source.report_limit(Span(start, start + 1), message)
