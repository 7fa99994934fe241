"""Count the evaluation paths of a schema.

Schemas that refer to one another twice each double the paths with every step, to more than any
engine can go. The paths are counted without following them, so that such a schema is refused
when it is loaded: nothing can stop the engine once it has set out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from manifestkit.schema.applied import UNEVALUATED
from manifestkit.schema.drafts import KEYWORDS, REFERENCES, subschemas
from manifestkit.schema.sources import Place

_GROUPS = (
    ("allOf", "then", "else", "dependentSchemas", "dependencies"),
    ("anyOf", "oneOf", "if", "not"),
    ("properties", "additionalProperties", "items", "prefixItems", "additionalItems"),
    ("patternProperties",),
    ("contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"),
)
"""The keywords of each kind of step, as `_Steps` has them."""

_GROUP_OF = {keyword: group for group, keywords in enumerate(_GROUPS) for keyword in keywords}

_MOST_PATHS = 5_000
_LEVELS = 64
_UNEVALUATED_TIMES = 4  # how often the same value is judged to tell what has been looked at


class _Steps(NamedTuple):
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
        return self.walked + self.judged

    @property
    def all(self) -> list[int]:
        return [*self.in_place, *self.apart, *self.together, *self.together_judged]


def has_few_paths(root: Any, schemas: list[Place], known: frozenset[int], draft: str) -> bool:
    """Return whether the engine is soon done with any value, when it starts at a schema.

    Args:
        root: the schema.
        schemas: every object among its subschemas, each with what looks its references up.
        known: the ids of schemas that need no counting.
        draft: what the schemas are of.

    Raises:
        CycleError: schemas lead back to themselves without going into a part of the value; its
            second argument is their ids.
    """
    steps = _gathered(schemas, known, draft)
    graph = {each: step.in_place for each, step in steps.items()}
    order = list(TopologicalSorter(graph).static_order())
    return not isinstance(root, dict) or _are_few(id(root), steps, order)


def _are_few(start: int, steps: Mapping[int, _Steps], order: list[int]) -> bool:
    verdicts = _verdicts(start, steps)
    below = dict.fromkeys(verdicts, 0)
    for _ in range(_LEVELS):  # of the value
        counts: dict[int, int] = {}
        for each in order:
            if each in verdicts:
                to = steps[each]
                count = 1 + sum(counts[step] for step in to.walked)
                count += sum(verdicts[step] for step in to.judged)
                count += (to.times - 1) * sum(verdicts[step] for step in to.in_place)
                count += max((below[step] for step in to.apart), default=0)
                count += sum(below[step] for step in to.together)
                count += sum(verdicts[step] for step in to.together_judged)
                counts[each] = min(count, _MOST_PATHS + 1)
        if counts == below:
            break
        below = counts
    return below[start] <= _MOST_PATHS


def _verdicts(start: int, steps: Mapping[int, _Steps]) -> dict[int, int]:
    """Return the paths that a verdict of each schema follows, of those that one leads to.

    The engine comes back to a schema that it is at, and to a value, but once: such a step
    counts for one.
    """
    found: dict[int, int] = {}
    todo = [(start, iter(steps[start].all))]
    entered = {start}
    while todo:
        each, left = todo[-1]
        step = next(left, None)
        if step is None:
            todo.pop()
            to = steps[each]
            count = 1 + to.times * sum(found.get(one, 1) for one in to.in_place)
            count += max((found.get(one, 1) for one in to.apart), default=0)
            count += sum(found.get(one, 1) for one in to.together + to.together_judged)
            found[each] = min(count, _MOST_PATHS + 1)
        elif step not in entered:
            entered.add(step)
            todo.append((step, iter(steps[step].all)))
    return found


def _gathered(todo: Iterable[Place], known: frozenset[int], draft: str) -> dict[int, _Steps]:
    todo = list(todo)
    steps: dict[int, _Steps] = {}
    while todo:
        schema, resolver = todo.pop()
        if id(schema) in steps:
            continue
        groups: list[list[Place]] = [[] for _ in _GROUPS]
        times = 1
        if isinstance(schema, dict) and id(schema) not in known:
            times = 1 if UNEVALUATED.keys().isdisjoint(schema) else _UNEVALUATED_TIMES
            for tokens, each in subschemas(schema):
                if isinstance(each, dict) and tokens[0] in _GROUP_OF:
                    groups[_GROUP_OF[tokens[0]]].append((each, resolver.within(each)))
            for _, reference in references(schema, draft):
                with suppress(LookupError):
                    groups[0].append(resolver.lookup(reference))
        walked, judged, apart, together, there = (
            [id(each) for each, _ in group] for group in groups
        )
        steps[id(schema)] = _Steps(walked, judged, apart, together, there, times)
        for group in groups:
            todo.extend(group)
    return steps


def references(schema: dict[str, Any], draft: str) -> list[tuple[str, str]]:
    """Return the references of a schema; a dynamic one must also lead somewhere by itself."""
    return [
        (keyword, schema[keyword])
        for keyword in REFERENCES
        if keyword in KEYWORDS[draft] and isinstance(schema.get(keyword), str)
    ]
