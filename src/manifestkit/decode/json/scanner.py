"""Reading JSON again for what is wrong with it.

One pass without recursion. Mistakes with a name (a trailing comma, a comment, single quotes, ...)
are reported and read over, so that a text with three of them gets three findings; at anything
else the reading stops.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from manifestkit.decode import findings as limit_messages
from manifestkit.decode.findings import Decoded, StopError, repeated_once
from manifestkit.decode.json.mistakes import (
    end_of_block,
    is_misquoted,
    is_sure,
    line_indent,
    quote_between,
    unclosed_bracket,
)
from manifestkit.decode.json.tokens import Token, Tokens
from manifestkit.model.document import Document, Member, Node
from manifestkit.model.finding import Edit, Finding, Related
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span
from manifestkit.model.pointer import format_pointer
from manifestkit.model.printable import truncate

_CLOSER = {"{": "}", "[": "]"}
_CLOSERS = frozenset(_CLOSER.values())
_ENTRY_STARTS = frozenset({"{", "[", "string", "scalar"})
_MEMBER_STARTS = frozenset({"string", "word"})
_SPELLINGS = {
    "true": ("True", "TRUE", "yes", "Yes"),
    "false": ("False", "FALSE", "no", "No"),
    "null": ("None", "NULL", "Null", "nil"),
}
_MEANT = {word: literal for literal, spellings in _SPELLINGS.items() for word in spellings}
_VALUES = {"true": True, "false": False, "null": None}

_NO_LIMITS = Limits(depth=sys.maxsize, nodes=sys.maxsize)
_NOWHERE = Span(0, 0)


@dataclass(slots=True)
class OpenCollection:
    """An array or object whose end has not been read yet."""

    bracket: str
    start: int
    values: Any
    members: dict[str, Member] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    key: str = ""
    key_span: Span = _NOWHERE
    entries: int = 0
    end_of_last: int = 0

    def put(self, value: Any, node: Node) -> None:
        """Take in the value of the member or item that was begun last."""
        self.entries += 1
        self.end_of_last = node.span.end
        if self.bracket == "{":
            self.values[self.key] = value
            repeated = self.key in self.members
            self.members[self.key] = Member(self.key_span, node, repeated)
        else:
            self.values.append(value)
            self.items.append(node)

    def close(self, end: int) -> Node:
        """Return the positions of the whole."""
        span = Span(self.start, end)
        if self.bracket == "{":
            return Node(span, members=self.members)
        return Node(span, items=self.items)


def scan(text: str, name: str, limits: Limits) -> Decoded:
    """Read a JSON text and report everything that is wrong with it."""
    scanner = _Scanner(text, name, limits)
    value, node = scanner.run()
    together = _together(scanner.reporter.findings, whole=scanner.is_through)
    findings = repeated_once(together, is_all=not scanner.is_cut_off)
    readable = not scanner.is_cut_off and all(
        finding.rule == "duplicate-key" for finding in findings
    )
    return Decoded(Document(name, text, value, lambda _: node), findings, readable=readable)


def read_node(text: str, start: int) -> Node:
    """Return the positions of the value at an offset of a good text, however deep it is."""
    scanner = _Scanner(text, "", _NO_LIMITS)
    scanner.at = start
    scanner.read_value(scanner.next())
    return scanner.root[1]


def _together(findings: list[Finding], *, whole: bool) -> Iterator[Finding]:
    """Yield the findings with fixes that are as safe as the least safe one.

    Half of them would leave a text that cannot be read either, and what is guessed in a text that
    was not read to its end may be wrong.
    """
    errors = [each for each in findings if each.rule != "duplicate-key"]
    has_all = whole and all(each.fixes for each in errors)
    is_safe = has_all and all(each.fixes[0].safety == "safe" for each in errors)
    for each in findings:
        if each.fixes and not has_all:
            yield each._replace(fixes=())
        elif each.fixes and not is_safe:
            yield each._replace(fixes=tuple(fix._replace(safety="unsafe") for fix in each.fixes))
        else:
            yield each


class _Scanner(Tokens):
    def __init__(self, text: str, name: str, limits: Limits) -> None:
        super().__init__(text, name, limits, self._pointer)
        self._stack: list[OpenCollection] = []
        self._nodes = 0
        self.is_through = False
        self.root: tuple[Any, Node] = None, Node(Span(0, len(text)))

    def run(self) -> tuple[Any, Node]:
        """Return the value and its positions; of a text that cannot be read, what was made out."""
        try:
            self._document()
            self.is_through = True
        except StopError:
            if self._stack:
                self.root = self._stack[0].values, self.root[1]
        return self.root

    def _document(self) -> None:
        token = self.next()
        if token.kind == "end":
            raise self.fatal(token.span, "the file is empty", "write a manifest: `{` … `}`")
        if token.kind == "word":
            raise self.fatal(
                token.span,
                f"expected `{{`, found `{self.excerpt(token.span)}`",
                "a JSON manifest is an object, `{` … `}`; YAML needs the suffix `.yaml`",
            )
        self.read_value(token)
        token = self.next()
        if token.kind != "end":
            start = token.span.start
            if self._text[start:].strip() == self._text[:start].strip():
                again = "the whole manifest is in the file twice"
                edit = Edit(start, len(self._text), "")
                self.mistake(token.span, again, "remove the second copy", edit)
                return
            raise self.fatal(
                token.span,
                f"`{self.excerpt(token.span)}` after the end of the manifest",
                "keep one JSON value in the file",
            )

    def read_value(self, token: Token) -> None:
        """Read the value that a token begins, to its end."""
        self._begin(token)
        while self._stack:
            self._step(self._stack[-1])

    def _step(self, container: OpenCollection) -> None:
        token = self.next()
        comma = None
        if container.entries and token.kind != _CLOSER[container.bracket]:
            comma, token = self._comma(container, token)
        # Before the first item of an array something else may be missing.
        is_sure = container.entries or container.bracket == "{"
        while token.kind == ",":
            self.mistake(
                token.span,
                "extra comma",
                "remove it",
                Edit(*token.span, "") if is_sure else None,
            )
            token = self.next()
        if token.kind in _CLOSERS or token.kind == "end":
            self._close(container, token, comma)
            return
        if container.bracket == "{":
            token = self._key(container, token)
        self._begin(token)

    def _comma(self, container: OpenCollection, token: Token) -> tuple[Token | None, Token]:
        if token.kind == ",":
            return token, self.next()
        starts = _MEMBER_STARTS if container.bracket == "{" else _ENTRY_STARTS
        touches = is_misquoted(self._text, container.end_of_last, token.span.start)
        if token.kind in starts or touches:
            message = f"missing comma before `{self.excerpt(token.span)}`"
            in_array = container.bracket == "["
            self._missing(",", container.end_of_last, token, message, in_array=in_array)
        elif token.kind == ":" and self._ends_in_key(container):
            raise self._unclosed(container.start, container.items[-1].span)
        elif token.kind not in _CLOSERS and token.kind != "end":
            raise self.fatal(
                token.span,
                f"unexpected `{self.excerpt(token.span)}`",
                'put members in objects: `{"name": value}`'
                if token.kind == ":"
                else 'put text in `"`',
            )
        return None, token

    def _ends_in_key(self, container: OpenCollection) -> bool:
        """Return whether the last item of an array seems to be a key of the object around it."""
        if container.bracket == "{" or not isinstance(container.values[-1], str):
            return False
        key, opener = container.items[-1].span.start, container.start
        is_below = container.entries > 1 or "\n" in self._text[opener:key]
        return is_below and line_indent(self._text, key) == line_indent(self._text, opener)

    def _missing(
        self, mark: str, end: int, token: Token, message: str, *, in_array: bool = False
    ) -> None:
        start = token.span.start
        quote = quote_between(self._text, end, start)
        if is_misquoted(self._text, end, start):
            raise self.misquoted_at(quote)
        sure = is_sure(self._text, mark, end, start, in_array=in_array)
        edit = Edit(end, end, mark) if sure else None
        beside = (self.count - 1, self.count)
        self.guess(
            Span(end, end), message, f"put a `{mark}` here", edit, beside=beside, quote=quote
        )

    def _key(self, container: OpenCollection, token: Token) -> Token:
        """Read a member's name and colon, and return the token that begins its value."""
        key = str(token.value)
        if token.kind == "word":
            number = self.count
            self.guess(
                token.span,
                f"member name `{self.excerpt(token.span)}` without quotes",
                'put it in `"`',
                Edit(*token.span, f'"{key}"'),
                beside=(number, number),
                quote=token.span,
            )
        elif token.kind != "string":
            raise self.fatal(
                token.span,
                f"expected a member name, found `{self.excerpt(token.span)}`",
                'members of an object are written `"name": value`',
            )
        first = container.members.get(key)
        container.key, container.key_span = key, token.span
        if first is not None:
            self.reporter.report_duplicate(key, token.span, first.key, self._pointer())
            self.stop_at_most()
        colon = self.next()
        if colon.kind == ":":
            return self.next()
        end = token.span.end
        message = f"missing colon after `{self.excerpt(token.span)}`"
        if colon.kind in _ENTRY_STARTS or is_misquoted(self._text, end, colon.span.start):
            self._missing(":", end, colon, message)
            return colon
        raise self.fatal(Span(end, end), message, 'members are written `"name": value`')

    def _begin(self, token: Token) -> None:
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            self.limit(token.span, *limit_messages.too_many(self._limits.nodes))
            raise StopError
        if token.kind in _CLOSER:
            if len(self._stack) == self._limits.depth:
                texts = limit_messages.too_deep(self._limits.depth, "arrays and objects")
                self.limit(token.span, *texts)
                raise StopError
            values: Any = {} if token.kind == "{" else []
            self._stack.append(OpenCollection(token.kind, token.span.start, values))
            return
        self._put(self._value_of(token), Node(token.span))

    def _value_of(self, token: Token) -> Any:
        if token.kind in {"string", "scalar"}:
            return token.value
        shown = self.excerpt(token.span)
        if token.kind == "word" and token.value in _MEANT:
            meant = _MEANT[token.value]
            self.mistake(
                token.span,
                f"`{shown}` is not a JSON value",
                f"write `{meant}`",
                Edit(*token.span, meant),
            )
            return _VALUES[meant]
        if token.kind == "word" and token.value in {"NaN", "Infinity", "undefined"}:
            self.mistake(
                token.span,
                f"`{shown}` is not a JSON value",
                "leave the member out, or write another value",
            )
            return None
        if token.kind == "word":
            message = f"text without quotes: `{shown}`"
            if self._text.startswith('"', token.span.end):
                message = f"a quote is missing before `{shown}`"
            raise self.fatal(token.span, message, 'put text in `"`')
        container = self._stack[-1] if self._stack else None
        if container and container.bracket == "{" and token.kind != ":":
            self.mistake(
                container.key_span,
                f"member `{truncate(container.key)}` has no value",
                "give it one, or remove it",
            )
            self.give_back(token)
            return None
        raise self.fatal(token.span, f"expected a value, found `{shown}`", "remove it")

    def _put(self, value: Any, node: Node) -> None:
        if self._stack:
            self._stack[-1].put(value, node)
        else:
            self.root = value, node

    def _close(self, container: OpenCollection, token: Token, comma: Token | None) -> None:
        if token.kind == "end":
            unclosed = unclosed_bracket(self._text)
            if unclosed is None:
                raise self._unclosed(container.start, token.span, "the file ends here")
            place = end_of_block(self._text, unclosed)
            raise self._unclosed(unclosed, Span(place, min(place + 1, len(self._text))))
        if token.kind != _CLOSER[container.bracket]:
            opener = Span(container.start, container.start + 1)
            closer = _CLOSER[container.bracket]
            raise self.fatal(
                token.span,
                f"`{token.kind}` where `{closer}` is expected",
                f"close `{container.bracket}` with `{closer}` first",
                (self._related(f"this `{container.bracket}` is open", opener),),
            )
        if comma:
            self.mistake(
                comma.span,
                f"trailing comma before `{token.kind}`",
                "remove the comma",
                Edit(*comma.span, ""),
            )
        self._stack.pop()
        self._put(container.values, container.close(token.span.end))

    def _unclosed(self, start: int, span: Span, place: str = "") -> StopError:
        closer = _CLOSER[self._text[start]]
        return self.fatal(
            Span(start, start + 1),
            f"`{self._text[start]}` is never closed",
            f"write the missing `{closer}`",
            (self._related(place or f"`{closer}` is expected before this", span),),
        )

    def _related(self, message: str, span: Span) -> Related:
        return Related(message, "", self.reporter.locate(span))

    def _pointer(self) -> str:
        return format_pointer(
            each.key if each.bracket == "{" else len(each.items) for each in self._stack
        )
