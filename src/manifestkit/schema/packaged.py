"""The schemas that come with the package."""

from __future__ import annotations

import importlib
import json
import os
from functools import cache
from typing import Any

from manifestkit.schema.model import Schema
from manifestkit.schema.sources import LocalResolver, Sources

BASE_ID = "urn:manifestkit:activity-provider-manifest"
BASE_FILE = "activity-provider-manifest.schema.json"
_RULES = "rules"
_RULE_SUFFIX = ".schema.json"
_FOLDER = importlib.import_module("manifestkit.schemas").__path__[0]


@cache
def base_schema() -> Schema:
    """The schema of a manifest: section 2 of the manifest document."""
    return packaged_schema(BASE_FILE)


@cache
def packaged_schema(name: str) -> Schema:
    """A schema that comes with the package, by its file name, ready for use."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        contents: dict[str, Any] = json.load(file)
    return Schema(name, contents, Sources(contents["$id"], contents, LocalResolver(contents)))


def base_schema_text() -> str:
    """The schema of a manifest as it is published: the very text of its file."""
    with open(os.path.join(_FOLDER, BASE_FILE), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


def packaged_rules() -> list[Schema]:
    """The schemas of the rules that come with the package."""
    names = sorted(os.listdir(os.path.join(_FOLDER, _RULES)))  # noqa: PTH118, PTH208
    return [packaged_schema(f"{_RULES}/{name}") for name in names if name.endswith(_RULE_SUFFIX)]
