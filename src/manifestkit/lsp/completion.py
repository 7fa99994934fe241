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

from manifestkit.edits.layout import indent_at
from manifestkit.lsp.cursor import Cursor, cursors_at
from manifestkit.lsp.text import Text
from manifestkit.model.document import Syntax
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path
from manifestkit.schema.model import Field, Schema

_SCHEMA_MEMBER = "$schema"
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[A-Za-z_][\w.-]*", re.IGNORECASE)
_STEP = 2


def complete(
    text: Text, offset: int, schemas: Sequence[Schema], syntax: Syntax, *, snippets: bool
) -> list[CompletionItem]:
    """Return what may stand at an offset of a text, and does not yet.

    Args:
        text: a text that need not be whole.
        offset: where the cursor is.
        schemas: the schema and the profiles for the manifest.
        syntax: how it is written.
        snippets: whether the client can go from hole to hole in what is put in.
    """
    for cursor in cursors_at(text.content, offset, syntax):
        first = text.content[cursor.span.start : cursor.span.end][:1]
        quote = first if first in ("'", '"') else ""
        completion = _Completion(cursor, schemas, text, syntax == "json", snippets, quote)
        if found := list(completion.items()):
            return found
    return []


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
        cursor = self.cursor
        if cursor.is_name:
            owner = cursor.path[:-1]
            if not (cursor.in_brackets or cursor.has_colon or cursor.others):
                yield from self._whole(owner)
            yield from self._names(owner)
        elif cursor.path == (_SCHEMA_MEMBER,):
            yield from map(self._value, [each.contents.get("$id") for each in self.schemas[:1]])
        else:
            yield from self._values(cursor.path)
            if cursor.in_brackets or cursor.before.endswith("- "):
                yield from self._whole(cursor.path)

    def _fields(self, path: Path) -> list[Field]:
        return [field for schema in self.schemas if (field := schema.field(path))]

    def _names(self, owner: Path) -> Iterator[CompletionItem]:
        """Yield the members that an object may have beside those that it has."""
        fields = self._fields(owner)
        names = dict.fromkeys(name for field in fields for name in field.members)
        required = {name for field in fields for name in field.required}
        for number, name in enumerate(names):
            if name in self.cursor.others:
                continue
            described = self._fields((*owner, name)) or [Field()]
            types = " or ".join(described[0].types)
            need = "required" if name in required else "optional"
            yield self._item(
                name,
                self._name(name, described[0]),
                kind=CompletionItemKind.Property,
                detail=", ".join(filter(None, (types, need))),
                about=next((each.description for each in described if each.description), None),
                number=number,
            )

    def _name(self, name: str, field: Field) -> str:
        """Return the text for a name, with the place of its value."""
        if self.cursor.has_colon:
            return self._written(name)
        if not self.snippets:
            return f"{self._written(name)}: "
        if not self.cursor.in_brackets and {"object", "array"} & {*field.types}:
            hole = f"{self._line_break()}{' ' * _STEP}{'- ' if 'array' in field.types else ''}$1"
        else:
            hole = f" {self._hole(1, field)}"
        return f"{self._literal(name)}:{hole}"

    def _line_break(self) -> str:
        """Return a line break, and the indentation of what is put in below it."""
        start = self.cursor.span.start
        if self.cursor.in_brackets:
            return "\n" + indent_at(self.text.content, start)
        column = self.text.lines.position(start)[1] - 1
        return "\n" + " " * (column + len(self.cursor.before))

    def _written(self, value: Any) -> str:
        is_plain = isinstance(value, str) and _PLAIN.fullmatch(value)
        if is_plain and not (self.is_json or self.quote):
            return str(value)
        return json.dumps(value, ensure_ascii=False)

    def _literal(self, name: str) -> str:
        """Return the name of a member, which stands for itself in a snippet."""
        written = self._written(name)
        return re.sub(r"([\\$}])", r"\\\1", written) if self.snippets else written

    def _hole(self, number: int, field: Field) -> str:
        """Return the place of a value that is to be written."""
        around = {"string": '""', "array": "[]", "object": "{}"} if self.is_json else {}
        marks = next((around[each] for each in field.types if each in around), "")
        return f"{marks[:1]}${number}{marks[1:]}" if self.snippets else marks

    def _values(self, path: Path) -> Iterator[CompletionItem]:
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
                yield self._value(value, about, number)
                number += 1

    def _value(self, value: Any, about: str | None = None, number: int = 0) -> CompletionItem:
        label = value if isinstance(value, str) else json.dumps(value)
        kind = CompletionItemKind.EnumMember
        return self._item(label, self._written(value), kind=kind, about=about, number=number)

    def _whole(self, path: Path) -> Iterator[CompletionItem]:
        """Yield an object with all members that it must have."""
        field = next((each for each in self._fields(path) if each.required), None)
        if field is None:
            return
        members = [
            f"{self._literal(name)}: {self._hole(number, self._member(path, name))}"
            for number, name in enumerate(field.required, 1)
        ]
        line_break = self._line_break()
        if not self.cursor.in_brackets:
            new = line_break.join(members)
        elif self.is_json:
            inner = line_break + ("\t" if "\t" in line_break else " " * _STEP)
            new = "{" + inner + f",{inner}".join(members) + line_break + "}"
        else:
            new = "{ " + ", ".join(members) + " }"
        title = (field.title or "object").lower()
        kind = CompletionItemKind.Snippet if self.snippets else CompletionItemKind.Struct
        yield self._item(f"new {title}", new, kind=kind, about=field.description)

    def _member(self, path: Path, name: str) -> Field:
        return next(iter(self._fields((*path, name))), Field())

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
        cursor, is_snippet = self.cursor, self.snippets and "$1" in new
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
            insert_text_format=InsertTextFormat.Snippet if is_snippet else None,
            insert_text_mode=InsertTextMode.AsIs if is_snippet or "\n" in new else None,
            text_edit=TextEdit(self.text.range(cursor.span), f"{cursor.before}{new}{cursor.after}"),
            additional_text_edits=more,
        )
