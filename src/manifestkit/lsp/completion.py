"""Completion and hover: the names and values for a cursor, by the schema and the profiles.

To find the cursor in a text that need not be whole, a word is written at it, as a name, as a value
or as an item, and the text is read with it. Where the readers of `decode` find the word, there is
the cursor, even if the rest cannot be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    Hover,
    MarkupContent,
    MarkupKind,
    Position,
    TextEdit,
)

from manifestkit.decode import decode
from manifestkit.edits.layout import line_end
from manifestkit.lsp.documents import Analysis
from manifestkit.lsp.text import Text
from manifestkit.model.document import Node, Syntax
from manifestkit.model.finding import Finding
from manifestkit.model.location import BYTE_ORDER_MARK, Span, line_start
from manifestkit.model.pointer import Path
from manifestkit.rendering.explanation import explain_field
from manifestkit.schema.model import Field, Schema

_SCHEMA_MEMBER = "$schema"
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[A-Za-z_][\w.-]*", re.IGNORECASE)
_NOT_SHOWN = frozenset({"Members", "Members of each item", "Allowed items", "Example"})
_LONGEST = 250_000
"""The characters of a text that is read at a request; a longer one is not."""

_WORD = "\ue000"
"""The word that is written at the cursor; nobody else writes it."""

_TOKENS = r"""
    (?P<quoted> "(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+" | '(?:[^'\r\n]|''|(?!))*+' )
  | (?P<other>  [&!*][^\s,\[\]{{}}]*+ | (?<!\S)\#[^\r\n]*+ | [-?](?!\S) )
  | (?P<scalar> ["']?+[^\s"':,\[\]{{}}](?:[^\s:{ends}]|:(?=[^\s{ends}])|[ \t]++(?=[^\#\s:])|(?!))*+
              | ["'] )
"""
_IN_BRACKETS = re.compile(_TOKENS.format(ends=r",\[\]{}"), re.VERBOSE)
_IN_BLOCK = re.compile(_TOKENS.format(ends=""), re.VERBOSE)
_TRIVIA = re.compile(r"(?:\s|(?<!\S)#[^\r\n]*|(?!))*+")
_QUOTED_NAME = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n]|(?!))*+"\s*+:')


def complete(
    text: Text, offset: int, schemas: Sequence[Schema], syntax: Syntax
) -> list[CompletionItem]:
    """Return what may stand at an offset of a text, and does not yet; it need not be whole.

    Args:
        text: a text that need not be whole.
        offset: where the cursor is.
        schemas: the schema and the profiles for the manifest.
        syntax: how it is written.
    """
    for cursor in cursors_at(text.content, offset, syntax):
        first = text.content[cursor.span.start : cursor.span.end][:1]
        quote = first if first in ("'", '"') else ""
        completion = _Completion(cursor, schemas, text, syntax == "json", quote)
        if found := list(completion.items()):
            return found
    return []


@dataclass(frozen=True, slots=True)
class _Completion:
    """The completion of one cursor, and the quote that it stands behind, if so."""

    cursor: _Cursor
    schemas: Sequence[Schema]
    text: Text
    is_json: bool
    quote: str

    def items(self) -> Iterator[CompletionItem]:
        """All that may stand there."""
        cursor = self.cursor
        if cursor.is_name:
            yield from self._names(cursor.path[:-1])
        elif cursor.path == (_SCHEMA_MEMBER,):
            yield from map(self._value, [each.contents.get("$id") for each in self.schemas[:1]])
        else:
            yield from self._values(cursor.path)

    def _fields(self, path: Path) -> list[Field]:
        return [field for schema in self.schemas if (field := schema.field(path))]

    def _names(self, owner: Path) -> Iterator[CompletionItem]:
        """Yield the members that an object may have beside those that it has."""
        fields = self._fields(owner)
        names = dict.fromkeys(name for field in fields for name in field.members)
        required = {name for field in fields for name in field.required}
        colon = "" if self.cursor.has_colon else ": "
        for number, name in enumerate(names):
            if name in self.cursor.others:
                continue
            described = self._fields((*owner, name))
            types = " or ".join(described[0].types) if described else ""
            need = "required" if name in required else "optional"
            yield self._item(
                name,
                f"{self._written(name)}{colon}",
                kind=CompletionItemKind.Property,
                detail=", ".join(filter(None, (types, need))),
                about=next((each.description for each in described if each.description), None),
                number=number,
            )

    def _written(self, value: Any) -> str:
        is_plain = isinstance(value, str) and _PLAIN.fullmatch(value)
        if is_plain and not (self.is_json or self.quote):
            return str(value)
        return json.dumps(value, ensure_ascii=False)

    def _values(self, path: Path) -> Iterator[CompletionItem]:
        """Yield the values that a list allows, and that are not there yet."""
        fields = self._fields(path)
        lists = [field.values for field in fields if field.values]
        if not lists and any(field.types == ("boolean",) for field in fields):
            yield from map(self._value, (True, False))
        allowed = [{json.dumps(value) for value, _ in each} for each in lists]
        for number, (value, about) in enumerate(lists[0] if lists else ()):
            is_there = value in self.cursor.others
            if not is_there and all(json.dumps(value) in each for each in allowed):
                yield self._value(value, about, number)

    def _value(self, value: Any, about: str | None = None, number: int = 0) -> CompletionItem:
        label = value if isinstance(value, str) else json.dumps(value)
        kind = CompletionItemKind.EnumMember
        return self._item(label, self._written(value), kind=kind, about=about, number=number)

    def _item(
        self,
        label: str,
        new: str,
        *,
        kind: CompletionItemKind,
        detail: str | None = None,
        about: str | None = None,
        number: int = 0,
    ) -> CompletionItem:
        cursor = self.cursor
        comma_at, more = cursor.comma_at, None
        if comma_at is not None:
            more = [TextEdit(self.text.range(Span(comma_at, comma_at)), ",")]
        return CompletionItem(
            label=label,
            kind=kind,
            detail=detail,
            documentation=MarkupContent(MarkupKind.PlainText, about) if about else None,
            sort_text=f"{number:04}",
            filter_text=f"{self.quote}{label}{self.quote}",
            text_edit=TextEdit(self.text.range(cursor.span), f"{cursor.before}{new}{cursor.after}"),
            additional_text_edits=more,
        )


def hover(analysis: Analysis, position: Position) -> Hover | None:
    """Describe what stands at a position: findings first, then the schema."""
    text, syntax = analysis.text, analysis.manifest.document.syntax
    offset = text.offset(position)
    parts = [_about_finding(each) for each in analysis.findings_at(Span(offset, offset))]
    shown = None
    for cursor in cursors_at(text.content, offset, syntax):
        described = [*_described(analysis, cursor)] if cursor.span.start < cursor.span.end else []
        if described:
            shown = text.range(cursor.span)
            parts += described
            break
    if not parts:
        return None
    return Hover(MarkupContent(MarkupKind.Markdown, "\n\n---\n\n".join(parts)), shown)


def _about_finding(finding: Finding) -> str:
    page = finding.url
    rule = f"[{finding.rule}]({page})" if page else f"`{finding.rule}`"
    lines = [f"**{finding.severity.value}** {rule}: {finding.message}", finding.help]
    return "\n\n".join(filter(None, (*lines, finding.clause and f"*{finding.clause}*")))


def _described(analysis: Analysis, cursor: _Cursor) -> Iterator[str]:
    for own in (analysis.schema, *analysis.policy.profiles):
        field = own.field(cursor.path)
        if field:
            break
    else:
        return
    source = analysis.text.content[cursor.span.start : cursor.span.end].strip("'\"")
    meanings = [about for value, about in field.values if value == source and about]
    if not cursor.is_name and meanings:
        reading = f"\n\n*{field.reading}*" if field.reading else ""
        yield f"**{source}**\n\n{meanings[0]}{reading}"
    explained = explain_field(own, cursor.path, field)
    place, space, name = explained.title.partition(" (")  # a `*` of a pointer is no emphasis
    shown = [f"`{place}`{space}{name}" if place[0] == "/" else f"**{explained.title}**"]
    for each in explained.sections:
        if each.heading not in _NOT_SHOWN:
            shown += filter(None, (each.heading and f"{each.heading}:", each.text))
    yield "\n\n".join(shown)


class _Cursor(NamedTuple):
    """A name or value that may be written at a cursor.

    Attributes:
        span: the characters to write it in place of.
        in_brackets: whether it is in JSON, or between brackets in YAML.
        is_name: whether it is the name of a member.
        has_colon: whether a colon follows a name.
        before: what is missing before it on its line: a space, a dash.
        after: the comma that is missing behind it, if it is.
        comma_at: where the comma before it is missing, if it is.
        path: the value; for a name, the member.
        others: the names of the other members of the object, or the other items of the array.
    """

    span: Span
    in_brackets: bool
    is_name: bool = False
    has_colon: bool = False
    before: str = ""
    after: str = ""
    comma_at: int | None = None
    path: Path = ()
    others: frozenset[str] = frozenset()


def cursors_at(text: str, offset: int, syntax: Syntax) -> Iterator[_Cursor]:
    """Yield what may be written at an offset of a text, in place of what is there.

    What can be read stays so.
    """
    if len(text) > _LONGEST:
        return
    candidates = _candidates_in_json if syntax == "json" else _candidates_in_yaml
    in_brackets = _scalar_at(text, offset, _IN_BRACKETS)
    for span in dict.fromkeys((in_brackets, _scalar_at(text, offset, _IN_BLOCK))):
        for each in candidates(text, span):
            found = _locate(each, text, syntax)
            if found and (span == in_brackets or not found.in_brackets):
                yield found


@lru_cache(maxsize=1)
def _is_readable(text: str, syntax: Syntax) -> bool:
    return decode(text, f"manifest.{syntax}").readable


def _scalar_at(text: str, offset: int, tokens: re.Pattern[str]) -> Span:
    """Return the scalar at an offset, or no characters there."""
    start = line_start(text, offset)
    scalars = (
        Span(*each.span())
        for each in tokens.finditer(text, start, line_end(text, offset))
        if each.start() <= offset <= each.end() - (each.lastgroup == "quoted")
        and each.lastgroup != "other"
    )
    return next(scalars, Span(offset, offset))


def _follows(text: str, span: Span) -> int:
    """Return the offset of what follows space and comments."""
    return _TRIVIA.match(text, span.end).end()  # type: ignore[union-attr]  # matches ""


def _candidates_in_json(text: str, span: Span) -> Iterator[_Cursor]:
    """Yield a name and a value, with the commas that they need."""
    before = text[: span.start].rstrip()
    lacks_comma = before != "" and not before.endswith(("{", "[", ",", ":", BYTE_ORDER_MARK))
    at = _follows(text, span)
    is_last = text[at : at + 1] in ("", "]", "}", ",", ":")
    has_value = before.endswith(":") and not (is_last or _QUOTED_NAME.match(text, at))
    if has_value or (lacks_comma and span.start == span.end):
        return
    value = _Cursor(
        span,
        in_brackets=True,
        after="" if is_last else ",",
        comma_at=len(before) if lacks_comma else None,
    )
    has_colon = text.startswith(":", at)
    yield value._replace(is_name=True, has_colon=has_colon)
    if not has_colon:
        yield value


def _candidates_in_yaml(text: str, span: Span) -> Iterator[_Cursor]:
    """Yield a name, a value, and an item of a block."""
    if text.startswith("#", span.end):
        return
    before, at = text[: span.start], _follows(text, span)
    is_tight = before.endswith(("-", ":")) and text[span.end : span.end + 1] in "\r\n \t]},"
    value = _Cursor(span, in_brackets=False, before=" " if is_tight else "")
    has_colon = text.startswith(":", at)
    yield value._replace(is_name=True, has_colon=has_colon)
    if has_colon:
        return
    yield value
    if not before[line_start(text, span.start) :].strip(" "):
        yield value._replace(before="- ")


def _locate(cursor: _Cursor, text: str, syntax: Syntax) -> _Cursor | None:
    """Return a candidate with its path; None if it is no name or value of its own."""
    (start, end), is_json = cursor.span, syntax == "json"
    word = f'"{_WORD}"' if is_json else _WORD
    colon = "" if not cursor.is_name or cursor.has_colon else ":null" if is_json else ": "
    comma = "" if cursor.comma_at is None else ","
    before = f"{text[:start]}{comma}{cursor.before}"
    source = f"{before}{word}{colon}{cursor.after}{text[end:]}"
    decoded = decode(source, f"manifest.{syntax}")
    if not decoded.readable and _is_readable(text, syntax):
        return None
    document = decoded.document
    word_span = Span(len(before), len(before) + len(word))
    place = _find(word_span, document.root)
    if place is None or place.is_name != cursor.is_name:
        return None
    if colon and document.value_at(place.path) is not None:
        return None  # what is on the next lines
    *around, in_brackets = is_json, *(source[each.start] in "[{" for each in place.owners)
    if any(around) and not in_brackets:
        return None  # a pair that is an item
    path, others = place.path, frozenset[str]()
    if place.owners and (cursor.is_name or place.owners[-1].is_array):
        values = document.value_at(path[:-1])
        others = frozenset(each for each in values if isinstance(each, str)) - {_WORD}
    if cursor.is_name:
        path = (*path[:-1], text[start:end].strip("\"'"))
    return cursor._replace(in_brackets=in_brackets, path=path, others=others)


class _Found(NamedTuple):
    """The path of a name or value, and the objects and arrays around it."""

    path: Path
    owners: list[Node]
    is_name: bool


def _find(span: Span, root: Node) -> _Found | None:
    """Return the place of the name or value that is written at a span; None if there is none."""
    owners: list[Node] = []
    path: Path = ()
    node, is_name = root, False
    while node.span != span and not is_name:
        owners.append(node)
        parts = (
            each
            for each in node.parts()
            if each[1] == span or each[2].start <= span.start < each[2].span.end
        )
        part = next(parts, None)
        if part is None:
            return None
        path, is_name, node = (*path, part[0]), part[1] == span, part[2]
    return _Found(path, owners, is_name)
