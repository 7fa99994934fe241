"""The cursor, and the objects and arrays around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path


class Cursor(NamedTuple):
    """The name or value at a cursor, or the one to be written there.

    Attributes:
        path: the value; for a name, the member.
        span: the characters of the name or value; none where there is nothing yet.
        is_name: whether it is the name of a member.
        others: the names of the other members of the object, or the other items of the array.
        is_last: whether nothing more follows in the object or array.
        has_colon: whether a colon follows a name.
        comma_at: where the comma before it is missing, if it is.
        in_brackets: whether it is in JSON, or between brackets in YAML.
        column: the column of an entry of a YAML block; None behind a name and in brackets.
        is_alone: whether the value stands in a line of its own, without a dash.
        space: what is missing between it and a dash or colon of YAML.
    """

    path: Path
    span: Span
    is_name: bool = False
    others: frozenset[str] = frozenset()
    is_last: bool = True
    has_colon: bool = False
    comma_at: int | None = None
    in_brackets: bool = False
    column: int | None = None
    is_alone: bool = False
    space: str = ""

    @property
    def owner(self) -> Path:
        """The object or array that it is in."""
        return self.path[:-1]


@dataclass(eq=False)
class Frame:
    """An object or array around the place that the scan has come to."""

    is_object: bool
    path: Path
    expects: str = "value"
    name: str = ""
    index: int = 0
    column: int = -1
    end: int | None = None
    entries: dict[int, str] = field(default_factory=dict)

    @property
    def here(self) -> Path:
        """The value that comes next."""
        if self.is_object:
            return (*self.path, self.name)
        return self.path if self.index < 0 else (*self.path, self.index)

    @property
    def is_too_deep(self) -> bool:
        """Return whether it is nested deeper than any reader reads."""
        return len(self.path) >= DEFAULT_LIMITS.depth
