"""The schemas in a schema that judge a value, or its members and items (core, 10 and 11)."""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import Any, Protocol, Self

from manifestkit.schema.drafts import BRANCHES, REFERENCES

APPLIED_BELOW = frozenset(
    {
        *("additionalItems", "additionalProperties", "items"),
        *("patternProperties", "prefixItems", "properties"),
    }
)
"""The keywords whose schemas judge members or items, whatever else is true of the value."""

UNEVALUATED = {"unevaluatedItems": list, "unevaluatedProperties": dict}
"""The keywords that judge what no other keyword speaks of, each with the type of the value."""


class SchemaView(Protocol):
    """A part of a schema."""

    @property
    def schema(self) -> Any:
        """The part."""
        ...  # pragma: no cover - a protocol

    @property
    def keywords(self) -> Collection[str]:
        """The keywords of its draft that it has."""
        ...  # pragma: no cover - a protocol

    def allows(self, value: Any, schema: Any, /) -> bool:
        """Return whether a value is valid by a schema in this part."""
        ...  # pragma: no cover - a protocol

    def below(self, schema: Any, /) -> Self:
        """Return a schema in this part, as a part."""
        ...  # pragma: no cover - a protocol

    def referred(self, keyword: str, /) -> Self:
        """Return the part that a reference leads to."""
        ...  # pragma: no cover - a protocol

    def matches(self, pattern: str, name: str, /) -> bool:
        """Return whether a regular expression is found in a name."""
        ...  # pragma: no cover - a protocol


def in_place(part: SchemaView, keyword: str, value: Any) -> list[Any]:
    """Return the schemas of a keyword by which the same value must be valid."""
    operand = part.schema[keyword]
    if keyword == "allOf":
        return list(operand)
    if keyword in ("then", "else"):
        is_met = part.allows(value, part.schema.get("if", keyword == "else"))
        return [operand] if is_met == (keyword == "then") else []
    if keyword in ("dependencies", "dependentSchemas") and isinstance(value, dict):
        needed = [operand[name] for name in operand if name in value]
        return [each for each in needed if not isinstance(each, list)]
    return []


def children(part: SchemaView, keyword: str, value: Any) -> list[tuple[Any, Any]]:
    """Return the names or indexes in a value that a keyword is about, each with its schema."""
    if isinstance(value, dict):
        return _members(part, keyword, value)
    if isinstance(value, list):
        return _items(part, keyword, value)
    return []


def _members(part: SchemaView, keyword: str, value: dict[str, Any]) -> list[tuple[str, Any]]:
    schema = part.schema
    operand = schema[keyword]
    if keyword == "properties":
        return [(name, operand[name]) for name in operand if name in value]
    if keyword == "patternProperties":
        return [
            (name, each)
            for pattern, each in operand.items()
            for name in value
            if part.matches(pattern, name)
        ]
    if keyword == "additionalProperties":
        known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
        return [
            (name, operand)
            for name in value
            if name not in known and not any(part.matches(each, name) for each in patterns)
        ]
    if keyword == "unevaluatedProperties":
        others = evaluated(part, value)
        return [(name, operand) for name in value if name not in others]
    return []


def _items(part: SchemaView, keyword: str, value: list[Any]) -> list[tuple[int, Any]]:
    schema = part.schema
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
        first, others = 0, evaluated(part, value)
    return [(index, operand) for index in range(first, len(value)) if index not in others]


def evaluated(part: SchemaView, value: Any) -> set[str | int]:
    """Return the names or indexes that a part speaks of, but for its own `unevaluated...`.

    Where a schema must hold and does not, what it speaks of counts: its own errors tell of it.
    """
    found: set[str | int] = set()
    seen: dict[int, SchemaView] = {}
    todo = [part]
    for each in todo:
        if seen.setdefault(id(each.schema), each) is not each:
            continue
        for keyword in each.keywords:
            if keyword in APPLIED_BELOW:
                found.update(token for token, _ in children(each, keyword, value))
            elif keyword in UNEVALUATED:
                if each is not part and isinstance(value, UNEVALUATED[keyword]):
                    return set(range(len(value)) if isinstance(value, list) else value)
            elif keyword == "contains" and isinstance(value, list):
                schema = each.schema[keyword]
                found.update(i for i, item in enumerate(value) if each.allows(item, schema))
            elif keyword in REFERENCES:
                todo.append(each.referred(keyword))
            else:
                todo += map(each.below, _that_speak(each, keyword, value))
    return found


def _that_speak(part: SchemaView, keyword: str, value: Any) -> list[Any]:
    """Return the schemas of a keyword that judge the same value, and speak of what is in it."""
    operand = part.schema[keyword]
    if keyword in BRANCHES:
        return [each for each in operand if part.allows(value, each)] or operand
    if keyword == "if":
        return [operand] if part.allows(value, operand) else []
    return in_place(part, keyword, value)
