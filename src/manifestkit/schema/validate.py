"""Validation errors: those of the engine, with paths, members and schemas.

The engine says yes or no of values of any size; but each of its errors holds a copy of the value
that it is about, and all of them are made before the first is seen. So it is asked for the errors
of small values only: each names the place and the evaluation path, which is walked through the
schema to find the keyword that is broken, and the schemas around it. A large value is judged part
by part, each by the part of the schema that speaks of it, until enough is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

from manifestkit.model.errors import SchemaError
from manifestkit.model.limits import DEEPEST_JUDGED, DEFAULT_LIMITS, is_deeper
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import BRANCHES, KEYWORDS, NAMED, OLD, ONE, REFERENCES
from manifestkit.schema.engine import ENGINE, ODD_NAME, ValidatorCache, are_odd_names
from manifestkit.schema.fields import CLOSED
from manifestkit.schema.sources import Resolver, Sources
from manifestkit.schema.validation import (
    EngineError,
    NotJudgedError,
    Requirement,
    Schemas,
    TooDeepError,
    ValidationError,
)
from manifestkit.schema.values import Encodable, encodable, frozen, restored

_SMALL = 2_000
_REASONS = 3
_MOST_BRANCHES = 20

_CLOSING = CLOSED | {"additionalItems", "items", "unevaluatedItems"}
"""The keywords that are told by their own names when they are false."""

_PLAIN = frozenset(
    {
        *("const", "enum", "format", "multipleOf", "not", "pattern", "required", "type"),
        *("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"),
        *("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"),
    }
)
"""The keywords with one error for each value that breaks them, or for each missing member."""

_CHARACTERS = 50
_MOST_KNOWN = 10_000

_Known = dict[tuple[Any, ...], Requirement]
_Child = tuple[Any, Any]  # a name or an index, and a schema

_APPLIED_BELOW = frozenset(
    {
        *("additionalItems", "additionalProperties", "items"),
        *("patternProperties", "prefixItems", "properties"),
    }
)
"""The keywords whose schemas judge members or items, whatever else is true of the value."""

_NEEDING = frozenset({"dependentRequired", "dependencies"})
_NAMED_BY = frozenset({"patternProperties", "properties"})
_UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_TOGETHER = ("contains", "minContains", "maxContains")
_IN_PLACE = frozenset({"allOf", "dependencies", "dependentSchemas", "else", "then"})
_ASSERTIONS = _PLAIN | {
    *("anyOf", "contains", "dependencies", "dependentRequired"),
    *("oneOf", "propertyNames", "uniqueItems"),
}


class Validator:
    """Judges values by one schema.

    Args:
        name: how the schema is named to the user.
        sources: the schema, and what it refers to.
        small: how many values a value may hold for the engine to be asked for all its errors.
    """

    def __init__(self, name: str, sources: Sources, small: int = _SMALL) -> None:
        self._name = name
        self._validators = ValidatorCache(sources)
        self._evaluation = Evaluation(self._validators, small)
        self._start = SchemaPart(sources.contents, sources.resolver, (), (), {})

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is as the schema wants it."""
        try:
            return self._judge(value)
        except UnicodeEncodeError:
            return self._judge(Encodable(value).value)

    def errors(self, value: Any) -> Iterator[ValidationError]:
        """Find every validation error of a value, one by one as requested."""
        try:
            if self.is_valid(value):
                return
            yield from self._explained(value)
        except (SchemaError, TooDeepError):
            raise
        except Exception as error:
            if isinstance(error, ValueError) and is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            # A stranger's schema can say what the engine does not expect, at any place.
            raise self._not_judged(error) from error

    def compile(self) -> None:
        """Compile the schema, which else happens when it is first asked.

        Raises:
            ValueError: it cannot be compiled.
        """
        _ = self._validators.whole

    def _judge(self, value: Any) -> bool:
        try:
            return bool(self._validators.whole.is_valid(value))
        except UnicodeEncodeError:
            raise
        except ValueError as error:  # the engine goes only so deep
            if is_deeper(value, DEFAULT_LIMITS.depth):
                raise TooDeepError from None
            raise self._not_judged(error) from None

    def _not_judged(self, error: Exception) -> NotJudgedError:
        return NotJudgedError(f"cannot be checked against {self._name}: {error}")

    def _explained(self, value: Any) -> Iterator[ValidationError]:
        if not self._evaluation.is_simple(value) and is_deeper(value, DEEPEST_JUDGED):
            raise TooDeepError
        told = 0
        try:
            for error in self._evaluation.explained(self._start, value):
                yield error
                told += 1
        except UnicodeEncodeError:
            encoded = Encodable(value)
            found = self._evaluation.explained(self._start, encoded.value)
            for error in islice(found, told, None):
                yield _in_terms_of(value, encoded, error)


