"""One engine judges: what it says beside the reference, of large values and of odd ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import manifestkit
from command import EXAMPLES, REPOSITORY
from manifestkit import Limits, Options
from manifestkit.config.configuration import Selection
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.schema.drafts import subschemas_of
from manifestkit.schema.loading.load import load_schema
from manifestkit.schema.packaged import base_schema
from rows import rows
from schema_engine import needs_jsonschema_rs
from suites import reference

MANIFEST = json.loads((EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8"))


@pytest.mark.parametrize("seed", range(6))
def test_mutants_are_judged_as_by_the_reference(seed: int) -> None:
    counted, wrong = reference.run(50, seed)
    assert wrong == []
    assert counted["errors"] > 5


def found_by(folder: Path, profile: Any, value: Any) -> list[tuple[str, str]]:
    """What is found by a profile in a value, each as rule and pointer."""
    return [(each.rule, each.pointer) for each in findings(folder, profile, value)]


def findings(folder: Path, profile: Any, value: Any) -> list[manifestkit.Finding]:
    """The findings of a profile in a value."""
    file = folder / "host.json"
    file.write_text(json.dumps(profile), "utf-8")
    policy = Policy(profiles=(load_schema(file),))
    found = lint_text(json.dumps(value), "manifest.json", policy=policy).findings
    return [each for each in found if each.profile]


@rows("name", ["", "7", "007", "+1", "0"])
def test_a_name_that_is_empty_or_of_digits_is_told_as_it_is_written(
    tmp_path: Path, name: str
) -> None:
    profile = {"additionalProperties": {"type": ["object", "string", "array"]}}
    assert found_by(tmp_path, profile, {**MANIFEST, name: 1}) == [("wrong-type", f"/{name}")]
    by_name = {"properties": {name: {"properties": {name: {"maximum": 0}}}}}
    value = {**MANIFEST, name: {name: 1}}
    assert found_by(tmp_path, by_name, value) == [("schema-maximum", f"/{name}/{name}")]


def test_what_no_keyword_speaks_of_is_told_by_its_place_among_equals(tmp_path: Path) -> None:
    profile = {"properties": {"x": {"prefixItems": [{"const": 1}], "unevaluatedItems": False}}}
    assert found_by(tmp_path, profile, {**MANIFEST, "x": [1, 1, "1"]}) == [
        ("schema-unevaluatedItems", "/x/1"),
        ("schema-unevaluatedItems", "/x/2"),
    ]


@pytest.mark.parametrize("half", ["\ud800", "a\udfff"])
def test_half_a_character_keeps_no_manifest_from_being_judged(tmp_path: Path, half: str) -> None:
    profile = {
        "properties": {
            "x": {"uniqueItems": True, "items": {"maxLength": 2}},
            "y": {"propertyNames": {"maxLength": 2}, "additionalProperties": {"maxLength": 2}},
        }
    }
    good = {**MANIFEST, "x": [half, "\ud801"], "y": {half: half}}
    assert found_by(tmp_path, profile, good) == []
    bad = {**MANIFEST, "x": [half, half], "y": {half: f"{half}??"}}
    assert found_by(tmp_path, profile, bad) == [
        ("schema-uniqueItems", "/x/1"),
        ("schema-maxLength", f"/y/{half}"),
    ]


_PLACES = st.sets(st.integers(0, 2_499), max_size=4)


@pytest.mark.slow
@settings(max_examples=25)
@given(wrong=_PLACES, halves=_PLACES)
def test_half_a_character_hides_no_error_of_a_large_manifest(
    wrong: set[int], halves: set[int]
) -> None:
    items = ["host.timer"] * 2_500
    for index in wrong:
        items[index] = "host.tymer"
    for index in halves:
        items[index] = "host.\ud800"
    policy = Policy(selection=Selection(select=("unknown-permission",)))
    result = lint_text(json.dumps({**MANIFEST, "permissions": items}), policy=policy)
    pointers = [each.pointer for each in result.findings]
    assert pointers == [f"/permissions/{index}" for index in sorted(wrong | halves)]


_HALVES = ["\ud800", "\udfff", "\U0010f000", "\U0010f7ff", "\U0010efff", "a"]


@given(st.lists(st.sampled_from(_HALVES), max_size=6))
def test_no_character_is_taken_for_half_of_another(items: list[str]) -> None:
    names = dict.fromkeys(items)
    value = {**MANIFEST, "permissions": items, "presentation": names}
    found = lint_text(json.dumps(value)).findings
    repeated = [index for index, item in enumerate(items) if item in items[:index]]
    assert [each.pointer for each in found if each.rule == "duplicate-item"] == [
        f"/permissions/{index}" for index in repeated
    ]
    unknown = [each.pointer for each in found if each.rule == "unknown-member"]
    assert sorted(unknown) == sorted(f"/presentation/{name}" for name in names)


@rows("value", [None, "abc", "\ud800", ["\ud800"]])
def test_beside_half_a_character_a_name_is_told_by_its_own_length(
    tmp_path: Path, value: Any
) -> None:
    profile = {"properties": {"x": {"propertyNames": {"maxLength": 3}}}}
    told = findings(tmp_path, profile, {**MANIFEST, "x": {"long1": value, "\ud800": 1}})
    (found,) = (each for each in told if each.rule == "schema-propertyNames")
    assert found.message == "the name of `x.long1` is not allowed: it has 5 characters, more than 3"


def test_a_branch_is_judged_by_what_refers_into_it(tmp_path: Path) -> None:
    profile = {
        "properties": {"x": {"$ref": "#/$defs/d/anyOf/1/properties/y"}},
        "$defs": {"d": {"anyOf": [{}, {"properties": {"y": {"maximum": 1}}}]}},
    }
    assert found_by(tmp_path, profile, {**MANIFEST, "x": 2}) == [("schema-maximum", "/x")]


@pytest.mark.parametrize("count", [1, 3_000])
def test_a_member_may_be_called_as_a_keyword_is(tmp_path: Path, count: int) -> None:
    profile = {
        "properties": {
            "propertyNames": {"type": "array", "title": "Own"},
            "x": {"$ref": "#/$defs/anyOf"},
        },
        "$defs": {"anyOf": {"maximum": 1}},
    }
    value = {**MANIFEST, "propertyNames": 1, "x": 2, "y": [0] * count}
    assert found_by(tmp_path, profile, value) == [
        ("wrong-type", "/propertyNames"),
        ("schema-maximum", "/x"),
    ]


# -- schemas inside schemas, and older drafts -------------------------------------------------

_BUNDLED = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.org/host/profile",
    "properties": {"x": {"$ref": "part"}, "y": {"$ref": "https://example.org/host/part#deep"}},
    "$defs": {
        "part": {
            "$id": "part",
            "properties": {"z": {"$ref": "#/$defs/small"}},
            "$defs": {"small": {"maximum": 1}, "deep": {"$anchor": "deep", "minimum": 3}},
        }
    },
}


def test_a_bundled_schema_is_judged_by_its_parts(tmp_path: Path) -> None:
    value = {**MANIFEST, "x": {"z": 2}, "y": 2}
    assert found_by(tmp_path, _BUNDLED, value) == [
        ("schema-maximum", "/x/z"),
        ("schema-minimum", "/y"),
    ]
    assert found_by(tmp_path, _BUNDLED, {**MANIFEST, "x": {"z": 1}, "y": 3}) == []


def test_a_bundled_schema_describes_its_fields(tmp_path: Path) -> None:
    part = {
        "$id": "part",
        "properties": {"z": {"$ref": "#/$defs/t"}},
        "$defs": {"t": {"title": "T"}},
    }
    file = tmp_path / "own.json"
    contents = {"$id": "https://example.org/own", "properties": {"x": {"$ref": "part"}}}
    file.write_text(json.dumps({**contents, "$defs": {"p": part}}), "utf-8")
    field = load_schema(file).field(("x", "z"))
    assert field
    assert field.title == "T"


@rows(
    ("draft", "demand", "value", "found"),
    [
        (
            "https://json-schema.org/draft/2020-12/schema",
            {"prefixItems": [{}], "items": {"type": "string"}, "unevaluatedItems": False},
            [1, "a", 2],
            [("wrong-type", "/x/2")],
        ),
        (
            "http://json-schema.org/draft-07/schema#",
            {"dependencies": {"a": ["b"], "c": {"maxProperties": 1}}},
            {"a": 1, "c": 2},
            [("schema-dependencies", "/x"), ("schema-maxProperties", "/x")],
        ),
        (
            "http://json-schema.org/draft-07/schema#",
            {"items": [{}], "additionalItems": False},
            [1, 2],
            [("schema-additionalItems", "/x/1")],
        ),
        (
            "http://json-schema.org/draft-07/schema#",
            {"anyOf": [{"const": 1}, {"propertyNames": {"maxLength": 1}, "type": "object"}]},
            {"ab": 1},
            [("schema-anyOf", "/x")],
        ),
    ],
)
def test_an_older_draft_is_judged_as_it_is(
    tmp_path: Path, draft: str, demand: Any, value: Any, found: list[tuple[str, str]]
) -> None:
    profile = {"$schema": draft, "properties": {"x": demand}}
    assert found_by(tmp_path, profile, {**MANIFEST, "x": value}) == found


def test_a_file_of_an_older_draft_is_judged_as_it_is(tmp_path: Path) -> None:
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "dependencies": {"a": ["b"]},
        "properties": {"c": {"items": [{"type": "string"}], "additionalItems": False}},
    }
    (tmp_path / "old.json").write_text(json.dumps(old), "utf-8")
    profile = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"x": {"$ref": "old.json"}},
    }
    value = {**MANIFEST, "x": {"a": 1, "c": [1, 2]}}
    assert found_by(tmp_path, profile, value) == [
        ("schema-dependencies", "/x"),
        ("wrong-type", "/x/c/0"),
        ("schema-additionalItems", "/x/c/1"),
    ]


# -- how much judging may take ----------------------------------------------------------------

_MEASURED = """
import re, sys
from pathlib import Path
from manifestkit.engine.lint import lint_text
from manifestkit.config.policy import Policy
from manifestkit.schema.loading.load import load_schema
profiles = tuple(load_schema(Path(each)) for each in sys.argv[2:])
text = Path(sys.argv[1]).read_bytes()
found = lint_text(text, "manifest.json", policy=Policy(profiles=profiles)).findings
status = Path("/proc/self/status")  # of Linux alone; there the test counts
peak = re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1] if status.exists() else 0
print(len(found), int(peak) // 1024)
"""


def measured(folder: Path, value: Any, *profiles: Any) -> tuple[int, int]:
    """How many findings there are of a value, and the megabytes; both in far less than 100 s."""
    file = folder / "manifest.json"
    file.write_text(json.dumps(value), "utf-8")
    for index, each in enumerate(profiles):
        (folder / f"{index}.json").write_text(json.dumps(each), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, file, *(f"{n}.json" for n in range(len(profiles)))],
        cwd=folder,
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    count, megabytes = done.stdout.split()
    return int(count), int(megabytes)


def test_a_recursive_profile_and_a_deep_manifest_are_soon_judged(tmp_path: Path) -> None:
    below = {"properties": {"x": {"$ref": "#/$defs/node"}}}
    branches = [{**below, "required": [f"y{n}"]} for n in range(5)]
    node = {"type": "object", "anyOf": branches, "oneOf": branches}
    deep: Any = {}
    for _ in range(197):
        deep = {"x": deep}
    profile = {"properties": {"x": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    count, megabytes = measured(tmp_path, {**MANIFEST, "x": deep}, profile)
    assert count == 2
    assert megabytes < 100


_MANY = list(range(200_000))
_BY_PART = {"properties": {"x": {"maxProperties": 1, "additionalProperties": {"type": "null"}}}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "profiles"),
    [
        ({"permissions": _MANY}, ()),
        ({"activities": [{"id": 1, "name": 2}] * 100_000}, ()),
        ({"x": {str(each): each for each in _MANY}}, (_BY_PART,)),
    ],
    ids=["items", "objects", "members"],
)
def test_of_a_vast_manifest_the_first_findings_are_soon_told(
    tmp_path: Path, value: dict[str, Any], profiles: tuple[Any, ...]
) -> None:
    count, megabytes = measured(tmp_path, {**MANIFEST, **value}, *profiles)
    assert count > 2_500
    assert megabytes < 512


@pytest.mark.slow
def test_one_fault_in_a_vast_manifest_is_found(tmp_path: Path) -> None:
    items = ["host.timer"] * 199_999 + ["host.tymer"]
    file = tmp_path / "manifest.json"
    file.write_text(json.dumps({**MANIFEST, "permissions": items}), "utf-8")
    options = Options(select=("unknown-permission",), isolated=True)
    (found,) = manifestkit.lint_paths([file], options).findings
    assert (found.pointer, found.suggestion) == ("/permissions/199999", "host.timer")


@pytest.mark.slow
@pytest.mark.parametrize("depth", [pytest.param(900, marks=needs_jsonschema_rs), 5_000, 50_000])
def test_a_manifest_deeper_than_any_stack_is_judged_or_told_as_such(depth: int) -> None:
    policy = Policy(limits=Limits(depth=100_000))
    deep = '{"x":' * depth + "1" + "}" * depth
    text = json.dumps({**MANIFEST, "x": None}).replace("null", deep)
    found = lint_text(text, "manifest.json", policy=policy).findings
    assert {each.rule for each in found} <= {"limit-exceeded"}  # an engine may go as deep


@pytest.mark.slow
def test_a_schema_without_end_follows_no_manifest_deeper_than_any_stack(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    file.write_text('{"properties": {"x": {"$ref": "#"}}}', "utf-8")
    policy = Policy(profiles=(load_schema(file),), limits=Limits(depth=100_000))
    deep = '{"x":' * 50_000 + "1" + "}" * 50_000
    text = json.dumps({**MANIFEST, "x": None}).replace("null", deep)
    (finding,) = lint_text(text, "manifest.json", policy=policy).findings
    assert finding.rule == "limit-exceeded"


def test_no_schema_of_ours_has_what_the_engine_must_be_given_otherwise() -> None:
    """Ours are compiled as they are; see `schema/engines/compiled.py`."""
    for file in (REPOSITORY / "schemas").rglob("*.json"):
        for schema in subschemas_of(json.loads(file.read_text("utf-8"))):
            assert "dependencies" not in schema, file
            assert schema.get("$ref", "").isascii(), file
    assert base_schema().validator.is_valid(MANIFEST)
