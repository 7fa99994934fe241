"""`manifest schema`: the schema for editors, in two drafts that say the same."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from command import CLEAN, REPOSITORY, USAGE
from in_process import manifest_here
from manifestkit.model.errors import SchemaError
from manifestkit.schema.draft7 import as_draft7
from manifests import JSON_VALUES, SCHEMA, VALID, breakages

PUBLISHED = REPOSITORY / "schemas" / "activity-provider-manifest.schema.json"
DRAFT7 = as_draft7(SCHEMA)
CURRENT, OLDER = Draft202012Validator(SCHEMA), Draft7Validator(DRAFT7)


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Good manifests, manifests with one to three faults, and anything else."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON_VALUES)
    value = draw(VALID)
    ways = list(breakages(value))
    for way in draw(st.lists(st.sampled_from(ways), max_size=3)):
        with suppress(KeyError, IndexError, TypeError):  # an earlier fault took that place away
            value = way.apply(value)
    return value


@given(documents())
@example({**SCHEMA["examples"][0], "permissions": ["host.haptic"]})
@example({**SCHEMA["examples"][0], "capabilities": [1]})
@example({**SCHEMA["examples"][0], "activities": []})
@example({**SCHEMA["examples"][0], "presentation": {"banner": ""}})
def test_both_drafts_give_the_same_verdict_and_the_same_places(value: Any) -> None:
    places = [
        {tuple(error.absolute_path) for error in validator.iter_errors(value)}
        for validator in (CURRENT, OLDER)
    ]
    assert places[0] == places[1]


def test_draft_07_is_a_schema_of_its_draft_and_says_all_that_people_read() -> None:
    Draft7Validator.check_schema(DRAFT7)
    assert DRAFT7["$schema"] == "http://json-schema.org/draft-07/schema#"
    words = [
        [value for name, value in _members(schema) if name in ("title", "description", "examples")]
        for schema in (SCHEMA, DRAFT7)
    ]
    assert words[0] == words[1]
    assert "x-manifestkit" not in json.dumps(DRAFT7)


def _members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, list):
        return [pair for each in value for pair in _members(each)]
    if not isinstance(value, dict):
        return []
    return [pair for name, each in value.items() for pair in [(name, each), *_members(each)]]


def test_nothing_stands_beside_a_reference_in_draft_07() -> None:
    """Draft-07 passes over what does (core, 8.3)."""

    def check(value: Any) -> None:
        if isinstance(value, dict):
            assert "$ref" not in value or list(value) == ["$ref"]
        for each in value.values() if isinstance(value, dict) else value:
            if isinstance(each, dict | list):
                check(each)

    check(DRAFT7)


def test_what_draft_07_cannot_say_is_refused() -> None:
    with pytest.raises(SchemaError, match="draft-07 has no equivalent of `prefixItems`"):
        as_draft7({"properties": {"a": {"prefixItems": [{"type": "string"}]}}})


def test_names_and_values_are_no_keywords() -> None:
    schema = {"properties": {"$defs": {"enum": [{"$ref": "#/$defs/a"}]}}}
    assert as_draft7(schema)["properties"] == schema["properties"]


def test_the_command_prints_the_published_file_byte_for_byte(tmp_path: Path) -> None:
    outcome = manifest_here("schema", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (CLEAN, "")
    assert outcome.out.encode() == PUBLISHED.read_bytes()


def test_the_command_writes_either_draft_to_a_new_file(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    first = manifest_here("schema", "--draft", "7", "--output", "own.json", cwd=tmp_path)
    assert (first.code, first.out) == (CLEAN, "")
    assert "written to own.json" in first.err
    assert json.loads(file.read_bytes()) == DRAFT7
    refused = manifest_here("schema", "--output", "own.json", cwd=tmp_path)
    assert refused.code == USAGE
    assert "own.json: exists already; choose another file, or remove it" in refused.err
    assert json.loads(file.read_bytes()) == DRAFT7
