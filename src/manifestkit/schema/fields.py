"""What a schema says, for people, of the values at a path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from manifestkit.pointer import parse_pointer

ANNOTATION = "x-manifestkit"
CLOSED = frozenset({"additionalProperties", "unevaluatedProperties"})
"""The keywords that close an object, when they are false."""

Resolver = Any
"""Looks references up: a `LocalResolver`, or one of `referencing`, which hides the class."""

Place = tuple[dict[str, Any], Resolver]
"""A part of a schema, with what looks its references up."""


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


class LocalResolver:
    """Looks up references inside one schema that refers to no other."""

    def __init__(self, contents: Any, root: Any = None) -> None:
        self.contents = contents
        self._root = contents if root is None else root

    @property
    def resolver(self) -> LocalResolver:
        """What looks up the references of what was found."""
        return self

    def lookup(self, reference: str) -> LocalResolver:
        """What a reference such as ``#/$defs/permission`` leads to."""
        found = self._root
        for token in parse_pointer(reference.removeprefix("#")):
            found = found[token]
        return LocalResolver(found, self._root)


def root_places(contents: Any, resolver: Resolver) -> list[Place]:
    """The parts of a schema that describe the whole value."""
    return list(_expanded([(contents, resolver)]))


def places_below(places: list[Place], token: str | int) -> list[Place]:
    """The parts that describe a member, or any item, of a value that some parts describe."""
    return list(_expanded(_children(places, token)))


def field_of(places: list[Place]) -> Field | None:
    """What parts of a schema say of the values that they describe."""
    return _field([schema for schema, _ in places]) if places else None


def _expanded(places: list[Place]) -> Iterator[Place]:
    """Each schema, and those that hold for the same value by `$ref` and `allOf`."""
    todo, seen = deque(places), set[int]()
    while todo:
        schema, resolver = todo.popleft()
        if not isinstance(schema, dict) or id(schema) in seen:
            continue
        seen.add(id(schema))
        yield schema, resolver
        todo.extendleft((each, resolver) for each in reversed(schema.get("allOf", ())))
        if isinstance(schema.get("$ref"), str):
            target = resolver.lookup(schema["$ref"])
            todo.appendleft((target.contents, target.resolver))


def _children(places: list[Place], token: str | int) -> list[Place]:
    found: list[Place] = []
    for schema, resolver in places:
        if isinstance(token, str):
            child = schema.get("properties", {}).get(token)
        else:
            prefix = schema.get("prefixItems")
            prefix = prefix if isinstance(prefix, list) else []
            child = prefix[token] if token < len(prefix) else schema.get("items")
        if isinstance(child, dict):
            found.append((child, resolver))
    return found


def _field(schemas: list[dict[str, Any]]) -> Field:
    def first(keyword: str) -> Any:
        return next((schema[keyword] for schema in schemas if keyword in schema), None)

    def noted(name: str) -> tuple[Any, ...]:
        return tuple(notes[name] for schema in schemas if name in (notes := _notes(schema)))[:1]

    types = first("type") or ()
    values = first("enum") or [schema["const"] for schema in schemas if "const" in schema][:1]
    meanings = first("markdownEnumDescriptions")
    if not isinstance(meanings, list):
        meanings = [None] * len(values)
    return Field(
        title=first("title"),
        description=first("description"),
        types=(types,) if isinstance(types, str) else tuple(types),
        values=tuple(zip(values, meanings, strict=False)),
        examples=tuple(first("examples") or ()),
        members=tuple(
            dict.fromkeys(name for schema in schemas for name in schema.get("properties", ()))
        ),
        required=tuple(
            dict.fromkeys(name for schema in schemas for name in schema.get("required", ()))
        ),
        closed=any(schema.get(keyword) is False for schema in schemas for keyword in CLOSED),
        clause=next(iter(noted("clause")), None),
        starter=noted("starter"),
        file=noted("file") == (True,),
        identifier=next(iter(noted("identifier")), None),
    )


def _notes(schema: dict[str, Any]) -> dict[str, Any]:
    notes = schema.get(ANNOTATION)
    return notes if isinstance(notes, dict) else {}
