"""A project's name, version, identifier and main file, for a new manifest."""

from __future__ import annotations

import re
from typing import Any

from manifestkit.files import absolute
from manifestkit.model.pointer import Path
from manifestkit.rules.project import projects
from manifestkit.schema.model import Field, Schema

_NO_NAME = re.compile(r"[^a-z0-9-]+")
_BETWEEN_WORDS = re.compile(r"[-_.\s]+")


def project_values(schema: Schema, folder: str) -> dict[Path, Any]:
    """Return what the project of a folder says of a manifest, by path.

    A project that nothing else names is called as its folder. A file is one beside the manifest.
    """
    around = [*projects(folder)]
    found = ((each.member("name"), each.member("version")) for each in around)
    named = ((name, version) for name, version in found if name)
    name, version = next(named, (absolute(folder).name, None))
    identifier = schema.identifier
    values: dict[Path, Any] = {}
    if identifier and name:
        holder = schema.field(identifier[:-1])
        if holder and holder.label:
            values[(*identifier[:-1], holder.label)] = _as_title(name)
        values[identifier] = _identifier(name, schema.field(identifier))
    if schema.version and version:
        values[schema.version] = version
    beside = [each for each in around if each.file.parent == absolute(folder)]
    for path, field in schema.fields:
        files = (each.member(known) for each in beside for known in field.synonyms if field.file)
        values.setdefault(path, next(filter(None, files), None))
    return {path: each for path, each in values.items() if each}


def _identifier(name: str, field: Field | None) -> str:
    """Return a name under the domain of the example."""
    slug = _NO_NAME.sub("-", name.rpartition("/")[2].lower()).strip("-")
    example = field.examples[0] if field and field.examples else ""
    domain, _, _ = str(example).rpartition(".")
    return f"{domain}.{slug}" if domain and slug else ""


def _as_title(name: str) -> str:
    words = _BETWEEN_WORDS.split(name.rpartition("/")[2].strip())
    return " ".join(f"{each[:1].upper()}{each[1:]}" for each in words if each)
