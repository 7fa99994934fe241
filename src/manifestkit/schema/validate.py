"""Validation errors of a value, each with its path, its keyword and the schemas around it.

The engine says yes or no. Its own errors would not do: all of them are made before the first is
seen, each with a copy of its value, and those of `anyOf` and `oneOf` hold the errors of every
branch. So a value that is not valid is judged part by part, each by the part of the schema that
speaks of it, and each keyword that may be broken by itself, until enough is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any
from urllib.parse import quote

from manifestkit.model.errors import SchemaError
from manifestkit.model.limits import DEFAULT_LIMITS, is_deeper
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.schema.drafts import (
    BRANCHES,
    UNEVALUATED,
    Dialect,
    frozen,
    map_subschemas,
    objects,
)
from manifestkit.schema.engines import ENGINE
from manifestkit.schema.sources import Place, Resolver, Sources
from manifestkit.schema.validation_error import (
    MOST_BRANCHES,
    Branch,
    Branches,
    NotJudgedError,
    Requirement,
    TooDeepError,
    ValidationError,
)

_MOST_REASONS = 20
_MOST_REFERENCES = 8

_MOST_KNOWN = 10_000

_APPLIED_BELOW = frozenset(
    {
        *("additionalItems", "additionalProperties", "items"),
        *("patternProperties", "prefixItems", "properties"),
    }
)
"""The keywords whose schemas judge members or items, whatever else is true of the value."""

_NEEDING = frozenset({"dependentRequired", "dependencies", "required"})
_NAMED_BY = frozenset({"patternProperties", "properties"})
_BELOW = _APPLIED_BELOW | UNEVALUATED.keys()
_WITH = {"contains": ("minContains", "maxContains")}
_IN_PLACE = frozenset({"$ref", "allOf", "dependencies", "dependentSchemas", "else", "then"})
_ASSERTIONS = frozenset(
    {
        *("const", "enum", "format", "multipleOf", "not", "pattern", "required", "type"),
        *("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"),
        *("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"),
        *("anyOf", "contains", "dependencies", "dependentRequired"),
        *("oneOf", "propertyNames", "uniqueItems"),
    }
)

BrokenPart = tuple["_SchemaPart", Path, Any]
"""A part of a schema, and a value that is not valid by it, with its path."""


class Validator:
    """Judges values by one schema.

    Args:
        name: how the schema is named to the user.
        sources: the schema, and what it refers to.
    """

    def __init__(self, name: str, sources: Sources) -> None:
        self._name = name
        self._compiled = _CompiledSchema(sources)
        self._sources = sources

    def compile(self) -> None:
        """Compile the schema, which else happens when it is first asked.

        Raises:
            ValueError: it cannot be compiled.
        """
        _ = self._compiled.whole

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is as the schema wants it.

        Raises:
            SchemaError: the value cannot be judged by the schema.
            TooDeepError: it is nested too deep for the engine.
        """
        is_valid = self._compiled.whole
        try:
            return is_valid(value)
        except ValueError as error:  # the engine goes only so deep
            if is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            raise self._not_judged(error) from None

    def errors(self, value: Any) -> Iterator[ValidationError]:
        """Find every validation error of a value, one by one as requested.

        Raises:
            SchemaError, TooDeepError: see `is_valid`.
        """
        is_explained = False
        try:
            if self.is_valid(value):
                return
            for each in self._explained(self._root, (), value):
                is_explained = True
                yield each
        except (SchemaError, TooDeepError):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            # A stranger's schema can say what the engine does not expect, at any place.
            raise self._not_judged(error) from error
        if not is_explained:  # an error that is lost would let it pass
            raise NotJudgedError(f"is not valid by {self._name}, which does not say where")

    def _not_judged(self, error: Exception) -> NotJudgedError:
        return NotJudgedError(f"cannot be checked against {self._name}: {error}")

    @cached_property
    def _root(self) -> _SchemaPart:
        return _SchemaPart(self._compiled, self._sources.contents, self._sources.resolver, ())

    def _explained(self, part: _SchemaPart, path: Path, value: Any) -> Iterator[ValidationError]:
        """Yield every error of a value that is not valid by a part of the schema."""
        stack = [self._broken(part, path, value)]
        while stack:
            found = next(stack[-1], None)
            if found is None:
                stack.pop()
            elif isinstance(found, ValidationError):
                yield found
            else:
                below, at, each = found
                stack.append(self._broken(below, at, each))

    def _broken(
        self, part: _SchemaPart, path: Path, value: Any
    ) -> Iterator[ValidationError | BrokenPart]:
        """Yield the errors of the part's own keywords, and what parts of it judge."""
        is_only = len(part.keywords) == 1  # it must be the broken one
        compiled = self._compiled
        if part.schema is False:
            yield part.error("false", path, value)
        for keyword in part.keywords:
            if keyword in _IN_PLACE:
                yield from self._in_place(part, keyword, path, value)
            elif keyword in _BELOW:
                for token, schema in part.children(keyword, value):
                    if schema is False:
                        yield _forbidden(part, keyword, (*path, token), value[token])
                    elif not compiled.is_valid(schema, value[token]):
                        yield part.below(schema), (*path, token), value[token]
            if keyword in _ASSERTIONS:
                others = _WITH.get(keyword, ())
                if is_only or not compiled.holds(part.schema, value, keyword, *others):
                    yield from self._asserted(part, keyword, path, value)

    def _in_place(
        self, part: _SchemaPart, keyword: str, path: Path, value: Any
    ) -> Iterator[BrokenPart]:
        """Yield the parts by which a keyword judges the same value, and finds it not valid."""
        if keyword == "$ref":
            referred = part.referred()
            if not self._compiled.is_valid(referred.schema, value):
                yield referred, path, value
            return
        for each in part.in_place(keyword, value):
            if not self._compiled.is_valid(each, value):
                yield part.below(each), path, value

    def _asserted(
        self, part: _SchemaPart, keyword: str, path: Path, value: Any
    ) -> Iterator[ValidationError]:
        """Yield the errors of a broken keyword that requires something of the value itself."""
        if keyword in _NEEDING:
            yield from _missing(part, keyword, path, value)
        elif keyword == "propertyNames":
            names = part.below(part.schema[keyword])
            for name in value:
                if not self._compiled.is_valid(names.schema, name):
                    at = (*path, name)
                    explain = partial(self._branches, [names], at, name)
                    yield part.error(keyword, at, name, member=name, explain=explain)
        elif keyword == "uniqueItems":
            for index, first in _repeated(value):
                yield part.error(keyword, (*path, index), value[index], first=(*path, first))
        elif keyword == "contains":
            few = not self._compiled.holds(part.schema, value, keyword, "minContains")
            least = "minContains" if "minContains" in part.schema else keyword
            yield part.error(least if few else "maxContains", path, value)
        elif keyword in BRANCHES:
            likely = partial(self._likely_branches, part, keyword, path, value)
            yield part.error(keyword, path, value, explain=cache(likely))
        elif keyword == "not":
            yield from self._unwanted(part, path, value)
        else:
            yield part.error(keyword, path, value)

    def _likely_branches(self, part: _SchemaPart, keyword: str, path: Path, value: Any) -> Branches:
        """Return the branches; of many, those first that the value is valid by, or seems meant for.

        An object seems meant for one if it has its constants.
        """
        schemas = part.schema[keyword]
        if len(schemas) > MOST_BRANCHES:
            if isinstance(value, dict):
                schemas = sorted(schemas, key=lambda each: _has_others(value, part.below(each)))
            if keyword == "oneOf":  # of no other keyword are those at fault that it is valid by
                schemas = sorted(schemas, key=lambda each: not self._compiled.is_valid(each, value))
        return self._branches(map(part.below, schemas[:MOST_BRANCHES]), path, value)

    def _unwanted(self, part: _SchemaPart, path: Path, value: Any) -> Iterator[ValidationError]:
        """Yield the error of `not`, or those of the items that an array must not contain."""
        schema = part.schema["not"]
        is_about_items = isinstance(value, list) and isinstance(schema, dict)
        if not is_about_items or list(schema) != ["contains"]:
            yield part.error("not", path, value)
            return
        items = schema["contains"]
        for index, each in enumerate(value):
            if self._compiled.is_valid(items, each):
                yield part.error("not", (*path, index), each, expected=items)

    def _branches(self, branches: Iterable[_SchemaPart], path: Path, value: Any) -> Branches:
        """Return the first errors of each branch, or that several are right."""
        found: list[Branch] = []
        with suppress(Exception):  # as in `errors`; that the value is not valid is certain
            for each in branches:
                if self._compiled.is_valid(each.schema, value):
                    return Branches(is_several=True)
                errors = tuple(islice(self._explained(each, path, value), _MOST_REASONS))
                if errors:
                    found.append(Branch(_title(each), errors))
        return Branches(tuple(found))


