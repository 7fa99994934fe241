"""A manifest's file: its place, its name, its syntax and its text."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from manifestkit.authoring.convert import convert
from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.edits.writing import escaped
from manifestkit.files import is_folder, posix_name, read_bytes
from manifestkit.model.document import SUFFIXES, YAML_SUFFIXES, Node, Syntax
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import packaged_text

_WIDTH = 88
_STEP = 2
_NO_PART_OF_A_NAME = re.compile(r"[^\w-]+")
_LAST_PART = re.compile(r"[./:\\]+")
_LONGEST_STEM = 40


def syntax_of(path: Path | None, wanted: Syntax | None) -> Syntax:
    """Return the syntax that is wanted, else that of a file's suffix, else JSON.

    Raises:
        ConfigurationError: the file would be read in another syntax than it is written in.
    """
    if path is None or is_folder(path):
        return wanted or "json"
    by_suffix: Syntax = "yaml" if path.suffix.lower() in YAML_SUFFIXES else "json"
    if wanted is not None and wanted != by_suffix:
        endings = " or ".join(YAML_SUFFIXES) if wanted == "yaml" else ".json"
        raise ConfigurationError(
            f"{posix_name(path)} would be read as {by_suffix.upper()}; for {wanted.upper()}, use a "
            f"file name that ends in {endings}"
        )
    return by_suffix


@dataclass(frozen=True, slots=True)
class Destination:
    """The place of a new manifest.

    Attributes:
        path: its file; None where its identifier names it.
        folder: its folder.
        row: its format.
        own_schema: the file of its schema; None where that comes with the package.
        with_schema: whether it is to name its schema, which is written if it is not there.
        is_there: whether the file is there already, and blank.
        syntax: its syntax.
    """

    path: Path | None
    folder: str
    row: Format
    own_schema: Path | None = None
    with_schema: bool = False
    is_there: bool = False
    syntax: Syntax = "json"

    def in_syntax(self, wanted: Syntax | None) -> Destination:
        """Return it in a syntax, else in that of the file's suffix.

        Raises:
            ConfigurationError: the file would be read in another syntax.
        """
        return replace(self, syntax=syntax_of(self.path, wanted))

    def file(self, identifier: Any) -> Path:
        """Return the file of a manifest with an identifier: `breathing.activity-provider.json`."""
        if self.path:
            return self.path
        parts = _LAST_PART.split(identifier) if isinstance(identifier, str) else []
        stems = [_NO_PART_OF_A_NAME.sub("-", part).strip("-")[:_LONGEST_STEM] for part in parts]
        stem = next(filter(None, reversed(stems)), None)
        return Path(self.folder, self.row.example_name(stem, self.syntax))

    def check(self, identifier: Any) -> None:
        """Refuse a file that cannot be made, as soon as its name is known.

        Raises:
            ConfigurationError: it is there, its folder is not, or its schema has no place.
        """
        if self.is_there or (identifier is None and self.path is None):
            return
        file = self.file(identifier)
        name = posix_name(file)
        if file.suffix.lower() not in SUFFIXES and not self.row.has_name(name):
            right = posix_name(file.with_name(self.row.example_name(file.stem, self.syntax)))
            raise ConfigurationError(f"{name}: a manifest is JSON or YAML; name it {right}")
        if os.path.lexists(file):
            fill = "" if self.with_schema else ", or use --fill to complete it"
            raise ConfigurationError(f"{name} exists already; choose another file{fill}")
        if not is_folder(file.parent):
            raise ConfigurationError(f"{name}: no such folder: {posix_name(file.parent)}")
        beside = self._beside(file)
        if beside and (beside == file or _is_other(beside)):
            raise ConfigurationError(
                f"{posix_name(beside)} is not the schema that --with-schema writes there; choose "
                "another file or folder, or omit --with-schema"
            )

    def text(self, file: Path, value: Any, described: Schema) -> str:
        """Return the text of a manifest, in the order of what describes its members.

        Args:
            file: its file.
            value: what it says.
            described: what describes the members.

        Raises:
            EditRefusedError: it would be too large or too deep.
        """
        reference = None
        if self.with_schema:
            schema = self.own_schema or file.with_name(self.row.schema)
            relative = Path(os.path.relpath(schema, file.parent)).as_posix()
            reference = quote(f"./{relative}".replace("./../", "../"))
        if self.syntax == "json" and reference is not None:
            value = {**value, "$schema": reference}
        written = escaped(json.dumps(value, indent=_STEP, ensure_ascii=False))
        text = formatted(decode(f"{written}\n", "manifest.json").document, described)
        if self.syntax == "json":
            return text
        return "".join(f"{line}\n" for line in _yaml_lines(described, text, reference))

    def files(self, file: Path, text: str) -> dict[Path, str]:
        """Return the texts to write: the manifest's schema where that is not there, and its own."""
        beside = self._beside(file)
        if beside is None or os.path.lexists(beside):
            return {file: text}
        return {beside: packaged_text(beside.name), file: text}

    def _beside(self, file: Path) -> Path | None:
        """Return the file for the schema of the package, if it is to be there."""
        return file.with_name(self.row.schema) if self.with_schema and not self.own_schema else None


def _is_other(schema: Path) -> bool:
    """Return whether something else has the place of a schema of the package."""
    text = packaged_text(schema.name).encode()
    try:
        return os.path.lexists(schema) and read_bytes(schema, len(text)) != text
    except UnreadableFileError:
        return True


def _yaml_lines(schema: Schema, text: str, reference: str | None) -> Iterator[str]:
    """Yield blocks, each member that has a description below it; of items, those of the first."""
    document = convert(decode(text, "manifest.json").document, "yaml")
    paths: dict[int, Pointer] = {}
    todo: list[tuple[Pointer, Node]] = [((), document.root)]
    while todo:
        path, node = todo.pop()
        for token, key, part in node.parts():
            if key:
                paths[document.lines.locate(key).line] = (*path, token)
            todo.append(((*path, token), part))
    if reference is not None:
        yield f"# yaml-language-server: $schema={reference}"
    yield from _comment(schema, (), 0)
    for number, line in enumerate(document.text.removesuffix("\n").split("\n"), 1):
        path = paths.get(number, ())
        if len(path) == 1:
            yield ""
        if path and not any(isinstance(token, int) and token for token in path):
            yield from _comment(schema, path, len(line) - len(line.lstrip(" ")))
        yield line


def _comment(schema: Schema, path: Pointer, indent: int) -> Iterator[str]:
    field = schema.field(path)
    description = "".join(
        c if c.isprintable() else " " for c in (field and field.description) or ""
    )
    lead = f"{' ' * indent}# "
    yield from textwrap.wrap(
        description,
        width=_WIDTH,
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )
