"""Count the evaluation paths of a schema.

Schemas that refer to one another twice each double the paths with every step, to more than any
engine can go. The paths are counted without following them, so that such a schema is refused
when it is loaded: nothing can stop the engine once it has set out.
"""

from __future__ import annotations

from contextlib import suppress
from graphlib import TopologicalSorter

from manifestkit.schema.drafts import SAME_VALUE, UNEVALUATED, subschemas
from manifestkit.schema.sources import Place

_JUDGED = frozenset(
    {
        *("anyOf", "contains", "if", "not", "oneOf", "propertyNames"),
        *("unevaluatedItems", "unevaluatedProperties"),
    }
)
"""The keywords whose schemas only say yes or no; of others, all errors are found."""

_APART = frozenset(
    {"additionalItems", "additionalProperties", "items", "prefixItems", "properties"}
)
"""The keywords of which one judges each part of a value; `patternProperties` may beside them."""

_FOLLOWED = SAME_VALUE | _JUDGED | _APART | {"patternProperties"}
_MOST_PATHS = 5_000
_LEVELS = 32
_UNEVALUATED_TIMES = 4  # how often the same value is judged to tell what has been looked at


class EvaluationPaths:
    """Counter of the evaluation paths that start at schemas of one file."""

    def __init__(self) -> None:
        self._steps: dict[int, list[tuple[str, Place]]] = {}
        self._verdicts: dict[int, int] = {}
        self._known: dict[tuple[int, int], int] = {}

    def check_loops(self, places: list[Place]) -> None:
        """Check that schemas lead back to themselves through parts of the value only.

        Raises:
            CycleError: its second argument has the ids of schemas that do not.
        """
        graph: dict[int, list[int]] = {}
        todo = list(places)
        for each in todo:
            if id(each[0]) not in graph:
                steps = self._steps_from(each)
                graph[id(each[0])] = [id(to[0]) for name, to in steps if name in SAME_VALUE]
                todo += [to for _, to in steps]
        TopologicalSorter(graph).prepare()

    def are_few(self, start: Place) -> bool:
        """Return whether the engine is soon done with any value, when it starts at a schema."""
        return self._count(start, _LEVELS) <= _MOST_PATHS

    def _count(self, place: Place, levels: int) -> int:
        """Count the paths on which all errors of a value with so many levels are found."""
        key = id(place[0]), levels
        if levels and key not in self._known:
            count, apart = 1, 0
            for keyword, to in self._steps_from(place):
                is_same = keyword in SAME_VALUE
                if is_same:
                    count += self._verdict(to) * (_times(place) - 1)
                if keyword in _JUDGED:
                    count += self._verdict(to)
                elif keyword in _APART:
                    apart = max(apart, self._count(to, levels - 1))
                else:
                    count += self._count(to, levels if is_same else levels - 1)
            self._known[key] = min(count + apart, _MOST_PATHS + 1)
        return self._known.get(key, 0)

    def _verdict(self, place: Place) -> int:
        """Count the paths of a verdict, where a step back to a schema counts for one."""
        key = id(place[0])
        if key not in self._verdicts:
            self._verdicts[key] = 1
            count, apart = 1, 0
            for keyword, to in self._steps_from(place):
                if keyword in _APART:
                    apart = max(apart, self._verdict(to))
                else:
                    count += self._verdict(to) * (_times(place) if keyword in SAME_VALUE else 1)
            self._verdicts[key] = min(count + apart, _MOST_PATHS + 1)
        return self._verdicts[key]

    def _steps_from(self, place: Place) -> list[tuple[str, Place]]:
        """Return the schemas that one leads to, each with its keyword."""
        schema, resolver = place
        if id(schema) not in self._steps:
            found = [
                (keyword, (each, resolver.within(each)))
                for (keyword, *_), each in subschemas(schema)
                if keyword in _FOLLOWED
            ]
            if "$ref" in schema:
                with suppress(LookupError):  # in another file, which is checked for itself
                    found.append(("$ref", resolver.lookup(schema["$ref"])))
            self._steps[id(schema)] = [step for step in found if isinstance(step[1][0], dict)]
        return self._steps[id(schema)]


def _times(place: Place) -> int:
    return 1 if UNEVALUATED.keys().isdisjoint(place[0]) else _UNEVALUATED_TIMES
