"""The drafts of JSON Schema: their keywords, where other schemas stand, and equal values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

from manifestkit.model.pointer import Path, walk

_OF_BOTH = frozenset(
    {
        *("$ref", "additionalProperties", "allOf", "anyOf", "const", "contains", "definitions"),
        *("else", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items"),
        *("maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength"),
        *("minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern"),
        *("patternProperties", "properties", "propertyNames", "required", "then", "type"),
        "uniqueItems",
    }
)
_NEW = frozenset(
    {
        *("dependentRequired", "dependentSchemas", "maxContains", "minContains"),
        *("prefixItems", "unevaluatedItems", "unevaluatedProperties"),
    }
)


class Dialect(Enum):
    """A dialect of JSON Schema: a draft that is known here.

    Attributes:
        label: how people name it.
        uri: the URI of its meta-schema.
        keywords: its keywords that a value can break, and those that stand beside them.
    """

    CURRENT = "2020-12", "https://json-schema.org/draft/2020-12/schema", _OF_BOTH | _NEW
    OLD = (
        "7",
        "http://json-schema.org/draft-07/schema",
        _OF_BOTH | {"additionalItems", "dependencies"},
    )
    """The draft in which nothing counts beside a `$ref`."""

    def __init__(self, label: str, uri: str, keywords: frozenset[str]) -> None:
        self.label = label
        self.uri = uri
        self.keywords = keywords

    @classmethod
    def of(cls, contents: Any, default: Dialect | None = None) -> Dialect | None:
        """Return the draft that a schema says it is of; None when that is none of these.

        Args:
            contents: the schema.
            default: the draft of one that says nothing; the current one without.
        """
        if not isinstance(contents, dict) or "$schema" not in contents:
            return default or cls.CURRENT
        named = contents["$schema"]
        known = {each.uri: each for each in cls}
        return known.get(named.removesuffix("#")) if isinstance(named, str) else None


ANNOTATION = "x-manifestkit"
CLOSED = frozenset({"additionalProperties", "unevaluatedProperties"})
"""The keywords that close an object, when they are false."""

BRANCHES = ("anyOf", "oneOf")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
SAME_VALUE = frozenset(
    {
        *("$ref", "allOf", "anyOf", "dependencies", "dependentSchemas"),
        *("else", "if", "not", "oneOf", "then"),
    }
)
"""The keywords whose schemas judge the same value."""

UNEVALUATED = {"unevaluatedItems": list, "unevaluatedProperties": dict}
"""The keywords that judge what no other keyword speaks of, each with the type of the value."""

_NAMED = (
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
)
_ONE = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
TYPES: dict[str, type | tuple[type, ...]] = {
    "array": list,
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}
"""The types of values, with Python's; of `True`, the first is right."""

_BOOLEANS = {True: object(), False: object()}


def subschemas(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the schemas right below one, with the tokens that lead to them."""
    if not isinstance(schema, dict):
        return
    for keyword, operand in schema.items():
        if keyword in _NAMED and isinstance(operand, dict):
            yield from (((keyword, name), each) for name, each in operand.items())
        elif (keyword in _LISTS or keyword == "items") and isinstance(operand, list):
            yield from (((keyword, index), each) for index, each in enumerate(operand))
        elif keyword in _ONE:
            yield (keyword,), operand


def map_subschemas(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a schema where those right below it are changed."""
    made = dict(schema)
    for keyword, operand in schema.items():
        if keyword in _NAMED and isinstance(operand, dict):
            made[keyword] = {name: change(each) for name, each in operand.items()}
        elif (keyword in _LISTS or keyword == "items") and isinstance(operand, list):
            made[keyword] = [change(each) for each in operand]
        elif keyword in _ONE:
            made[keyword] = change(operand)
    return made


def subschemas_of(contents: Any) -> Iterator[dict[str, Any]]:
    """Find the objects among a schema's subschemas, itself first, by the keywords of both."""
    todo = [contents]
    while todo:
        schema = todo.pop()
        if isinstance(schema, dict):
            yield schema
        todo.extend(each for _, each in subschemas(schema))


def objects(contents: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Return every object in a JSON value with its path, in the order of the text."""
    return ((path, each) for path, each in walk(contents) if isinstance(each, dict))


def at_places(places: Iterable[Iterable[str | int]], schema: Any) -> dict[str, Any]:
    """Return one schema that holds for the values at places; an index stands for each item."""
    whole: dict[str, Any] = {}
    for place in places:
        here = whole
        for token in place:
            if isinstance(token, int):
                here = here.setdefault("items", {})
            else:
                here = here.setdefault("properties", {}).setdefault(token, {})
        here["allOf"] = [schema]
    return whole


def frozen(value: Any) -> Any:
    """Return a hashable stand-in, equal exactly when the JSON values are: 1 is 1.0, not true."""
    if isinstance(value, bool):
        return _BOOLEANS[value]
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, dict):
        return frozenset((name, frozen(member)) for name, member in value.items())
    return value
