"""A project's name, version and identifier, by the files around a new manifest."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from manifestkit.files import absolute, is_file, is_there, read_bytes
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.model import Schema

_MOST_BYTES = 1024 * 1024
_NO_NAME = re.compile(r"[^a-z0-9-]+")
_BETWEEN_WORDS = re.compile(r"[-_.\s]+")


class _Project(NamedTuple):
    """The known facts of a project; each may be empty."""

    name: str = ""
    title: str = ""
    version: str = ""
    page: str = ""


def project_values(schema: Schema, folder: Path) -> dict[Pointer, Any]:
    """Return what the project of a folder says of a manifest, by path.

    A project that nothing else names is called as its folder.
    """
    here = absolute(folder)
    project = _project_in(here)
    name = project.name or here.name
    identifier = schema.identifier
    values: dict[Pointer, Any] = {}
    if identifier and name:
        holder = schema.field(identifier[:-1])
        if holder and holder.label:
            values[(*identifier[:-1], holder.label)] = project.title or _as_title(name)
        values[identifier] = _identifier(name, project.page, schema)
    if schema.version and project.version:
        values[schema.version] = project.version
    return {path: each for path, each in values.items() if each}


def _project_in(folder: Path) -> _Project:
    """Return the project of the nearest file at or above a folder, inside the repository."""
    for each in (folder, *folder.parents):
        found = _package(each / "package.json") or _pyproject(each / "pyproject.toml")
        if found or is_there(each / ".git"):
            return found or _Project()
    return _Project()


def _package(file: Path) -> _Project | None:
    value = _read(file, json.loads)
    name, title = _text(value, "name"), _text(value, "displayName")
    found = _Project(name, title, _text(value, "version"), _text(value, "homepage"))
    return found if name else None


def _pyproject(file: Path) -> _Project | None:
    table = _read(file, tomllib.loads).get("project")
    name, urls = _text(table, "name"), table.get("urls") if isinstance(table, dict) else None
    pages = {each.lower(): urls[each] for each in urls} if isinstance(urls, dict) else {}
    found = _Project(name, "", _text(table, "version"), _text(pages, "homepage"))
    return found if name else None


def _read(file: Path, parse: Any) -> dict[str, Any]:
    """Return an object in a file; an empty one where there is none, or it is wrong."""
    if not is_file(file):
        return {}
    try:
        value = parse(read_bytes(file, _MOST_BYTES).decode())
    except (UnreadableFileError, RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: Any, name: str) -> str:
    text = value.get(name) if isinstance(value, dict) else None
    return text if isinstance(text, str) and text.isprintable() else ""


def _identifier(name: str, page: str, schema: Schema) -> str:
    """Return a name under the domain of a project's page, or else under that of the example."""
    slug = _slug(name.rpartition("/")[2])
    host = _host(page)
    if host:
        domains = [each for each in reversed(host.split(".")) if each != "www"]
        return ".".join(filter(None, [*domains, slug]))
    field = schema.field(schema.identifier or ())
    example = field.examples[0] if field and field.examples else ""
    domain, _, _ = str(example).rpartition(".")
    return f"{domain}.{slug}" if domain and slug else ""


def _host(page: str) -> str:
    """Return the domain of an address; empty where it has none."""
    try:
        host = urlsplit(page).hostname or ""
    except ValueError:
        return ""
    return host if "." in host and not host.replace(".", "").isdigit() else ""


def _slug(name: str) -> str:
    return _NO_NAME.sub("-", name.lower()).strip("-")


def _as_title(name: str) -> str:
    words = _BETWEEN_WORDS.split(name.rpartition("/")[2].strip())
    return " ".join(f"{each[:1].upper()}{each[1:]}" for each in words if each)
