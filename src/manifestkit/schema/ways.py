"""How many ways lead through a schema.

Schemas that refer to one another twice each double the ways with every step, to more than any
engine can go. The ways are counted without going them, so that the compiled engine, which nothing
can stop, is only given what it can take; the engine that explains counts its steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from referencing.exceptions import Unresolvable

from manifestkit.schema.fields import Resolver

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_MOVING = frozenset(REFERENCES[1:])
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("if", "then", "else", "not")
_IN_PLACE_NAMED = ("dependentSchemas", "dependencies")
_APART_NAMED = ("properties",)
_APART = ("additionalProperties", "items", "prefixItems", "additionalItems")
_TOGETHER = ("contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties")
_UNEVALUATED = frozenset(_TOGETHER[2:])

_MOST_WAYS = 5_000
_MOST_SCHEMAS = 10_000
_LEVELS = 64
_UNEVALUATED_FACTOR = 4  # how much each step costs more where it must tell what it has looked at

_Seen = tuple[Any, Resolver]


class EndlessError(Exception):
    """Schemas lead back to themselves without going into a part of the value.

    Attributes:
        schemas: their ids.
    """

    def __init__(self, schemas: Iterable[int]) -> None:
        super().__init__()
        self.schemas = frozenset(schemas)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Where one goes from a schema, by the ids of schemas.

    Attributes:
        in_place: what judges the same value.
        apart: what judges parts of it, each part by one of these at most.
        together: what judges parts of it beside these.
    """

    in_place: list[int]
    apart: list[int]
    together: list[int]


class Ways:
    """The ways through schemas.

    Args:
        schemas: where they begin, each with what looks its references up.

    Raises:
        EndlessError: see there.
    """

    def __init__(self, schemas: Iterable[_Seen]) -> None:
        self._steps: dict[int, _Steps] = {}
        self._kept: list[Any] = []  # a schema is known by its id, as long as it lives
        self._words: set[str] = set()
        self._gather(list(schemas))
        graph = {each: steps.in_place for each, steps in self._steps.items()}
        try:
            self._order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            raise EndlessError(error.args[1]) from None

    def are_few(self, schema: Any) -> bool:
        """Whether an engine that goes all ways from a schema is soon done with any value."""
        if self._words & _MOVING or len(self._steps) > _MOST_SCHEMAS:
            return False
        factor = _UNEVALUATED_FACTOR if self._words & _UNEVALUATED else 1
        below = dict.fromkeys(self._steps, 0)
        for _ in range(_LEVELS):  # of the value
            ways: dict[int, int] = {}
            for each in self._order:
                steps = self._steps[each]
                count = 1 + factor * sum(ways[step] for step in steps.in_place)
                count += max((below[step] for step in steps.apart), default=0)
                count += sum(below[step] for step in steps.together)
                ways[each] = min(count, _MOST_WAYS + 1)
            if ways == below:
                break
            below = ways
        return not isinstance(schema, dict) or below[id(schema)] <= _MOST_WAYS

    def _gather(self, todo: list[_Seen]) -> None:
        while todo:
            schema, resolver = todo.pop()
            if id(schema) in self._steps:
                continue
            self._kept.append(schema)
            groups: list[list[_Seen]] = [[], [], []]
            if isinstance(schema, dict):
                self._words |= schema.keys()
                groups = [
                    list(_in_place(schema, resolver)),
                    [(each, resolver) for each in _held(schema, _APART_NAMED, _APART)],
                    [(each, resolver) for each in _held(schema, ("patternProperties",), _TOGETHER)],
                ]
            self._steps[id(schema)] = _Steps(*([id(each) for each, _ in group] for group in groups))
            for group in groups:
                todo.extend(group)


def references(schema: dict[str, Any]) -> list[tuple[str, str]]:
    """The references of a schema; a dynamic one must lead somewhere even without its dynamics."""
    return [
        (keyword, schema[keyword]) for keyword in REFERENCES if isinstance(schema.get(keyword), str)
    ]


def _in_place(schema: dict[str, Any], resolver: Resolver) -> Iterator[_Seen]:
    """The schemas that judge the very value that this one judges."""
    for each in _held(schema, _IN_PLACE_NAMED, (*_IN_PLACE_LISTS, *_IN_PLACE)):
        yield each, resolver
    for _, reference in references(schema):
        try:
            target = resolver.lookup(reference)
        except (Unresolvable, ValueError):
            continue
        yield target.contents, target.resolver


def _held(
    schema: dict[str, Any], named: tuple[str, ...], others: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """The schemas that are under some keywords of one."""
    for keyword in (*named, *others):
        held = schema.get(keyword)
        each: list[Any] = [held]
        if isinstance(held, list):
            each = held
        elif keyword in named and isinstance(held, dict):
            each = list(held.values())
        yield from (one for one in each if isinstance(one, dict))
