"""Validation errors of a value, each with its path, its keyword and the schemas around it.

The engine says yes or no. Its own errors would not do: all of them are made before the first is
seen, each with a copy of its value, and those of `anyOf` and `oneOf` hold the errors of every
branch. So a value that is not valid is judged part by part, each by the part of the schema that
speaks of it, and each keyword that may be broken by itself, until enough is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    subschemas,
)
from manifestkit.schema.engines import ENGINE, IsValid
from manifestkit.schema.engines.surrogates import encodable
from manifestkit.schema.sources import Sources
from manifestkit.schema.validation_error import (
    Branch,
    Branches,
    NotJudgedError,
    Requirement,
    TooDeepError,
    ValidationError,
)

_MOST_REASONS = 20
_MOST_BRANCHES = 100  # of `anyOf` or `oneOf`, of which errors are told
_MOST_KNOWN = 10_000
_PATTERNS = "patternProperties"
_BOOLEANS = {f"urn:manifestkit:{each}": each for each in (True, False)}
_NOT_FOR_ENGINE = frozenset(
    {"$id", "$anchor", "$dynamicAnchor", "contentEncoding", "contentMediaType"}
)
"""Names of schemas, and keywords that an engine asserts and a draft leaves open."""


_APPLIED_BELOW: dict[str, type] = {
    **dict.fromkeys(("additionalItems", "items", "prefixItems"), list),
    **dict.fromkeys(("additionalProperties", "patternProperties", "properties"), dict),
}
"""The keywords whose schemas judge members or items, each with the type of the value."""

_NEEDING = frozenset({"dependentRequired", "dependencies", "required"})
_NAMED_BY = frozenset({_PATTERNS, "properties"})
_BELOW = _APPLIED_BELOW | UNEVALUATED
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

_ASSERTING = _ASSERTIONS.union(*_WITH.values())
"""The keywords that require something of the value itself, and those that they need beside them."""

BrokenPart = tuple["_SchemaPart", Path, Any]
"""A part of a schema, and a value that is not valid by it, with its path."""


class Validator:
    """Judges values by one schema.

    Attributes:
        targets: what references lead to, by the ids of the schemas that have them.
        left: how many parts of evaluation paths may still be kept.
    """

    def __init__(self, name: str, sources: Sources) -> None:
        self.targets = sources.targets
        self.left = _MOST_KNOWN
        self._name = name
        self._sources = sources
        named = {f"urn:manifestkit:{n}": each for n, each in enumerate(sources.resources)}
        self._resources = {**named, **_BOOLEANS}
        self._known: dict[tuple[int, tuple[str, ...]], IsValid] = {}

    def compile(self) -> None:
        """Compile the schema, which else happens when it is first asked.

        Raises:
            ValueError: it cannot be compiled.
        """
        contents = self._sources.contents
        self._known[id(contents), ()] = self._compiled(contents)

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is as the schema wants it.

        Raises:
            SchemaError: the value cannot be judged by the schema.
            TooDeepError: it is nested too deep for the engine.
        """
        try:
            return self.holds(self._sources.contents, value)
        except ValueError as error:  # the engine goes only so deep
            raise self._not_judged(value, error) from None

    def errors(self, value: Any) -> Iterator[ValidationError]:
        """Find every validation error of a value, one by one as requested.

        Raises:
            SchemaError, TooDeepError: see `is_valid`.
        """
        is_explained = False
        try:
            if self.holds(self._sources.contents, value):
                return
            for each in self._explained(self._root, (), value):
                is_explained = True
                yield each
        except (SchemaError, TooDeepError):
            raise
        except Exception as error:
            # A stranger's schema can say what the engine does not expect, at any place.
            raise self._not_judged(value, error) from error
        if not is_explained:  # an error that is lost would let it pass
            raise NotJudgedError(f"is not valid by {self._name}, which does not say where")

    def requirements(self) -> Iterator[Requirement]:
        """Yield what each part requires, once for each rule and severity that paths give it."""
        seen = set[tuple[object, ...]]()
        todo: list[tuple[Any, tuple[dict[str, Any], ...]]] = [(self._sources.contents, ())]
        for schema, above in todo:
            part = _SchemaPart(self, schema, above)
            keyword = "false" if schema is False else next(iter(part.asserting), "")
            need = Requirement(keyword, part.path, self.targets)
            key = id(schema), need.rule, need.severity, need.is_off
            if key not in seen:
                seen.add(key)
                if keyword:
                    yield need
                to = self.targets.get(id(schema)) if "$ref" in part.keywords else None
                steps = [("$ref", to), *((name, each) for (name, *_), each in subschemas(schema))]
                followed = (each for name, each in steps if name in _IN_PLACE or name in _BELOW)
                todo += ((each, part.path) for each in followed)

    def _not_judged(self, value: Any, error: Exception) -> Exception:
        if isinstance(error, ValueError) and is_deeper(value, DEFAULT_LIMITS.depth):
            return TooDeepError()
        return NotJudgedError(f"cannot be checked against {self._name}: {error}")

    @cached_property
    def _root(self) -> _SchemaPart:
        return _SchemaPart(self, self._sources.contents, ())

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
        if part.schema is False:
            yield part.error("false", path, value)
        asserting = part.asserting
        is_only = len(part.keywords) == 1  # it must be the broken one
        is_asserted = asserting and (is_only or not self.holds(part.schema, value, *asserting))
        for keyword in part.keywords:
            if keyword in _IN_PLACE or keyword in _BELOW:
                yield from self._broken_below(part, keyword, path, value)
            if is_asserted and keyword in _ASSERTIONS:
                others = _WITH.get(keyword, ())
                if len(asserting) == 1 or not self.holds(part.schema, value, keyword, *others):
                    yield from self._asserted(part, keyword, path, value)

    def _broken_below(
        self, part: _SchemaPart, keyword: str, path: Path, value: Any
    ) -> Iterator[ValidationError | BrokenPart]:
        """Yield the parts of a keyword by which a value, or one in it, is not valid."""
        parts = part.in_place(keyword, value) if keyword in _IN_PLACE else []
        is_only = len(part.keywords) == len(parts) == 1 and not part.asserting
        for each in parts:
            if is_only or not self.holds(each.schema, value):
                yield each, path, value
        for token, schema in part.children(keyword, value) if keyword in _BELOW else ():
            if schema is False:
                yield _forbidden(part, keyword, (*path, token), value[token])
            elif not self.holds(schema, value[token]):
                yield part.below(schema), (*path, token), value[token]

    def _asserted(
        self, part: _SchemaPart, keyword: str, path: Path, value: Any
    ) -> Iterator[ValidationError]:
        """Yield the errors of a broken keyword that requires something of the value itself."""
        if keyword in _NEEDING:
            yield from _missing(part, keyword, path, value)
        elif keyword == "propertyNames":
            names = part.schema[keyword]
            for name in value:
                if not self.holds(names, name):
                    at = (*path, name)
                    explain = partial(self._branches, part, [names], at, name)
                    yield part.error(keyword, at, name, member=name, explain=explain)
        elif keyword == "uniqueItems":
            for index, first in _repeated(value):
                yield part.error(keyword, (*path, index), value[index], first=(*path, first))
        elif keyword == "contains":
            few = not self.holds(part.schema, value, keyword, "minContains")
            least = "minContains" if "minContains" in part.schema else keyword
            yield part.error(least if few else "maxContains", path, value)
        elif keyword in BRANCHES:
            branches = partial(self._branches, part, part.schema[keyword], path, value)
            yield part.error(keyword, path, value, explain=cache(branches))
        elif keyword == "not":
            yield from self._unwanted(part, path, value)
        else:
            yield part.error(keyword, path, value)

    def _unwanted(self, part: _SchemaPart, path: Path, value: Any) -> Iterator[ValidationError]:
        """Yield the error of `not`, or those of the items that an array must not contain."""
        schema = part.schema["not"]
        if isinstance(value, list) and isinstance(schema, dict) and list(schema) == ["contains"]:
            items = schema["contains"]
            for index, each in enumerate(value):
                if self.holds(items, each):
                    yield part.error("not", (*path, index), each, expected=items)
        else:
            yield part.error("not", path, value)

    def _branches(self, part: _SchemaPart, schemas: list[Any], path: Path, value: Any) -> Branches:
        """Return the first errors of each branch, or that several are right."""
        found: list[Branch] = []
        with suppress(Exception):  # as in `errors`; that the value is not valid is certain
            if any(self.holds(each, value) for each in schemas):
                return Branches(is_several=True)
            for each in map(part.below, schemas[:_MOST_BRANCHES]):
                errors = tuple(islice(self._explained(each, path, value), _MOST_REASONS))
                if errors:
                    found.append(Branch(_title(each), errors))
        return Branches(tuple(found))

    def holds(self, schema: Any, value: Any, *keywords: str) -> bool:
        """Return whether a value is as a part of the schema, or keywords of one together, want."""
        key = id(schema), keywords
        is_valid = self._known.get(key)
        if is_valid is None:
            is_valid = self._known[key] = self._compiled(schema, keywords)
        try:
            return is_valid(value)
        except UnicodeEncodeError:  # a lone surrogate, which JSON can write
            return is_valid(encodable(value))

    def _compiled(self, schema: Any, keywords: tuple[str, ...] = ()) -> IsValid:
        """Return what tells whether values are valid by a part, or by keywords of one together.

        The engine finds what a reference leads to by its place: names of schemas are not left to
        it.
        """
        if schema is self._sources.contents and not (keywords or self._sources.files):
            return ENGINE.compiled(schema, self._sources.draft, None)
        kept = {name: schema[name] for name in keywords if name in schema}
        part = _written(kept, self._reference) if keywords else self._reference(schema)
        return ENGINE.compiled(part, self.draft_of(schema), self._registry)

    def draft_of(self, schema: Any) -> Dialect:
        """Return the draft of the file that a part stands in."""
        return self._addresses[id(schema)][1] if isinstance(schema, dict) else self._sources.draft

    def _reference(self, schema: Any) -> Any:
        return {"$ref": self._addresses[id(schema)][0]} if isinstance(schema, dict) else schema

    def _for_engine(self, schema: Any) -> Any:
        """Return a schema without names, where each reference is the place that it leads to."""
        if not isinstance(schema, dict):
            return schema
        kept = {name: each for name, each in schema.items() if name not in _NOT_FOR_ENGINE}
        if id(schema) in self.targets:
            kept["$ref"] = self._addresses[id(self.targets[id(schema)])][0]
        return _written(kept, self._for_engine)

    @cached_property
    def _registry(self) -> Any:
        default = self._sources.draft
        return ENGINE.registry(
            {
                uri: (self._for_engine(each), Dialect.of(each, default) or default)
                for uri, each in self._resources.items()
            }
        )

    @cached_property
    def _addresses(self) -> dict[int, tuple[str, Dialect]]:
        """Every object in the schemas, by its id: a reference to it, and its draft."""
        default = self._sources.draft
        found = {id(each): (uri, default) for uri, each in _BOOLEANS.items()}
        for uri, contents in self._resources.items():
            draft = Dialect.of(contents, default) or default
            for path, each in objects(contents):
                pairs = zip(("", *path), path, strict=False)
                place = [_name(above, token) for above, token in pairs]
                found.setdefault(id(each), (f"{uri}#{quote(format_pointer(place))}", draft))
        return found