class _CompiledSchema:
    """A schema for the engine, and its parts, each compiled when it is first asked.

    Attributes:
        left: how many parts of evaluation paths may still be kept.
    """

    def __init__(self, sources: Sources) -> None:
        self.left = _MOST_KNOWN
        self._sources = sources
        self._known: dict[Any, Callable[[Any], bool]] = {}

    @cached_property
    def whole(self) -> Callable[[Any], bool]:
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
            kept = {name: schema[name] for name in (keyword, *others) if name in schema}
            alone = map_subschemas(kept, self._reference)
            found = self._known[key] = self._compiled(alone, self.draft_of(schema))
        return found(value)

    def draft_of(self, schema: Any) -> Dialect:
        """Return the draft of the file that a part stands in."""
        return self._addresses[id(schema)][1] if isinstance(schema, dict) else self._sources.draft

    def _reference(self, schema: Any) -> Any:
        return {"$ref": self._addresses[id(schema)][0]} if isinstance(schema, dict) else schema

    def _compiled(self, schema: Any, draft: Dialect) -> Callable[[Any], bool]:
        return ENGINE.compiled(schema, draft, None, self._registry)

    @cached_property
    def _resources(self) -> Mapping[str, Any]:
        return self._sources.resources or {self._sources.uri: self._sources.contents}

    @cached_property
    def _registry(self) -> Any:
        return ENGINE.registry(self._resources, self._sources.draft)

    @cached_property
    def _addresses(self) -> dict[int, tuple[str, Dialect]]:
        """Every object in the schemas, by its id: a reference to it, and its draft."""
        found: dict[int, tuple[str, Dialect]] = {}
        for uri, contents in self._resources.items():
            draft = Dialect.of(contents, self._sources.draft) or self._sources.draft
            for path, each in objects(contents):
                found.setdefault(id(each), (f"{uri}#{_as_fragment(path)}", draft))
        return found


