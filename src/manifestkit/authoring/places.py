"""The places of a manifest that `get`, `set` and `remove` take.

A place is a JSON pointer or a path as messages show it, to what is there or is to be made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manifestkit.authoring.inputs import check_text
from manifestkit.edits.patch import is_same_data
from manifestkit.findings.fingerprints import item_name
from manifestkit.findings.words import excerpt, label, listed, named
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import END, Path, array_index, parse_place, walk
from manifestkit.schema.model import Field, Schema
from manifestkit.schema.suggest import nearest, plain_name, suggestion

_MOST_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A place in a manifest of a schema."""

    document: Document
    schema: Schema
    text: str  # the place as it is given
    path: Path  # the path to it, as far as there is something
    missing: Path  # the tokens beyond that, indices that are written `[0]` as numbers

    @classmethod
    def parse(cls, document: Document, schema: Schema, text: str) -> ManifestPlace:
        """Return where a place leads.

        A place is a JSON pointer, or a path as messages show it. In an array, a token is an index,
        or an item's identifier or text; in a path to an item of texts, such a text may have dots.

        Raises:
            PointerSyntaxError: the place is none.
            EditRefusedError: several items are called so, or it leads too deep.
        """
        check_text(text)
        tokens = parse_place(text)
        path: Path = ()
        value = document.value
        while tokens:
            step: str | int | None = None
            if isinstance(value, list):
                item = schema.field((*path, 0))
                is_text = item is not None and item.types == ("string",)
                if is_text and isinstance(tokens[0], str) and not text.startswith("/"):
                    tokens = (".".join(map(str, tokens)),)
                step = _index(value, item, tokens, path)
            elif isinstance(value, dict) and tokens[0] in value:
                step = tokens[0]
            if step is None:
                break
            path, value, tokens = (*path, step), value[step], tokens[1:]
        if len(tokens) > DEFAULT_LIMITS.depth:
            raise EditRefusedError("the place is nested too deeply")
        return cls(document, schema, text, path, tokens)

    @property
    def value(self) -> Any:
        """The value at the path."""
        return self.document.value_at(self.path)

    def has(self, value: Any, typed: Document | None) -> bool:
        """Return whether a value stands there, its numbers as they are typed."""
        paths = [path for path, each in walk(value) if typed and type(each) in (int, float)]
        spelt = ((typed and typed.spelling(path), (*self.path, *path)) for path in paths)
        there = self.document.spelling
        return is_same_data(self.value, value) and all(each == there(at) for each, at in spelt)

    def existing(self) -> Path:
        """Return the path to what is there.

        Raises:
            EditRefusedError: there is nothing.
        """
        if not self.missing:
            return self.path
        names = self._names_at(self.path)
        near = nearest(str(self.missing[0]), names)
        meant = [named(near)] if near else self._labelled() or self.elsewhere()
        has = f"has {listed(names, 'and', named)}" if names else f"is {excerpt(self.value)}"
        instead = f" (did you mean {listed(meant)}?)" if meant else f"; {label(self.path)} {has}"
        if "," in self.text:
            instead = "; give one place at a time"
        raise EditRefusedError(f"there is no {named(self.text)}{self._counted() or instead}")

    def elsewhere(self) -> list[str]:
        """Return where the manifest has a member of the name that is missing, or such an item."""
        name, at = self.missing[-1:], self.document.value_or_none
        fields = [path for path, _ in self.schema.fields]
        here = [each for each in fields if each[-1:] not in ((), (0,)) and at(each) is not None]
        there = [each for each in here if each[-1:] == name]
        there = there or [each for each in here if self._is_synonym(each)]
        lists = [each[:-1] for each in fields if each[-1:] == (0,) and at(each) is not None]
        owners = [each for each in lists if self.text in self._names_at(each)]
        items = (named(".".join(map(str, (*each, self.text)))) for each in owners)
        return [*map(label, there), *items]

    def _labelled(self) -> list[str]:
        """Return the ids of items that people know by what is missing, or by what begins so."""
        of, value = self.schema.field((*self.path, 0)), self.value
        items = value[:_MOST_NAMES] if of and of.label and isinstance(value, list) else ()
        start, name = str(self.missing[0]), of and of.label
        known = (x for x in items if isinstance(x, dict) and str(x.get(name, "")).startswith(start))
        return [named(each) for each in (_name_of(x, of) for x in known) if each]

    def in_format(self) -> list[str]:
        """Return where the format has a member of the name, or nearly, that is all of the place."""
        name, at = (*self.path, *self.missing), self.document.value_or_none
        end = f".{END}" if name[1:] == (END,) else ""
        if not name or (len(name) > 1 and not end):
            return []
        known = (each for each, _ in self.schema.fields if each)
        paths = [each for each in known if 0 not in each or at(each[:-1]) is not None]
        near = suggestion(str(name[0]), {str(path[-1]) for path in paths})
        meant = [
            each for each in paths if each[-1] == near or (not near and self._is_synonym(each))
        ]
        return [f"{label(path)[:-1]}{end}`" for path in meant]

    def _is_synonym(self, path: Path) -> bool:
        """Return whether all of the place is another name for a member."""
        field = self.schema.field(path) or Field()
        return plain_name(self.text) in map(plain_name, field.synonyms)

    def to_make(self) -> Path:
        """Return the whole path: an item to come has the index that it will have.

        An index, or the schema, says what is an array of that which is not there.

        Raises:
            EditRefusedError: what is there has no members, or no item that is called so.
        """
        path, value = self.path, self.value
        for number, token in enumerate(self.missing):
            if number:
                value = [] if isinstance(token, int) or _is_array(self.schema.field(path)) else {}
            if isinstance(value, dict) and isinstance(token, str):
                path = (*path, token)
            elif isinstance(value, list) and (token == END or (not value and str(token) == "0")):
                path = (*path, len(value))
            else:
                names = [] if number else self._names_at(path)
                only = f", only {listed(names, 'and', named)}" if names else ""
                below = self._counted() if self.missing[1:] else ""
                item, hint = "item ", below or f"{only}; {self._how_to_add(path, str(token))}"
                if near := nearest(str(token), names):
                    hint = f"; did you mean {named(near)}?"
                if not isinstance(value, list):
                    item = hint = ""
                raise EditRefusedError(f"{label(path)} has no {item}{named(token)}{hint}")
        return path

    def _counted(self) -> str:
        """Return how items are counted, where an index is beyond those that are there."""
        items, token = self.value, str(self.missing[0])
        if not (isinstance(items, list) and items and token.removeprefix("-").isdecimal()):
            return ""
        end, last = ", not from the end" * (token[0] == "-"), label((*self.path, len(items) - 1))
        return f"; items count from 0{end}: the last one here is {last}"

    def _how_to_add(self, path: Path, token: str) -> str:
        """Return how to add an item to a list: one that has an id needs it from the start."""
        kinds = {(name,): kind for kind, name in self.schema.kinds.items()}
        if path in kinds and (self.schema.field((*path, 0)) or Field()).identifier:
            name = token if token.replace("-", "").isidentifier() else "ID"
            return f"for a new one, write `manifest add {kinds[path]} {name}=NAME`"
        return f"use `{END}` for a new one"

    def _names_at(self, path: Path) -> list[str]:
        """Return the names of what the value at a path has."""
        value, field = self.document.value_at(path), self.schema.field((*path, 0))
        if isinstance(value, dict):
            return list(value)
        items = value[:_MOST_NAMES] if isinstance(value, list) else ()
        return [name for each in items if (name := _name_of(each, field)) is not None]


def _is_array(field: Field | None) -> bool:
    return field is not None and "array" in field.types and "object" not in field.types


def _index(items: list[Any], field: Field | None, tokens: Path, path: Path) -> int | None:
    """Return the index of the item that the first token means, by its index or its name."""
    token, *below = tokens
    index = token if isinstance(token, int) else array_index(token)
    meant = [index] if index is not None and 0 <= index < len(items) else []
    if isinstance(token, str) and token not in ("", END):
        names = (_name_of(each, field) for each in items)
        meant += [at for at, name in enumerate(names) if name == token and at != index]
    if len(meant) > 1:
        each = [label((*path, at, *below)) for at in meant]
        raise EditRefusedError(
            f"{named(token)} may be several items of {label(path)}: write {listed(each)}"
        )
    return meant[0] if meant else None


def _name_of(item: Any, field: Field | None) -> str | None:
    """Return the id or the text of an item; a number in a list has no name."""
    return item_name(item, field) if isinstance(item, str | dict) else None