class SchemaPart(NamedTuple):
    """A part of a schema, as an evaluation comes to it.

    Attributes:
        schema: the part.
        resolver: looks up the references in it.
        path: the value that it judges.
        above: the schemas that lead to it, innermost first.
        known: the requirements that evaluations have come to.
    """

    schema: Any
    resolver: Resolver
    path: Path
    above: Schemas
    known: _Known

    @property
    def schemas(self) -> Schemas:
        """The schemas on the way, the part included."""
        return (self.schema, *self.above) if isinstance(self.schema, dict) else self.above

    def below(self, schema: Any, *tokens: str | int) -> SchemaPart:
        """Return a part below this one, for the same value or one below."""
        resolver = self.resolver.within(schema)
        return SchemaPart(schema, resolver, (*self.path, *tokens), self.schemas, self.known)

    def referred(self, keyword: str) -> SchemaPart:
        """Return the part that a reference leads to."""
        schema, resolver = self.resolver.lookup(self.schema[keyword], keyword)
        return SchemaPart(schema, resolver, self.path, self.schemas, self.known)

    def requirement(self, keyword: str) -> Requirement:
        """Return the requirement that a keyword of this part is."""
        schemas = self.schemas
        key = (keyword, *map(id, schemas))
        found = self.known.get(key)
        if found is None:
            found = Requirement(keyword, schemas)
            if len(self.known) < _MOST_KNOWN:
                self.known[key] = found
        return found

    def error(self, keyword: str, value: Any, *tokens: str | int, **more: Any) -> ValidationError:
        """Return the error of a keyword of this part about the value, or one below."""
        expected = self.schema.get(keyword) if isinstance(self.schema, dict) else None
        about = {"expected": expected, **more}
        path = (*self.path, *tokens)
        return ValidationError(self.requirement(keyword), keyword, path, value, **about)


_Place = tuple[SchemaPart, str]  # where an error belongs, and the keyword


