"""The values that a schema asks for, and how options, prompts and documents give them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from unicodedata import normalize

from manifestkit.decode import decode
from manifestkit.edits.patch import check_size, is_same_data
from manifestkit.files import AS_INPUT, posix_name, read_bytes
from manifestkit.findings.contents import split
from manifestkit.findings.words import excerpt, label, listed, named, type_name
from manifestkit.model.document import Document
from manifestkit.model.errors import AuthoringError, ConfigurationError, EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path
from manifestkit.model.report import STDIN
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.packaged import base_schema

_DEEPEST_REQUIRED = 8
_DEEPEST_OPTIONAL = 2
_MOST_FIELDS = 500
_BLANK = Field()
_NO_NAME = re.compile(r"[^a-z0-9]+")
_IN_LATIN = str.maketrans({"ł": "l", "đ": "d", "æ": "ae", "ø": "o", "œ": "oe"})
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_LONGEST_NAME = 30
_AS_SAID = re.compile(r'(?:([a-z][\w.-]*): ?)?([^"]+?)(?:[ ,(]+(\d{1,3}) ?min(?:ute)?s?\)?)?')


@dataclass(frozen=True, slots=True)
class Input:
    """One value that a manifest has to have, or may have."""

    path: Path  # where it stands
    field: Field  # what the schema says of it
    required: bool  # whether the manifest must have it
    item: Input | None = None  # of a list, unless its items are written as JSON only
    parts: tuple[Input, ...] = ()  # of an object, what it must have, if that is all scalars

    @classmethod
    def at(cls, schema: Schema, path: Path, *, required: bool = True) -> Input:
        """Return the input that a schema asks for at a path."""
        field = schema.field(path) or _BLANK
        if "array" not in field.types:
            return _single(schema, path, field, required=required)
        item = _single(schema, (*path, 0), schema.field((*path, 0)) or _BLANK, required=True)
        is_json = _is_nested(item.field) and not item.parts
        return cls(path, field, required, None if is_json else item)

    @classmethod
    def missing(cls, schema: Schema, value: Any, path: Path = ()) -> Iterator[Input]:
        """Yield the inputs that a value at a path, or one below it, must have and has not."""
        field = schema.field(path) or _BLANK
        if isinstance(value, dict):
            for name in dict.fromkeys((*field.members, *field.required)):
                if name in value:
                    yield from cls.missing(schema, value[name], (*path, name))
                elif name in field.required:
                    leaves = _leaves(schema, (*path, name))
                    yield from (leaf for leaf in leaves if leaf.required)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from cls.missing(schema, item, (*path, index))

    @staticmethod
    def slug(name: str) -> str:
        """Return a name in `a-z`, `0-9` and `-`; empty where it has no Latin letters."""
        letters = normalize("NFKD", name.casefold().translate(_IN_LATIN)).translate(_ACCENTS)
        return _NO_NAME.sub("-", letters).strip("-")

    @property
    def single(self) -> Input:
        """The input that one text is for: an item of a list, else the whole value."""
        return self.item or self

    @property
    def offer(self) -> tuple[Any, ...]:
        """The value to use if none is given, alone in a tuple; or none."""
        return self.field.starter or self.field.examples[:1]

    @property
    def form(self) -> str:
        """The form of one text; "" for a plain text, number or boolean."""
        single = self.single
        if single.parts:
            return "=".join(str(part.path[-1]) for part in single.parts).upper()
        return "JSON" if _is_nested(single.field) else ""

    @property
    def example(self) -> str:
        """A text of that form; empty where a part has no example."""
        parts = [plain(each) for part in self.single.parts for each in part.field.examples[:1]]
        return "=".join(parts) if len(parts) == len(self.single.parts) else ""

    def value(self, texts: Collection[str]) -> Any:
        """Return the value that the texts of a command line or of a prompt say.

        A text that is no value of a type that is due stays a text: the linter reports it best.

        Raises:
            AuthoringError: one text lists several values, or `read` raises it.
        """
        if self.item is None:
            return self.read_or_keep([*texts][-1])
        values: list[Any] = []
        for text in texts:
            if self.item.field.values and "," in text:
                each = listed(split(text, at_blanks=True), "and", named)
                raise AuthoringError(f"give the option once for each of {each}")
            value = self.item.read_or_keep(text)
            if not any(is_same_data(value, each) for each in values):
                values.append(value)
        return values

    def read_or_keep(self, text: str) -> Any:
        """Return the value that one text says; the text where it says none."""
        return next(iter(self.read(text)), text)

    def read(self, text: str) -> tuple[Any, ...]:
        """Return the value that one text says: JSON, and plain where a string is due; or none.

        Raises:
            AuthoringError: the text has too few parts, gives a member twice or passes a limit.
        """
        check_text(text)
        types = self.field.types
        for value, _ in self.field.values:
            if text == plain(value):
                return (value,)
        if types == ("string",):
            return (text,)
        found = _read_json(text)
        is_due = any(not isinstance(each, str) and self.field.allows_type(each) for each in found)
        if self.parts and not is_due and ("=" in text or not found):
            return (self._object(text),)
        if self.field == _BLANK:  # what the format does not know may be anything
            return found or (text,)
        return (text,) if "string" in types and not is_due else found

    def parse(self, text: str) -> Any:
        """Return the value that one text says.

        Raises:
            AuthoringError: it says none, or `read` raises it.
        """
        for value in self.read(text):
            return value
        types = self.field.types
        wanted = type_name(types) if types else "a value in JSON"
        hint = "" if types else f"; write a string in quotes, as in '{excerpt(text).strip('`')}'"
        if types == ("array",):
            words = text.replace(",", " ").split() if text[:1].isalnum() else ["a", "b"]
            words = [] if words in (["none"], ["empty"]) else words
            hint = f"; write JSON, as in '{json.dumps(words)}'"
        raise AuthoringError(f"{label(self.path)} takes {wanted}, not {named(text)}{hint}")

    def parse_spelt(self, text: str, *, keep: bool) -> tuple[Any, Document | None]:
        """Return the value that one text says, and its text where numbers keep their spelling.

        Raises:
            AuthoringError: `parse` raises it.
        """
        value = self.read_or_keep(text) if keep else self.parse(text)
        document = decode(text, "value.json").document
        return (document.value, document) if is_same_data(document.value, value) else (value, None)

    def _object(self, text: str) -> dict[str, Any]:
        texts = [each.strip() for each in text.split("=", len(self.parts) - 1)]
        if len(texts) < len(self.parts) or not all(texts):
            found = _AS_SAID.fullmatch(text)
            ident, name, count = found.groups() if found else (None, text, None)
            slug = ident or self.slug(name)
            own = f'{slug or "my-id"}="{name}"' if found and slug != text else self.example
            form = self.form
            fields = {each: base_schema().field((*self.path, each)) for each in self.field.members}
            numbers = [each for each, of in fields.items() if of and of.types == ("integer",)]
            if count and slug and numbers:
                keys = (*(str(part.path[-1]) for part in self.parts), numbers[0])
                item = dict(zip(keys, (slug, name, int(count)), strict=False))
                form, own = "an object", shlex.quote(json.dumps(item, ensure_ascii=False))
            such = f"such as `{own}`, " if own else ""
            raise AuthoringError(f"write {form}, {such}not {named(text)}")
        if texts[0] in self.field.members:
            raise AuthoringError(f"{named(texts[0])} is the name of a member; write {self.form}")
        pairs = zip(self.parts, texts, strict=True)
        return {str(part.path[-1]): part.read_or_keep(each) for part, each in pairs}


@cache
def input_options() -> dict[str, Input]:
    """Return the values of our schema that options give, each by the option's name without dashes.

    Every value that is no part of a list has one: the name of its member where that tells it apart,
    else its whole path; the required ones come first to a name. A list goes by what its items are
    called.
    """
    by_name: dict[str, Input] = {}
    for each in sorted(_leaves(base_schema(), ()), key=lambda each: not each.required):
        title = each.item.field.title if each.item else None
        own = title if title and len(title) <= _LONGEST_NAME else str(each.path[-1])
        names = (Input.slug(own), Input.slug("-".join(map(str, each.path))))
        by_name.setdefault(next((name for name in names if name not in by_name), names[-1]), each)
    return by_name


def read_answers(file: str, read_piped: Callable[[int], bytes]) -> Document:
    """Return the answers in a document: a file by its suffix, what is piped by how it begins.

    Args:
        file: its name; `-` is standard input.
        read_piped: reads standard input, as many bytes at most.

    Raises:
        UnreadableFileError: the file cannot be read.
        ConfigurationError: it is not one readable object.
    """
    most = DEFAULT_LIMITS.bytes
    if file == "-":
        name, data = STDIN, read_piped(most)
        suffix = "" if data.lstrip()[:1] == b"{" else ".yaml"
    else:
        name, data, suffix = posix_name(file), read_bytes(file or ".", most, AS_INPUT), ""
    decoded = decode(data, f"{name}{suffix}")
    document = decoded.document
    for first in decoded.findings:
        at = first.location
        raise ConfigurationError(f"{name}:{at.line}:{at.column}: {first.message}")
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}:1:1: answers must be an object, like a manifest")
    try:
        check_size(document)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{name}: {problem}") from None
    return document


def plain(value: Any) -> str:
    """Return the text that says a value: a string as it is, all else in JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def check_text(text: str) -> None:
    """Refuse what no UTF-8 file can hold as it is: a byte that the system could not read, mostly.

    Raises:
        AuthoringError: there is such a character.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise AuthoringError(f"{named(text)} is not UTF-8 text: check your locale") from None


def _read_json(text: str) -> tuple[Any, ...]:
    """Return the value of a text of JSON, alone in a tuple; or none.

    Raises:
        AuthoringError: it is JSON, and gives a member twice or passes a limit.
    """
    decoded = decode(text, "value.json")
    if any(each.rule == "syntax-error" for each in decoded.findings):
        return ()
    for each in decoded.findings:
        raise AuthoringError(f"{each.message}; {each.help}" if each.help else each.message)
    return (decoded.document.value,)


def _single(schema: Schema, path: Path, field: Field, *, required: bool) -> Input:
    names = field.required if field.members else ()
    parts = [Input((*path, name), schema.field((*path, name)) or _BLANK, True) for name in names]  # noqa: FBT003
    is_object = not any(_is_nested(each.field) for each in parts)
    return Input(path, field, required, parts=tuple(parts) if is_object else ())


def _is_nested(field: Field) -> bool:
    return bool(field.members) or not {"array", "object"}.isdisjoint(field.types)


def _leaves(schema: Schema, path: Path) -> Iterator[Input]:
    """Yield the values at a path that are no objects; of an endless schema, the first ones."""
    todo = [(path, True)]
    for _ in range(_MOST_FIELDS):
        if not todo:
            return
        path, required = todo.pop()
        field = schema.field(path) or _BLANK
        if not field.members or field.values:
            yield Input.at(schema, path, required=required)
        elif len(path) < (_DEEPEST_REQUIRED if required else _DEEPEST_OPTIONAL):
            names = dict.fromkeys((*field.members, *field.required))
            below = [((*path, name), required and name in field.required) for name in names]
            todo += reversed(below)
