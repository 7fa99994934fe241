"""The file and the text of a new manifest."""

from __future__ import annotations

import os
import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from manifestkit.authoring.convert import as_text, convert
from manifestkit.authoring.draft import Draft
from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.files import is_folder, posix_name
from manifestkit.model.document import SUFFIXES, Document, Node, Syntax, is_yaml
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema

_WIDTH = 88
_NO_PART_OF_A_NAME = re.compile(r"[^\w-]+")
_LAST_PART = re.compile(r"[./:\\]+")
_LONGEST_STEM = 40
_ID = re.compile(r"[\w-]+(?:\.[\w-]+){2,}")


def syntax_of(path: Path | None, wanted: Syntax | None) -> Syntax:
    """Return the syntax that is wanted, else that of a file's suffix, else JSON.

    Raises:
        ConfigurationError: the file would be read in another syntax than it is written in.
    """
    if path is None:
        return wanted or "json"
    by_suffix: Syntax = "yaml" if is_yaml(path.name) else "json"
    if wanted is not None and wanted != by_suffix:
        endings = " or ".join(SUFFIXES[1:]) if wanted == "yaml" else ".json"
        raise ConfigurationError(
            f"{posix_name(path)} would be read as {by_suffix.upper()}; for {wanted.upper()}, use a "
            f"file name that ends in {endings}"
        )
    return by_suffix


class Destination(NamedTuple):
    """The place of a new manifest."""

    path: Path | None  # its file; None where its identifier names it
    folder: str
    row: Format
    syntax: Syntax

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
            ConfigurationError: it is there, its folder is not, or its name is of no manifest.
        """
        if identifier is None and self.path is None:
            return
        file = self.file(identifier)
        name = posix_name(file)
        if file.suffix.lower() not in SUFFIXES and not self.row.has_name(name):
            if _ID.fullmatch(name) or " " in name:
                kind = "name" if " " in name else "id"
                do = f"if that is the {kind}, write `--{kind} {shlex.quote(name)}`"
            else:
                right = posix_name(file.with_name(self.row.example_name(file.stem, self.syntax)))
                do = f"name it {right}" + ("" if file.suffix else ", or create the folder first")
            raise ConfigurationError(f"{name}: a manifest is JSON or YAML; {do}")
        if os.path.lexists(file):
            raise ConfigurationError(
                f"{name} exists already; choose another file, or use --fill to complete it"
            )
        if not is_folder(file.parent):
            folder = posix_name(file.parent)
            raise ConfigurationError(f"{name}: no such folder: {folder}; create it first")


def written(draft: Draft, syntax: Syntax, file: Path, schema: Path | None = None) -> str:
    """Return the text of a manifest in the order of its schema, which it may name for editors.

    Args:
        draft: what it says, and what describes the members.
        syntax: its syntax.
        file: its file.
        schema: the file of the schema that it names for editors.

    Raises:
        EditRefusedError: it would be too large or too deep.
    """
    value, described, reference = draft.value, draft.policy.described, None
    if schema is not None:
        relative = Path(os.path.relpath(schema, file.parent)).as_posix()
        reference = quote(f"./{relative}".replace("./../", "../"))
    if syntax == "json" and reference is not None:
        value = {**value, "$schema": reference}
    source = f"{as_text(value, draft.source)}\n"
    text = formatted(decode(source, "manifest.json").document, described)
    if syntax == "json":
        return text
    document = convert(decode(text, "manifest.json").document, "yaml")
    lines = [f"# yaml-language-server: $schema={reference}"] if reference else []
    lines += _comment(described, (), 0)
    lines += _commented(document, described)
    return "".join(f"{line}\n" for line in lines)


def _commented(document: Document, schema: Schema) -> Iterator[str]:
    """Yield lines of YAML, each member below its description; of items, those of the first."""
    paths: dict[int, Pointer] = {}
    todo: list[tuple[Pointer, Node]] = [((), document.root)]
    while todo:
        path, node = todo.pop()
        for token, key, part in node.parts():
            if key:
                paths[document.lines.locate(key).line] = (*path, token)
            todo.append(((*path, token), part))
    for number, line in enumerate(document.text.removesuffix("\n").split("\n"), 1):
        path = paths.get(number, ())
        if len(path) == 1:
            yield ""
        if path and not any(isinstance(token, int) and token for token in path):
            yield from _comment(schema, path, len(line) - len(line.lstrip(" ")))
        yield line


def _comment(schema: Schema, path: Pointer, indent: int) -> list[str]:
    field = schema.field(path)
    description = "".join(
        c if c.isprintable() else " " for c in (field and field.description) or ""
    )
    lead = f"{' ' * indent}# "
    return textwrap.wrap(
        description,
        width=_WIDTH,
        initial_indent=lead,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    )
