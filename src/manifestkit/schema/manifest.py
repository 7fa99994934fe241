"""A manifest with its schema: what a rule looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress, islice
from operator import attrgetter
from typing import Any

from manifestkit.model.document import Document
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.surroundings import NOWHERE, Surroundings
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.validation_error import NotJudgedError, TooDeepError, ValidationError

_MOST_COMPARED = 10_000
"""Members of one manifest that are compared with known ones, for what they were meant to be."""

_MOST_ALLOWED = 150_000
"""Allowed values that the values of one manifest are compared with, for what they should be."""

_MARKS_DEPRECATED = attrgetter("marks_deprecated")
_IN_ANY = frozenset({"$schema"})


class Manifest:
    """A document with the schema that describes it.

    Attributes:
        document: the manifest.
        schema: what a manifest must be.
        surroundings: what stands around it.
        is_too_deep: whether it is nested too deep for the engine to follow.
        profiles: a host's own requirements, which may describe more members.
        duplicates: the pointers of members that their objects name twice.
        value: its value.
        not_judged: the schemas that it cannot be checked against, each with the reason.
    """

    def __init__(
        self,
        document: Document,
        schema: Schema,
        *,
        surroundings: Surroundings = NOWHERE,
        is_too_deep: bool = False,
        profiles: tuple[Schema, ...] = (),
        duplicates: tuple[str, ...] = (),
    ) -> None:
        self.document = document
        self.schema = schema
        self.surroundings = surroundings
        self.is_too_deep = is_too_deep
        self.profiles = profiles
        self.duplicates = duplicates
        self.value = document.value
        self.not_judged: dict[Schema, str] = {}
        self._traits: frozenset[str] | None = None
        self._names: dict[Path, Mapping[str, str]] = {}
        self._alike: dict[tuple[int, tuple[str, ...]], Mapping[str, str]] = {}
        self._to_compare = _MOST_COMPARED
        self._allowed_to_compare = _MOST_ALLOWED

    def field(self, path: Path) -> Field | None:
        """Return the description of the value at a path."""
        return self.schema.field(path)

    def has_duplicates(self, path: Path) -> bool:
        """Return whether an object in a value names a member twice."""
        inside = f"{format_pointer(path)}/"
        return any(each.startswith(inside) for each in self.duplicates)

    def wants(self, path: Path) -> bool:
        """Return whether an unknown member may be what a schema describes, here or elsewhere.

        It has such a name, or almost such; or its object lacks a member that it may stand for.
        """
        from manifestkit.schema.engines import ENGINE  # noqa: PLC0415 - clean runs go without
        from manifestkit.schema.suggest import is_near  # noqa: PLC0415 - likewise

        owner, name = self.document.value_or_none(path[:-1]), str(path[-1])
        for schema in (self.schema, *self.profiles):
            field = schema.field(path[:-1])
            names, patterns = schema.names_anywhere
            if (
                (field and not owner.keys() >= set(field.required))
                or is_near(name, names)
                or any(ENGINE.matches(each, name) for each in patterns)
            ):
                return True
        return False

    def is_named(self, name: str) -> bool:
        """Return whether a schema names a member so, wherever that may be."""
        from manifestkit.schema.engines import ENGINE  # noqa: PLC0415 - clean runs go without

        for schema in (self.schema, *self.profiles):
            names, patterns = schema.names_anywhere
            if name in names or any(ENGINE.matches(each, name) for each in patterns):
                return True
        return False

    def has_comparisons_left(self, count: int) -> bool:
        """Return whether to compare a value with so many allowed ones; not after too many."""
        self._allowed_to_compare -= count
        return self._allowed_to_compare >= 0

    @property
    def traits(self) -> frozenset[str]:
        """The traits that a quick look shows: a rule that needs another one finds nothing.

        ``fractions``: a number with a fraction or an exponent; ``unseen``: a character that is not
        ASCII, or an escape, or a YAML document, where a value has line breaks without an escape;
        ``ambiguous``: a scalar that other readers of YAML read otherwise;
        ``ignores``: a text in YAML with that word;
        ``unknown``: a member that is not described; ``blank``: a required text with nothing in it;
        ``equal``: two items with one identifier; ``files``, ``project``: known surroundings;
        ``deprecated``: a schema that marks something so.
        """
        if self._traits is None:
            document = self.document
            found = {
                "fractions": document.has_fractions,
                "unseen": _may_have_unseen(document),
                "ambiguous": bool(document.ambiguous),
                "ignores": document.syntax == "yaml" and "ignore" in document.text.lower(),
                "files": self.surroundings.has_file is not None,
                "project": self.surroundings.project is not None,
                "deprecated": any(map(_MARKS_DEPRECATED, (self.schema, *self.profiles))),
            }
            own = compress(found, found.values())
            self._traits = frozenset(_traits(self.schema, self.value).union(own))
        return self._traits

    def errors(self, schema: Schema, most: int) -> list[ValidationError] | None:
        """Return the errors by a schema; None where it cannot be followed so deep, or judged.

        Args:
            schema: the schema.
            most: how many errors to give at most.
        """
        if self.is_too_deep and schema.is_unbounded:
            return None
        try:
            return list(islice(schema.validator.errors(self.value), most))
        except TooDeepError:
            return None
        except NotJudgedError as error:
            self.not_judged[schema] = str(error)
            return None

    def described(self) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of the value that the schema describes, with its path."""
        return self.schema.described(self.value)

    def with_unknown(self) -> Iterator[tuple[Path, Field]]:
        """Each object that has a member which is not described, with its path."""
        for path, each, field in self.described():
            if field.closed or not field.members or not isinstance(each, dict):
                continue
            if not each.keys() <= set(field.members):
                yield path, field

    def renames(self, path: Path) -> Mapping[str, str]:
        """Return the unknown members of an object that were probably meant as known ones.

        What a profile describes is not unknown.
        """
        if path not in self._names:
            field = self.field(path)
            members = self.document.value_or_none(path)
            if field is None or not isinstance(members, dict):
                return {}
            hosts = (each.field(path) for each in self.profiles)
            described = {name for each in hosts if each for name in each.members}
            if described := described.difference(field.members):
                members = {name: each for name, each in members.items() if name not in described}
            # Most items of an array have the same members: they are compared once.
            alike = (id(field), tuple(members))
            if alike not in self._alike:
                from manifestkit.schema.suggest import renames  # noqa: PLC0415 - clean runs go without

                self._alike[alike] = renames(members, field, self._to_compare)
                self._to_compare = max(0, self._to_compare - len(members))
            self._names[path] = self._alike[alike]
        return self._names[path]