class Evaluation:
    """Judges invalid values, or those that a branch of a schema may not allow."""

    def __init__(self, validators: ValidatorCache, small: int, *, nested: bool = False) -> None:
        self._keywords = KEYWORDS[validators.draft]
        self._validators = validators
        self._small = small
        self._nested = nested
        self._walked: dict[tuple[str | int, ...], tuple[SchemaPart, Requirement]] = {}

    def errors(self, part: SchemaPart, value: Any) -> Iterator[ValidationError]:
        """Every error of a value by a part of the schema."""
        if part.schema is False and part.above:
            yield part.error("false", value)
        elif (isinstance(part.schema, dict) or not part.above) and not self._validator(
            part
        ).is_valid(value):
            yield from self.explained(part, value)

    def explained(self, part: SchemaPart, value: Any) -> Iterator[ValidationError]:
        """Yield every error of a value that is not valid by a part of the schema."""
        return (self.whole if self.is_simple(value) else self.parted)(part, value)

    def _validator(self, part: SchemaPart) -> Any:
        return self._validators.part(part.schema) if part.above else self._validators.whole

    def is_simple(self, value: Any) -> bool:
        """Return whether the engine is asked for all errors of a value, with their paths."""
        validators = self._validators
        return validators.is_whole or (validators.has_few_errors and _is_small(value, self._small))

    # -- small values: the engine's own errors -------------------------------------------------

    def whole(self, part: SchemaPart, value: Any) -> Iterator[ValidationError]:
        """Find every error of a value that is no large one."""
        skipped = 1 if part.above else 0  # the reference to the part
        is_plain = self._validators.has_plain_names and not _has_odd_names(value)
        places = _Places(part, value)
        for error in self._validator(part).errors(value):
            steps = error.steps[skipped:]
            if is_plain:
                here, requirement = self._walk(places, steps, error.path)
                path = (*part.path, *error.path)
            else:
                here, keyword = places.of(error._replace(steps=steps))
                requirement = here.requirement(keyword)
                path = here.path
            keyword = requirement.keyword
            instance = value
            for token in path[len(part.path) :]:
                instance = instance[token]
            if keyword in _PLAIN:
                member = error.about if keyword == "required" else None
                expected = here.schema[keyword]
                yield ValidationError(requirement, keyword, path, instance, expected, member)
            elif keyword == "false":
                member = path[-1] if path and _NAMED_BY & {*steps[-2:-1]} else None
                yield ValidationError(requirement, keyword, path, instance, None, member)
            else:
                yield from self._reported(here._replace(path=path), keyword, instance, error.about)

    def _walk(self, places: _Places, steps: Path, path: Path) -> tuple[SchemaPart, Requirement]:
        part = places.part
        if not part.above and steps in self._walked:
            return self._walked[steps]
        here, keyword = next(places.find(steps, path))
        found = here, here.requirement(keyword)
        if not part.above and len(self._walked) < _MOST_KNOWN:
            self._walked[steps] = found
        return found

    def _reported(
        self, part: SchemaPart, keyword: str, value: Any, about: Any
    ) -> Iterator[ValidationError]:
        """Yield the errors to report where the engine has found a keyword of a part broken."""
        if keyword in _NEEDING:
            yield from _needed(part, keyword, value, about)
        elif keyword == "propertyNames":
            yield self._misnamed(part, about)
        elif keyword in _TOGETHER:  # the engine names one of them for all
            yield from self._asserted(part, "contains", value)
        elif keyword in CLOSED or keyword in ("unevaluatedItems", "additionalItems"):
            yield from self._left_over(part, keyword, value, about)
        else:
            yield from self._leaf(part, keyword, value)

    def _leaf(self, part: SchemaPart, keyword: str, value: Any) -> Iterator[ValidationError]:
        if keyword in BRANCHES:
            yield self._branches(part, keyword, value)
        elif keyword == "uniqueItems":
            for index, first in _repeated(value):
                yield part.error(keyword, value[index], index, first=(*part.path, first))
        else:
            yield part.error(keyword, value)

    def _left_over(
        self, part: SchemaPart, keyword: str, value: Any, about: Any
    ) -> Iterator[ValidationError]:
        """Yield the errors of the members or items that no other keyword speaks of."""
        tokens = about or [token for token, _ in _children(part.schema, keyword, value)]
        for token in tokens:
            yield from self._below(part, keyword, part.schema[keyword], token, value[token])

    def _misnamed(self, part: SchemaPart, name: str) -> ValidationError:
        names = part.below(part.schema["propertyNames"], name)
        reasons = tuple(islice(self._inside().errors(names, name), 1))
        return part.error("propertyNames", name, name, member=name, branches=reasons)

    def _branches(self, part: SchemaPart, keyword: str, value: Any) -> ValidationError:
        """Return the error of `anyOf` or `oneOf`, with the first errors of each broken branch.

        Of branches inside a branch only the verdict is told.
        """
        branches = part.schema[keyword][:_MOST_BRANCHES]
        matching = sum(self._validators.part(each).is_valid(value) for each in branches)
        reasons: list[ValidationError] = []
        for each in () if matching or self._nested else branches:
            reasons.extend(islice(self._inside().errors(part.below(each), value), _REASONS))
        return part.error(keyword, value, branches=tuple(reasons), matching=matching)

    def _inside(self) -> Evaluation:
        return Evaluation(self._validators, self._small, nested=True)

    # -- large values: part by part ------------------------------------------------------------

    def parted(self, part: SchemaPart, value: Any) -> Iterator[ValidationError]:
        """Every error of a value that is not valid, told by the parts that it is about."""
        known = {name: operand for name, operand in part.schema.items() if name in self._keywords}
        if self._validators.draft == OLD and "$ref" in known:
            known = {"$ref": known["$ref"]}
        for keyword, operand in known.items():
            if keyword in REFERENCES:
                yield from self.errors(part.referred(keyword), value)
            elif keyword in _APPLIED_BELOW:
                for token, each in _children(known, keyword, value):
                    yield from self._below(part, keyword, each, token, value[token])
            elif keyword in _IN_PLACE:
                for each in self._beside(part, keyword, operand, value):
                    yield from self.errors(part.below(each), value)
            elif keyword in _UNEVALUATED:
                yield from self._unevaluated(part, keyword, value)
            if keyword in _ASSERTIONS:
                yield from self._asserted(part, keyword, value)

    def _unevaluated(self, part: SchemaPart, keyword: str, value: Any) -> Iterator[ValidationError]:
        for error in self._validator(part).errors(value):
            if error.steps[1 if part.above else 0 :] == (keyword,):
                yield from self._left_over(part, keyword, value, error.about)

    def _asserted(self, part: SchemaPart, keyword: str, value: Any) -> Iterator[ValidationError]:
        schema = part.schema
        names = _TOGETHER if keyword == "contains" else (keyword,)
        if self._validators.keywords(schema, *names).is_valid(value):
            return
        if keyword == "contains":
            few = not self._validators.keywords(schema, *_TOGETHER[:2]).is_valid(value)
            least = "minContains" if "minContains" in schema else keyword
            yield part.error(least if few else "maxContains", value)
        elif keyword == "required":
            for name in schema[keyword]:
                if name not in value:
                    yield part.error(keyword, value, member=name)
        elif keyword in _NEEDING:
            yield from _needed(part, keyword, value)
        elif keyword == "propertyNames":
            names_alone = self._validators.part(schema[keyword])
            for name in value:
                if not names_alone.is_valid(name):
                    yield self._misnamed(part, name)
        else:
            yield from self._leaf(part, keyword, value)

    def _beside(self, part: SchemaPart, keyword: str, operand: Any, value: Any) -> Iterator[Any]:
        if keyword in ("then", "else"):
            condition = part.schema.get("if", keyword == "else")
            if self._validators.part(condition).is_valid(value) == (keyword == "then"):
                yield operand
        elif keyword == "allOf":
            yield from operand
        elif isinstance(value, dict):
            for name, each in operand.items():
                if name in value and not isinstance(each, list):
                    yield each

    def _below(
        self, part: SchemaPart, keyword: str, schema: Any, token: str | int, value: Any
    ) -> Iterator[ValidationError]:
        if schema is not False:
            if not self._validators.part(schema).is_valid(value):
                yield from self.explained(part.below(schema, token), value)
        elif keyword in _CLOSING and part.schema[keyword] is False:
            yield part.error(
                keyword, value, token, member=token if isinstance(token, str) else None
            )
        else:
            member = token if keyword in _NAMED_BY else None
            yield part.below(schema, token).error("false", value, member=member)


