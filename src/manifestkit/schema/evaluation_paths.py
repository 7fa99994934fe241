"""Count the evaluation paths of a schema.

Schemas that refer to one another twice each double the paths with every step, to more than any
engine can go. The paths are counted without following them, so that such a schema is refused
when it is loaded: nothing can stop the engine once it has set out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from manifestkit.schema.drafts import KEYWORDS, REFERENCES
from manifestkit.schema.sources import Place, Resolver

_ALL_ERRORS = ("allOf", "then", "else", "dependentSchemas", "dependencies")
_ONE_ERROR = ("anyOf", "oneOf", "if", "not")
_APART = ("properties", "additionalProperties", "items", "prefixItems", "additionalItems")
_TOGETHER = ("patternProperties",)
_TOGETHER_ONE_ERROR = ("contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties")
_BY_NAME = ("dependencies", "dependentSchemas", "patternProperties", "properties")
_UNEVALUATED = frozenset(_TOGETHER_ONE_ERROR[2:])

_MOST_PATHS = 5_000
_LEVELS = 64
_UNEVALUATED_TIMES = 4  # how often the same value is judged to tell what has been looked at


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
    """The schemas that a schema leads to, by their ids.

    Attributes:
        walked: what judges the same value, and tells all its errors.
        judged: what judges the same value, and says yes or no.
        apart: what judges parts of it, each part by one of these at most.
        together: what judges parts of it beside these, and tells all its errors.
        together_judged: what judges parts of it beside these, and says yes or no.
        times: how often what judges the same value does so.
    """

    walked: list[int]
    judged: list[int]
    apart: list[int]
    together: list[int]
    together_judged: list[int]
    times: int

    @property
    def in_place(self) -> list[int]:
        """The schemas that judge the same value."""
        return self.walked + self.judged

    @property
    def all(self) -> list[int]:
        return [*self.in_place, *self.apart, *self.together, *self.together_judged]


class EvaluationPaths:
    """The evaluation paths of schemas.

    Args:
        schemas: where they begin, each with what looks its references up.
        known: the ids of schemas that need no counting.
        draft: what the schemas are of.

    Raises:
        EndlessError: see there.
    """

    def __init__(self, schemas: Iterable[Place], known: frozenset[int], draft: str) -> None:
        self._draft = draft
        self._steps: dict[int, _Steps] = {}
        self._known = known
        self._gather(list(schemas))
        graph = {each: steps.in_place for each, steps in self._steps.items()}
        try:
            self._order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            raise EndlessError(error.args[1]) from None

    def are_few(self, schema: Any) -> bool:
        """Return whether the engine is soon done with any value, when it starts at a schema."""
        if not isinstance(schema, dict):
            return True
        verdicts = self._verdicts(id(schema))
        below = dict.fromkeys(verdicts, 0)
        for _ in range(_LEVELS):  # of the value
            counts: dict[int, int] = {}
            for each in self._order:
                if each in verdicts:
                    steps = self._steps[each]
                    count = 1 + sum(counts[step] for step in steps.walked)
                    count += sum(verdicts[step] for step in steps.judged)
                    count += (steps.times - 1) * sum(verdicts[step] for step in steps.in_place)
                    count += max((below[step] for step in steps.apart), default=0)
                    count += sum(below[step] for step in steps.together)
                    count += sum(verdicts[step] for step in steps.together_judged)
                    counts[each] = min(count, _MOST_PATHS + 1)
            if counts == below:
                break
            below = counts
        return below[id(schema)] <= _MOST_PATHS

    def _verdicts(self, start: int) -> dict[int, int]:
        """Return the paths that a verdict of each schema follows, of those that one leads to.

        The engine comes back to a schema that it is at, and to a value, but once: such a step
        counts for one.
        """
        found: dict[int, int] = {}
        todo = [(start, iter(self._steps[start].all))]
        entered = {start}
        while todo:
            each, left = todo[-1]
            step = next(left, None)
            if step is None:
                todo.pop()
                steps = self._steps[each]
                count = 1 + steps.times * sum(found.get(to, 1) for to in steps.in_place)
                count += max((found.get(to, 1) for to in steps.apart), default=0)
                count += sum(found.get(to, 1) for to in steps.together + steps.together_judged)
                found[each] = min(count, _MOST_PATHS + 1)
            elif step not in entered:
                entered.add(step)
                todo.append((step, iter(self._steps[step].all)))
        return found

    def _gather(self, todo: list[Place]) -> None:
        while todo:
            schema, resolver = todo.pop()
            if id(schema) in self._steps:
                continue
            groups: list[list[Place]] = [[], [], [], [], []]
            times = 1
            if isinstance(schema, dict) and id(schema) not in self._known:
                times = 1 if _UNEVALUATED.isdisjoint(schema) else _UNEVALUATED_TIMES
                groups = [
                    [
                        *_subschemas(schema, resolver, _ALL_ERRORS),
                        *_referred(schema, resolver, self._draft),
                    ],
                    *(
                        list(_subschemas(schema, resolver, keywords))
                        for keywords in (_ONE_ERROR, _APART, _TOGETHER, _TOGETHER_ONE_ERROR)
                    ),
                ]
            ids = [[id(each) for each, _ in group] for group in groups]
            self._steps[id(schema)] = _Steps(ids[0], ids[1], ids[2], ids[3], ids[4], times)
            for group in groups:
                todo.extend(group)


def references(schema: dict[str, Any], draft: str) -> list[tuple[str, str]]:
    """Return the references of a schema; a dynamic one must also lead somewhere by itself."""
    return [
        (keyword, schema[keyword])
        for keyword in REFERENCES
        if keyword in KEYWORDS[draft] and isinstance(schema.get(keyword), str)
    ]


def _referred(schema: dict[str, Any], resolver: Resolver, draft: str) -> Iterator[Place]:
    for keyword, reference in references(schema, draft):
        try:
            yield resolver.lookup(reference, keyword)
        except LookupError:
            continue


def _subschemas(
    schema: dict[str, Any], resolver: Resolver, keywords: tuple[str, ...]
) -> Iterator[Place]:
    for keyword in keywords:
        operand = schema.get(keyword)
        each: list[Any] = [operand]
        if isinstance(operand, list):
            each = operand
        elif keyword in _BY_NAME and isinstance(operand, dict):
            each = list(operand.values())
        yield from ((one, resolver.within(one)) for one in each if isinstance(one, dict))
