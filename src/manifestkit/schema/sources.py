"""A schema with what it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from manifestkit.model.pointer import parse_pointer
from manifestkit.schema.drafts import Dialect


class Resolver(Protocol):
    """Looks up the references of a schema."""

    def lookup(self, reference: str) -> Place:
        """Look a reference up.

        Raises:
            LookupError: it leads nowhere.
        """
        ...  # pragma: no cover - a protocol

    def within(self, schema: Any) -> Resolver:
        """Return the resolver for a schema below: it may have an ``$id`` of its own."""
        ...  # pragma: no cover - a protocol


Place = tuple[Any, Resolver]
"""A part of a schema, with what looks its references up."""


class _LocalResolver:
    """Looks up references inside one schema that refers to no other."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def lookup(self, reference: str) -> Place:
        """Look up a reference such as ``#/$defs/permission``."""
        found = self._root
        for token in parse_pointer(reference.removeprefix("#")):
            found = found[token]
        return found, self

    def within(self, schema: Any) -> _LocalResolver:
        """Return the resolver for a part: itself, but for a schema with an ``$id`` inside."""
        is_other = isinstance(schema, dict) and "$id" in schema and schema is not self._root
        return _LocalResolver(schema) if is_other else self


class Sources(NamedTuple):
    """A schema, with all that it refers to.

    Attributes:
        uri: the schema's own place among the resources.
        contents: the schema.
        resolver: looks its references up.
        draft: the draft that it is of.
        resources: every schema that its references lead to, by URI, itself included; None when
            they lead to itself only.
        files: the schema in each file that it was read from, its own first; none for a schema of
            the package.
    """

    uri: str
    contents: Any
    resolver: Resolver
    draft: Dialect = Dialect.CURRENT
    resources: Mapping[str, Any] | None = None
    files: Mapping[Path, Any] = {}

    @classmethod
    def local(cls, uri: str, contents: Any) -> Self:
        """Return a schema that refers to itself only."""
        return cls(uri, contents, _LocalResolver(contents))