class _SchemaPart:
    """A part of a schema, as one evaluation path leads to it.

    Attributes:
        compiled: the schema that it is a part of.
        schema: the part.
        places: the schemas on the path, innermost first, the part included, each with its resolver.
        keywords: the keywords of its draft that it has.
    """

    __slots__ = ("_known", "_resolver", "compiled", "keywords", "places", "schema")

    def __init__(
        self,
        compiled: _CompiledSchema,
        schema: Any,
        resolver: Resolver,
        above: tuple[Place, ...],
    ) -> None:
        draft = compiled.draft_of(schema)
        self.schema = schema
        self.places = ((schema, resolver), *above) if isinstance(schema, dict) else above
        names = schema if isinstance(schema, dict) else ()
        is_alone = draft is Dialect.OLD and "$ref" in names
        self.keywords = ["$ref"] if is_alone else [each for each in names if each in draft.keywords]
        self.compiled = compiled
        self._resolver = resolver
        self._known: dict[Any, Any] = {}

    def below(self, schema: Any) -> _SchemaPart:
        """Return a schema in this part, as a part."""
        found: _SchemaPart | None = self._known.get(id(schema))
        if found is None:
            found = _SchemaPart(self.compiled, schema, self._resolver.within(schema), self.places)
            self._keep(id(schema), found)
        return found

    def referred(self) -> _SchemaPart:
        """Return the part that the reference leads to."""
        found: _SchemaPart | None = self._known.get("$ref")
        if found is None:
            schema, resolver = self._resolver.lookup(self.schema["$ref"])
            found = _SchemaPart(self.compiled, schema, resolver, self.places)
            self._keep("$ref", found)
        return found

    def error(self, keyword: str, path: Path, value: Any, **more: Any) -> ValidationError:
        """Return the error of a keyword of this part about the value at a path."""
        requirement: Requirement | None = self._known.get((keyword,))
        if requirement is None:
            requirement = Requirement(keyword, self.places)
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
        seen: dict[int, _SchemaPart] = {}
        todo = [self]
        for each in todo:
            if seen.setdefault(id(each.schema), each) is not each:
                continue
            for keyword in each.keywords:
                if keyword in _APPLIED_BELOW:
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


