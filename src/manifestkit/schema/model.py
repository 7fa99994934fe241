"""A schema as the rest of the toolkit sees it: a judge of values, and a description of fields."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from manifestkit.pointer import Path
from manifestkit.schema.fields import (
    ANNOTATION,
    Field,
    LocalResolver,
    Place,
    Resolver,
    field_of,
    places_below,
    root_places,
)

if TYPE_CHECKING:
    from manifestkit.schema.fault import Fault
    from manifestkit.schema.parts import Parts

_DEEPEST_FIELD = 8
_MOST_FIELDS = 500
_MOST_PLACES = 10_000
_FREE: tuple[Any, ...] = ({}, True)
_INDEX = r"[*]|[0-9]+"


class Schema:
    """One JSON Schema, ready for use.

    What explains (jsonschema and referencing) is imported when there is something to explain: a
    run over clean manifests never pays for it.

    Attributes:
        name: how it is named to the user: its file.
        contents: the schema.
        uri: the schema's own place among the resources.
        dialect: the jsonschema validator class of its draft; None for 2020-12.
        registry: every resource its references lead to; None when they lead to itself only.
        is_compilable: whether the compiled engine may judge by it: it knows draft 2020-12 only,
            and cannot be stopped where the ways through a schema are too many.
    """

    def __init__(
        self,
        name: str,
        contents: Any,
        uri: str,
        dialect: Any = None,
        registry: Any = None,
        *,
        is_compilable: bool = True,
    ) -> None:
        self.name = name
        self.contents = contents
        self.uri = uri
        self.dialect = dialect
        self.registry = registry
        self.is_compilable = is_compilable

    def faults(self, value: Any) -> Iterator[Fault]:
        """Every way in which a value breaks this schema.

        Raises:
            SchemaError: the schema, or one it refers to, leads nowhere, never ends, takes too
                many steps or cannot be judged by.
            TooDeepError: the value is deeper than any within the default limits.
        """
        from manifestkit.schema.faults import find_faults  # noqa: PLC0415 - see the class

        if self._parts and self._parts.knows_valid(self.contents, value):
            return iter(())
        return find_faults(self._validator, value, self.name)

    @cached_property
    def _validator(self) -> Any:
        from manifestkit.schema.faults import validator_of  # noqa: PLC0415 - see the class

        contents = self.contents if self.registry is None else {"$ref": self.uri}
        return validator_of(contents, self.dialect, self.registry, self._parts)

    @cached_property
    def _parts(self) -> Parts | None:
        from manifestkit.schema.parts import Parts  # noqa: PLC0415 - see the class

        return Parts(self.uri, self.contents, self.resource) if self.is_compilable else None

    @cached_property
    def _resolver(self) -> Resolver:
        if self.registry is None:
            return LocalResolver(self.contents)
        found = self.registry.get_or_retrieve(self.uri).value
        return self.registry.resolver(self.uri).in_subresource(found)

    def field(self, path: Path) -> Field | None:
        """What the schema says of the value at a path; None when it says nothing.

        All items of an array are described alike.
        """
        alike = tuple(0 if isinstance(token, int) else token for token in path)
        if alike not in self._fields:
            self._fields[alike] = field_of(self._places_at(alike))
        return self._fields[alike]

    def _places_at(self, path: Path) -> list[Place]:
        length = len(path)
        while path[:length] not in self._places:
            length -= 1
        for end in range(length, len(path)):
            above = self._places[path[:end]]
            self._places[path[: end + 1]] = places_below(above, path[end])
        return self._places[path]

    @cached_property
    def _places(self) -> dict[Path, list[Place]]:
        return {(): root_places(self.contents, self._resolver)}

    @cached_property
    def _fields(self) -> dict[Path, Field | None]:
        return {}

    def clause(self, path: Path) -> str | None:
        """The clause that the value at a path stands on: its own, or that of what holds it."""
        fields = (self.field(path[:length]) for length in range(len(path), -1, -1))
        return next((field.clause for field in fields if field and field.clause), None)

    def described(self, value: Any) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of a value that the schema describes, with its path and description."""
        todo: list[tuple[Path, Any]] = [((), value)]
        while todo:
            path, each = todo.pop()
            field = self.field(path)
            if field is None:
                continue
            yield path, each, field
            if isinstance(each, dict):
                todo.extend(((*path, name), each[name]) for name in field.members if name in each)
            elif isinstance(each, list):
                todo.extend(((*path, index), item) for index, item in enumerate(each))

    def shaped(self, demand: Callable[[Field], dict[str, Any]]) -> Any:
        """A JSON Schema with a demand on every value that this one describes.

        Where the description goes on without end, the schema made allows no value.
        """
        left = _MOST_FIELDS

        def shape(path: Path) -> Any:
            nonlocal left
            field = self.field(path)
            if field is None:
                return True
            left -= 1
            if left < 0 or len(path) > _DEEPEST_FIELD:
                return False
            members = {name: shape((*path, name)) for name in field.members}
            below = {
                "properties": {name: each for name, each in members.items() if each is not True},
                "items": shape((*path, 0)),
            }
            parts = [
                demand(field),
                {name: part for name, part in below.items() if part not in _FREE},
            ]
            asked = [part for part in parts if part]
            return {"allOf": asked} if asked else True

        return shape(())

    def resource(self, uri: str) -> Any:
        """The schema that a reference leads to; None when it leads nowhere from here."""
        if self.registry is None:
            return self.contents if uri == self.uri else None
        try:
            return self.registry.get_or_retrieve(uri).value.contents
        except KeyError:
            return None

    @cached_property
    def lists(self) -> tuple[tuple[Path, Field], ...]:
        """Every list of allowed values: where it holds, and its description."""
        found: dict[str, tuple[Path, Field]] = {}
        for path, field in self._described_fields():
            if field.values:
                found.setdefault(json.dumps(field.values), (path, field))
        return tuple(found.values())

    @cached_property
    def identified(self) -> tuple[tuple[Path, Field, str], ...]:
        """Every item that has an identifier: where it holds, its description, the identifier."""
        return tuple(
            (path, field, field.identifier)
            for path, field in self._described_fields()
            if path[-1:] == (0,) and field.identifier
        )

    def _described_fields(self) -> Iterator[tuple[Path, Field]]:
        """The described values, those near the root first; an index stands for any item.

        Where the description goes on without end, only the first of them.
        """
        todo = deque[Path]([()])
        for _ in range(_MOST_PLACES):
            if not todo:
                return
            path = todo.popleft()
            field = self.field(path)
            if field is None or len(path) > _DEEPEST_FIELD:
                continue
            yield path, field
            todo.extend((*path, name) for name in field.members)
            todo.append((*path, 0))

    def find(self, tokens: Iterable[str]) -> tuple[Path, Field] | None:
        """The described value at reference tokens; an index or ``*`` stands for any item."""
        path: Path = ()
        for token in tokens:
            steps: tuple[str | int, ...] = (token, 0) if re.fullmatch(_INDEX, token) else (token,)
            path = next(
                ((*path, step) for step in steps if self.field((*path, step))), (*path, token)
            )
        field = self.field(path)
        return None if field is None else (path, field)

    def places_named(self, name: str) -> list[Path]:
        """Where a member of a name is described."""
        found = [path for path, _ in self._described_fields() if path[-1:] == (name,)]
        return sorted(found, key=lambda path: (len(path), str(path)))

    def declared_rules(self) -> dict[str, dict[str, Any]]:
        """The rules that its annotations name, each with the first schema that does."""
        found: dict[str, dict[str, Any]] = {}
        todo = [self.contents]
        while todo:
            each = todo.pop()
            if isinstance(each, dict):
                notes = each.get(ANNOTATION)
                if isinstance(notes, dict) and isinstance(notes.get("rule"), str):
                    found.setdefault(notes["rule"], each)
                todo.extend(reversed(each.values()))
            elif isinstance(each, list):
                todo.extend(reversed(each))
        return found
