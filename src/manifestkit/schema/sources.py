"""A schema with what it refers to."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import parse_pointer, value_at
from manifestkit.schema.drafts import Dialect, subschemas


class Sources(NamedTuple):
    """A schema, with all that it refers to."""

    contents: Any
    targets: Mapping[int, Any]  # what references lead to, by the ids of the objects that have them
    resources: tuple[Any, ...]  # the schema, and every other that its references lead to or into
    draft: Dialect = Dialect.CURRENT
    files: Mapping[Path, Any] = {}  # that it was read from, its own first; none of the package

    @classmethod
    def local(cls, contents: Any) -> Self:
        """Return a schema that refers to itself only; other references lead nowhere."""
        targets: dict[int, Any] = {}
        todo = [(contents, contents)]
        for schema, around in todo:
            root = around
            if isinstance(schema, dict):
                root = schema if "$id" in schema else around
                if "$ref" in schema:
                    with suppress(LookupError, PointerSyntaxError, TypeError):
                        tokens = parse_pointer(schema["$ref"].removeprefix("#"))
                        targets[id(schema)] = value_at(root, tokens)
            todo += [(below, root) for _, below in subschemas(schema)]
        return cls(contents, targets, (contents,))