def _may_have_unseen(document: Document) -> bool:
    text = document.text
    return document.syntax == "yaml" or "\\" in text or not text.isascii() or "\x7f" in text


def _traits(schema: Schema, value: Any) -> set[str]:
    """Return the traits of the objects in a value; `described` tells where."""
    found: set[str] = set()
    todo = [([value], schema.description)] if schema.description else []
    for alike, here in todo:
        names, is_open, required = here.names, here.is_open, here.field.required
        for each in alike:
            if isinstance(each, dict):
                if is_open and not names.issuperset(each) and each.keys() - names - _IN_ANY:
                    found.add("unknown")
                for name in required:
                    text = each.get(name)
                    if text.__class__ is str and not text.strip():
                        found.add("blank")
                for name, below in here.composed:
                    if name in each:
                        todo.append(([each[name]], below))
            elif isinstance(each, list) and not here.is_plain and (item := here.item):
                todo.append((each, item))
                found.update(_traits_of_items(each, item.field.identifier))
    return found


def _traits_of_items(items: list[Any], identifier: str | None) -> tuple[str, ...]:
    names = [each.get(identifier) for each in items if each.__class__ is dict]
    texts = [name for name in names if name.__class__ is str]
    return ("equal",) if identifier and len(set(texts)) < len(texts) else ()
