"""A schema and its parts, as the engine judges by them and as one evaluation path leads to them."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import (
    BRANCHES,
    KEYWORDS,
    LISTS,
    NAMED,
    OLD,
    ONE,
    UNEVALUATED,
    draft_of,
    objects,
)
from manifestkit.schema.engines import ENGINE, IsValid
from manifestkit.schema.sources import Resolver, Sources
from manifestkit.schema.validation_error import Requirement, Schemas, ValidationError

_MOST_KNOWN = 10_000

APPLIED_BELOW = frozenset(
    {
        *("additionalItems", "additionalProperties", "items"),
        *("patternProperties", "prefixItems", "properties"),
    }
)
"""The keywords whose schemas judge members or items, whatever else is true of the value."""


class CompiledSchema:
    """A schema for the engine, and its parts, each compiled when it is first asked.

    Attributes:
        left: how many parts of evaluation paths may still be kept.
    """

    def __init__(self, sources: Sources) -> None:
        self.left = _MOST_KNOWN
        self._sources = sources
        self._known: dict[Any, IsValid] = {}

    @cached_property
    def whole(self) -> IsValid:
        """Returns whether a value is valid by the whole schema."""
        contents, draft = self._sources.contents, self._sources.draft
        if self._sources.resources is None:
            return ENGINE.compiled(contents, draft, None, None)
        return ENGINE.compiled(contents, draft, self._sources.uri, self._registry)

    def is_valid(self, schema: Any, value: Any) -> bool:
        """Return whether a value is as a part of the schema wants it."""
        found = self._known.get(id(schema))
        if found is None:
            found = self._compiled(self._reference(schema), self.draft_of(schema))
            self._known[id(schema)] = found
        return found(value)

    def holds(self, schema: Any, value: Any, keyword: str, *others: str) -> bool:
        """Return whether a value is as a keyword, or several together, of a part wants it."""
        key = id(schema), keyword, others
        found = self._known.get(key)
        if found is None:
            names = [name for name in (keyword, *others) if name in schema]
            alone = {name: self._apart(name, schema[name]) for name in names}
            found = self._known[key] = self._compiled(alone, self.draft_of(schema))
        return found(value)

    def draft_of(self, schema: Any) -> str:
        """Return the draft of the file that a part stands in."""
        return self._addresses[id(schema)][1] if isinstance(schema, dict) else self._sources.draft

    def _reference(self, schema: Any) -> Any:
        return {"$ref": self._addresses[id(schema)][0]} if isinstance(schema, dict) else schema

    def _compiled(self, schema: Any, draft: str) -> IsValid:
        return ENGINE.compiled(schema, draft, None, self._registry)

    def _apart(self, keyword: str, operand: Any) -> Any:
        """Return the value of a keyword with references for the schemas in it."""
        if keyword in ONE and isinstance(operand, dict):
            return self._reference(operand)
        if isinstance(operand, list) and (keyword in LISTS or keyword == "items"):
            return [self._reference(each) for each in operand]
        if keyword in NAMED:
            return {name: self._reference(each) for name, each in operand.items()}
        return operand

    @cached_property
    def _resources(self) -> Mapping[str, Any]:
        return self._sources.resources or {self._sources.uri: self._sources.contents}

    @cached_property
    def _registry(self) -> Any:
        return ENGINE.registry(self._resources, self._sources.draft)

    @cached_property
    def _addresses(self) -> dict[int, tuple[str, str]]:
        """Every object in the schemas, by its id: a reference to it, and its draft."""
        found: dict[int, tuple[str, str]] = {}
        for uri, contents in self._resources.items():
            draft = draft_of(contents, self._sources.draft) or self._sources.draft
            for path, each in objects(contents):
                found.setdefault(id(each), (f"{uri}#{_as_fragment(path)}", draft))
        return found


class SchemaPart:
    """A part of a schema, as one evaluation path leads to it.

    Attributes:
        compiled: the schema that it is a part of.
        schema: the part.
        schemas: the schemas on the path, innermost first, the part included.
        keywords: the keywords of its draft that it has.
    """

    __slots__ = ("_known", "_resolver", "compiled", "keywords", "schema", "schemas")

    def __init__(
        self, compiled: CompiledSchema, schema: Any, resolver: Resolver, above: Schemas
    ) -> None:
        draft = compiled.draft_of(schema)
        self.schema = schema
        self.schemas = (schema, *above) if isinstance(schema, dict) else above
        names = schema if isinstance(schema, dict) else ()
        is_alone = draft == OLD and "$ref" in names
        self.keywords = (
            ["$ref"] if is_alone else [each for each in names if each in KEYWORDS[draft]]
        )
        self.compiled = compiled
        self._resolver = resolver
        self._known: dict[Any, Any] = {}

    def below(self, schema: Any) -> SchemaPart:
        """Return a schema in this part, as a part."""
        found: SchemaPart | None = self._known.get(id(schema))
        if found is None:
            found = SchemaPart(self.compiled, schema, self._resolver.within(schema), self.schemas)
            self._keep(id(schema), found)
        return found

    def referred(self) -> SchemaPart:
        """Return the part that the reference leads to."""
        found: SchemaPart | None = self._known.get("$ref")
        if found is None:
            schema, resolver = self._resolver.lookup(self.schema["$ref"])
            found = SchemaPart(self.compiled, schema, resolver, self.schemas)
            self._keep("$ref", found)
        return found

    def error(self, keyword: str, path: Path, value: Any, **more: Any) -> ValidationError:
        """Return the error of a keyword of this part about the value at a path."""
        requirement: Requirement | None = self._known.get((keyword,))
        if requirement is None:
            requirement = Requirement(keyword, self.schemas)
            self._keep((keyword,), requirement)
        if "expected" not in more:
            more["expected"] = self.schema.get(keyword) if isinstance(self.schema, dict) else None
        return ValidationError(requirement, keyword, path, value, **more)

    def _keep(self, key: Any, found: Any) -> None:
        if self.compiled.left > 0:
            self.compiled.left -= 1
            self._known[key] = found

    def in_place(self, keyword: str, value: Any) -> list[Any]:
        """Return the schemas of a keyword by which the same value must be valid."""
        operand = self.schema[keyword]
        if keyword == "allOf":
            return list(operand)
        if keyword in ("then", "else"):
            is_met = self.compiled.is_valid(self.schema.get("if", keyword == "else"), value)
            return [operand] if is_met == (keyword == "then") else []
        if keyword in ("dependencies", "dependentSchemas") and isinstance(value, dict):
            needed = [operand[name] for name in operand if name in value]
            return [each for each in needed if not isinstance(each, list)]
        return []

    def children(self, keyword: str, value: Any) -> list[tuple[Any, Any]]:
        """Return the names or indexes in a value that a keyword is about, each with its schema."""
        if isinstance(value, dict):
            return self._members(keyword, value)
        if isinstance(value, list):
            return self._items(keyword, value)
        return []

    def _members(self, keyword: str, value: dict[str, Any]) -> list[tuple[str, Any]]:
        schema = self.schema
        operand = schema[keyword]
        if keyword == "properties":
            return [(name, operand[name]) for name in operand if name in value]
        if keyword == "patternProperties":
            return [
                (name, each)
                for pattern, each in operand.items()
                for name in value
                if ENGINE.matches(pattern, name)
            ]
        if keyword == "additionalProperties":
            known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
            return [
                (name, operand)
                for name in value
                if name not in known and not any(ENGINE.matches(each, name) for each in patterns)
            ]
        if keyword == "unevaluatedProperties":
            others = self._evaluated(value)
            return [(name, operand) for name in value if name not in others]
        return []

    def _items(self, keyword: str, value: list[Any]) -> list[tuple[int, Any]]:
        schema = self.schema
        operand = schema[keyword]
        if isinstance(operand, list):  # `items` or `prefixItems`
            return list(enumerate(operand[: len(value)]))
        first = len(value)
        others: Container[Any] = ()
        if keyword == "items":
            first = len(schema.get("prefixItems", ()))
        elif keyword == "additionalItems" and isinstance(schema.get("items"), list):
            first = len(schema["items"])
        elif keyword == "unevaluatedItems":
            first, others = 0, self._evaluated(value)
        return [(index, operand) for index in range(first, len(value)) if index not in others]

    def _evaluated(self, value: Any) -> set[str | int]:
        """Return the names or indexes that a part speaks of, but for its own `unevaluated...`.

        Where a schema must hold and does not, what it speaks of counts: its own errors tell of it.
        """
        found: set[str | int] = set()
        seen: dict[int, SchemaPart] = {}
        todo = [self]
        for each in todo:
            if seen.setdefault(id(each.schema), each) is not each:
                continue
            for keyword in each.keywords:
                if keyword in APPLIED_BELOW:
                    found.update(token for token, _ in each.children(keyword, value))
                elif keyword in UNEVALUATED:
                    if each is not self and isinstance(value, UNEVALUATED[keyword]):
                        return set(range(len(value)) if isinstance(value, list) else value)
                elif keyword == "contains" and isinstance(value, list):
                    schema = each.schema[keyword]
                    found.update(
                        i for i, item in enumerate(value) if self.compiled.is_valid(schema, item)
                    )
                elif keyword == "$ref":
                    todo.append(each.referred())
                else:
                    todo += map(each.below, _that_speak(each, keyword, value))
        return found


def _that_speak(part: SchemaPart, keyword: str, value: Any) -> list[Any]:
    """Return the schemas of a keyword that judge the same value, and speak of what is in it."""
    operand = part.schema[keyword]
    if keyword in BRANCHES:
        return [each for each in operand if part.compiled.is_valid(each, value)] or operand
    if keyword == "if":
        return [operand] if part.compiled.is_valid(operand, value) else []
    return part.in_place(keyword, value)


def _as_fragment(path: Path) -> str:
    """Write a path as the fragment of a reference; what is not ASCII stays, as in an IRI."""
    pointer = format_pointer(path)
    if pointer.isascii():
        return quote(pointer)
    return re.sub(r"[\0-\x7f]+", lambda found: quote(found[0]), pointer)
