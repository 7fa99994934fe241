"""A manifest's file: its place, its name, its syntax and its text."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manifestkit.authoring.convert import convert
from manifestkit.decode import decode
from manifestkit.edits.formatting import formatted
from manifestkit.edits.writing import escaped
from manifestkit.files import is_folder, posix_name
from manifestkit.model.document import YAML_SUFFIXES, Node, Syntax
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema

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


def manifest_text(value: Any, described: Schema, syntax: Syntax, reference: str | None) -> str:
    """Return the text of a manifest, in the order of what describes its members.

    Args:
        value: what it says.
        described: what describes the members.
        syntax: its syntax.
        reference: the path of its schema, if it is to name that.

    Raises:
        EditRefusedError: it would be too large or too deep.
    """
    if syntax == "json" and reference is not None:
        value = {**value, "$schema": reference}
    written = escaped(json.dumps(value, indent=_STEP, ensure_ascii=False))
    text = formatted(decode(f"{written}\n", "manifest.json").document, described)
    if syntax == "json":
        return text
    return "".join(f"{line}\n" for line in _yaml_lines(described, text, reference))


def default_name(identifier: Any, syntax: Syntax, row: Format) -> str:
    """Return a manifest's file name by its id: `breathing.activity-provider.json`."""
    parts = _LAST_PART.split(identifier) if isinstance(identifier, str) else []
    stems = [_NO_PART_OF_A_NAME.sub("-", part).strip("-")[:_LONGEST_STEM] for part in parts]
    return row.example_name(next(filter(None, reversed(stems)), None), syntax)


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