class _Places:
    """The places of an engine's errors, in the schema and in the value.

    `jsonschema-rs` tells the names ``1``, ``01`` and ``+1`` as one index, and leaves an empty name
    out. So its paths may mean several places: of these, an error is about one that holds the value
    that the error holds. Equal values break a requirement alike, each with an error of its own.
    """

    def __init__(self, part: SchemaPart, value: Any) -> None:
        self.part = part
        self._value = value
        self._found: dict[tuple[Path, Path], dict[Any, list[_Place]]] = {}
        self._told: Counter[tuple[Any, ...]] = Counter()
        self._by_index: dict[int, dict[int, list[str]]] = {}

    def of(self, error: EngineError) -> _Place:
        """Return the place of the next error: the part of the schema, and its keyword."""
        key = error.path, error.steps
        if key not in self._found:
            by_value = self._found[key] = {}
            for part, value, keyword in self._search(self.part, error.steps, self._value, key[0]):
                by_value.setdefault(frozen(value), []).append((part, keyword))
        instance, about = frozen(error.source.instance), frozen(error.about)
        places = self._found[key].get(instance) or [*chain(*self._found[key].values())]
        index = self._told[*key, instance, about] % len(places)
        self._told[*key, instance, about] += 1
        return places[index]

    def find(self, steps: Path, path: Path) -> Iterator[_Place]:
        """Find the places that an evaluation path and a path may mean."""
        for part, _, keyword in self._search(self.part, steps, self._value, path):
            yield part, keyword

    def _search(
        self, part: SchemaPart, steps: Path, value: Any, path: Path
    ) -> Iterator[tuple[SchemaPart, Any, str]]:
        """Find the places, each with its value; a wrong guess at a name leads nowhere."""
        if not (steps and isinstance(part.schema, dict) and steps[0] in part.schema):
            if not (steps or path):
                yield part, value, "false"
            return
        keyword, rest = str(steps[0]), steps[1:]
        operand = part.schema[keyword]
        if keyword in REFERENCES:
            yield from self._search(part.referred(keyword), rest, value, path)
        elif _is_last(keyword, operand, rest):
            if keyword == "items" and path:  # it is told at the item
                yield part._replace(path=(*part.path, path[0])), value[path[0]], keyword
            elif not path:
                yield part, value, keyword
        else:
            for name, each, left in _subschemas(keyword, operand, rest):
                for token, after in self._tokens(keyword, value, path):
                    if _is_named(keyword, name, *token):
                        below = part.below(each, *token)
                        there = value[token[0]] if token else value
                        yield from self._search(below, left, there, after)

    def _tokens(
        self, keyword: str, value: Any, path: Path
    ) -> Iterator[tuple[tuple[()] | tuple[str | int], Path]]:
        """Yield the step of a keyword that a path may mean, if it takes one, with what is left."""
        if keyword not in _APPLIED_BELOW and keyword not in _UNEVALUATED:
            yield (), path
        elif isinstance(value, dict):
            first = path[0] if path else None
            if isinstance(first, int):
                for name in self._names_by_index(value).get(first, ()):
                    yield (name,), path[1:]
            elif first in value:
                yield (str(first),), path[1:]
            if first != "" and "" in value:
                yield ("",), path
        elif path:
            yield (path[0],), path[1:]

    def _names_by_index(self, value: dict[str, Any]) -> dict[int, list[str]]:
        if id(value) not in self._by_index:
            by_index = self._by_index[id(value)] = {}
            for name in value:
                index = _as_index(name)
                if index is not None:
                    by_index.setdefault(index, []).append(name)
        return self._by_index[id(value)]


