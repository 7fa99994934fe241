"""Which keywords of a schema a value breaks, and where: what the errors are about, without them.

Most manifests that break a host's schema break the same few keywords. Where each of these is in the
schema is found once, for all values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.schema.compiling import Compiled
from manifestkit.schema.evaluate import Part, walked
from manifestkit.schema.validation import ValidationError

_PLAIN = frozenset(
    {
        *("anyOf", "const", "enum", "format", "multipleOf", "not", "oneOf", "pattern", "required"),
        *("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "type"),
        *("maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"),
    }
)
"""The keywords with one error for each value that breaks them, or for each missing member."""

_MOST_KNOWN = 10_000


class Broken(NamedTuple):
    """A keyword that a value breaks.

    Attributes:
        keyword: the keyword, and the schemas around it, the same object for every value.
        path: the value.
        member: the member that is missing.
    """

    keyword: Keyword
    path: Path
    member: str | None


class Keyword:
    """A keyword of a schema, by the evaluation path to it.

    Attributes:
        name: the keyword.
        error: an error of it, of which only the keyword and the schemas mean something.
    """

    def __init__(self, name: str, part: Part) -> None:
        self.name = name
        self.error: ValidationError = part.error(name, None)


class Outline:
    """Outlines what is wrong with values by one schema."""

    def __init__(self, start: Part, compiled: Compiled) -> None:
        self._start = start
        self._compiled = compiled
        self._known: dict[tuple[str | int, ...], Keyword] = {}

    def of(self, value: Any) -> list[Broken] | None:
        """What a value breaks; None where that does not tell all that the errors tell.

        Args:
            value: a small value in which no member has an empty name: the engine leaves those out.
        """
        if self._compiled.has_odd_names:
            return None
        found = []
        for error in self._compiled.whole.iter_errors(value):
            keyword = self._keyword(tuple(error.evaluation_path))
            path = tuple(error.instance_path)
            if keyword.name not in _PLAIN or not _leads_somewhere(value, path):
                return None
            member = error.kind.property if keyword.name == "required" else None
            found.append(Broken(keyword, path, member))
        return found

    def _keyword(self, steps: tuple[str | int, ...]) -> Keyword:
        known = self._known.get(steps)
        if known is None:
            part, name = walked(self._start, steps)
            known = Keyword(name, part)
            if len(self._known) < _MOST_KNOWN:
                self._known[steps] = known
        return known


def _leads_somewhere(value: Any, path: Path) -> bool:
    """Whether a path is one of a value: the engine tells a name of digits as an index."""
    for token in path:
        if isinstance(value, list) != isinstance(token, int):
            return False
        value = value[token]
    return True
