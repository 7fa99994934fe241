"""No output takes the place of a file that the run reads, named or found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import CLEAN, USAGE, manifest
from manifestkit.rendering import FORMATS
from report_cases import GOOD
from rows import rows

_COMMANDS = {
    "lint": ("lint", "manifest.json", "--output-format", "html={}"),
    "lint a folder": ("lint", "--output-format", "html={}"),
    "diff": ("diff", "old.json", "manifest.json", "--output-format", "html={}"),
    "preview": ("preview", "manifest.json", "--against", "old.json", "--output", "{}"),
}

_GIVEN = {
    "profile": ("lint", "manifest.json", "--profile", "p.json", "--output-format", "html={}"),
    "schema": ("lint", "manifest.json", "--schema", "p.json", "--output-format", "html={}"),
    "fix": ("lint", "--fix", "manifest.json", "--profile", "p.json", "--output-format", "html={}"),
    "folder": ("lint", "--profile", "p.json", "--output-format", "html={}"),
    "preview": ("preview", "manifest.json", "--profile", "p.json", "--output", "{}"),
    "diff": ("diff", "manifest.json", "new.json", "--profile", "p.json", *_COMMANDS["diff"][3:]),
}


@rows("command", _COMMANDS)
@rows("file", ["manifest.json", "manifestkit.toml", "host.schema.json"])
def test_an_output_never_replaces_an_input(command: str, file: str, tmp_path: Path) -> None:
    for name in ("manifest.json", "old.json"):
        (tmp_path / name).write_text(json.dumps(GOOD))
    (tmp_path / "manifestkit.toml").write_text('profile = ["host.schema.json"]\n')
    (tmp_path / "host.schema.json").write_text("{}")
    before = (tmp_path / file).read_bytes()
    outcome = manifest(*(each.format(file) for each in _COMMANDS[command]), cwd=tmp_path)
    assert outcome.code == USAGE
    assert f"{file} is an input of this run and cannot be an output" in outcome.err
    assert (tmp_path / file).read_bytes() == before


@rows("command", _GIVEN)
@rows("file", ["parts/first.json", "parts/second.json"])
def test_an_output_never_replaces_what_a_schema_refers_to(
    command: str, file: str, tmp_path: Path
) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("manifest.json", "new.json"):
        (tmp_path / name).write_text(json.dumps(GOOD))
    for number in range(2):
        (tmp_path / f"{number}.manifest.json").write_text(json.dumps(GOOD))
    (tmp_path / "p.json").write_text('{"allOf": [{"$ref": "parts/first.json"}]}')
    (tmp_path / "parts" / "first.json").write_text('{"$ref": "second.json#/$defs/a"}')
    (tmp_path / "parts" / "second.json").write_text('{"$defs": {"a": {"type": "object"}}}')
    before = (tmp_path / file).read_bytes()
    outcome = manifest(*(each.format(file) for each in _GIVEN[command]), cwd=tmp_path)
    assert (tmp_path / file).read_bytes() == before
    assert f"{file} is an input of this run and cannot be an output" in outcome.err
    assert outcome.code == USAGE


@rows("form", sorted(FORMATS))
def test_a_file_that_cannot_be_read_is_in_each_report(form: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    report = f"--output-format={form}=report"
    outcome = manifest("lint", "manifest.json", "gone.json", report, cwd=tmp_path)
    assert outcome.code == USAGE
    text = (tmp_path / "report").read_text("utf-8")
    assert "gone.json" in text
    assert "no such file" in text
    if form == "full":  # there is no text to show
        assert "\n  |" not in text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["new", "-", "--yes"], USAGE),
        (["schema", "--output", "-"], CLEAN),
    ],
)
def test_no_output_is_a_file_called_as_standard_output_is(
    arguments: list[str], code: int, tmp_path: Path
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(GOOD))
    assert manifest(*arguments, cwd=tmp_path).code == code
    assert [each.name for each in tmp_path.iterdir()] == ["manifest.json"]
