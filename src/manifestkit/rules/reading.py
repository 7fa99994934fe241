"""The value of a manifest as it is written, and as it is meant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from manifestkit.model.pointer import Path
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from manifestkit.schema.model import Look
    from manifestkit.schema.validation import ValidationError


class Reading:
    """The value of a manifest, or the same with other names for some members.

    Attributes:
        value: the value.
        schema: what a manifest must be.
    """

    def __init__(self, value: Any, schema: Schema) -> None:
        self.value = value
        self.schema = schema
        self._errors: dict[tuple[Schema, int], list[ValidationError]] = {}

    @cached_property
    def look(self) -> Look:
        """What a quick look shows: most manifests need no other."""
        return self.schema.look(self.value)

    def errors(self, schema: Schema, most: int) -> list[ValidationError]:
        """What breaks a schema: at most so many errors.

        Raises:
            SchemaError, TooDeepError: see `Schema.errors`.
        """
        if (schema, most) not in self._errors:
            self._errors[schema, most] = list(islice(schema.errors(self.value), most))
        return self._errors[schema, most]


def error_key(error: ValidationError) -> tuple[object, ...]:
    """What tells an error from the others of a schema."""
    return error.path, error.keyword, error.member, *map(id, error.schemas[:1])


def with_names(value: Any, names: Mapping[Path, str]) -> Any:
    """A value with other names for members, by their paths; nothing of the old one is changed."""
    own: dict[Any, str] = {}
    below: dict[Any, dict[Path, str]] = {}
    for (token, *rest), name in names.items():
        if rest:
            below.setdefault(token, {})[tuple(rest)] = name
        else:
            own[token] = name
    if isinstance(value, list):
        return [
            with_names(each, below[index]) if index in below else each
            for index, each in enumerate(value)
        ]
    return {
        own.get(key, key): with_names(each, below[key]) if key in below else each
        for key, each in value.items()
    }
