"""A schema that would keep a linter busy for ever gives a verdict or an error, by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import manifestkit
from command import EXAMPLES
from manifestkit import Options, SchemaError
from manifestkit.schema.loading.load import load_schema
from schema_engine import needs_jsonschema_rs

pytestmark = pytest.mark.slow

MANIFEST = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
LEVELS = 60


def doubling(keyword: str, last: Any, **more: Any) -> dict[str, Any]:
    """Schemas that lead to the next twice each: 2^60 ways."""
    levels = {
        f"l{n}": {keyword: [{"$ref": f"#/$defs/l{n + 1}"}] * 2, **more} for n in range(LEVELS)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**levels, f"l{LEVELS}": last}}


def dependent() -> dict[str, Any]:
    names = ("provider", "runtime")
    levels = {
        f"l{n}": {"dependentSchemas": {name: {"$ref": f"#/$defs/l{n + 1}"} for name in names}}
        for n in range(LEVELS)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**levels, f"l{LEVELS}": {}}}


def many(count: int, **schema: Any) -> dict[str, Any]:
    return {f"p{number}": schema for number in range(count)}


CLOSED = {"unevaluatedProperties": False}
ENDLESS = {
    "allOf": doubling("allOf", {"type": "string"}),
    "anyOf": doubling("anyOf", {"type": "string"}),
    "oneOf": doubling("oneOf", {"type": "object"}),
    "allOf that holds": doubling("allOf", {"type": "object"}),
    "allOf that tells what it has looked at": doubling("allOf", {}, **CLOSED),
    "anyOf, and nothing beside": {**doubling("anyOf", {}), **CLOSED},
    "dependent schemas": {**dependent(), **CLOSED},
    "a recursion that doubles": {
        "$ref": "#/$defs/n",
        "$defs": {"n": {"properties": {"x": {"allOf": [{"$ref": "#/$defs/n"}] * 2}}}},
    },
    "a recursion in many steps that double": {
        "$ref": "#/$defs/n0",
        "$defs": {
            f"n{n}": {"anyOf": [{"properties": {"x": {"$ref": f"#/$defs/n{(n + 1) % 40}"}}}] * 2}
            for n in range(40)
        },
    },
    "an older draft": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "allOf": [{"$ref": "#/definitions/l0"}],
        "definitions": json.loads(
            json.dumps(doubling("allOf", {})["$defs"]).replace("$defs", "definitions")
        ),
    },
}
LARGE = {
    "members": {"properties": many(10_000, type="string", minLength=1)},
    "values": {"properties": {"x": {"enum": [f"v{n}" for n in range(50_000)]}}},
    "references": {"$defs": {"x": {}}, "properties": many(10_000, **{"$ref": "#/$defs/x"})},
    "a chain": {
        "$ref": "#/$defs/l0",
        "$defs": {
            **{f"l{n}": {"$ref": f"#/$defs/l{n + 1}"} for n in range(300)},
            "l300": {},
        },
    },
    "anchors": {
        "$defs": {f"l{n}": {"$anchor": f"a{n}"} for n in range(2_000)},
        "properties": {f"p{n}": {"$ref": f"#a{n}"} for n in range(2_000)},
    },
}


def rules_by(folder: Path, contents: Any, **more: Any) -> set[str]:
    """The rules of what is found by a profile."""
    (folder / "host.json").write_text(json.dumps(contents), "utf-8")
    named = folder / "manifest.json"
    named.write_text(json.dumps({**json.loads(MANIFEST), **more}), "utf-8")
    options = Options(profiles=(folder / "host.json",), isolated=True)
    return {each.rule for each in manifestkit.lint_paths([named], options).findings}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_schema_whose_ways_multiply_is_refused(tmp_path: Path, kind: str) -> None:
    deep: dict[str, Any] = {}
    for _ in range(30):
        deep = {"x": deep}
    with pytest.raises(
        SchemaError, match=r"host\.json:1:1: this schema has too many evaluation paths"
    ):
        rules_by(tmp_path, ENDLESS[kind], **deep)


@pytest.mark.parametrize("kind", LARGE)
def test_a_large_schema_is_loaded_and_has_a_verdict(tmp_path: Path, kind: str) -> None:
    assert rules_by(tmp_path, LARGE[kind]) == set()


@pytest.mark.parametrize(
    "contents",
    [
        dict.fromkeys((f"m{n}" for n in range(10_000)), 1),
        {"required": [f"m{n}" for n in range(50_000)]},
    ],
    ids=["keywords", "members"],
)
def test_more_unknown_names_than_can_be_compared_are_refused_once(
    tmp_path: Path, contents: Any
) -> None:
    with pytest.raises(SchemaError, match="there are too many unknown names") as caught:
        rules_by(tmp_path, {"minProperties": 1, **contents})
    assert len(caught.value.problems) == 1


@needs_jsonschema_rs
def test_a_pattern_that_backtracks_is_linear_beside_unevaluated_members(tmp_path: Path) -> None:
    bomb = {"patternProperties": {"^(a+)+$": True, "^[^a]": True}, **CLOSED}
    name = "a" * 60
    file = tmp_path / "host.json"
    file.write_text(json.dumps(bomb), "utf-8")
    errors = load_schema(file).validator.errors({name: 1, f"{name}!": 1, "b": 1})
    assert [error.member for error in errors] == [f"{name}!"]


@pytest.mark.parametrize(
    ("schema", "value", "left"),
    [
        ({"allOf": [{"properties": {"a": {}}}]}, {"a": 1, "b": 1}, {"b"}),
        ({"anyOf": [{"required": ["z"], "properties": {"a": {}}}, {}]}, {"a": 1}, {"a"}),
        ({"if": {"required": ["a"]}, "then": {"properties": {"a": {}}}}, {"a": 1}, set()),
        ({"if": {"required": ["z"]}, "else": {"properties": {"a": {}}}}, {"a": 1}, set()),
        ({"dependentSchemas": {"a": {"patternProperties": {"b": {}}}}}, {"a": 1, "b": 1}, {"a"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}}}}, {"a": 1}, set()),
        ({"allOf": [{"additionalProperties": {}}]}, {"a": 1}, set()),
        ({"allOf": [{"unevaluatedProperties": {}}]}, {"a": 1}, set()),
        ({"not": {"properties": {"a": False}}}, {"a": 1}, {"a"}),
    ],
)
def test_what_no_schema_looks_at_is_left(
    tmp_path: Path, schema: dict[str, Any], value: dict[str, int], left: set[str]
) -> None:
    file = tmp_path / "host.json"
    file.write_text(json.dumps({**schema, **CLOSED}), "utf-8")
    assert {error.member for error in load_schema(file).validator.errors(value)} == left


@pytest.mark.parametrize(
    ("schema", "value", "left"),
    [
        ({"allOf": [{"prefixItems": [{}]}]}, [1, 2], {1}),
        ({"allOf": [{"items": {}}]}, [1, 2], set()),
        ({"anyOf": [{"contains": {"const": 2}}]}, [1, 2], {0}),
        ({"allOf": [{"unevaluatedItems": {}}]}, [1], set()),
    ],
)
def test_items_that_no_schema_looks_at_are_left(
    tmp_path: Path, schema: dict[str, Any], value: list[int], left: set[int]
) -> None:
    file = tmp_path / "host.json"
    file.write_text(json.dumps({**schema, "unevaluatedItems": False}), "utf-8")
    assert {error.path[0] for error in load_schema(file).validator.errors(value)} == left