def _written(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a schema whose subschemas are changed, and its patterns as the engine reads them."""
    made = map_subschemas(schema, change)
    if "pattern" in made:
        made["pattern"] = ENGINE.written(made["pattern"])
    if named := made.get(_PATTERNS):
        made[_PATTERNS] = {_name(_PATTERNS, pattern): each for pattern, each in named.items()}
    return made


def _name(above: str | int, token: Any) -> Any:
    """Return a token of a path as the engine has it."""
    return ENGINE.written(token) if above == _PATTERNS and isinstance(token, str) else token


class _SchemaPart:
    """A part of a schema, as one evaluation path leads to it.

    Attributes:
        validator: that of the schema that it is a part of.
        schema: the part.
        path: the schemas on the path, innermost first, the part included.
        keywords: the keywords of its draft that it has.
        asserting: those of them that require something of the value itself.
    """

    __slots__ = ("_known", "asserting", "keywords", "path", "schema", "validator")

    def __init__(
        self, validator: Validator, schema: Any, above: tuple[dict[str, Any], ...]
    ) -> None:
        draft = validator.draft_of(schema)
        self.schema = schema
        self.path = (schema, *above) if isinstance(schema, dict) else above
        names = schema if isinstance(schema, dict) else ()
        is_alone = draft is Dialect.OLD and "$ref" in names
        self.keywords = ["$ref"] if is_alone else [each for each in names if each in draft.keywords]
        self.asserting = [each for each in self.keywords if each in _ASSERTING]
        self.validator = validator
        self._known: dict[Any, Any] = {}

    def below(self, schema: Any) -> _SchemaPart:
        """Return a schema in this part, as a part."""
        found: _SchemaPart | None = self._known.get(id(schema))
        if found is None:
            found = _SchemaPart(self.validator, schema, self.path)
            self._keep(id(schema), found)
        return found

    def error(self, keyword: str, path: Path, value: Any, **more: Any) -> ValidationError:
        """Return the error of a keyword of this part about the value at a path."""
        requirement: Requirement | None = self._known.get((keyword,))
        if requirement is None:
            requirement = Requirement(keyword, self.path, self.validator.targets)
            self._keep((keyword,), requirement)
        more.setdefault("expected", self.schema.get(keyword) if self.schema else None)
        return ValidationError(requirement, keyword, path, value, **more)

    def _keep(self, key: Any, found: Any) -> None:
        if self.validator.left > 0:
            self.validator.left -= 1
            self._known[key] = found

    def in_place(self, keyword: str, value: Any) -> list[_SchemaPart]:
        """Return the parts of a keyword by which the same value must be valid."""
        operand = self.schema[keyword]
        found: list[Any] = []
        if keyword == "$ref":
            found = [self.validator.targets[id(self.schema)]]
        elif keyword == "allOf":
            found = operand
        elif keyword in ("then", "else"):
            is_met = self.validator.holds(self.schema.get("if", keyword == "else"), value)
            found = [operand] if is_met == (keyword == "then") else []
        elif keyword in ("dependencies", "dependentSchemas") and isinstance(value, dict):
            needed = [operand[name] for name in operand if name in value]
            found = [each for each in needed if not isinstance(each, list)]
        return [self.below(each) for each in found]

    def children(self, keyword: str, value: Any) -> list[tuple[Any, Any]]:
        """Return the names or indexes in a value that a keyword is about, each with its schema."""
        if not isinstance(value, _BELOW[keyword]):
            return []
        is_object = isinstance(value, dict)
        return self._members(keyword, value) if is_object else self._items(keyword, value)

    def _members(self, keyword: str, value: Any) -> list[tuple[str, Any]]:
        operand = self.schema[keyword]
        if keyword == "properties":
            return [(name, operand[name]) for name in operand if name in value]
        if keyword == _PATTERNS:
            pairs = ((name, pattern) for pattern in operand for name in value)
            return [(name, operand[each]) for name, each in pairs if ENGINE.matches(each, name)]
        if keyword == "additionalProperties":
            patterns = self.schema.get(_PATTERNS, ())
            matching = (n for n in value if any(ENGINE.matches(each, n) for each in patterns))
            others: set[str | int] = {*self.schema.get("properties", ()), *matching}
        else:
            others = self._evaluated(value)
        return [(name, operand) for name in value if name not in others]

    def _items(self, keyword: str, value: Any) -> list[tuple[int, Any]]:
        operand = self.schema[keyword]
        if isinstance(operand, list):  # `items` or `prefixItems`
            return list(enumerate(operand[: len(value)]))
        before = self.schema.get("prefixItems", []) if keyword == "items" else []
        if keyword == "additionalItems":
            tuple_items = self.schema.get("items")
            before = tuple_items if isinstance(tuple_items, list) else value
        others = self._evaluated(value) if keyword == "unevaluatedItems" else range(len(before))
        return [(index, operand) for index in range(len(value)) if index not in others]

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
                        i for i, item in enumerate(value) if self.validator.holds(schema, item)
                    )
                else:
                    todo += _that_speak(each, keyword, value)
        return found


def _that_speak(part: _SchemaPart, keyword: str, value: Any) -> list[_SchemaPart]:
    """Return the parts of a keyword that judge the same value, and speak of what is in it."""
    if keyword in (*BRANCHES, "if"):
        operand = part.schema[keyword]
        schemas = [operand] if keyword == "if" else operand
        valid = [each for each in schemas if part.validator.holds(each, value)]
        return [part.below(each) for each in valid or (() if keyword == "if" else schemas)]
    return part.in_place(keyword, value)


def _title(part: _SchemaPart) -> str | None:
    """Return the title of a part, or of what it refers to."""
    target = part.validator.targets.get(id(part.schema))
    both = (each for each in (part.schema, target) if isinstance(each, dict))
    return next((each["title"] for each in both if "title" in each), None)


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
    if keyword == "required":
        yield from (
            part.error(keyword, path, value, member=each) for each in operand if each not in value
        )
        return
    for name in operand:
        if name in value and isinstance(operand[name], list):
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
