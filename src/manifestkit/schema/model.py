"""A schema as the rest of the toolkit sees it: a judge of values, and a description of fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from referencing import Registry
from referencing.exceptions import Unresolvable

from manifestkit.errors import SchemaError
from manifestkit.pointer import Path
from manifestkit.schema.faults import Fault, find_faults, traced
from manifestkit.schema.fields import Field, field_at


@dataclass(frozen=True)
class Schema:
    """One JSON Schema, ready for use.

    Attributes:
        name: how it is named to the user: its file.
        contents: the schema.
        dialect: the jsonschema validator class of its dialect.
        registry: every resource its references lead to.
        uri: the schema's own place in the registry.
    """

    name: str
    contents: Any
    dialect: Any
    registry: Registry[Any]
    uri: str

    @cached_property
    def _validator(self) -> Any:
        return traced(self.dialect)({"$ref": self.uri}, registry=self.registry)

    def faults(self, value: Any) -> Iterator[Fault]:
        """Every way in which a value breaks this schema.

        Raises:
            SchemaError: the schema, or one it refers to, leads nowhere or never ends.
        """
        try:
            yield from find_faults(self._validator, value)
        except RecursionError:
            raise SchemaError(
                f"{self.name}: judging by this schema never ends; look for a `$ref` to itself"
            ) from None
        except Unresolvable as error:
            raise SchemaError(f"{self.name}: `{error.ref}` leads nowhere") from None

    def field(self, path: Path) -> Field | None:
        """What the schema says of the value at a path; None when it says nothing."""
        return field_at(self.contents, self.registry.resolver(self.uri), path)
