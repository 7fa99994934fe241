"""A schema as the rest of the toolkit sees it: a judge of values, and descriptions of them."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from manifestkit.model.pointer import Path, format_pointer, parse_pointer, walk
from manifestkit.schema.drafts import ANNOTATION, CLOSED, TYPES, frozen, objects
from manifestkit.schema.sources import Sources

if TYPE_CHECKING:
    from manifestkit.schema.validate import Validator

_DEEPEST_FIELD = 8
_DEEPEST_ENVELOPE = 3
_MOST_PLACES = 10_000
_NAMING = (
    *("properties", "required", "synonyms"),
    *("dependencies", "dependentRequired", "dependentSchemas"),
)
_INDEX = r"[*]|[0-9]+"
_NOTED = frozenset(
    ("clause", "common", "counterpart", "file", "identifier", "label", "reading", "synonyms")
)
"""The members of an annotation that a description has as they are, by the same names."""


class Field(NamedTuple):
    """One value of a manifest as its schema describes it."""

    title: str | None = None  # its name in words
    description: str | None = None
    types: tuple[str, ...] = ()  # the JSON types it may have; empty when any
    values: tuple[tuple[Any, str | None], ...] = ()  # it may have, with meanings; empty when any
    examples: tuple[Any, ...] = ()
    members: tuple[str, ...] = ()  # the known members of an object, in the schema's order
    required: tuple[str, ...] = ()  # those of them that must be there
    closed: bool = False  # whether other members are forbidden
    deprecated: str | None = None  # what to do instead; empty if the schema does not say
    deprecated_values: tuple[tuple[Any, str], ...] = ()  # each with what to do instead
    clause: str | None = None  # of the manifest document, that it stands on
    starter: tuple[Any, ...] = ()  # alone in a tuple, what a new manifest has here
    file: bool = False  # whether it may name a file, by a path from the manifest
    identifier: str | None = None  # the member that tells an object apart from others of its kind
    counterpart: str | None = None  # points to the list that names the same things otherwise
    common: bool = False  # whether manifests of other formats have such a member too
    label: str | None = None  # the member that people know an object by
    is_set: bool = False  # whether neither order nor repetition in a list says anything
    is_version: bool = False  # whether it is the version of what the manifest describes
    synonyms: Sequence[str] = ()  # other names that people give it
    reading: str = ""  # where the meanings of listed values come from, if the format has none
    consents: Mapping[str, str] = {}  # the sentences that people agree to, by listed values

    def allows_type(self, value: Any) -> bool:
        """Return whether a value is of one of the types; any is, where there are none."""
        if isinstance(value, bool) and self.types:
            return "boolean" in self.types
        if isinstance(value, float) and value.is_integer() and "integer" in self.types:
            return True
        return not self.types or isinstance(value, _classes(self.types))

    def meets_types(self, types: Iterable[str]) -> bool:
        """Return whether a value may be of one of its types and of one of others."""
        pairs = ({own, other} for own in self.types for other in types)
        return any(len(each) == 1 or each == {"integer", "number"} for each in pairs)


_EDITORS_ONLY: Mapping[Path, Field] = {
    ("$schema",): Field(
        title="Schema for editors",
        description="The JSON Schema by which an editor completes and checks this file. The "
        "manifest format does not have it, and hosts ignore it.",
        types=("string",),
        examples=("./schema.json",),
        clause="JSON Schema, not the manifest format",
    )
}


@lru_cache(maxsize=64)
def _classes(types: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(TYPES[each] for each in types if each in TYPES)


class Schema:
    """One JSON Schema, ready for use.

    Attributes:
        name: how it is named to the user: its file.
        sources: the schema with all that it refers to.
        contents: the schema.
        read_by: the function that reads it again, with its arguments, for another process.
        profiles: profiles that describe the same values, behind the schema; they judge none here.

    Example:
        >>> host = manifestkit.load_profile("host.schema.json")
        >>> host.name
        'host.schema.json'
    """

    def __init__(
        self,
        name: str,
        sources: Sources,
        read_by: "tuple[Callable[..., Schema], tuple[Any, ...]] | None" = None,
        profiles: "tuple[Schema, ...]" = (),
    ) -> None:
        self.name = name
        self.sources = sources
        self.contents = sources.contents
        self.read_by = read_by
        self.profiles = profiles

    def __reduce__(self) -> Any:
        return self.read_by or super().__reduce__()

    @cached_property
    def marks(self) -> frozenset[str]:
        """The required members that formats of others do not have: with one, a value is meant."""
        root = self.field(())
        required = ((name, self.field((name,))) for name in (root.required if root else ()))
        return frozenset(name for name, field in required if not (field and field.common))

    @cached_property
    def marks_deprecated(self) -> bool:
        """Return whether something in it is marked as deprecated."""
        texts = map(repr, self.sources.resources)
        return any("'deprecated': True" in each for each in texts)

    def inside(self, value: Any) -> Path | None:
        """Return the place in an object of a manifest, or most of one, written out or as text."""
        for path, each in walk(value) if self.marks.isdisjoint(value) else ():
            text = each.replace('"', "") if isinstance(each, str) else ""
            names = each if isinstance(each, dict) and len(path) <= _DEEPEST_ENVELOPE else ()
            held = [mark for mark in self.marks if mark in names or f"{mark}:" in text]
            if 2 * len(held) > len(self.marks):
                return path
        return None

    @property
    def is_unbounded(self) -> bool:
        """Return whether it may speak of a value at any depth: ours do not."""
        return bool(self.sources.files)

    @cached_property
    def validator(self) -> "Validator":
        """Judges values by it."""
        from manifestkit.schema.validate import Validator  # noqa: PLC0415 - not all commands judge

        return Validator(self.name, self.sources)

    def field(self, path: Path) -> Field | None:
        """Return the description of the value at a path; None when there is none.

        All items of an array are described alike. That of `$schema` is the same in all schemas.
        """
        here = self._described_at(path)
        return here.field if here else _EDITORS_ONLY.get(path)

    def parts(self, path: Path) -> list[dict[str, Any]]:
        """Return the parts of the schema that describe a path, those it refers to too."""
        here = self._described_at(path)
        return here.parts if here else []

    def _described_at(self, path: Path) -> "_ValueDescription | None":
        here = self.description
        for token in path:
            here = here.child(token) if here else None
        return here

    @cached_property
    def description(self) -> "_ValueDescription | None":
        """The description of all values; None when it says nothing."""
        sources = [each.sources for each in (self, *self.profiles)]
        targets = {key: it for each in sources for key, it in each.targets.items()}
        return _Descriptions(targets).describe([each.contents for each in sources])

    def described_with(self, profiles: "tuple[Schema, ...]") -> "Schema":
        """Return the same schema for asking for values: what profiles say of them counts too."""
        return Schema(self.name, self.sources, profiles=profiles) if profiles else self

    def clause(self, path: Path) -> str | None:
        """Return the clause about the value at a path, or else about what holds it."""
        fields = (self.field(path[:length]) for length in range(len(path), -1, -1))
        return next((field.clause for field in fields if field and field.clause), None)

    def described(self, value: Any) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of a value that the schema describes, with its path and description."""
        todo: list[tuple[Path, Any, _ValueDescription | None]] = [((), value, self.description)]
        while todo:
            path, each, here = todo.pop()
            if here is None:
                continue
            yield path, each, here.field
            if isinstance(each, dict):
                todo += [
                    ((*path, name), each[name], here.child(name))
                    for name in here.field.members
                    if name in each
                ]
            elif isinstance(each, list) and (item := here.child(0)):
                todo += [((*path, index), one, item) for index, one in enumerate(each)]

    @cached_property
    def lists(self) -> tuple[tuple[Path, Field], ...]:
        """Every list of allowed values: where it holds, and its description."""
        found: dict[str, tuple[Path, Field]] = {}
        for path, field in self.fields:
            if field.values:
                found.setdefault(json.dumps(field.values), (path, field))
        return tuple(found.values())

    @cached_property
    def fields(self) -> tuple[tuple[Path, Field], ...]:
        """The described values, those near the root first; an index stands for any item.

        Where the description goes on without end, only the first of them.
        """
        found: list[tuple[Path, Field]] = []
        todo = deque[tuple[Path, _ValueDescription | None]]([((), self.description)])
        while todo and len(found) < _MOST_PLACES:
            path, here = todo.popleft()
            if here is None or len(path) > _DEEPEST_FIELD:
                continue
            found.append((path, here.field))
            if len(todo) < _MOST_PLACES:
                below: Path = (*here.field.members, 0)
                todo.extend(((*path, each), here.child(each)) for each in below)
        return tuple(found)

    @cached_property
    def identifier(self) -> Path | None:
        """The place of the identifier of what a manifest describes, if the schema tells."""
        found = ((path, each.identifier) for path, each in self.fields if 0 not in path)
        return next(((*path, name) for path, name in found if name), None)

    @cached_property
    def version(self) -> Path | None:
        """The place of the version of what a manifest describes, if the schema tells."""
        return next((path for path, field in self.fields if field.is_version), None)

    @cached_property
    def sets(self) -> tuple[Path, ...]:
        """The places of the sets that a manifest has once: permissions, say, not those of items."""
        return tuple(path for path, field in self.fields if field.is_set and 0 not in path)

    @property
    def kinds(self) -> dict[str, str]:
        """The lists of a manifest, each by the name of one item."""
        root = self.field(())
        items = {name: self.field((name, 0)) for name in root.members} if root else {}
        return {item.title.lower(): name for name, item in items.items() if item and item.title}

    @cached_property
    def member_names(self) -> frozenset[str]:
        """The names of all members that the schema describes."""
        return frozenset(name for _, field in self.fields for name in field.members)

    @cached_property
    def names_anywhere(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of members in it and in what it refers to, and the patterns of such names."""
        found: dict[str, set[str]] = {each: set() for each in ("patternProperties", *_NAMING)}
        for contents in self.sources.resources:
            for _, each in objects(contents):
                for keyword, names in found.items():
                    if isinstance(each.get(keyword), dict | list):
                        names.update(name for name in each[keyword] if isinstance(name, str))
        patterns = frozenset(found.pop("patternProperties"))
        return frozenset[str]().union(*found.values()), patterns

    def find(self, tokens: Iterable[str]) -> tuple[Path, Field] | None:
        """Return the described value at reference tokens; an index or ``*`` stands for any item."""
        path: Path = ()
        for token in tokens:
            is_item = re.fullmatch(_INDEX, token) and not self.field((*path, token))
            path = (*path, 0 if is_item else token)
        field = self.field(path)
        return None if field is None else (path, field)

    def nearest_pointer(self, tokens: Sequence[str]) -> str | None:
        """Return the pointer that one to nothing it describes was probably meant to be."""
        from manifestkit.schema.suggest import suggestion  # noqa: PLC0415 - rarely needed

        meant: list[str] = []
        for token in tokens:
            if self.find([*meant, token]) is None:
                here = self.find(meant)
                known = here[1].members if here else ()
                near = suggestion(token, known)
                if near is None:
                    return None
                token = near  # noqa: PLW2901 - the one that is meant
            meant.append(token)
        return format_pointer(meant)

    def counterpart(self, field: Field | None) -> Field | None:
        """Return the list that names in its own way what a listed value names; None without one."""
        return _field_at(self, field.counterpart) if field and field.counterpart else None


@lru_cache(maxsize=64)
def _field_at(schema: Schema, pointer: str) -> Field | None:
    found = schema.find(parse_pointer(pointer))
    return found[1] if found else None


class _ValueDescription:
    """The description of the values at a place, and below, by a schema."""

    def __init__(self, parts: list[dict[str, Any]], descriptions: "_Descriptions") -> None:
        self._descriptions = descriptions
        self._children: dict[str | int, _ValueDescription | None] = {}
        self.parts = parts
        self.field = _field(parts)
        self.names = frozenset(self.field.members)
        self.is_open = bool(self.names) and not self.field.closed

    def child(self, token: str | int) -> "_ValueDescription | None":
        """Return the description of a member, or of any item: those of a tuple have none."""
        if not isinstance(token, str):
            token = 0
        elif token not in self.names:
            return None
        if token not in self._children:
            self._children[token] = self._descriptions.describe(_below(self.parts, token))
        return self._children[token]

    @cached_property
    def item(self) -> "_ValueDescription | None":
        """The description of any item."""
        return self.child(0)

    @cached_property
    def composed(self) -> "tuple[tuple[str, _ValueDescription], ...]":
        """The members that may hold objects with known members."""
        children = ((name, self.child(name)) for name in self.field.members)
        return tuple((name, each) for name, each in children if each and not each.is_plain)

    @cached_property
    def is_plain(self) -> bool:
        """Return whether there are no objects with known members at this place."""
        item = self.item
        return not self.names and (item is None or not (item.names or item.item))


class _Descriptions:
    """Describes places by parts of a schema: all places with the same parts alike."""

    def __init__(self, targets: Mapping[int, Any]) -> None:
        self._targets = targets
        self._known: dict[tuple[int, ...], _ValueDescription] = {}

    def describe(self, schemas: Iterable[Any]) -> "_ValueDescription | None":
        """Return the description by some parts; None where there are none."""
        parts = list(self._expanded(schemas))
        key = tuple(map(id, parts))
        if key and key not in self._known:
            self._known[key] = _ValueDescription(parts, self)
        return self._known.get(key)

    def _expanded(self, schemas: Iterable[Any]) -> Iterator[dict[str, Any]]:
        """Yield the schemas, and those that hold for the same value by `$ref` and `allOf`."""
        todo, seen = deque(schemas), set[int]()
        while todo:
            schema = todo.popleft()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            yield schema
            todo.extendleft(reversed(schema.get("allOf", ())))
            todo.extendleft([self._targets[id(schema)]] if id(schema) in self._targets else ())


def _below(schemas: Iterable[dict[str, Any]], token: str | int) -> Iterator[Any]:
    for schema in schemas:
        if isinstance(token, str):
            yield schema.get("properties", {}).get(token)
        else:
            yield None if "prefixItems" in schema else schema.get("items")


def _field(schemas: list[dict[str, Any]]) -> Field:
    said: dict[str, Any] = {}
    notes: dict[str, Any] = {}
    for schema in reversed(schemas):  # the first that says something has the last word
        said |= schema
        own = schema.get(ANNOTATION)
        notes |= own if isinstance(own, dict) else {}
    types = said.get("type") or ()
    values = said.get("enum") or ([said["const"]] if "const" in said else [])
    meanings = said.get("markdownEnumDescriptions")
    if not isinstance(meanings, list):
        meanings = [None] * len(values)
    lists = [set(map(frozen, schema["enum"])) for schema in schemas if "enum" in schema]

    def is_allowed(value: Any) -> bool:
        return all(frozen(value) in each for each in lists)

    return Field(
        title=said.get("title"),
        description=said.get("description"),
        types=(types,) if isinstance(types, str) else tuple(types),
        values=tuple(pair for pair in zip(values, meanings, strict=False) if is_allowed(pair[0])),
        examples=tuple(filter(is_allowed, said.get("examples") or ())),
        members=_names(schemas, "properties"),
        required=_names(schemas, "required"),
        closed=any(schema.get(keyword) is False for schema in schemas for keyword in CLOSED),
        deprecated=next((_help(each) for each in schemas if each.get("deprecated") is True), None),
        deprecated_values=tuple(
            (each["const"], _help(each))
            for schema in schemas
            for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
            if isinstance(each, dict) and each.get("deprecated") is True and "const" in each
        ),
        starter=(notes["starter"],) if "starter" in notes else (),
        is_set=notes.get("set", False),
        is_version=notes.get("version", False),
        consents=notes.get("consent", {}),
        **{name: notes[name] for name in _NOTED & notes.keys()},
    )


def _help(schema: Mapping[str, Any]) -> str:
    notes = schema.get(ANNOTATION)
    return notes.get("help", "") if isinstance(notes, dict) else ""


def _names(schemas: list[dict[str, Any]], keyword: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for schema in schemas for name in schema.get(keyword, ())))
