"""A manifest's file: its place, its name, its syntax and its text."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from manifestkit.authoring.convert import convert
from manifestkit.decode import decode
from manifestkit.edits.writing import Spellings, as_json
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


@dataclass(frozen=True)
class Destination:
    """The place of a new manifest.

    Attributes:
        path: its file; None where its identifier names it.
        folder: its folder.
        syntax: its syntax.
        row: its format.
        schema: the file of its schema; None where that comes with the package.
        with_schema: whether the manifest is to refer to its schema.
        is_there: whether the file is there already, and blank.
    """

    path: Path | None
    folder: str
    syntax: Syntax
    row: Format
    schema: Path | None
    with_schema: bool
    is_there: bool = False

    def file(self, identifier: Any) -> Path:
        """Return the file of a manifest with an identifier."""
        return self.path or Path(self.folder, default_name(identifier, self.syntax, self.row))

    def check(self, identifier: Any) -> None:
        """Refuse a file that cannot be made, as soon as its name is known.

        Raises:
            ConfigurationError: it is there, its folder is not, or its schema has no place.
        """
        if identifier is None and self.path is None:
            return
        file = self.file(identifier)
        name = posix_name(file)
        if file.suffix.lower() not in SUFFIXES and not self.row.has_name(name):
            right = posix_name(file.with_name(self.row.example_name(file.stem, self.syntax)))
            raise ConfigurationError(f"{name}: a manifest is JSON or YAML; name it {right}")
        if os.path.lexists(file) and not self.is_there:
            fill = "" if self.with_schema else ", or use --fill to complete it"
            raise ConfigurationError(f"{name} exists already; choose another file{fill}")
        if not is_folder(file.parent):
            raise ConfigurationError(f"{name}: no such folder: {posix_name(file.parent)}")
        beside = self._beside(file)
        if beside and beside != file and self._is_other(beside):
            raise ConfigurationError(
                f"{posix_name(beside)} exists already and is not the schema that --with-schema "
                "writes; remove it, or omit --with-schema"
            )
        if beside == file:
            raise ConfigurationError(
                f"{name} is the file name that --with-schema uses for the schema; "
                "choose another file"
            )

    def text(self, file: Path, value: Any, described: Schema, spellings: Spellings | None) -> str:
        """Return the text of a manifest.

        Args:
            file: its file.
            value: what it says.
            described: what describes the members.
            spellings: those of the values that were given.
        """
        reference = self._reference(file)
        if self.syntax == "json" and reference is not None and isinstance(value, dict):
            value = {"$schema": reference, **{k: v for k, v in value.items() if k != "$schema"}}
        text = "".join(_json(value, spellings, "\n"))
        if self.syntax == "json":
            return f"{text}\n"
        return "".join(f"{line}\n" for line in _yaml_lines(described, text, reference))

    def _reference(self, file: Path) -> str | None:
        """Return the path of the schema, relative to a manifest that is to refer to it."""
        if not self.with_schema:
            return None
        schema = self.schema or file.with_name(self.row.schema)
        relative = os.path.relpath(schema, file.parent)
        return quote(f"./{Path(relative).as_posix()}".replace("./../", "../"))

    def files(self, file: Path, text: str) -> dict[Path, str]:
        """Return the texts to write: the manifest's schema where that is not there, and its own."""
        beside = self._beside(file)
        if beside is None or os.path.lexists(beside):
            return {file: text}
        return {beside: packaged_text(self.row.schema), file: text}

    def _is_other(self, beside: Path) -> bool:
        """Return whether something else has the place of the schema."""
        text = packaged_text(self.row.schema).encode()
        try:
            return os.path.lexists(beside) and read_bytes(beside, len(text)) != text
        except UnreadableFileError:
            return True

    def _beside(self, file: Path) -> Path | None:
        wanted = self.with_schema and self.schema is None
        return file.with_name(self.row.schema) if wanted else None


def default_name(identifier: Any, syntax: Syntax, row: Format) -> str:
    """Return a manifest's file name by its id: `breathing.activity-provider.json`."""
    parts = _LAST_PART.split(identifier) if isinstance(identifier, str) else []
    stems = [_NO_PART_OF_A_NAME.sub("-", part).strip("-")[:_LONGEST_STEM] for part in parts]
    return row.example_name(next(filter(None, reversed(stems)), None), syntax)


def _json(value: Any, spellings: Spellings | None, line_break: str) -> Iterator[str]:
    """Yield the parts of a value's text; each line begins with a line break and an indent."""
    if not value or not isinstance(value, dict | list):
        yield (spellings and spellings.scalar(value, "json")) or as_json(value)
        return
    start, end = "{}" if isinstance(value, dict) else "[]"
    between = start
    inner = line_break + " " * _STEP
    for each in value:
        yield between + inner
        if isinstance(value, dict):
            yield from _json(each, spellings, inner)
            yield ": "
        yield from _json(value[each] if isinstance(value, dict) else each, spellings, inner)
        between = ","
    yield line_break + end


def _yaml_lines(schema: Schema, text: str, reference: str | None) -> Iterator[str]:
    """Yield blocks, each member that has a description below it; of items, those of the first."""
    document = convert(decode(text, "manifest.json"), "yaml").document
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
