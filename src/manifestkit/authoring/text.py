"""A manifest's file: its name, its syntax and its text."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from manifestkit.authoring.inputs import inputs
from manifestkit.edits.scalars import as_json, as_yaml, escaped
from manifestkit.files import is_folder, posix_name
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema

Syntax = Literal["json", "yaml"]

_WIDTH = 88
_STEP = 2
SUFFIXES: dict[str, Syntax] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
"""The syntax of a file by the suffix of its name."""

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
    by_suffix = SUFFIXES.get(path.suffix.lower(), "json")
    if wanted is not None and wanted != by_suffix:
        endings = " or ".join(each for each, syntax in SUFFIXES.items() if syntax == wanted)
        raise ConfigurationError(
            f"{posix_name(path)} would be read as {by_suffix.upper()}; for {wanted.upper()}, use a "
            f"file name that ends in {endings}"
        )
    return by_suffix


def identifier_path(schema: Schema) -> Pointer | None:
    """Return the path of the first required identifier, if there is one."""
    for each in inputs(schema).values():
        owner = schema.field(each.path[:-1])
        if each.required and owner and owner.identifier == each.path[-1]:
            return each.path
    return None


def default_name(identifier: Any, syntax: Syntax, row: Format) -> str:
    """Return a manifest's file name by its id: `breathing.activity-provider.json`."""
    parts = _LAST_PART.split(identifier) if isinstance(identifier, str) else []
    stems = [_NO_PART_OF_A_NAME.sub("-", part).strip("-")[:_LONGEST_STEM] for part in parts]
    return row.example_name(next(filter(None, reversed(stems)), None), syntax)


def name_to_be_found(file: Path, syntax: Syntax, row: Format) -> str | None:
    """Return the name with which a file is found in its folder; None if it has one."""
    return None if row.has_name(posix_name(file)) else row.example_name(file.stem, syntax)


def as_text(schema: Schema, value: Any, syntax: Syntax, reference: str | None = None) -> str:
    """Return a manifest's text.

    Args:
        schema: what describes its members.
        value: the manifest.
        syntax: how to write it.
        reference: where the manifest's schema stands, for editors; a path from the manifest.
    """
    if syntax == "yaml":
        return "".join(f"{line}\n" for line in _yaml_lines(schema, value, reference))
    if reference is not None and isinstance(value, dict):
        value = {"$schema": reference, **{k: v for k, v in value.items() if k != "$schema"}}
    return escaped(json.dumps(value, indent=_STEP, ensure_ascii=False)) + "\n"


def _yaml_lines(schema: Schema, value: Any, reference: str | None) -> Iterator[str]:
    if reference is not None:
        yield f"# yaml-language-server: $schema={reference}"
    yield from _comment(schema, (), 0)
    if not isinstance(value, dict) or not value:
        yield _inline(value)
        return
    for name, member in value.items():
        yield ""
        yield from _member(schema, (name,), member, 0)


def _member(schema: Schema, path: Pointer, value: Any, indent: int) -> Iterator[str]:
    # Items are alike: what their members are for stands at the first.
    if not any(isinstance(token, int) and token for token in path):
        yield from _comment(schema, path, indent)
    key = f"{' ' * indent}{as_yaml(str(path[-1]))}:"
    if not value or not isinstance(value, dict | list):
        yield f"{key} {_inline(value)}"
        return
    yield key
    below = indent + _STEP
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _member(schema, (*path, name), member, below)
        return
    for index, item in enumerate(value):
        yield from _item(schema, (*path, index), item, below)


def _item(schema: Schema, path: Pointer, item: Any, indent: int) -> Iterator[str]:
    dash = f"{' ' * indent}- "
    if not isinstance(item, dict) or not item:
        yield dash + _inline(item)
        return
    lines = [
        line
        for name, member in item.items()
        for line in _member(schema, (*path, name), member, len(dash))
    ]
    first = next(i for i, line in enumerate(lines) if not line.lstrip().startswith("#"))
    yield from (line[_STEP:] for line in lines[:first])
    yield dash + lines[first][len(dash) :]
    yield from lines[first + 1 :]


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


def _inline(value: Any) -> str:
    return as_yaml(value) if isinstance(value, str) else _flow(value)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{as_json(k)}: {_flow(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return as_yaml(value, like='"')
