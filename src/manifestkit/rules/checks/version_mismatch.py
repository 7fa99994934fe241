"""A version that is not that of the project that the manifest is part of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manifestkit.files import absolute, parse_toml, read_bytes, relative_name
from manifestkit.findings.words import label, quoted
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.finding import Description, Related
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

ID = "version-mismatch"
_MOST_BYTES = 1_000_000  # of a file of the project: others are data
_FILES: dict[str, tuple[Pointer, ...]] = {
    "package.json": (("version",),),
    "pyproject.toml": (("project", "version"), ("tool", "poetry", "version")),
    "Cargo.toml": (("package", "version"),),
}


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find the version of what the manifest describes, if its project has another one."""
    folder = manifest.surroundings.folder
    found = None if folder is None else _version(absolute(folder))
    for path, value, field in manifest.described() if found else ():
        if field.is_version and isinstance(value, str) and found and value != found[0]:
            yield rule.violation(path, (value, *found))


def describe(_: Manifest, violation: Violation) -> Description:
    """Say both versions."""
    value, version, place = violation.about
    return Description(
        f"{label(violation.path)} is {quoted(value)}, but {place.path} has {quoted(version)}",
        related=(place,),
    )


def _version(folder: Path) -> tuple[str, Related] | None:
    """Return the version that the nearest project in the repository has, and where it is."""
    folders = [folder, *folder.parents]
    roots = [index for index, each in enumerate(folders) if (each / ".git").exists()]
    for each in folders[: roots[0] + 1 if roots else 1]:
        for name, places in _FILES.items():
            if found := _version_in(each / name, places):
                return found
    return None


def _version_in(file: Path, places: tuple[Pointer, ...]) -> tuple[str, Related] | None:
    """Return the version in a file; one that its own tools cannot read has none."""
    try:
        data = read_bytes(file, _MOST_BYTES)
        if len(data) > _MOST_BYTES:
            return None
        text = data.decode("utf-8-sig")
        contents = json.loads(text) if file.suffix == ".json" else parse_toml(text)
    except (UnreadableFileError, ValueError, RecursionError):
        return None
    for place in places:
        version: Any = contents
        for name in place:
            version = version.get(name) if isinstance(version, dict) else None
        if isinstance(version, str):
            value = rf"""["'](?={re.escape(version)}["'])"""
            found = re.search(rf"""["']?\bversion\b["']?\s*[=:]\s*{value}""", text)
            start = found.end() if found else 0
            location = LineIndex(text).locate(Span(start, start + len(version) if found else 0))
            pointer = format_pointer(place)
            return version, Related("the project's version", pointer, location, relative_name(file))
    return None
