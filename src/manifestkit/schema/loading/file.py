"""A file that holds a schema, and the errors about places in it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from manifestkit.decode import decode
from manifestkit.model.document import Document
from manifestkit.model.errors import SchemaError
from manifestkit.model.pointer import Path
from manifestkit.schema.drafts import Dialect, objects, subschemas_of


class SchemaFile:
    """A file that holds a schema, for telling places in it.

    Attributes:
        document: the file.
        contents: the schema.
        draft: the draft that it is of.
    """

    def __init__(self, document: Document, draft: Dialect = Dialect.CURRENT) -> None:
        self.document = document
        self.contents = document.value
        self.draft = draft

    @classmethod
    def read(cls, data: bytes, name: str) -> Self:
        """Return what a file holds, as a schema of the current draft.

        Raises:
            SchemaError: it cannot be read; the text names file, line and column.
        """
        read = decode(data, name)
        if read.findings:
            first = read.findings[0]
            place = f"{first.path}:{first.location.line}:{first.location.column}"
            raise SchemaError(f"{place}: {first.message}")
        return cls(read.document)

    @cached_property
    def schemas(self) -> list[dict[str, Any]]:
        """Every object among its subschemas, itself first."""
        return list(subschemas_of(self.contents))

    @cached_property
    def paths(self) -> dict[int, Path]:
        """The path of each object in the file, by the object's id."""
        found: dict[int, Path] = {}
        for path, each in objects(self.contents):  # an alias of YAML is at several places
            found.setdefault(id(each), path)
        return found

    def error(self, path: Path, message: str, *, on_key: bool = False) -> SchemaError:
        """Return the error to raise about a value in the file, or about the member that it is.

        Args:
            path: the value.
            message: what is wrong.
            on_key: whether the place of a member is its name.
        """
        has_key = on_key and path and isinstance(path[-1], str)
        try:
            place = self.document.locate_key(path) if has_key else self.document.locate(path)
        except KeyError:
            place = self.document.locate(())
        return SchemaError(f"{self.document.name}:{place.line}:{place.column}: {message}")

    def error_in(self, schema: dict[str, Any], tokens: Path, message: str) -> SchemaError:
        """Return the error to raise about a member below one of its subschemas."""
        return self.error((*self.paths[id(schema)], *tokens), message, on_key=True)
