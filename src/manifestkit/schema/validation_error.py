"""Validation errors, and the requirements of a schema that they are about."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from manifestkit.model.errors import SchemaError
from manifestkit.model.finding import Severity
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import ANNOTATION, CLOSED

_RULES = {
    "required": "missing-field",
    "type": "wrong-type",
    **dict.fromkeys(CLOSED, "unknown-member"),
}
_OFF = "off"


class NotJudgedError(SchemaError):
    """A value of which the engine cannot tell whether it is as a schema wants it."""


class TooDeepError(Exception):
    """A value is nested so deep that a schema cannot be followed into it."""


class Requirement:
    """A keyword of a schema, as one evaluation path leads to it: one object for every value."""

    def __init__(
        self, keyword: str, path: tuple[dict[str, Any], ...], targets: Mapping[int, Any]
    ) -> None:
        annotations: dict[str, Any] = {}  # the nearest before the others
        for schema in reversed(path):
            if isinstance(notes := schema.get(ANNOTATION), dict):
                annotations = self.nearest(notes, annotations)
        self.annotations = annotations
        self.keyword = keyword  # `false` for the schema that allows nothing
        self.path = path  # the schemas on the evaluation path, innermost first
        self.targets = targets  # of references, by the ids of the schemas that have them
        own_rule = _RULES.get(keyword, f"schema-{keyword}")
        self.rule: str = annotations.get("rule") or own_rule  # that it is told under
        severity = annotations.get("severity") or Severity.ERROR.value
        self.is_off = severity == _OFF  # by default
        self.severity = Severity.WARNING if self.is_off else Severity(severity)
        self.digest: str | None = None  # tells it from others, once known

    @property
    def schema(self) -> Mapping[str, Any]:
        """The innermost schema, which has the keyword."""
        return self.path[0] if self.path else {}

    @staticmethod
    def nearest(notes: Mapping[str, Any], around: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an annotation says, and without a rule of its own also what is around it."""
        own = {name: each for name, each in notes.items() if each is not None}
        return own if "rule" in own else {**around, **own}

    def passes(self, schema: Any) -> bool:
        """Return whether the evaluation path leads through a schema, by its ``$id``."""
        identity = schema.get("$id") if isinstance(schema, Mapping) else None
        return identity is not None and identity in (each.get("$id") for each in self.path)


class ValidationError(NamedTuple):
    """One place where a value breaks a requirement."""

    requirement: Requirement
    keyword: str  # that is broken
    path: Path  # of the value; or of the member that should not be there or has a wrong name
    instance: Any  # the value at the path
    expected: Any  # what the keyword says; of `dependentRequired`, the part that is broken
    member: str | None = None  # that is missing, misnamed or one too many
    first: Path | None = None  # for `uniqueItems`, the item that came first
    explain: "Callable[[], Branches] | None" = None  # gives those of a keyword that has them

    @property
    def branches(self) -> "Branches":
        """The branches, for a message; looked at only then."""
        return self.explain() if self.explain else Branches()

    @property
    def reference(self) -> str | None:
        """The `$ref` of an object that lacks members or has the wrong type; None without one."""
        to = self.instance.get("$ref") if isinstance(self.instance, dict) else None
        return to if isinstance(to, str) and self.keyword in ("required", "type") else None

    def moved(self, place: Callable[[Path], Path]) -> "ValidationError":
        """Return the same error where each path leads to another place.

        Args:
            place: gives the place for a path.
        """
        return self._replace(
            path=place(self.path),
            first=self.first and place(self.first),
            explain=self.explain and partial(_moved, self.explain, place),
        )


class Branch(NamedTuple):
    """Why a value is not valid by one of several schemas."""

    title: str | None  # of the schema
    errors: tuple[ValidationError, ...]  # the first ones


class Branches(NamedTuple):
    """Why a value is valid by none of several schemas, or by too many."""

    failed: tuple[Branch, ...] = ()  # for `propertyNames`, the one for the name
    is_several: bool = False  # whether it is valid by several, of `oneOf`


def _moved(explain: Callable[[], Branches], place: Callable[[Path], Path]) -> Branches:
    failed, is_several = explain()
    moved = (Branch(title, tuple(each.moved(place) for each in errors)) for title, errors in failed)
    return Branches(tuple(moved), is_several)
