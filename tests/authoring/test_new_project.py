"""`manifest new` takes what the project says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checkout import git
from command import CLEAN, manifest


def provider(folder: Path) -> dict[str, Any]:
    outcome = manifest("new", "--yes", "--dry-run", cwd=folder)
    assert outcome.code == CLEAN, outcome.err
    found: dict[str, Any] = json.loads(outcome.out)["provider"]
    return found


PACKAGES: list[tuple[dict[str, Any], dict[str, str]]] = [
    (
        {"name": "calm", "version": "1.2.3"},
        {"id": "com.example.calm", "name": "Calm", "version": "1.2.3"},
    ),
    (
        {"name": "@acme/calm"},
        {"id": "com.example.calm", "name": "Calm", "version": "1.0.0"},
    ),
    (
        {"name": "c\x1b[1m", "version": "\u202e1"},
        {"id": "com.example.box-breathing", "name": "Box Breathing", "version": "1.0.0"},
    ),
]


@pytest.mark.parametrize(("package", "said"), PACKAGES, ids=lambda each: json.dumps(each)[:40])
def test_package_json_says_name_and_version(
    tmp_path: Path, package: dict[str, Any], said: dict[str, str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "package.json").write_text(json.dumps(package))
    below = tmp_path / "box_breathing"
    below.mkdir()
    assert provider(below) == said
    if said["name"] != "Box Breathing":
        assert provider(tmp_path) == said


def test_package_json_beside_the_manifest_says_the_main_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "package.json").write_text('{"name": "calm", "main": "src/main.js"}')
    (tmp_path / "below").mkdir()
    for folder, said in ((tmp_path, "src/main.js"), (tmp_path / "below", "dist/index.js")):
        outcome = manifest("new", "--yes", "--dry-run", cwd=folder)
        assert json.loads(outcome.out)["runtime"]["entrypoint"] == said


def test_pyproject_says_name_and_version(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "deep_calm"\nversion = "0.3"\n')
    assert provider(tmp_path) == {
        "id": "com.example.deep-calm",
        "name": "Deep Calm",
        "version": "0.3",
    }


def test_a_project_is_looked_for_inside_the_repository(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "outside"}')
    folder = tmp_path / "repository" / "box_breathing"
    folder.mkdir(parents=True)
    git(folder.parent, "init", "-q")
    assert provider(folder)["id"] == "com.example.box-breathing"
    (folder.parent / "package.json").write_text('{"name": "calm"}')
    assert provider(folder)["id"] == "com.example.calm"


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"name": 1}', "\ufeff{}", "[" * 5_000])
def test_a_package_json_that_says_nothing_is_passed_over(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "box_breathing"
    folder.mkdir()
    (folder / "package.json").write_text(text, "utf-8")
    assert provider(folder)["id"] == "com.example.box-breathing"


@pytest.mark.parametrize(
    "text", ["project = 1", "[project]\nname = 1", "[project]\nurls = 2", "[project.urls]\na = 1"]
)
def test_a_pyproject_that_says_nothing_is_passed_over(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "box_breathing"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(text)
    assert provider(folder)["id"] == "com.example.box-breathing"


@pytest.mark.parametrize("name", ["\u5750\u7985", "---", "\u202e", "..."])
def test_a_folder_whose_name_makes_no_id_leaves_the_example(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert provider(folder)["id"] == "com.example.breathing"


def test_an_option_comes_before_what_the_project_says(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "calm", "version": "2.0.0"}')
    outcome = manifest("new", "--yes", "--dry-run", "--name", "Mine", cwd=tmp_path)
    found = json.loads(outcome.out)["provider"]
    assert found == {"id": "com.example.calm", "name": "Mine", "version": "2.0.0"}


def test_a_manifest_beside_the_working_folder_is_of_its_own_project(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "package.json").write_text('{"name": "calm"}')
    outcome = manifest("new", "../there/manifest.json", "--yes", cwd=here)
    assert outcome.code == CLEAN, outcome.err
    assert json.loads((there / "manifest.json").read_bytes())["provider"]["name"] == "There"