def _that_speak(part: _SchemaPart, keyword: str, value: Any) -> list[Any]:
    """Return the schemas of a keyword that judge the same value, and speak of what is in it."""
    operand = part.schema[keyword]
    if keyword in BRANCHES:
        return [each for each in operand if part.compiled.is_valid(each, value)] or operand
    if keyword == "if":
        return [operand] if part.compiled.is_valid(operand, value) else []
    return part.in_place(keyword, value)


def _has_others(value: dict[str, Any], branch: _SchemaPart) -> bool:
    """Return whether a branch has a constant for a member that has another value."""
    for _ in range(_MOST_REFERENCES):
        if not isinstance(branch.schema, dict) or branch.schema.keys() != {"$ref"}:
            break
        branch = branch.referred()
    members = branch.schema.get("properties", {}) if isinstance(branch.schema, dict) else {}
    return any(
        isinstance(each, dict) and "const" in each and value.get(name) != each["const"]
        for name, each in members.items()
    )


def _title(part: _SchemaPart) -> str | None:
    """Return the title of a part, or of what it refers to."""
    for _ in range(_MOST_REFERENCES):
        schema = part.schema if isinstance(part.schema, dict) else {}
        title = schema.get("title")
        if isinstance(title, str):
            return title
        if "$ref" not in schema:
            break
        part = part.referred()
    return None


def _forbidden(part: _SchemaPart, keyword: str, path: Path, value: Any) -> ValidationError:
    """Return the error about a member or an item where nothing is allowed."""
    member = path[-1] if isinstance(path[-1], str) else None
    if part.schema[keyword] is False:  # told by the keyword's own name
        return part.error(keyword, path, value, member=member)
    member = member if keyword in _NAMED_BY else None
    return part.below(False).error("false", path, value, member=member)  # noqa: FBT003 - a schema


def _missing(
    part: _SchemaPart, keyword: str, path: Path, value: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Yield an error for each member that is needed and is not there."""
    operand = part.schema[keyword]
    for name in operand:
        if keyword == "required":
            if name not in value:
                yield part.error(keyword, path, value, member=name)
        elif name in value and isinstance(operand[name], list):
            for each in operand[name]:
                if each not in value:
                    expected = {name: [each]}
                    yield part.error(keyword, path, value, member=each, expected=expected)


def _repeated(items: list[Any]) -> Iterator[tuple[int, int]]:
    """Yield the items that have come before, each with where it came first."""
    seen: dict[Any, int] = {}
    for index, item in enumerate(items):
        first = seen.setdefault(frozen(item), index)
        if first != index:
            yield index, first


def _as_fragment(path: Path) -> str:
    """Write a path as the fragment of a reference; what is not ASCII stays, as in an IRI."""
    pointer = format_pointer(path)
    if pointer.isascii():
        return quote(pointer)
    return re.sub(r"[\0-\x7f]+", lambda found: quote(found[0]), pointer)
