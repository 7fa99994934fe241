"""`manifest new` writes what `manifest lint` finds clean at that place, or says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command import CLEAN, USAGE
from in_process import manifest_here
from manifests import SCHEMA
from rows import rows
from test_new import ALL, names_in

BASE = "urn:manifestkit:activity-provider-manifest"
TEAM = {"type": "string", "title": "Team", "description": "Who answers for it.", "examples": ["x"]}


def with_team(*, example: bool = True) -> dict[str, Any]:
    """A copy of our schema that demands one more member."""
    schema: dict[str, Any] = json.loads(json.dumps(SCHEMA))
    team = TEAM if example else {**TEAM, "examples": []}
    schema["properties"]["team"] = team
    schema["required"].append("team")
    return schema


def configured(folder: Path, schema: Any = None, profile: Any = None, more: str = "") -> Path:
    """A folder with a configuration."""
    folder.mkdir(exist_ok=True)
    lines = [more]
    if schema is not None:
        (folder / "own.schema.json").write_text(json.dumps(schema))
        lines.insert(0, 'schema = "own.schema.json"')
    if profile is not None:
        (folder / "host.schema.json").write_text(json.dumps(profile))
        lines.insert(0, 'profile = ["host.schema.json"]')
    (folder / "manifestkit.toml").write_text("\n".join(lines) + "\n")
    return folder


def test_new_asks_what_the_configured_schema_demands(tmp_path: Path) -> None:
    folder = configured(tmp_path, with_team())
    lacking = manifest_here("new", *ALL, cwd=folder)
    assert lacking.code == USAGE
    assert "missing: /team;" in lacking.err
    assert manifest_here("new", "--yes", "it.manifest.json", cwd=folder).code == CLEAN
    assert json.loads((folder / "it.manifest.json").read_text())["team"] == "x"
    assert manifest_here("lint", cwd=folder).code == CLEAN


def test_the_configuration_is_that_of_the_place_to_write_to(tmp_path: Path) -> None:
    folder = configured(tmp_path / "app", with_team())
    (tmp_path / "team.json").write_text('{"team": "a"}')
    for path in ("app/it.manifest.json", "app"):
        written = manifest_here("new", *ALL, "--from=team.json", path, "--dry-run", cwd=tmp_path)
        assert written.code == CLEAN, written.err
        assert json.loads(written.out)["team"] == "a"
    assert manifest_here("new", "--", "app/it.manifest.json", cwd=tmp_path).err.count("/team") == 1
    assert "/team" not in manifest_here("new", "other.manifest.json", cwd=tmp_path).err
    assert names_in(folder) == ["manifestkit.toml", "own.schema.json"]


def test_new_holds_to_the_configured_profile_and_rules(tmp_path: Path) -> None:
    profile = {"properties": {"permissions": {"minItems": 1}}}
    folder = configured(tmp_path, profile=profile)
    refused = manifest_here("new", *ALL, "it.manifest.json", cwd=folder)
    assert refused.code == USAGE
    assert "missing: --permission;" in refused.err
    assert not (folder / "it.manifest.json").exists()
    configured(tmp_path, profile={"properties": {"permissions": {"maxItems": 0}}})
    one = manifest_here("new", *ALL, "--permission=host.timer", "it.manifest.json", cwd=folder)
    assert one.code == USAGE
    assert "/permissions: " in one.err
    configured(tmp_path, profile=profile)
    good = manifest_here("new", *ALL, "--permission=host.timer", "it.manifest.json", cwd=folder)
    assert good.code == CLEAN, good.err
    configured(tmp_path, more='fail-on = "info"')
    odd = manifest_here("new", *ALL, "--version=v1", "odd.manifest.json", cwd=folder)
    assert odd.code == USAGE
    assert "neither `N.N` nor a semantic version" in odd.err


@rows(
    ("profile", "pointer", "value"),
    [
        ({"required": ["team"], "properties": {"team": TEAM}}, ("team",), "x"),
        (
            {
                "required": ["tier"],
                "properties": {
                    "tier": {
                        "title": "Tier",
                        "enum": ["free", "paid"],
                        "x-manifestkit": {"starter": "paid"},
                    }
                },
            },
            ("tier",),
            "paid",
        ),
        (
            {
                "properties": {
                    "activities": {
                        "items": {
                            "required": ["category"],
                            "properties": {"category": {"enum": ["breathing", "sleep"]}},
                        }
                    }
                }
            },
            ("activities", 0, "category"),
            "breathing",
        ),
    ],
)
def test_new_knows_what_a_profile_requires_and_offers(
    profile: dict[str, Any], pointer: tuple[str | int, ...], value: str, tmp_path: Path
) -> None:
    folder = configured(tmp_path, profile=profile)
    assert manifest_here("new", "--yes", "it.manifest.json", cwd=folder).code == CLEAN
    written = json.loads((folder / "it.manifest.json").read_text())
    for token in pointer:
        written = written[token]
    assert written == value


def test_a_wrong_answer_is_told_beside_the_missing_ones(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text('{"provider": "x"}')
    outcome = manifest_here("new", "--from", "answers.json", cwd=tmp_path)
    assert outcome.code == USAGE
    wrong, missing = outcome.err.splitlines()
    assert wrong.startswith("error: /provider: `provider` must be an object")
    assert missing.startswith("error: missing: --entrypoint, --sdk-version, --activity ID=NAME;")


def test_set_takes_a_text_literally_for_a_member_of_a_profile(tmp_path: Path) -> None:
    members = {"provider": {"properties": {"url": {"type": "string", "title": "Site"}}}}
    folder = configured(tmp_path, profile={"properties": members})
    assert manifest_here("new", "--yes", "it.manifest.json", cwd=folder).code == CLEAN
    assert manifest_here("set", "/provider/url", "https://a.b", cwd=folder).code == CLEAN
    assert json.loads((folder / "it.manifest.json").read_text())["provider"]["url"] == "https://a.b"


def test_a_schema_that_is_named_comes_before_the_configured_one(tmp_path: Path) -> None:
    folder = configured(tmp_path, with_team())
    (folder / "ours.json").write_text(json.dumps(SCHEMA))
    assert manifest_here("new", *ALL, "--schema=ours.json", "--dry-run", cwd=folder).code == CLEAN


def test_with_schema_names_the_configured_one(tmp_path: Path) -> None:
    folder = configured(tmp_path, with_team())
    assert (
        manifest_here("new", "--yes", "--with-schema", "it.manifest.json", cwd=folder).code == CLEAN
    )
    value = json.loads((folder / "it.manifest.json").read_text())
    assert value["$schema"] == "./own.schema.json"
    assert names_in(folder) == ["it.manifest.json", "manifestkit.toml", "own.schema.json"]


def test_fill_adds_what_the_configured_schema_demands(tmp_path: Path) -> None:
    folder = configured(tmp_path / "app", with_team())
    file = folder / "it.manifest.json"
    file.write_text(json.dumps(SCHEMA["examples"][0]))
    (tmp_path / "team.json").write_text('{"team": "a"}')
    outcome = manifest_here(
        "new", "app/it.manifest.json", "--fill", "--from=team.json", cwd=tmp_path
    )
    assert outcome.code == CLEAN, outcome.err
    assert json.loads(file.read_text())["team"] == "a"
    assert manifest_here("lint", cwd=folder).code == CLEAN


def test_explain_follows_the_configuration(tmp_path: Path) -> None:
    rule = {"rule": "host-team", "severity": "info", "message": "say which team"}
    profile = {"properties": {"team": {"minLength": 3, "x-manifestkit": rule}}}
    folder = configured(tmp_path, with_team(), profile)
    assert "Who answers for it." in manifest_here("explain", "/team", cwd=folder).out
    assert "info" in manifest_here("explain", "host-team", cwd=folder).out
    assert "host-team" in manifest_here("explain", cwd=folder).out


def test_a_broken_configuration_is_told_but_help_is_given(tmp_path: Path) -> None:
    (tmp_path / "manifestkit.toml").write_text("nonsense = 1\n")
    outcome = manifest_here("new", *ALL, "it.manifest.json", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "unknown option `nonsense`" in outcome.err
    assert names_in(tmp_path) == ["manifestkit.toml"]
    assert manifest_here("new", "--help", cwd=tmp_path).code == CLEAN


_SCHEMAS = st.sampled_from(
    [
        None,
        with_team(),
        with_team(example=False),
        {"type": "object", "required": ["a"], "properties": {"a": {"enum": [1, 2]}}},
        {"type": "object", "required": ["a"], "properties": {"a": {"const": None}}},
        {"required": ["a"], "properties": {"a": {"type": "array", "minItems": 2}}},
        {"required": ["a"], "not": {"required": ["a"]}},
        {"allOf": [{"$ref": BASE}], "required": ["presentation"]},
        {"type": "array"},
    ]
)
_PROFILES = st.sampled_from(
    [
        None,
        {"properties": {"permissions": {"maxItems": 0}}},
        {"properties": {"permissions": {"minItems": 1}}},
        {"properties": {"activities": {"items": {"required": ["category"]}}}},
        {"properties": {"provider": {"properties": {"name": {"minLength": 40}}}}},
        {"required": ["presentation"]},
        {"maxProperties": 3, "x-manifestkit": {"rule": "small", "severity": "info"}},
    ]
)
_MORE = st.sampled_from(
    [
        "",
        'fail-on = "info"',
        'select = ["missing-file"]',
        'severity = { "missing-file" = "error" }',
        'ignore = ["missing-field", "wrong-type"]',
        "limits = { depth = 2 }",
    ]
)


@pytest.mark.parametrize("words", [["--yes"], ["--yes", "--fill"]])
def test_a_file_that_is_named_and_not_there_yet_is_a_note(tmp_path: Path, words: list[str]) -> None:
    folder = configured(tmp_path, more='severity = { "missing-file" = "error" }')
    file = folder / "it.manifest.json"
    if "--fill" in words:
        file.write_text('{"schema_version": "1.0"}')
    made = manifest_here("new", str(file), *words)
    assert made.code == CLEAN
    assert "note: /runtime/entrypoint: `runtime.entrypoint` names" in made.err
    assert manifest_here("lint", str(file), "--ignore=missing-file").code == CLEAN


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 2,
)
@given(_SCHEMAS, _PROFILES, _MORE, st.sampled_from(["it.manifest.json", "it.manifest.yaml"]))
def test_what_new_writes_lints_clean_or_nothing_is_written(
    tmp_path: Path, schema: Any, profile: Any, more: str, name: str
) -> None:
    folder = configured(tmp_path, schema, profile, more)
    file = folder / name
    file.unlink(missing_ok=True)
    outcome = manifest_here("new", "--yes", str(file))
    assert outcome.code == (CLEAN if file.exists() else USAGE), outcome
    if file.exists():
        linted = manifest_here("lint", str(file), "--fail-on=warning", "--ignore=missing-file")
        assert linted.code == CLEAN, linted
    else:
        assert outcome.err.startswith("error: ")
