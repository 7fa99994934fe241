"""A validation error: a place where a value breaks a schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from manifestkit.model.pointer import Path
from manifestkit.schema.fields import ANNOTATION


class TooDeepError(Exception):
    """A value is nested so deep that a schema cannot be followed into it."""


class ValidationError(NamedTuple):
    """One place where a value breaks a schema.

    Attributes:
        path: the value; for a member that should not be there or has a wrong name, the member.
        keyword: the keyword that is broken; ``false`` for the schema that allows nothing.
        expected: what the keyword says.
        instance: the value at the path.
        member: the member that is missing, misnamed or one too many.
        first: for `uniqueItems`, the path of the item that came first.
        schemas: the schemas on the evaluation path to the keyword, innermost first.
        branches: for `anyOf` and `oneOf`, the first errors of each branch; for `propertyNames`,
            those of the name.
        matching: for `oneOf`, how many branches the value fits.
    """

    path: Path
    keyword: str
    expected: Any
    instance: Any
    member: str | None
    first: Path | None
    schemas: tuple[Mapping[str, Any], ...]
    branches: tuple[ValidationError, ...] = ()
    matching: int = 0

    def moved(self, place: Callable[[Path], Path]) -> ValidationError:
        """The same error where each path leads to another place.

        Args:
            place: gives the place for a path.
        """
        return self._replace(
            path=place(self.path),
            first=self.first and place(self.first),
            branches=tuple(each.moved(place) for each in self.branches),
        )

    def annotations(self) -> dict[str, Any]:
        """What the ``x-manifestkit`` annotations on the way say, the nearest before the others."""
        merged: dict[str, Any] = {}
        for schema in reversed(self.schemas):
            notes = schema.get(ANNOTATION)
            if isinstance(notes, dict):
                merged.update((name, each) for name, each in notes.items() if each is not None)
        return merged

    def passes(self, schema: Any) -> bool:
        """Whether the evaluation path leads through a schema, by its ``$id``."""
        identity = schema.get("$id") if isinstance(schema, Mapping) else None
        return identity is not None and any(each.get("$id") == identity for each in self.schemas)
