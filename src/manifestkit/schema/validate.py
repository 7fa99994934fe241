"""Validation errors of a value, each with its path, its keyword and the schemas around it.

The engine says yes or no. Its own errors would not do: all of them are made before the first is
seen, each with a copy of its value, and those of `anyOf` and `oneOf` hold the errors of every
branch. So a value that is not valid is judged part by part, each by the part of the schema that
speaks of it, and each keyword that may be broken by itself, until enough is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

from manifestkit.model.errors import SchemaError
from manifestkit.model.limits import DEFAULT_LIMITS, is_deeper
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import BRANCHES, UNEVALUATED, frozen
from manifestkit.schema.schema_part import APPLIED_BELOW, CompiledSchema, SchemaPart
from manifestkit.schema.sources import Sources
from manifestkit.schema.validation_error import (
    MOST_BRANCHES,
    Branch,
    Branches,
    NotJudgedError,
    TooDeepError,
    ValidationError,
)

_MOST_REASONS = 20
_MOST_REFERENCES = 8

_NEEDING = frozenset({"dependentRequired", "dependencies", "required"})
_NAMED_BY = frozenset({"patternProperties", "properties"})
_BELOW = APPLIED_BELOW | UNEVALUATED.keys()
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

BrokenPart = tuple["SchemaPart", Path, Any]
"""A part of a schema, and a value that is not valid by it, with its path."""


class Validator:
    """Judges values by one schema.

    Args:
        name: how the schema is named to the user.
        sources: the schema, and what it refers to.
    """

    def __init__(self, name: str, sources: Sources) -> None:
        self._name = name
        self._compiled = CompiledSchema(sources)
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
    def _root(self) -> SchemaPart:
        return SchemaPart(self._compiled, self._sources.contents, self._sources.resolver, ())

    def _explained(self, part: SchemaPart, path: Path, value: Any) -> Iterator[ValidationError]:
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
        self, part: SchemaPart, path: Path, value: Any
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
        self, part: SchemaPart, keyword: str, path: Path, value: Any
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
        self, part: SchemaPart, keyword: str, path: Path, value: Any
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

    def _likely_branches(self, part: SchemaPart, keyword: str, path: Path, value: Any) -> Branches:
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

    def _unwanted(self, part: SchemaPart, path: Path, value: Any) -> Iterator[ValidationError]:
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

    def _branches(self, branches: Iterable[SchemaPart], path: Path, value: Any) -> Branches:
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


def _has_others(value: dict[str, Any], branch: SchemaPart) -> bool:
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


def _title(part: SchemaPart) -> str | None:
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


def _forbidden(part: SchemaPart, keyword: str, path: Path, value: Any) -> ValidationError:
    """Return the error about a member or an item where nothing is allowed."""
    member = path[-1] if isinstance(path[-1], str) else None
    if part.schema[keyword] is False:  # told by the keyword's own name
        return part.error(keyword, path, value, member=member)
    member = member if keyword in _NAMED_BY else None
    return part.below(False).error("false", path, value, member=member)  # noqa: FBT003 - a schema


def _missing(
    part: SchemaPart, keyword: str, path: Path, value: Mapping[str, Any]
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
