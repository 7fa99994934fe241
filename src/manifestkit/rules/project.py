"""The project that a manifest is part of: the files beside or above it in its repository."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.files import absolute, parse_toml, read_bytes, repository
from manifestkit.model.errors import UnreadableFileError

_MOST_BYTES = 1_000_000  # of a file of the project: others are data
_TABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "package.json": ((),),
    "pyproject.toml": (("project",), ("tool", "poetry")),
    "Cargo.toml": (("package",),),
}


class Project(NamedTuple):
    """The facts of a project in one of its files."""

    file: Path
    text: str  # its content
    place: tuple[str, ...]  # the path to its table
    members: dict[str, Any]  # of that table

    def member(self, name: str) -> str | None:
        """Return a text that it has; None for none that a line can show."""
        value = self.members.get(name)
        return value if isinstance(value, str) and value.isprintable() else None


def projects(folder: str) -> Iterator[Project]:
    """Yield the projects around a folder, the nearest first, and none outside of its repository."""
    here = absolute(folder)
    top = repository(here) or here
    for each in (here, *here.parents):
        for name in _TABLES if each.is_relative_to(top) else ():
            yield from _projects_in(each / name)


def _projects_in(file: Path) -> Iterator[Project]:
    """Yield what a file says; one that its own tools cannot read says nothing."""
    try:
        data = read_bytes(file, _MOST_BYTES)
        if len(data) > _MOST_BYTES:
            return
        text = data.decode("utf-8-sig")
        contents = json.loads(text) if file.suffix == ".json" else parse_toml(text)
    except (UnreadableFileError, ValueError, RecursionError):
        return
    for place in _TABLES[file.name]:
        members: Any = contents
        for name in place:
            members = members.get(name) if isinstance(members, dict) else None
        if isinstance(members, dict):
            yield Project(file, text, place, members)
