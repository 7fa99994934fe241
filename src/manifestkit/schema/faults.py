"""What breaks a schema, keyword by keyword, and the way through the schema that led there.

`jsonschema` is the authority on what is valid. Its errors, though, name neither the missing
member nor the one too many, point `uniqueItems` at the array and `propertyNames` at the object,
and forget what stands beside a ``$ref``. So its keywords are extended here: each error carries
its *way*, the schemas that enclose it, and the keywords that speak of members say which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import ValidationError
from jsonschema.validators import extend

from manifestkit.pointer import Path
from manifestkit.schema.keywords import MEMBER_KEYWORDS, Keyword, items

ANNOTATION = "x-manifestkit"
CLOSED = frozenset({"additionalProperties", "unevaluatedProperties"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a value breaks a schema.

    Attributes:
        path: the value; for a member that should not be there or has a wrong name, the member.
        keyword: the keyword that is broken; ``false`` for the schema that allows nothing.
        expected: what the keyword demands.
        instance: the value at fault.
        member: the member that is missing, misnamed or one too many.
        first: for `uniqueItems`, the path of the item that came first.
        way: the schemas around the keyword, innermost first.
        branches: for `anyOf` and `oneOf`, what is wrong with each; for `propertyNames`, the name.
    """

    path: Path
    keyword: str
    expected: Any
    instance: Any
    member: str | None
    first: Path | None
    way: tuple[Mapping[str, Any], ...]
    branches: tuple[Fault, ...] = ()

    def annotation(self, name: str) -> Any:
        """What the nearest enclosing ``x-manifestkit`` annotation says under a name, or None."""
        for schema in self.way:
            notes = schema.get(ANNOTATION)
            if isinstance(notes, Mapping) and notes.get(name) is not None:
                return notes[name]
        return None

    def passes(self, schema: Any) -> bool:
        """Whether the way leads through a schema, by its ``$id``."""
        identity = schema.get("$id") if isinstance(schema, Mapping) else None
        return identity is not None and any(each.get("$id") == identity for each in self.way)


def find_faults(validator: Any, value: Any) -> Iterator[Fault]:
    """Every fault of a value by a validator whose class comes from `traced`."""
    for error in validator.iter_errors(value):
        yield _fault(error)


@lru_cache(maxsize=8)
def traced(dialect: Any) -> type[Any]:
    """A jsonschema validator class whose errors can be told as faults."""
    keywords: dict[str, Keyword] = {**dialect.VALIDATORS}
    keywords.update({name: own for name, own in MEMBER_KEYWORDS.items() if name in keywords})
    if "prefixItems" in keywords:
        keywords["items"] = items
    traces = {name: _leave_trace(check) for name, check in keywords.items()}
    validator: type[Any] = extend(dialect, traces)  # type: ignore[no-untyped-call]
    return validator


def _leave_trace(check: Keyword) -> Keyword:
    def traced_check(
        validator: Any, expected: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        for error in check(validator, expected, instance, schema) or ():
            vars(error).setdefault("way", []).append(schema)
            yield error

    return traced_check


def _fault(error: ValidationError) -> Fault:
    path = tuple(error.absolute_path)
    first = getattr(error, "first", None)
    return Fault(
        path=path,
        keyword=str(error.validator or "false"),
        expected=error.validator_value,
        instance=error.instance,
        member=getattr(error, "member", None),
        first=None if first is None else (*path[:-1], first),
        way=tuple(vars(error).get("way", ())),
        branches=tuple(_fault(each) for each in error.context or ()),
    )
