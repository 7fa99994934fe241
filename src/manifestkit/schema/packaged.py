"""The schemas that come with the package."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import parse_pointer
from manifestkit.schema.drafts import CURRENT, KEYWORDS
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.formats import Formats, formats_in
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import LocalResolver, Sources

CHANGE_DOCUMENT = "change-document.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ALL = "urn:manifestkit:all-of"
_RULES = "rules"
_RULE_SUFFIX = ".schema.json"
_ITEM = "*"
_RULE_TEXTS = ("title", "description", ANNOTATION)
_RULE_MEMBERS = frozenset({"$schema", *_RULE_TEXTS, "scope", "given", "then"})
_UNIQUE_IN_RUN = ("run", {"uniqueItems": True})
_SEVERITIES = ("error", "warning", "info", "off")
_NOTES = frozenset({"rule", "severity", "help", "clause", "bad", "good"})
_FOLDER = importlib.import_module("manifestkit.schemas").__path__[0]


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(packaged_text("formats.json"))
    return table


@cache
def packaged_formats() -> Formats:
    """Return the formats that come with the package."""
    return Formats(tuple(formats_in(_table()["formats"])))


def foreign_kind(value: Any, schema: Schema) -> str | None:
    """Return the kind of what is evidently another format's manifest; None when it may be ours.

    Args:
        value: the whole document.
        schema: what a manifest must be.
    """
    if not isinstance(value, dict) or not schema.marks.isdisjoint(value):
        return None
    rows = _table()["foreign"]
    return next((row["kind"] for row in rows if any(m in value for m in row["members"])), None)


@cache
def base_schema() -> Schema:
    """Return the schema of a manifest of the first format: section 2 of the manifest document."""
    return packaged_schema(packaged_formats().default.schema)


@cache
def packaged_schema(name: str) -> Schema:
    """Return a schema that comes with the package, by its file name, ready for use."""
    contents = json.loads(packaged_text(name))
    sources = Sources(contents["$id"], contents, LocalResolver(contents))
    return Schema(name, sources, read_by=(packaged_schema, (name,)))


@lru_cache(maxsize=64)
def all_of(parts: tuple[Schema, ...]) -> Schema:
    """Return one schema that requires all that several packaged schemas require."""
    first, rest = parts[:1], [True, *(each.contents for each in parts[1:])]
    contents = {"$schema": _DIALECT, "allOf": [*(each.contents for each in first), {"allOf": rest}]}

    def check() -> None:
        for each in parts:
            each.validator.compile()

    return Schema("the rules", Sources(_ALL, contents, LocalResolver(contents)), check)


def packaged_text(name: str) -> str:
    """Return a schema that comes with the package as it is published: the very text of its file."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


def packaged_rules(kind: str = _RULES) -> list[Schema]:
    """Return the package's rules, each as a schema: its texts, and what it requires.

    A rule about all manifests of a run has ``given`` instead: the places that it compares.

    Args:
        kind: the folder of their files.

    Raises:
        SchemaError: a file is no rule; the text names file, line and column.
    """
    folder = os.path.join(_FOLDER, kind)  # noqa: PTH118
    names = sorted(name for name in os.listdir(folder) if name.endswith(_RULE_SUFFIX))  # noqa: PTH208
    return [_rule(os.path.join(folder, name)) for name in names]  # noqa: PTH118


def _rule(path: str) -> Schema:
    with open(path, "rb") as file:  # noqa: PTH123
        data = file.read()
    try:
        rule = json.loads(data)
        given, then = rule.get("given", ()), rule.get("then", {})
        is_about_run = "scope" in rule
        is_sound = not is_about_run or (rule["scope"], then) == _UNIQUE_IN_RUN
        is_sound = is_sound and rule.keys() <= _RULE_MEMBERS and then.keys() <= KEYWORDS[CURRENT]
        is_sound = is_sound and bool(given) == bool(then) and "$ref" not in then
        notes = rule[ANNOTATION]
        is_sound = is_sound and notes.keys() >= _NOTES and notes["severity"] in _SEVERITIES
        texts = {name: rule[name] for name in _RULE_TEXTS}
        pointers = [given] if isinstance(given, str) else given
        placed = {"given": pointers} if is_about_run else _placed(pointers, then)
    except (AttributeError, KeyError, PointerSyntaxError, TypeError, ValueError):
        is_sound = False

    def check() -> None:
        from manifestkit.schema.checks import check_rule  # noqa: PLC0415 - ours are sound

        files = (packaged_schema(name) for name in ("rule.schema.json", "annotation.schema.json"))
        check_rule(data, path, *files)

    if not is_sound:
        check()
    contents = {**texts, **placed}
    return Schema(path, Sources(_RULES, contents, LocalResolver(contents)), check)


def _placed(pointers: Iterable[str], then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with requirements for the values at some places of a document.

    Args:
        pointers: the places; ``*`` stands for each item of a list.
        then: what each value there must be.
    """
    root: dict[str, Any] = {}
    for pointer in pointers:
        here = root
        for token in parse_pointer(pointer):
            below = here if token == _ITEM else here.setdefault("properties", {})
            here = below.setdefault("items" if token == _ITEM else token, {})
        here.setdefault("allOf", []).append(then)
    return root
