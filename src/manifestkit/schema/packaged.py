"""The schemas that come with the package."""

import json
import os
from collections.abc import Collection
from functools import cache, lru_cache
from typing import Any

from manifestkit.files import packaged_text
from manifestkit.model.pointer import value_at
from manifestkit.schema.drafts import Dialect
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Sources


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(packaged_text("formats.json"))
    return table


@cache
def packaged_formats() -> Formats:
    """Return the formats that come with the package."""
    return Formats(tuple(map(Format.of_row, _table()["formats"])))


def foreign_kind(value: Any, schema: Schema, name: str) -> str | None:
    """Return the kind of what is evidently another format's manifest; None when it may be ours."""
    if not isinstance(value, dict) or not schema.marks.isdisjoint(value):
        return None
    around = schema.inside(value)
    if around and isinstance(value_at(value, around), dict):
        return None  # a manifest in an envelope
    return _table()["names"].get(os.path.basename(name)) or _kind("foreign", value)  # noqa: PTH119


def likely_kind(value: dict[str, Any]) -> str | None:
    """Return the kind of what only looks like another format's; None where nothing tells."""
    inner = next(iter(value.values())) if len(value) == 1 else None
    return _kind("others", {*value, *(inner if isinstance(inner, dict) else ())})


def _kind(rows: str, names: Collection[str]) -> str | None:
    return next(
        (row["kind"] for row in _table()[rows] if any(m in names for m in row["members"])), None
    )


@cache
def base_schema() -> Schema:
    """Return the schema of a manifest of the first format: section 2 of the manifest document."""
    return packaged_schema(packaged_formats().default.schema)


def change_schema() -> Schema:
    """Return the schema of a change between two manifests."""
    return packaged_schema("change-document.schema.json")


@cache
def packaged_schema(name: str) -> Schema:
    """Return a schema that comes with the package, by its file name, ready for use."""
    contents = json.loads(packaged_text(name))
    return Schema(name, Sources.local(contents), read_by=(packaged_schema, (name,)))


@lru_cache(maxsize=64)
def all_of(parts: tuple[Schema, ...]) -> Schema:
    """Return one schema that requires all that several packaged schemas require."""
    first, rest = parts[:1], [True, *(each.contents for each in parts[1:])]
    contents = {
        "$schema": Dialect.CURRENT.uri,
        "allOf": [*(each.contents for each in first), {"allOf": rest}],
    }
    targets = {key: to for each in parts for key, to in each.sources.targets.items()}
    return Schema("the rules", Sources(contents, targets, (contents,)))