def _is_last(keyword: str, operand: Any, steps: Path) -> bool:
    """Return whether a keyword is the one that is broken, where so many steps follow it."""
    if keyword in NAMED:
        return not steps and not isinstance(operand.get(""), bool | dict)
    is_false = operand is False and keyword in ONE and keyword not in _CLOSING
    return keyword == "propertyNames" or not (steps or is_false)


def _subschemas(keyword: str, operand: Any, steps: Path) -> Iterator[tuple[str, Any, Path]]:
    """Yield the schemas of a keyword that steps may mean, each with its name and what is left."""
    if isinstance(operand, list):
        yield "", operand[int(steps[0])], steps[1:]
    elif keyword not in NAMED:
        yield "", operand, steps
    else:
        for name, each in operand.items():
            if steps and (restored(steps[0]) == name or _as_index(name) == steps[0]):
                yield name, each, steps[1:]
            elif not name:
                yield name, each, steps


def _as_index(name: str) -> int | None:
    """Return the index as which the engine tells a name, if it does."""
    return int(name) if name.strip("+") and ODD_NAME.search(name) else None


def _is_named(keyword: str, name: str, token: str | int = "") -> bool:
    """Return whether a keyword's schema of a name judges a member or item."""
    if keyword == "properties":
        return token in (name, encodable(name))
    return keyword != "patternProperties" or ENGINE.matches(name, str(token))


