"""What a schema wants to know of someone who writes a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from manifestkit.decode.value import read_value
from manifestkit.model.pointer import Path
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema

Kind = Literal["scalar", "list", "objects", "json"]

_DEEPEST_REQUIRED = 8
_DEEPEST_OPTIONAL = 2
_MOST_FIELDS = 500
_BLANK = Field()
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 30


@dataclass(frozen=True, slots=True)
class Question:
    """One value that a manifest has to have, or may have.

    Attributes:
        path: where it stands.
        field: what the schema says of it.
        required: whether the manifest must have it.
        kind: a `scalar` is one text, number or boolean, a `list` some of them, `objects` a list of
            objects; all else is `json`.
        item: for a list, what its items are.
        parts: for objects, the members that each must have, if all of them are scalars.
    """

    path: Path
    field: Field
    required: bool
    kind: Kind
    item: Field = _BLANK
    parts: tuple[str, ...] = ()

    @property
    def offer(self) -> tuple[Any, ...]:
        """What will do if nothing else is said: the starter, else the first example, or none."""
        return self.field.starter or self.field.examples[:1]

    @property
    def form(self) -> str:
        """How one answer is written; "" for a plain text, number or boolean."""
        if self.kind == "objects" and self.parts:
            return "=".join(self.parts).upper()
        return "JSON" if self.kind in ("objects", "json") else ""

    def answer(self, texts: Collection[str]) -> Any:
        """What is written for the texts given on a command line.

        A text that is no value of the type that is due stays a text: the linter tells it best.

        Raises:
            ValueError: a text has too few parts, gives a member twice or passes a limit; its own
                text says what to write.
        """
        if self.kind == "list":
            return list(dict.fromkeys(scalar(text, self.item) for text in texts))
        if self.kind == "objects":
            return _unique([self._object(text) for text in texts])
        text = [*texts][-1]
        return scalar(text, self.field) if self.kind == "scalar" else _json(text)

    def _object(self, text: str) -> Any:
        if not self.parts:
            return _json(text)
        given = text.split("=", len(self.parts) - 1)
        if len(given) < len(self.parts):
            raise ValueError(f"write {self.form}, not `{text}`")
        return dict(zip(self.parts, given, strict=True))


def scalar(text: str, field: Field) -> Any:
    """A text as a value of the type that a field has, if it is one; else the text itself."""
    for value, _ in field.values:
        if text == (value if isinstance(value, str) else json.dumps(value)):
            return value
    if not field.types or "string" in field.types:
        return text
    if "integer" in field.types and _INTEGER.fullmatch(text):
        return int(text)
    value = _json(text)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = ("number" in field.types and is_number) or (
        "boolean" in field.types and isinstance(value, bool)
    )
    return value if fits else text


def options(schema: Schema, taken: Collection[str] = ()) -> dict[str, Question]:
    """The values to be given by options, each by the option's name without dashes.

    Every value that is no part of a list has one: the name of its member where that tells it
    apart, else its whole path; the required ones come first to a name. A list goes by what its
    items are called. No option has a name that is taken.
    """
    named: dict[str, Question] = {}
    found = [each for each in _leaves(schema, (), required=True) if each.path]
    for question in sorted(found, key=lambda each: not each.required):
        short = _slug(_last_name(question))
        whole = _slug("-".join(map(str, question.path)))
        for name in (short, whole, f"manifest-{whole}"):
            if name and name not in named and name not in taken:
                named[name] = question
                break
    return named


def unanswered(schema: Schema, value: Any, path: Path = ()) -> Iterator[Question]:
    """What a value at a path, or what is below it, must have and has not."""
    field = schema.field(path) or _BLANK
    if isinstance(value, dict):
        for name in dict.fromkeys((*field.members, *field.required)):
            if name in value:
                yield from unanswered(schema, value[name], (*path, name))
            elif name in field.required:
                for leaf in _leaves(schema, (*path, name), required=True):
                    if leaf.required:
                        yield leaf
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from unanswered(schema, item, (*path, index))


def _leaves(schema: Schema, path: Path, *, required: bool) -> Iterator[Question]:
    """The values at a path that are no objects; of a schema without end, the first ones."""
    todo = [(path, required)]
    for _ in range(_MOST_FIELDS):
        if not todo:
            return
        path, required = todo.pop()
        field = schema.field(path) or _BLANK
        if not field.members or field.values:
            yield _question(schema, path, field, required=required)
        elif len(path) < (_DEEPEST_REQUIRED if required else _DEEPEST_OPTIONAL):
            names = dict.fromkeys((*field.members, *field.required))
            below = [((*path, name), required and name in field.required) for name in names]
            todo += reversed(below)


def _question(schema: Schema, path: Path, field: Field, *, required: bool) -> Question:
    if "array" not in field.types:
        kind: Kind = "json" if "object" in field.types else "scalar"
        return Question(path, field, required, kind)
    item = schema.field((*path, 0)) or _BLANK
    if not item.members:
        return Question(path, field, required, "json" if _is_nested(item) else "list", item)
    below = [schema.field((*path, 0, name)) or _BLANK for name in item.required]
    flat = not any(_is_nested(each) for each in below)
    return Question(path, field, required, "objects", item, item.required if flat else ())


def _is_nested(field: Field) -> bool:
    return bool(field.members) or not {"array", "object"}.isdisjoint(field.types)


def _last_name(question: Question) -> str:
    item = question.item.title
    is_list = question.kind in ("list", "objects")
    return item if is_list and item and len(item) <= _LONGEST_NAME else str(question.path[-1])


def _slug(name: str) -> str:
    return _NO_NAME.sub("-", name.lower()).strip("-")


def _unique(values: list[Any]) -> list[Any]:
    return [each for index, each in enumerate(values) if each not in values[:index]]


def _json(text: str) -> Any:
    for value in read_value(text):
        return value
    return text
