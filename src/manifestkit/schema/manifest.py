"""A manifest with its schema: what a rule looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, compress, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from manifestkit.model.document import Document
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.validation import NotJudgedError, TooDeepError, ValidationError

if TYPE_CHECKING:
    from manifestkit.model.surroundings import Project

_MOST_COMPARED = 10_000
"""Members of one manifest that are compared with known ones, for what they were meant to be."""

_MOST_ALLOWED = 150_000
"""Allowed values that the values of one manifest are compared with, for what they should be."""

_MARKS_DEPRECATED = attrgetter("marks_deprecated")
_IN_ANY = frozenset({"$schema"})
_DEEPEST = 8  # misspelt members one below the other


Rename = tuple[Path, str]
"""A member that is missing only because it is misspelt: the object that lacks it, and its name."""

Broken = tuple[ValidationError, Rename | None]
"""An error, and the misspelt member that alone it is due to."""


class Manifest:
    """A document with the schema that describes it.

    A misspelt required member is judged as the one that is meant too. Rules look at `value`, where
    it has its right name; in their findings they tell of places in the document, which `written`
    gives.

    Attributes:
        document: the manifest.
        schema: what a manifest must be.
        has_file: whether a file stands at a path relative to the manifest; None when the
            manifest's surroundings are not known.
        is_too_deep: whether it is nested too deep for the engine to follow.
        profiles: a host's own requirements, which may describe more members.
        duplicates: the pointers of members that their objects name twice.
        project: returns the project that it is part of; None likewise.
        value: the value, in which misspelt members have their right names.
        not_judged: the schemas that it cannot be checked against, each with the reason.
    """

    def __init__(
        self,
        document: Document,
        schema: Schema,
        has_file: Callable[[str], bool] | None = None,
        *,
        is_too_deep: bool = False,
        project: Callable[[], Project | None] | None = None,
        profiles: tuple[Schema, ...] = (),
        duplicates: tuple[str, ...] = (),
    ) -> None:
        self.document = document
        self.schema = schema
        self.has_file = has_file
        self.is_too_deep = is_too_deep
        self.project = project
        self.profiles = profiles
        self.duplicates = duplicates
        self.value = document.value
        self.not_judged: dict[Schema, str] = {}
        self._meant: dict[Path, str] = {}
        self._written: dict[Path, dict[str | int, str]] = {}
        self._traits: frozenset[str] | None = None
        self._nearest: dict[Path, Path] = {}
        self._names: dict[Path, Mapping[str, str]] = {}
        self._alike: dict[tuple[int, tuple[str, ...]], Mapping[str, str]] = {}
        self._to_compare = _MOST_COMPARED
        self._allowed_to_compare = _MOST_ALLOWED

    def field(self, path: Path) -> Field | None:
        """Return the description of the value at a path, below a misspelt member too."""
        return self.schema.field(self.as_meant(path))

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
            field = schema.field(self.as_meant(path[:-1]))
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
                "unknown": self.value is not document.value,
                "files": self.has_file is not None,
                "project": self.project is not None,
                "deprecated": any(map(_MARKS_DEPRECATED, (self.schema, *self.profiles))),
            }
            own = compress(found, found.values())
            self._traits = frozenset(_traits(self.schema, self.value).union(own))
        return self._traits

    def as_meant(self, path: Path) -> Path:
        """Return a path in the document, with the right names."""
        if not self._meant:
            return path
        return tuple(self._meant.get(path[: index + 1], token) for index, token in enumerate(path))

    def written(self, path: Path) -> Path:
        """Return a path with right names, as it is in the document."""
        if not self._written:
            return path
        there: Path = ()
        for token in path:
            there = (*there, self._written.get(there, {}).get(token, token))
        return there

    def errors(self, schemas: list[Schema], most: int) -> list[list[Broken] | None]:
        """Return the errors by each schema: as the manifest is written, then more as it is meant.

        The paths are those of the document. None for a schema that cannot be followed so deep,
        or that the engine cannot judge it by.

        Args:
            schemas: the schemas.
            most: how many errors of each schema to give at most.
        """
        readings = [[self._errors(schema, most) for schema in schemas]]
        for _ in range(_DEEPEST):
            missing = [
                each
                for errors in readings[-1]
                for each in errors or ()
                if each.keyword == "required"
            ]
            names = dict(chain.from_iterable(map(self._misspelt, missing)))
            if not names:
                break
            # Beyond the limit nothing is told: another round would bring up as many.
            is_cut = any(len(errors or ()) == most for errors in readings[-1])
            self._rename(names)
            readings.append([self._errors(schema, most) for schema in schemas])
            if is_cut:
                break
        return [
            None if errors[0] is None else self._joined([each or [] for each in errors], most)
            for errors in zip(*readings, strict=True)
        ]

    def _errors(self, schema: Schema, most: int) -> list[ValidationError] | None:
        if self.is_too_deep and schema.is_unbounded:
            return None
        try:
            found = list(islice(schema.validator.errors(self.value), most))
        except TooDeepError:
            return None
        except NotJudgedError as error:
            self.not_judged[schema] = str(error)
            return None
        return [each.moved(self.written) for each in found] if self._written else found

    def _joined(self, readings: list[list[ValidationError]], most: int) -> list[Broken]:
        """Return the errors of the manifest as written, then those that its right names show."""
        written, *others = readings
        if not others:
            return [(each, None) for each in written]
        remaining = set(map(_key, others[-1]))
        known = set(map(_key, written))
        joined: list[Broken] = [
            (each, None if _key(each) in remaining else self._cause(each.path)) for each in written
        ]
        for reading in others:
            for each in reading:
                # What else breaks only in between is a consequence of the names.
                counts = _key(each) in remaining or each.path in self._written
                if counts and _key(each) not in known:
                    known.add(_key(each))
                    joined.append((each, None))
        return joined[:most]

    def _cause(self, path: Path) -> Rename | None:
        """Return the misspelt member nearest around a path; None if it is about its very object."""
        if path in self._written:
            return None
        if not self._nearest:
            for place in sorted(self._written, key=len):
                for length in range(len(place) + 1):
                    self._nearest.setdefault(place[:length], place)
        around = (path[:length] for length in range(len(path), -1, -1))
        shared = next(self._nearest[each] for each in around if each in self._nearest)
        return shared, str(next(iter(self._written[shared])))

    def _rename(self, names: Mapping[Path, str]) -> None:
        """Take misspelt members, by their paths, for those that are meant."""
        here = {(*self.as_meant(path[:-1]), path[-1]): name for path, name in names.items()}
        self.value = _with_names(self.value, here)
        self._meant.update(names)
        for path, name in names.items():
            self._written.setdefault(path[:-1], {})[name] = str(path[-1])
        self._traits = None

    def _misspelt(self, error: ValidationError) -> Iterator[tuple[Path, str]]:
        """Yield the members meant as one that is missing, if not only a profile requires it."""
        field = self.field(error.path)
        if field is None or error.member not in field.required:
            return
        for written, name in self.renames(error.path).items():
            place = (*error.path, written)
            if name == error.member and place not in self._meant:
                yield place, name

    def described(self) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of the value that the schema describes, with its path in the document."""
        found = self.schema.described(self.value)
        if not self._written:
            return found
        return ((self.written(path), value, field) for path, value, field in found)

    def with_unknown(self) -> Iterator[tuple[Path, Field]]:
        """Each object that has a member which is not described, with its path in the document."""
        known: set[Path] = set()
        for value in [self.document.value, *([self.value] if self._written else [])]:
            for path, each, field in self.schema.described(value):
                if field.closed or not field.members or not isinstance(each, dict):
                    continue
                there = self.written(path)
                if there not in known and not each.keys() <= set(field.members):
                    known.add(there)
                    yield there, field

    def renames(self, path: Path) -> Mapping[str, str]:
        """Return the unknown members of an object that were probably meant as known ones.

        What a profile describes is not unknown.
        """
        if path not in self._names:
            field = self.field(path)
            members = self.document.value_or_none(path)
            if field is None or not isinstance(members, dict):
                return {}
            hosts = (each.field(self.as_meant(path)) for each in self.profiles)
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


def _key(error: ValidationError) -> tuple[object, ...]:
    return error.path, id(error.requirement), error.member


def _with_names(value: Any, names: Mapping[Path, str]) -> Any:
    """Return a copy of a value with other names for members, by their paths."""
    own: dict[Any, str] = {}
    below: dict[Any, dict[Path, str]] = {}
    for (token, *rest), name in names.items():
        if rest:
            below.setdefault(token, {})[tuple(rest)] = name
        else:
            own[token] = name
    if isinstance(value, list):
        return [
            _with_names(each, below[index]) if index in below else each
            for index, each in enumerate(value)
        ]
    return {
        own.get(key, key): _with_names(each, below[key]) if key in below else each
        for key, each in value.items()
    }
