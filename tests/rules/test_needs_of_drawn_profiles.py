"""Tables of needs at drawn places of drawn profiles, beside what the documentation promises.

"The table names each other list by its pointer, and below that the items of its own list that need
something there. An item needs all that the table gives for it, and a list that is missing has
nothing. [...] The table can be next to any list that `properties`, `items` (without `prefixItems`)
and `allOf` lead to from the root [...]; anywhere else, it is an error."
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judging import with_members, written
from manifestkit import SchemaError
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.schema.loading.load import load_schema

Place = tuple[str | int, ...]
Files = dict[str, Any]

LISTS: dict[Place, list[str]] = {
    ("permissions",): ["host.timer", "host.haptics"],
    ("capabilities",): ["host.timer.start", "host.haptic", "activity.start"],
    ("activities", 0, "surfaces"): ["watch", "tv"],
    ("regions",): ["EU", "US"],
    ("host", "grants"): ["timer", "haptics"],
}
POINTED_TO = [place for place in LISTS if 0 not in place]
LIST = {"title": "Added", "type": "array"}
ADDED = {
    "properties": {
        "regions": LIST,
        "host": {"title": "Host", "properties": {"grants": LIST}},
    }
}


def at(place: Place, schema: Any) -> dict[str, Any]:
    """A schema for what is at a place, which also describes the added lists."""
    for token in reversed(place):
        schema = {"properties": {token: schema}} if isinstance(token, str) else {"items": schema}
    return {"allOf": [schema, ADDED]}


APPLIED: dict[str, Callable[[Place, Any], tuple[Any, Files]]] = {
    "inline": lambda place, table: (at(place, table), {}),
    "allOf": lambda place, table: ({"allOf": [at(place, {"allOf": [table]})]}, {}),
    "file": lambda place, table: ({"$ref": "a.json"}, {"a.json": at(place, table)}),
    "file by file": lambda place, table: (
        {"allOf": [{"$ref": "sub/a.json"}]},
        {"sub/a.json": {"allOf": [{"$ref": "b.json"}]}, "sub/b.json": at(place, table)},
    ),
}
REFUSED: dict[str, Callable[[Place, Any], tuple[Any, Files]]] = {
    "anyOf": lambda place, table: ({"anyOf": [at(place, table)]}, {}),
    "$defs": lambda place, table: (
        {"$defs": {"a": table}, **at(place, {"$ref": "#/$defs/a"})},
        {},
    ),
    "components": lambda place, table: (
        {"components": {"a": table}, **at(place, {"$ref": "#/components/a"})},
        {},
    ),
    "file of the list": lambda place, table: (
        at(place, {"$ref": "a.json"}),
        {"a.json": {"type": "array", **table}},
    ),
    "part of a file": lambda place, table: (
        {"$ref": "a.json#/allOf/0"},
        {"a.json": at(place, table)},
    ),
    "file below the root": lambda place, table: (
        {"properties": {"runtime": {"$ref": "a.json"}}},
        {"a.json": at(place, table)},
    ),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Place, Place, dict[str, list[str]]]:
    """A list, another, and which items of the one need which of the other."""
    place, other = draw(st.sampled_from(list(LISTS))), draw(st.sampled_from(POINTED_TO))
    needed = st.lists(st.sampled_from(LISTS[other]), min_size=1, max_size=3)
    return place, other, draw(st.dictionaries(st.sampled_from(LISTS[place]), needed, min_size=1))


def values(place: Place) -> st.SearchStrategy[list[str] | None]:
    """A list, empty at times; None for none."""
    return st.none() | st.lists(st.sampled_from(LISTS[place]), max_size=3)


def manifest_with(lists: dict[Place, list[str] | None]) -> dict[str, Any]:
    """A manifest that has some lists."""
    value = with_members()
    for (*above, name), items in lists.items():
        holder: Any = value
        for token in above:
            holder = holder.setdefault(token, {}) if isinstance(token, str) else holder[token]
        holder.pop(name, None)
        if items is not None:
            holder[name] = items
    if not value["host"]:
        del value["host"]
    return value


def lacking(
    lists: dict[Place, list[str] | None], place: Place, other: Place, rows: dict[str, list[str]]
) -> Iterator[str]:
    """The pointers of the items that lack what a table gives for them."""
    for index, item in enumerate(lists[place] or ()):
        if not {*rows.get(item, ())} <= {*(lists[other] or ())}:
            yield "/" + "/".join(map(str, (*place, index)))


def loaded(folder: Path, contents: Any, files: Files) -> Policy:
    for name, each in files.items():
        written(folder / name, each)
    return Policy(profiles=(load_schema(written(folder / "host.json", contents)),))


@given(tables(), st.sampled_from(sorted({**APPLIED, **REFUSED})), st.data())
def test_an_item_lacks_what_the_table_gives_for_it_or_the_table_is_refused(
    table: tuple[Place, Place, dict[str, list[str]]], way: str, data: st.DataObject
) -> None:
    place, other, rows = table
    pointer = "/" + "/".join(map(str, other))
    annotation = {"x-manifestkit": {"needs": {pointer: rows}}}
    host, files = {**APPLIED, **REFUSED}[way](place, annotation)
    lists = {each: data.draw(values(each)) for each in LISTS}
    try:
        with TemporaryDirectory() as folder:
            policy = loaded(Path(folder), host, files)
    except SchemaError:
        assert way in REFUSED
        return
    assert way in APPLIED
    report = lint_text(json.dumps(manifest_with(lists)), policy=policy)
    found = [each.pointer for each in report.findings if each.rule == "schema-needs"]
    assert sorted(found) == sorted(lacking(lists, place, other, rows))
