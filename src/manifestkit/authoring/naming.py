"""What a new manifest is called, and in which syntax it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from manifestkit.authoring.questions import options
from manifestkit.authoring.starter import Syntax
from manifestkit.engine.discovery import MANIFEST_NAME
from manifestkit.files import is_folder, shown
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.model import Schema

_SUFFIXES: dict[str, Syntax] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
_ENDING = ".activity-provider"
_PLAIN_NAME = "manifest"
_NO_PART_OF_A_NAME = re.compile(r"[^\w-]+")
_LAST_PART = re.compile(r"[./:\\]+")
_LONGEST_STEM = 40


def syntax_of(path: Path | None, wanted: Syntax | None) -> Syntax:
    """The syntax that is wanted, else that of a file's suffix, else JSON.

    Raises:
        ConfigurationError: the file would be read in another syntax than it is written in.
    """
    if path is None or is_folder(path):
        return wanted or "json"
    by_suffix = _SUFFIXES.get(path.suffix.lower(), "json")
    if wanted is not None and wanted != by_suffix:
        endings = " or ".join(each for each, syntax in _SUFFIXES.items() if syntax == wanted)
        raise ConfigurationError(
            f"{shown(path)} would be read as {by_suffix.upper()}; for {wanted.upper()} name a file "
            f"that ends in {endings}"
        )
    return by_suffix


def identifier_path(schema: Schema) -> Pointer | None:
    """Where a manifest says which one it is: its first required identifier, if it has one."""
    return next(
        (
            each.path
            for each in options(schema).values()
            if each.required and _is_identifier(schema, each.path)
        ),
        None,
    )


def _is_identifier(schema: Schema, path: Pointer) -> bool:
    owner = schema.field(path[:-1])
    return owner is not None and owner.identifier == path[-1]


def default_name(identifier: Any, syntax: Syntax) -> str:
    """What a manifest's file is called by its id: `breathing.activity-provider.json`."""
    parts = _LAST_PART.split(identifier) if isinstance(identifier, str) else []
    stems = [_NO_PART_OF_A_NAME.sub("-", part).strip("-")[:_LONGEST_STEM] for part in parts]
    stem = next(filter(None, reversed(stems)), None)
    return f"{stem}{_ENDING}.{syntax}" if stem else f"{_PLAIN_NAME}.{syntax}"


def name_to_be_found(file: Path, syntax: Syntax) -> str | None:
    """What a file would be called to be found in its folder; None when it is, as it is called."""
    if MANIFEST_NAME.fullmatch(file.name):
        return None
    suffix = file.suffix if file.suffix.lower() in _SUFFIXES else f".{syntax}"
    return f"{file.stem}.{_PLAIN_NAME}{suffix}"
