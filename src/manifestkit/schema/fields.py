"""Descriptions of the values at a path, for people."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from manifestkit.schema.drafts import frozen
from manifestkit.schema.sources import Place

ANNOTATION = "x-manifestkit"
CLOSED = frozenset({"additionalProperties", "unevaluatedProperties"})
"""The keywords that close an object, when they are false."""


class Field(NamedTuple):
    """One value of a manifest as its schema describes it.

    Attributes:
        title: its name in words.
        description: what it is.
        types: the JSON types it may have; empty when any.
        values: the values it may have, each with what it means; empty when not listed.
        examples: good values.
        members: for an object, the names of its known members, in the schema's order.
        required: those of them that must be there.
        closed: whether other members are forbidden.
        clause: the clause of the manifest document that it stands on.
        starter: what a new manifest has here unless its author says otherwise, alone in a tuple;
            empty when nothing is fit for all.
        file: whether it may name a file, by a path from the manifest.
        identifier: for an object, the member that tells it apart from others of its kind.
        counterpart: for a listed value, a pointer to the list that names the same things otherwise.
        common: whether manifests of other formats have such a member too.
        label: for an object, the member that people know it by.
        is_set: for a list, whether neither order nor repetition says anything.
        is_version: whether it is the version of what the manifest describes.
        synonyms: other names that people give it.
        reading: for listed values, where their meanings come from, if the format has none.
        consents: for listed values, the sentence that people agree to for each of them.
        deprecated: what to do instead, where it is deprecated; empty if the schema does not say.
        deprecated_values: its deprecated values, each with what to do instead.
    """

    title: str | None = None
    description: str | None = None
    types: tuple[str, ...] = ()
    values: tuple[tuple[Any, str | None], ...] = ()
    examples: tuple[Any, ...] = ()
    members: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    closed: bool = False
    clause: str | None = None
    starter: tuple[Any, ...] = ()
    file: bool = False
    identifier: str | None = None
    counterpart: str | None = None
    common: bool = False
    label: str | None = None
    is_set: bool = False
    is_version: bool = False
    synonyms: tuple[str, ...] = ()
    reading: str = ""
    consents: Mapping[str, str] = {}
    deprecated: str | None = None
    deprecated_values: tuple[tuple[Any, str], ...] = ()


class ValueDescription:
    """The description of the values at a place, and below, by a schema."""

    def __init__(
        self, places: list[Place], known: "dict[tuple[int, ...], ValueDescription]"
    ) -> None:
        self._places = places
        self._known = known
        self._children: dict[str | int, ValueDescription | None] = {}
        self.parts = [schema for schema, _ in places]
        self.field = _field(self.parts)
        self.names = frozenset(self.field.members)
        self.is_open = bool(self.names) and not self.field.closed

    def child(self, token: str | int) -> "ValueDescription | None":
        """Return the description of a member, or of any item: all are described alike."""
        if not isinstance(token, str):
            token = 0
        elif token not in self.names:
            return None
        if token not in self._children:
            self._children[token] = _description(_below(self._places, token), self._known)
        return self._children[token]

    @cached_property
    def item(self) -> "ValueDescription | None":
        """The description of any item."""
        return self.child(0)

    @cached_property
    def composed(self) -> "tuple[tuple[str, ValueDescription], ...]":
        """The members that may hold objects with known members."""
        children = ((name, self.child(name)) for name in self.field.members)
        return tuple((name, each) for name, each in children if each and not each.is_plain)

    @cached_property
    def is_plain(self) -> bool:
        """Return whether there are no objects with known members at this place."""
        item = self.child(0)
        return not self.names and (item is None or not (item.names or item.child(0)))


def describe(places: list[Place]) -> ValueDescription | None:
    """Return the description of values by schemas that all hold; None when they say nothing."""
    return _description(places, {})


def _description(
    places: list[Place], known: dict[tuple[int, ...], ValueDescription]
) -> ValueDescription | None:
    """Return the description by some parts of a schema: one for all places with the same parts."""
    places = list(_expanded(places))
    key = tuple(id(schema) for schema, _ in places)
    if key and key not in known:
        known[key] = ValueDescription(places, known)
    return known.get(key)


def _expanded(places: list[Place]) -> Iterator[Place]:
    """Each schema, and those that hold for the same value by `$ref` and `allOf`."""
    todo, seen = deque(places), set[int]()
    while todo:
        schema, resolver = todo.popleft()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema, resolver
        todo.extendleft((each, resolver.within(each)) for each in reversed(schema.get("allOf", ())))
        if isinstance(schema.get("$ref"), str):
            todo.appendleft(resolver.lookup(schema["$ref"]))


def _below(places: Sequence[Place], token: str | int) -> list[Place]:
    found: list[Place] = []
    for schema, resolver in places:
        if isinstance(token, str):
            child = schema.get("properties", {}).get(token)
        else:
            prefix = schema.get("prefixItems")
            prefix = prefix if isinstance(prefix, list) else []
            child = prefix[token] if token < len(prefix) else schema.get("items")
        if isinstance(child, dict):
            found.append((child, resolver.within(child)))
    return found


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
        clause=notes.get("clause"),
        starter=(notes["starter"],) if "starter" in notes else (),
        file=notes.get("file") is True,
        identifier=notes.get("identifier"),
        counterpart=notes.get("counterpart"),
        common=notes.get("common") is True,
        label=notes.get("label"),
        is_set=notes.get("set") is True,
        is_version=notes.get("version") is True,
        synonyms=tuple(notes.get("synonyms", ())),
        reading=notes.get("reading", ""),
        consents=notes.get("consent", {}),
        deprecated=next((_help(each) for each in schemas if each.get("deprecated") is True), None),
        deprecated_values=tuple(
            (each["const"], _help(each))
            for schema in schemas
            for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
            if isinstance(each, dict) and each.get("deprecated") is True and "const" in each
        ),
    )


def _help(schema: Mapping[str, Any]) -> str:
    notes = schema.get(ANNOTATION)
    return notes.get("help", "") if isinstance(notes, dict) else ""


def _names(schemas: list[dict[str, Any]], keyword: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for schema in schemas for name in schema.get(keyword, ())))
