"""Completion at a cursor, by the schema and the profiles for a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    first = text.content[cursor.span.start : cursor.span.end][:1]
    quote = first if first in ("'", '"') else ""
    return list(_Completion(cursor, schemas, text, syntax == "json", snippets, quote).items())


@dataclass(frozen=True, slots=True)
class _Completion:
    """The completion of one cursor, and the quote that it stands behind, if so."""

    cursor: Cursor
    schemas: Sequence[Schema]
    text: Text
    is_json: bool
    snippets: bool
    quote: str

    def items(self) -> Iterator[CompletionItem]:
        """All that may stand there."""
        cursor, in_block = self.cursor, not self.cursor.in_brackets
        if cursor.is_name:
            yield from self._names(cursor.path[:-1])
            return
        fields = self._fields(cursor.path)
        types = {each for field in fields for each in field.types}
        needs_dash = cursor.is_alone and isinstance(next(reversed(cursor.path), None), int)
        if cursor.path == (_SCHEMA_MEMBER,):
            yield from map(self._value, [each.contents.get("$id") for each in self.schemas[:1]])
        elif needs_dash:
            yield from self._values(cursor.path, "- ")
            yield from self._whole(cursor.path, "- ")
        elif in_block and cursor.column is not None and "object" in types:
            yield from self._whole(cursor.path, "")
            yield from self._names(cursor.path)
        elif in_block and cursor.is_alone and "array" in types:
            yield from self._values((*cursor.path, 0), "- ")
            yield from self._whole((*cursor.path, 0), "- ")
        else:
            yield from self._values(cursor.path, "")
            yield from self._whole(cursor.path, "")

    def _fields(self, path: tuple[str | int, ...]) -> list[Field]:
        return [field for schema in self.schemas if (field := schema.field(path))]

    def _names(self, owner: tuple[str | int, ...]) -> Iterator[CompletionItem]:
        """Yield the members that an object may have beside those that it has."""
        fields = self._fields(owner)
        names = dict.fromkeys(name for field in fields for name in field.members)
        required = {name for field in fields for name in field.required}
        for number, name in enumerate(names):
            if name in self.cursor.others:
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
        written = self._written(name)
        if self.cursor.has_colon or not self.snippets:
            return written if self.cursor.has_colon else f"{written}: "
        types = {*field.types} if field else set()
        if not self.cursor.in_brackets and types & {"object", "array"}:
            step = " " * ((self.cursor.column or 0) + _STEP)
            hole = f"\n{step}{'- ' if 'array' in types else ''}$1"
        else:
            hole = f" {self._hole(1, field)}"
        return f"{self._literal(name)}:{hole}{self._comma()}"

    def _written(self, value: Any) -> str:
        is_plain = isinstance(value, str) and _PLAIN.fullmatch(value)
        if is_plain and not (self.is_json or self.quote):
            return str(value)
        return json.dumps(value, ensure_ascii=False)

    def _literal(self, name: str) -> str:
        """Return the name of a member, which stands for itself in a snippet."""
        written = self._written(name)
        return re.sub(r"([\\$}])", r"\\\1", written) if self.snippets else written

    def _hole(self, number: int, field: Field | None) -> str:
        """Return the place of a value that is to be written."""
        around = {"string": '""', "array": "[]", "object": "{}"} if self.is_json else {}
        types = field.types if field else ()
        marks = next((around[each] for each in types if each in around), "")
        return f"{marks[:1]}${number}{marks[1:]}" if self.snippets else marks

    def _values(self, path: tuple[str | int, ...], dash: str) -> Iterator[CompletionItem]:
        """Yield the values that a list allows, and that are not there yet."""
        fields = self._fields(path)
        lists = [field.values for field in fields if field.values]
        if not lists and any(field.types == ("boolean",) for field in fields):
            yield from map(self._value, (True, False))
        allowed = [{json.dumps(value) for value, _ in each} for each in lists]
        number = 0
        for value, about in lists[0] if lists else ():
            is_there = value in self.cursor.others
            if not is_there and all(json.dumps(value) in each for each in allowed):
                yield self._value(value, about, dash, number)
                number += 1

    def _value(
        self, value: Any, about: str | None = None, dash: str = "", number: int = 0
    ) -> CompletionItem:
        new = dash + self._written(value)
        label = value if isinstance(value, str) else json.dumps(value)
        return self._item(
            label,
            new + self._comma(),
            kind=CompletionItemKind.EnumMember,
            about=about,
            number=number,
        )

    def _comma(self) -> str:
        return "" if self.cursor.is_last or not self.cursor.in_brackets else ","

    def _whole(self, path: tuple[str | int, ...], dash: str) -> Iterator[CompletionItem]:
        """Yield an object with all members that it must have."""
        field = next((each for each in self._fields(path) if each.required), None)
        has_lines = self.cursor.in_brackets or self.cursor.column is not None
        if not (field and has_lines):
            return
        members = [
            f"{self._literal(name)}: {self._hole(number, self._member(path, name))}"
            for number, name in enumerate(field.required, 1)
        ]
        if not self.cursor.in_brackets:
            indent = " " * ((self.cursor.column or 0) + len(dash))
            new = dash + f"\n{indent}".join(members)
        elif self.is_json:
            indent = "\n" + trivia.indent(self.text.content, self.cursor.span.start)
            inner = indent + ("\t" if "\t" in indent else " " * _STEP)
            new = "{" + inner + f",{inner}".join(members) + indent + "}" + self._comma()
        else:
            new = "{ " + ", ".join(members) + " }" + self._comma()
        title = (field.title or "object").lower()
        kind = CompletionItemKind.Snippet if self.snippets else CompletionItemKind.Struct
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
        comma_at = self.cursor.comma_at
        more = [TextEdit(self.text.range(Span(comma_at, comma_at)), ",")] if comma_at else None
        is_snippet = self.snippets and "$1" in new
        return CompletionItem(
            label=label,
            kind=kind,
            detail=detail,
            documentation=MarkupContent(MarkupKind.PlainText, about) if about else None,
            sort_text=f"{number:04}",
            filter_text=f"{self.quote}{label}{self.quote}",
            insert_text_format=InsertTextFormat.Snippet if is_snippet else None,
            insert_text_mode=InsertTextMode.AsIs if is_snippet or "\n" in new else None,
            text_edit=TextEdit(self.text.range(self.cursor.span), self.cursor.space + new),
            additional_text_edits=more,
        )