def _needed(
    part: SchemaPart, keyword: str, value: Any, missing: str | None = None
) -> Iterator[ValidationError]:
    for name, needed in part.schema[keyword].items():
        for each in needed if name in value and isinstance(needed, list) else ():
            if each == missing or (missing is None and each not in value):
                yield part.error(keyword, value, member=each, expected={name: [each]})


def _repeated(items: list[Any]) -> Iterator[tuple[int, int]]:
    """Yield the items that have come before, each with where it came first."""
    seen: dict[Any, int] = {}
    for index, item in enumerate(items):
        first = seen.setdefault(frozen(item), index)
        if first != index:
            yield index, first


def _is_small(value: Any, most: int) -> bool:
    """Return whether a value is small.

    Args:
        value: the value.
        most: how many others it may hold, with so many characters each on average.
    """
    characters = most * _CHARACTERS
    todo = [value]
    for each in todo:
        kind = each.__class__
        if kind is str:
            characters -= len(each)
        elif kind is dict:
            most -= len(each)
            characters -= sum(map(len, each))
            if most < 0:
                return False
            todo += each.values()
        elif kind is list:
            most -= len(each)
            if most < 0:
                return False
            todo += each
        if characters < 0:
            return False
    return True


def _has_odd_names(value: Any) -> bool:
    names: set[str] = set()
    todo = [value]
    for each in todo:
        if isinstance(each, dict):
            names.update(each)
            todo += each.values()
        elif isinstance(each, list):
            todo += each
    return are_odd_names(names)


def _children(schema: Mapping[str, Any], keyword: str, value: Any) -> Iterator[_Child]:
    """Return the names or indexes that a keyword is about, each with its schema."""
    if isinstance(value, dict):
        return _members(schema, keyword, value)
    return _items(schema, keyword, value) if isinstance(value, list) else iter(())


def _members(schema: Mapping[str, Any], keyword: str, value: Mapping[str, Any]) -> Iterator[_Child]:
    operand = schema[keyword]
    if keyword == "properties":
        yield from ((name, each) for name, each in operand.items() if name in value)
    elif keyword == "patternProperties":
        for pattern, each in operand.items():
            yield from ((name, each) for name in value if ENGINE.matches(pattern, name))
    elif keyword == "additionalProperties":
        known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
        for name in value:
            if name not in known and not any(ENGINE.matches(each, name) for each in patterns):
                yield name, operand


def _items(schema: Mapping[str, Any], keyword: str, value: list[Any]) -> Iterator[_Child]:
    operand = schema[keyword]
    if isinstance(operand, list):
        yield from enumerate(operand[: len(value)])
    elif keyword == "items":
        first = len(schema.get("prefixItems", ()))
        yield from ((index, operand) for index in range(first, len(value)))
    elif keyword == "additionalItems" and isinstance(schema.get("items"), list):
        yield from ((index, operand) for index in range(len(schema["items"]), len(value)))


def _in_terms_of(
    value: Any, encoded: Encodable, error: ValidationError, *, is_of_name: bool = False
) -> ValidationError:
    """Return an error about an encodable value as one about the value itself.

    Args:
        value: the value.
        encoded: the encodable one.
        error: the error.
        is_of_name: whether it is about the name of a member.
    """
    path = tuple(map(encoded.restored, error.path))
    is_of_name = is_of_name or error.keyword == "propertyNames"
    instance = value
    for token in () if is_of_name else path:
        instance = instance[token]
    branches = (
        _in_terms_of(value, encoded, each, is_of_name=is_of_name) for each in error.branches
    )
    return error._replace(
        path=path,
        instance=encoded.restored(error.instance) if is_of_name else instance,
        member=encoded.restored(error.member),
        first=error.first and tuple(map(encoded.restored, error.first)),
        branches=tuple(branches),
    )
