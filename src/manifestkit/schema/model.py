"""A schema as the rest of the toolkit sees it: a judge of values, and a description of fields."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from manifestkit.model.pointer import Path, parse_pointer
from manifestkit.schema.drafts import objects
from manifestkit.schema.fields import Field, ValueDescription, describe
from manifestkit.schema.sources import Sources

if TYPE_CHECKING:
    from manifestkit.schema.validate import Validator

_DEEPEST_FIELD = 8
_MOST_PLACES = 10_000
_NAMING = (
    *("properties", "required", "synonyms"),
    *("dependencies", "dependentRequired", "dependentSchemas"),
)
_INDEX = r"[*]|[0-9]+"


class Schema:
    """One JSON Schema, ready for use.

    Attributes:
        name: how it is named to the user: its file.
        sources: the schema with all that it refers to.
        uri: its own place among the resources.
        contents: the schema.
        check: finds the place of what keeps it from being compiled.
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
        check: Callable[[], None] | None = None,
        read_by: tuple[Callable[..., Schema], tuple[Any, ...]] | None = None,
        profiles: tuple[Schema, ...] = (),
    ) -> None:
        self.name = name
        self.sources = sources
        self.uri = sources.uri
        self.contents = sources.contents
        self.check = check
        self.read_by = read_by
        self._counterparts: dict[str, Field | None] = {}
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
        texts = map(repr, (self.contents, *(self.sources.resources or {}).values()))
        return any("'deprecated': True" in each for each in texts)

    @property
    def is_unbounded(self) -> bool:
        """Return whether it may speak of a value at any depth: ours do not."""
        return self.sources.resources is not None

    @cached_property
    def validator(self) -> Validator:
        """Judges values by it."""
        from manifestkit.schema.validate import Validator  # noqa: PLC0415 - not all commands judge

        validator = Validator(self.name, self.sources)
        if self.check is not None:
            try:
                validator.compile()
            except ValueError:
                self.check()
                raise
        return validator

    def field(self, path: Path) -> Field | None:
        """Return the description of the value at a path; None when there is none.

        All items of an array are described alike.
        """
        here = self._described_at(path)
        return here.field if here else None

    def parts(self, path: Path) -> list[dict[str, Any]]:
        """Return the parts of the schema that describe a path, those it refers to too."""
        here = self._described_at(path)
        return here.parts if here else []

    def _described_at(self, path: Path) -> ValueDescription | None:
        here = self.description
        for token in path:
            here = here.child(token) if here else None
        return here

    @cached_property
    def description(self) -> ValueDescription | None:
        """The description of all values; None when it says nothing."""
        sources = [each.sources for each in (self, *self.profiles)]
        return describe([(each.contents, each.resolver) for each in sources])

    def described_with(self, profiles: tuple[Schema, ...]) -> Schema:
        """Return the same schema for asking for values: what profiles say of them counts too."""
        return Schema(self.name, self.sources, profiles=profiles) if profiles else self

    def clause(self, path: Path) -> str | None:
        """Return the clause about the value at a path, or else about what holds it."""
        fields = (self.field(path[:length]) for length in range(len(path), -1, -1))
        return next((field.clause for field in fields if field and field.clause), None)

    def described(self, value: Any) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of a value that the schema describes, with its path and description."""
        todo: list[tuple[Path, Any, ValueDescription | None]] = [((), value, self.description)]
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
        todo = deque[Path]([()])
        for _ in range(_MOST_PLACES):
            if not todo:
                break
            path = todo.popleft()
            field = self.field(path)
            if field is None or len(path) > _DEEPEST_FIELD:
                continue
            found.append((path, field))
            todo.extend((*path, name) for name in field.members)
            todo.append((*path, 0))
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

    @cached_property
    def member_names(self) -> frozenset[str]:
        """The names of all members that the schema describes."""
        return frozenset(name for _, field in self.fields for name in field.members)

    @cached_property
    def names_anywhere(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of members in it and in what it refers to, and the patterns of such names."""
        found: dict[str, set[str]] = {each: set() for each in ("patternProperties", *_NAMING)}
        for contents in (self.contents, *(self.sources.resources or {}).values()):
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
            steps: tuple[str | int, ...] = (token, 0) if re.fullmatch(_INDEX, token) else (token,)
            path = next(
                ((*path, step) for step in steps if self.field((*path, step))), (*path, token)
            )
        field = self.field(path)
        return None if field is None else (path, field)

    def counterpart(self, field: Field | None) -> Field | None:
        """Return the list that names in its own way what a listed value names; None without one."""
        pointer = field.counterpart if field else None
        if not pointer:
            return None
        if pointer not in self._counterparts:
            found = self.find(parse_pointer(pointer))
            self._counterparts[pointer] = found[1] if found else None
        return self._counterparts[pointer]
