"""Whatever a command cannot do as it is told, it says before it writes anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from command import USAGE
from in_process import manifest_here
from samples import FIXABLE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two files that can be fixed, configured each by its own file."""
    for name in ("a", "z"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_bytes(FIXABLE)
        (tmp_path / name / "manifestkit.toml").write_text('ignore = ["version-form"]\n')
    (tmp_path / "base.json").write_text('{"version": 1, "entries": []}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        os.path.relpath(each, folder): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["lint", "--fix", "--output-format=json=a/manifestkit.toml"],
        ["lint", "--fix", "--output-format=json=z/manifestkit.toml"],
        ["lint", "--fix", "--output-format=json=z/manifest.json"],
        ["lint", "--fix", "--baseline=base.json", "--output-format=json=base.json"],
        ["lint", "--fix", "--output-format=json=no/such/x.json"],
        ["lint", "--fix", "--output-format=json=z"],
        ["lint", "--fix", "--output-format=json=x", "--output-format=sarif=./x"],
        ["lint", "--fix", "--select=no-such-rule"],
        ["lint", "--fix", "--baseline=no.json"],
        ["lint", "--fix", "--profile=no.json"],
        ["lint", "--write-baseline=z/manifest.json"],
        ["lint", "--write-baseline=base.json", "--output-format=json=z/manifest.json"],
        ["schema", "--output=a/manifest.json"],
        ["new", "--yes", "a/manifest.json"],
    ],
)
def test_what_cannot_be_done_is_told_before_anything_is_written(
    folder: Path, arguments: list[str]
) -> None:
    before = contents(folder)
    outcome = manifest_here(*arguments)
    assert (outcome.code, contents(folder)) == (USAGE, before), outcome


@pytest.mark.parametrize("command", [["lint", "--fix"], ["fmt"]])
def test_a_configuration_that_cannot_be_used_stops_a_run_before_it_begins(
    folder: Path, command: list[str]
) -> None:
    (folder / "z" / "manifestkit.toml").write_text("ignore = 1\n")
    before = contents(folder)
    outcome = manifest_here(*command, "a/manifest.json", "z/manifest.json")
    assert (outcome.code, contents(folder)) == (USAGE, before), outcome
