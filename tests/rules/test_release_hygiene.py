"""`version-mismatch` and `deprecated-value`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import manifestkit
from command import Outcome
from in_process import manifest_here
from judging import BASE, held_to, with_activity, with_members, written
from rows import rows

_TURNED_ON = "--severity=version-mismatch=warning"
_VERSION = BASE["provider"]["version"]
_OTHER = "9.8.7"
_FILES = {
    "package.json": '{{\n "name": "calm",\n "version": "{}"\n}}\n',
    "pyproject.toml": '[build-system]\nrequires = []\n[project]\nversion = "{}"\n',
    "Cargo.toml": "[package]\nname = 'calm'\nversion = '{}'\n",
}


def lint(*arguments: str, cwd: Path) -> Outcome:
    return manifest_here("lint", "--output-format=json", *arguments, cwd=cwd)


def findings(outcome: Outcome) -> list[Any]:
    found: list[Any] = json.loads(outcome.out)["findings"]
    return found


@rows("file", _FILES)
@rows("folder", [".", "app/site"])
def test_a_version_that_differs_from_the_projects_is_a_warning_with_both_places(
    tmp_path: Path, file: str, folder: str
) -> None:
    (tmp_path / ".git").mkdir()
    written(tmp_path / file, _FILES[file].format(_OTHER))
    written(tmp_path / folder / "manifest.json", BASE)
    assert findings(lint(cwd=tmp_path)) == []
    ended = lint(_TURNED_ON, cwd=tmp_path)
    (finding,) = findings(ended)
    assert (ended.code, finding["rule"], finding["severity"]) == (0, "version-mismatch", "warning")
    assert finding["pointer"] == "/provider/version"
    assert _VERSION in finding["message"]
    (place,) = finding["related"]
    text = (tmp_path / place["path"]).read_text().splitlines()[place["line"] - 1]
    assert text[place["column"] - 1 : place["end_column"] - 1] == _OTHER
    written(tmp_path / file, _FILES[file].format(_VERSION))
    assert findings(lint(_TURNED_ON, cwd=tmp_path)) == []


def test_the_nearest_project_counts_and_none_outside_of_the_repository(tmp_path: Path) -> None:
    written(tmp_path / "package.json", _FILES["package.json"].format(_OTHER))
    repository = tmp_path / "repository"
    file = written(repository / "app" / "manifest.json", BASE)
    assert findings(lint(_TURNED_ON, str(file), cwd=tmp_path)) == []
    (repository / ".git").write_text("gitdir: elsewhere")
    assert findings(lint(_TURNED_ON, str(file), cwd=tmp_path)) == []
    written(repository / "Cargo.toml", _FILES["Cargo.toml"].format(_OTHER))
    assert len(findings(lint(_TURNED_ON, str(file), cwd=tmp_path))) == 1
    written(repository / "app" / "package.json", _FILES["package.json"].format(_VERSION))
    assert findings(lint(_TURNED_ON, str(file), cwd=tmp_path)) == []


@rows("contents", ["{", "[]", '{"version": 1}', '{"name": "calm"}', "\x00", "[" * 100_000])
def test_a_project_file_without_a_version_or_that_cannot_be_read_is_passed_over(
    tmp_path: Path, contents: str
) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "package.json", contents)
    written(tmp_path / "pyproject.toml", contents)
    ended = lint(_TURNED_ON, cwd=tmp_path)
    assert (ended.code, findings(ended)) == (0, [])


@pytest.mark.parametrize(
    "before", ["a" + ".a" * 200 + " = 1\n", f"# {'long ' * 300_000}\n"], ids=["key", "text"]
)
def test_a_project_file_that_is_slow_to_read_is_passed_over(tmp_path: Path, before: str) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "Cargo.toml", before + _FILES["Cargo.toml"].format(_OTHER))
    assert findings(lint(_TURNED_ON, cwd=tmp_path)) == []


def test_a_dynamic_version_leaves_the_others(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", BASE)
    written(tmp_path / "pyproject.toml", '[project]\ndynamic = ["version"]\n')
    assert findings(lint(_TURNED_ON, cwd=tmp_path)) == []
    written(tmp_path / "Cargo.toml", _FILES["Cargo.toml"].format(_OTHER))
    assert len(findings(lint(_TURNED_ON, cwd=tmp_path))) == 1


_ALIKE = [1, 1.0, True, [1], [True], {"a": 0}, {"a": False}, "1"]
_OLD = {"deprecated": True, "x-manifestkit": {"help": "name the kind"}}


@rows(
    ("profile", "value", "pointer"),
    [
        (
            {"properties": {"legacy": {"title": "Legacy", **_OLD}}},
            with_members(legacy=1),
            "/legacy",
        ),
        (
            {"properties": {"activities": {"items": {"properties": {"category": _OLD}}}}},
            with_activity(category="calm"),
            "/activities/0/category",
        ),
        (
            {
                "properties": {
                    "activities": {
                        "items": {
                            "properties": {"category": {"anyOf": [{"const": "calm", **_OLD}, {}]}}
                        }
                    }
                }
            },
            with_activity(category="calm"),
            "/activities/0/category",
        ),
        (
            {
                "$defs": {"old": {"title": "Legacy", **_OLD}},
                "allOf": [{"properties": {"legacy": {"$ref": "#/$defs/old"}}}],
            },
            with_members(legacy=1),
            "/legacy",
        ),
    ],
    ids=["member", "member of ours", "value", "by reference"],
)
def test_what_a_profile_marks_as_deprecated_is_a_warning_with_its_help(
    tmp_path: Path, profile: Any, value: Any, pointer: str
) -> None:
    (finding,) = held_to(tmp_path, value, profile)
    assert (finding.rule, finding.pointer) == ("deprecated-value", pointer)
    assert (finding.severity, finding.help) == (manifestkit.Severity.WARNING, "name the kind")
    assert held_to(tmp_path, BASE, profile) == ()


def test_another_value_than_the_deprecated_one_is_not_reported(tmp_path: Path) -> None:
    known = {"oneOf": [{"const": "calm", **_OLD}, {"const": "rest", "deprecated": False}]}
    profile = {"properties": {"activities": {"items": {"properties": {"category": known}}}}}
    assert held_to(tmp_path, with_activity(category="rest"), profile) == ()


@rows("old", _ALIKE)
@rows("value", _ALIKE)
def test_a_value_is_deprecated_if_it_is_valid_by_that_part(
    tmp_path: Path, old: Any, value: Any
) -> None:
    legacy = {"title": "Legacy", "anyOf": [{"const": old, **_OLD}, True]}
    found = held_to(tmp_path, with_members(legacy=value), {"properties": {"legacy": legacy}})
    assert bool(found) is Draft202012Validator({"const": old}).is_valid(value)
