"""The version of the project that a manifest is part of."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from manifestkit.files import read_bytes, relative_name
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.model.surroundings import Project

_FILES: dict[str, tuple[Pointer, ...]] = {
    "package.json": (("version",),),
    "pyproject.toml": (("project", "version"), ("tool", "poetry", "version")),
    "Cargo.toml": (("package", "version"),),
}


def project_of(folder: Path) -> Project | None:
    """Return the project of a folder: the nearest one with a version, within the repository."""
    folders = [folder, *folder.parents]
    roots = [index for index, each in enumerate(folders) if (each / ".git").exists()]
    for each in folders[: roots[0] + 1 if roots else 1]:
        for name, places in _FILES.items():
            project = _project(each / name, places)
            if project:
                return project
    return None


def _project(path: Path, places: tuple[Pointer, ...]) -> Project | None:
    """Return the project of a file; one that its own tools cannot read has no version."""
    try:
        text = read_bytes(path, DEFAULT_LIMITS.bytes).decode("utf-8-sig")
        contents = (json if path.suffix == ".json" else tomllib).loads(text)
    except (UnreadableFileError, ValueError, RecursionError):
        return None
    for place in places:
        version: Any = contents
        for name in place:
            version = version.get(name) if isinstance(version, dict) else None
        if isinstance(version, str):
            quoted = re.escape(version)
            found = re.search(rf"""["']?\bversion\b["']?\s*[=:]\s*["'](?={quoted}["'])""", text)
            start = found.end() if found else 0
            location = LineIndex(text).locate(Span(start, start + len(version) if found else 0))
            return Project(relative_name(path), version, format_pointer(place), location)
    return None
