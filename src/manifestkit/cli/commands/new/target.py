"""Target of `manifest new`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from manifestkit.authoring.text import Syntax, default_name, identifier_path, name_to_be_found
from manifestkit.engine import Policy
from manifestkit.files import create, is_folder, posix_name, read_bytes
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.packaged import packaged_text


class NewFiles:
    """Files to write: the manifest, and the schema beside it."""

    def __init__(
        self,
        path: Path | None,
        syntax: Syntax,
        policy: Policy,
        schema_file: Path | None,
        settings: Mapping[str, Any],
    ) -> None:
        self.syntax = syntax
        self.dry_run: bool = settings["dry_run"]
        self._path = path
        self._schema = policy.schema
        self._format = policy.formats.default
        self._own_schema = schema_file
        self._with_schema: bool = settings["with_schema"]

    def check(self, value: Any) -> None:
        """Refuse a place where no file can be made, as soon as it is known.

        Raises:
            ConfigurationError: a file is in the way, or there is no such folder.
        """
        if self.dry_run or (self._is_unnamed and self._identifier(value) is None):
            return
        file = self.file(value)
        if os.path.lexists(file):
            raise ConfigurationError(
                f"{posix_name(file)} exists already; choose another file, or remove it"
            )
        if not is_folder(file.parent):
            raise ConfigurationError(
                f"{posix_name(file)}: no such folder: {posix_name(file.parent)}"
            )
        beside = self._schema_file(file)
        if beside == file:
            raise ConfigurationError(
                f"{posix_name(file)} is the file name that --with-schema uses for the schema; "
                "choose another file"
            )
        if beside and os.path.lexists(beside) and not self._is_schema(beside):
            raise ConfigurationError(
                f"{posix_name(beside)} exists already and is not the schema that --with-schema "
                "writes; remove it, or omit --with-schema"
            )

    @property
    def _is_unnamed(self) -> bool:
        return self._path is None or is_folder(self._path)

    def _identifier(self, value: Any) -> Any:
        path = identifier_path(self._schema)
        for token in path or ():
            value = value.get(token) if isinstance(value, dict) else None
        return value if path else ""

    def file(self, value: Any) -> Path:
        """Return the file that a manifest is written into."""
        if self._path is None or is_folder(self._path):
            name = default_name(self._identifier(value), self.syntax, self._format)
            return (self._path or Path()) / name
        return self._path

    def _schema_file(self, file: Path) -> Path | None:
        """Return the file that our schema is written into, if it is."""
        wanted = self._with_schema and self._own_schema is None
        return file.with_name(self._format.schema) if wanted else None

    def _is_schema(self, path: Path) -> bool:
        try:
            return (
                read_bytes(path, DEFAULT_LIMITS.bytes)
                == packaged_text(self._format.schema).encode()
            )
        except UnreadableFileError:
            return False

    def reference(self, value: Any) -> str | None:
        """Return the path of the schema, relative to the manifest."""
        if not self._with_schema:
            return None
        file = self.file(value)
        schema = self._own_schema or file.with_name(self._format.schema)
        relative = os.path.relpath(schema, file.parent)
        return quote(f"./{Path(relative).as_posix()}".replace("./../", "../"))

    def name_to_be_found(self, file: Path) -> str | None:
        """Return a name under which the file would be found; None if it has one."""
        return name_to_be_found(file, self.syntax, self._format)

    def write(self, value: Any, text: str) -> list[Path]:
        """Write the files; return their paths.

        Raises:
            OSError: a file cannot be written; then none is.
        """
        file = self.file(value)
        schema = self._schema_file(file)
        written = []
        if schema and not os.path.lexists(schema):
            create(schema, packaged_text(self._format.schema))
            written.append(schema)
        try:
            create(file, text)
        except OSError:
            for each in written:
                each.unlink()
            raise
        return [file, *written]
