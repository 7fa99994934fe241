"""Which members and items of a value the schemas that hold for it have looked at.

What `unevaluatedProperties` and `unevaluatedItems` leave alone (JSON Schema core, 11). jsonschema
has the like, but with patterns in Python's ``re``, which backtracks, and with steps uncounted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.schema.patterns import matches

BUDGET = "manifestkit_budget"
"""The attribute of a validator class that holds the `Budget` of what it judges."""

_ALL_NAMES = ("additionalProperties", "unevaluatedProperties")
_ALL_ITEMS = ("additionalItems", "unevaluatedItems")


def evaluated_names(validator: Any, instance: dict[str, Any], whole: Any) -> set[str]:
    """The members that other keywords than the schema's own `unevaluatedProperties` look at."""
    found: set[str] = set()
    for schema in _holding(validator, instance, whole):
        if any(name in schema for name in _ALL_NAMES[: 1 if schema is whole else 2]):
            return set(instance)
        found.update(instance.keys() & schema.get("properties", {}).keys())
        for pattern in schema.get("patternProperties", ()):
            found.update(name for name in instance if matches(pattern, name))
    return found


def evaluated_indexes(validator: Any, instance: list[Any], whole: Any) -> set[int]:
    """The items that other keywords than the schema's own `unevaluatedItems` look at."""
    found: set[int] = set()
    for schema in _holding(validator, instance, whole):
        first = schema.get("items", True)
        if not isinstance(first, list):
            first = schema.get("prefixItems", ())
            if "items" in schema:
                return set(range(len(instance)))
        if any(name in schema for name in _ALL_ITEMS[: 1 if schema is whole else 2]):
            return set(range(len(instance)))
        found.update(range(len(first)))
        if "contains" in schema:
            found.update(
                index
                for index, item in enumerate(instance)
                if _holds(validator, item, schema["contains"])
            )
    return found


def _holding(validator: Any, instance: Any, schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas that look at a value in the name of one, and hold for it; itself first."""
    getattr(validator, BUDGET).spend(schema)
    if not isinstance(schema, dict):
        return
    yield schema
    for there, each in _beside(validator, instance, schema):
        yield from _holding(there, instance, each)


def _beside(validator: Any, instance: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The schemas that a schema brings in for the same value, each with its validator."""
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            found = validator._resolver.lookup(schema[keyword])  # noqa: SLF001 - it has no other
            there = validator.evolve(schema=found.contents, _resolver=found.resolver)
            yield there, found.contents
    branches = [each for name in ("allOf", "anyOf", "oneOf") for each in schema.get(name, ())]
    if "if" in schema:
        branches.append(schema["if"])
        holds = _holds(validator, instance, schema["if"])
        yield validator, schema.get("then" if holds else "else", True)
    yield from ((validator, each) for each in branches if _holds(validator, instance, each))
    if isinstance(instance, dict):
        dependent = schema.get("dependentSchemas", {})
        yield from ((validator, each) for name, each in dependent.items() if name in instance)


def _holds(validator: Any, instance: Any, schema: Any) -> bool:
    return next(validator.descend(instance, schema), None) is None
