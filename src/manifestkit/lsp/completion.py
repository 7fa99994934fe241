"""Completion at a cursor, by the schema and the profiles for a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    InsertTextFormat,
    InsertTextMode,
    MarkupContent,
    MarkupKind,
    TextEdit,
)

from manifestkit.edits import trivia
from manifestkit.lsp.text import Text
from manifestkit.lsp.tolerant import Cursor
from manifestkit.model.document import Syntax
from manifestkit.model.location import Span
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema

_SCHEMA_MEMBER = "$schema"
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[A-Za-z_][\w.-]*", re.IGNORECASE)
_STEP = 2


class _Style(NamedTuple):
    """The style of the text that is put in.

    Attributes:
        is_json: whether in JSON, or between the brackets of YAML.
        is_quoted: whether in quotes, where it need not be.
        snippets: whether the client goes from hole to hole.
        column: where the lines of a YAML block begin.
    """

    is_json: bool
    is_quoted: bool
    snippets: bool
    column: int

    def text(self, value: Any) -> str:
        """Return a value, or a name."""
        if not isinstance(value, str):
            return json.dumps(value)
        if self.is_json or self.is_quoted or not _PLAIN.fullmatch(value):
            return json.dumps(value, ensure_ascii=False)
        return value

    def hole(self, number: int, field: Field | None) -> str:
        """Return the place of a value that is to be written."""
        types = field.types if field else ()
        around = {"string": '""', "array": "[]", "object": "{}"} if self.is_json else {}
        marks = next((around[each] for each in types if each in around), "")
        return f"{marks[:1]}${number}{marks[1:]}" if self.snippets else marks

    def name(self, name: str) -> str:
        """Return the name of a member, which stands for itself in a snippet."""
        written = self.text(name)
        return re.sub(r"([\\$}])", r"\\\1", written) if self.snippets else written


def complete(
    cursor: Cursor, schemas: Sequence[Schema], text: Text, syntax: Syntax, *, snippets: bool
) -> list[CompletionItem]:
    """Return what may stand at a cursor, and does not yet.

    Args:
        cursor: where it is, and what is there.
        schemas: the schema and the profiles for the manifest.
        text: its text.
        syntax: how it is written.
        snippets: whether the client can go from hole to hole in what is put in.
    """
    source = text.content[cursor.span.start : cursor.span.end]
    style = _Style(
        is_json=syntax == "json",
        is_quoted=source[:1] in ("'", '"'),
        snippets=snippets,
        column=cursor.column or 0,
    )
    return list(_Completion(cursor, schemas, text, style).items())


class _Completion:
    """The completion of one cursor."""

    def __init__(
        self, cursor: Cursor, schemas: Sequence[Schema], text: Text, style: _Style
    ) -> None:
        self._cursor = cursor
        self._schemas = schemas
        self._text = text
        self._style = style
        self._in_block = not cursor.in_brackets

    def items(self) -> Iterator[CompletionItem]:
        """All that may stand there."""
        cursor = self._cursor
        if cursor.is_name:
            yield from self._names(cursor.path[:-1])
            return
        fields = self._fields(cursor.path)
        types = {each for field in fields for each in field.types}
        needs_dash = cursor.is_alone and isinstance(next(reversed(cursor.path), None), int)
        if cursor.path == (_SCHEMA_MEMBER,):
            yield from map(self._value, [each.contents.get("$id") for each in self._schemas[:1]])
        elif needs_dash:
            yield from self._values(cursor.path, "- ")
            yield from self._whole(cursor.path, "- ")
        elif self._in_block and cursor.column is not None and "object" in types:
            yield from self._whole(cursor.path, "")
            yield from self._names(cursor.path)
        elif self._in_block and cursor.is_alone and "array" in types:
            yield from self._values((*cursor.path, 0), "- ")
            yield from self._whole((*cursor.path, 0), "- ")
        else:
            yield from self._values(cursor.path, "")
            yield from self._whole(cursor.path, "")

    def _fields(self, path: tuple[str | int, ...]) -> list[Field]:
        return [field for schema in self._schemas if (field := schema.field(path))]

    def _names(self, owner: tuple[str | int, ...]) -> Iterator[CompletionItem]:
        """Yield the members that an object may have beside those that it has."""
        fields = self._fields(owner)
        names = dict.fromkeys(name for field in fields for name in field.members)
        required = {name for field in fields for name in field.required}
        for number, name in enumerate(names):
            if name in self._cursor.others:
                continue
            described = self._fields((*owner, name))
            types = " or ".join(described[0].types) if described else ""
            need = "required" if name in required else "optional"
            yield self._item(
                name,
                self._name(name, described[0] if described else None),
                kind=CompletionItemKind.Property,
                detail=", ".join(filter(None, (types, need))),
                about=next((each.description for each in described if each.description), None),
                number=number,
            )

    def _name(self, name: str, field: Field | None) -> str:
        """Return the text for a name, with the place of its value."""
        style, cursor = self._style, self._cursor
        if cursor.has_colon or not style.snippets:
            written = style.text(name)
            return written if cursor.has_colon else f"{written}: "
        types = {*field.types} if field else set()
        if self._in_block and types & {"object", "array"}:
            step = " " * (style.column + _STEP)
            hole = f"\n{step}{'- ' if 'array' in types else ''}$1"
        else:
            hole = f" {style.hole(1, field)}"
        return f"{style.name(name)}:{hole}{self._comma()}"

    def _values(self, path: tuple[str | int, ...], dash: str) -> Iterator[CompletionItem]:
        """Yield the values that a list allows, and that are not there yet."""
        lists = [field.values for field in self._fields(path) if field.values]
        fields = self._fields(path)
        allowed = [{json.dumps(value) for value, _ in each} for each in lists]
        number = 0
        for value, about in lists[0] if lists else ():
            if value in self._cursor.others or not all(
                json.dumps(value) in each for each in allowed
            ):
                continue
            yield self._value(value, about, dash, number)
            number += 1
        if not lists and any(field.types == ("boolean",) for field in fields):
            yield from (self._value(value) for value in (True, False))

    def _value(
        self, value: Any, about: str | None = None, dash: str = "", number: int = 0
    ) -> CompletionItem:
        new = dash + self._style.text(value)
        label = value if isinstance(value, str) else json.dumps(value)
        return self._item(
            label,
            new + self._comma(),
            kind=CompletionItemKind.EnumMember,
            about=about,
            number=number,
        )

    def _comma(self) -> str:
        return "" if self._cursor.is_last or self._in_block else ","

    def _whole(self, path: tuple[str | int, ...], dash: str) -> Iterator[CompletionItem]:
        """Yield an object with all members that it must have."""
        field = next((each for each in self._fields(path) if each.required), None)
        has_lines = not self._in_block or self._cursor.column is not None
        if not (field and has_lines):
            return
        members = [
            f"{self._style.name(name)}: {self._style.hole(number, self._member(path, name))}"
            for number, name in enumerate(field.required, 1)
        ]
        if self._in_block:
            indent = " " * (self._style.column + len(dash))
            new = dash + f"\n{indent}".join(members)
        elif self._style.is_json:
            indent = "\n" + trivia.indent(self._text.content, self._cursor.span.start)
            inner = indent + ("\t" if "\t" in indent else " " * _STEP)
            new = "{" + inner + f",{inner}".join(members) + indent + "}" + self._comma()
        else:
            new = "{ " + ", ".join(members) + " }" + self._comma()
        title = (field.title or "object").lower()
        is_snippet = self._style.snippets
        kind = CompletionItemKind.Snippet if is_snippet else CompletionItemKind.Struct
        yield self._item(f"new {title}", new, kind=kind, about=field.description)

    def _member(self, path: tuple[str | int, ...], name: str) -> Field | None:
        return next(iter(self._fields((*path, name))), None)

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
        span = self._cursor.span
        source = self._text.content[span.start : span.end]
        comma_at = self._cursor.comma_at
        more = [TextEdit(self._text.range(Span(comma_at, comma_at)), ",")] if comma_at else None
        is_snippet = self._style.snippets and "$1" in new
        quote = source[:1] if source[:1] in ("'", '"') else ""
        return CompletionItem(
            label=label,
            kind=kind,
            detail=detail,
            documentation=MarkupContent(MarkupKind.PlainText, about) if about else None,
            sort_text=f"{number:04}",
            filter_text=f"{quote}{label}{quote}",
            insert_text_format=InsertTextFormat.Snippet if is_snippet else None,
            insert_text_mode=InsertTextMode.AsIs if is_snippet or "\n" in new else None,
            text_edit=TextEdit(self._text.range(span), self._cursor.space + new),
            additional_text_edits=more,
        )
