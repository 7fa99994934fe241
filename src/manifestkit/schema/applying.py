"""Which schemas under a keyword judge which members and items of a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from manifestkit.schema.compiling import matches

APPLIED_BELOW = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "items",
        "patternProperties",
        "prefixItems",
        "properties",
    }
)
"""The keywords whose schemas judge members or items, whatever else is true of the value."""

Child = tuple[Any, Any]
"""The name of a member or the index of an item, with the schema that judges it."""


def children(schema: Mapping[str, Any], keyword: str, value: Any) -> Iterator[Child]:
    """The members or items that a keyword of a schema speaks of."""
    if isinstance(value, dict):
        return _members(schema, keyword, value)
    return _items(schema, keyword, value) if isinstance(value, list) else iter(())


def _members(schema: Mapping[str, Any], keyword: str, value: Mapping[str, Any]) -> Iterator[Child]:
    operand = schema[keyword]
    if keyword == "properties":
        yield from ((name, each) for name, each in operand.items() if name in value)
    elif keyword == "patternProperties":
        for pattern, each in operand.items():
            yield from ((name, each) for name in value if matches(pattern, name))
    elif keyword == "additionalProperties":
        known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
        for name in value:
            if name not in known and not any(matches(each, name) for each in patterns):
                yield name, operand


def _items(schema: Mapping[str, Any], keyword: str, value: list[Any]) -> Iterator[Child]:
    operand = schema[keyword]
    if isinstance(operand, list):
        yield from enumerate(operand[: len(value)])
    elif keyword == "items":
        first = len(schema.get("prefixItems", ()))
        yield from ((index, operand) for index in range(first, len(value)))
    elif keyword == "additionalItems" and isinstance(schema.get("items"), list):
        yield from ((index, operand) for index in range(len(schema["items"]), len(value)))
