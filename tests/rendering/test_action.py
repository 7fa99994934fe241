"""The GitHub Action does what its inputs say, and no value of theirs is a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from action import ACTION, run_step
from report_cases import EXAMPLES, GOLDEN, REPOSITORY
from rows import rows

GOOD = str(EXAMPLES / "valid" / "minimal.activity-provider.json")
BROKEN = str(GOLDEN / "broken" / "unknown-permission-typo.manifest.json")


def test_every_input_is_described_and_has_a_default() -> None:
    for name, each in ACTION["inputs"].items():
        assert each["description"].endswith("."), name
        assert isinstance(each["default"], str), name


def test_no_script_holds_an_expression_and_every_action_is_pinned() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])


def test_findings_are_annotations_and_fail_the_step(tmp_path: Path) -> None:
    done = run_step("lint", tmp_path, paths=f"{GOOD}\n{BROKEN}\n")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=")
    assert (tmp_path / "output").read_text() == "exit-code=1\n"


def test_a_good_manifest_passes(tmp_path: Path) -> None:
    done = run_step("lint", tmp_path, paths=GOOD)
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "output").read_text() == "exit-code=0\n"


def test_formats_and_arguments_are_passed_on_one_a_line(tmp_path: Path) -> None:
    done = run_step(
        "lint",
        tmp_path,
        paths=BROKEN,
        output_format="concise\nsarif=a b.sarif",
        args="--exit-zero\n--severity=unknown-permission=warning",
    )
    assert done.returncode == 0
    assert ": warning unknown-permission " in done.stdout
    assert (tmp_path / "a b.sarif").is_file()


@pytest.mark.parametrize(
    "hostile", ["$(touch pwned)", "`touch pwned`", "; touch pwned", '" && touch pwned "', "--help"]
)
def test_a_path_is_a_path_whatever_it_looks_like(hostile: str, tmp_path: Path) -> None:
    done = run_step("lint", tmp_path, paths=hostile)
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert not (tmp_path / "pwned").exists()


def test_the_linted_repository_is_not_imported(tmp_path: Path) -> None:
    for name in ("json", "manifestkit", "click"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the repository')\n")
    done = run_step("lint", tmp_path, paths=GOOD)
    assert (done.returncode, done.stderr) == (0, "1 file checked: no problems found\n")


@pytest.mark.parametrize(
    ("version", "installed"), [("", str(REPOSITORY)), ("0.1.0", "manifestkit==0.1.0")]
)
def test_the_version_is_that_of_the_action_or_the_one_asked_for(
    version: str, installed: str, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    done = run_step("install", tmp_path, str(python), version=version)
    assert done.returncode == 0
    assert done.stdout.split("\n")[:3] == ["-m", "pip", "install"]
    assert done.stdout.split("\n")[-4:] == ["--target", f"{tmp_path}/manifestkit", installed, ""]


def test_a_deploy_installs_what_it_needs(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    for version, installed in (
        ("", f"{REPOSITORY}[publish]"),
        ("0.1.0", "manifestkit[publish]==0.1.0"),
    ):
        done = run_step("install", tmp_path, str(python), version=version, deploy="dist")
        assert done.stdout.split("\n")[-2] == installed


@rows("version", ["main", "0.1 --index-url http://x", "1;x", "-r x"])
def test_a_version_that_is_none_is_refused(version: str, tmp_path: Path) -> None:
    done = run_step("install", tmp_path, "false", version=version)
    assert done.returncode == 2
    assert done.stdout.startswith("::error ")
