"""What `manifest lint` shows beside findings: statistics, fixes, settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE, manifest
from report_cases import GOOD

WRONG = {**GOOD, "permissions": ["x", "y"], "capabilities": ["z"]}


def project(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


# -- --statistics ------------------------------------------------------------------------------


def test_statistics_show_how_often_each_rule_was_found(tmp_path: Path) -> None:
    project(tmp_path, manifest_json=json.dumps(WRONG), a__manifest_json="{,}")
    outcome = manifest("lint", "--statistics", cwd=tmp_path)
    assert outcome.code == FINDINGS
    rows = [line.split() for line in outcome.out.splitlines()]
    assert ["2", "error", "unknown-permission"] in rows
    assert ["1", "error", "unknown-capability"] in rows
    assert any(row[1:] == ["error", "syntax-error"] for row in rows)
    assert [int(row[0]) for row in rows] == sorted((int(row[0]) for row in rows), reverse=True)
    assert "2 files checked" in outcome.err


@pytest.mark.parametrize("form", ["concise", "full"])
def test_statistics_say_as_any_form_for_people_how_many_can_be_fixed(
    tmp_path: Path, form: str
) -> None:
    project(tmp_path, manifest_json=json.dumps(WRONG))
    said = [
        manifest("lint", option, cwd=tmp_path).err
        for option in ("--statistics", f"--output-format={form}")
    ]
    assert said[0] == said[1]
    assert " fixable with --fix" in said[0]


def test_statistics_of_a_clean_run_are_empty(tmp_path: Path) -> None:
    project(tmp_path, manifest_json=json.dumps(GOOD))
    outcome = manifest("lint", "--statistics", "-q", cwd=tmp_path)
    assert (outcome.code, outcome.out, outcome.err) == (CLEAN, "", "")


def test_statistics_go_with_a_report_in_a_file_and_with_no_other_on_standard_output(
    tmp_path: Path,
) -> None:
    project(tmp_path, manifest_json=json.dumps(WRONG))
    outcome = manifest("lint", "--statistics", "--output-format=json=r.json", cwd=tmp_path)
    assert len(outcome.out.splitlines()) == 2
    assert len(json.loads((tmp_path / "r.json").read_text())["findings"]) == 3
    both = manifest("lint", "--statistics", "--output-format=html", cwd=tmp_path)
    assert (both.code, both.out) == (USAGE, "")


# -- --show-fixes ------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "said"), [("--fix", "fixed"), ("--diff", "to be fixed")])
def test_show_fixes_lists_the_rules_that_were_fixed_in_each_file(
    tmp_path: Path, option: str, said: str
) -> None:
    text = json.dumps({**GOOD, "permissions": ["host.timer", "host.timer"]})
    project(tmp_path, a__manifest_json=text, b__manifest_json=text[:-1] + ",}")
    outcome = manifest("lint", option, "--show-fixes", cwd=tmp_path)
    lines = [line for line in outcome.err.splitlines() if line.startswith("note: ")]
    assert f"note: a/manifest.json: duplicate-item {said} (1)" in lines
    assert f"note: b/manifest.json: duplicate-item {said} (1)" in lines
    assert f"note: b/manifest.json: syntax-error {said} (1)" in lines
    assert len(lines) == 3


def test_show_fixes_goes_with_a_fix_only(tmp_path: Path) -> None:
    outcome = manifest("lint", "--show-fixes", cwd=tmp_path)
    assert outcome.code == USAGE
    assert "--show-fixes needs --fix or --diff" in outcome.err


# -- --show-settings ---------------------------------------------------------------------------


def settings(outcome_text: str) -> dict[str, tuple[str, str]]:
    """Each setting with its value and where it is set."""
    rows = [line for line in outcome_text.splitlines() if " = " in line]
    return {
        name: (value.strip(), where)
        for name, value, where in (
            (*line.split(" = ", 1)[:1], *line.split(" = ", 1)[1].rsplit("  # ", 1)) for line in rows
        )
    }


def test_show_settings_names_the_file_and_place_of_each_value(tmp_path: Path) -> None:
    base = '\nexclude = ["old/"]\nprofile = ["p.json"]\n[severity]\nversion-form = "off"\n'
    own = 'extend = "../base.toml"\nfail-on = "warning"\n[limits]\ndepth = 9\n'
    entry = '[[suppress]]\nrule = "missing-field"\nreason = "r"\n'
    project(
        tmp_path,
        p_json="{}",
        base_toml=base,
        a__manifestkit_toml=own + entry,
        a__manifest_json=json.dumps(GOOD),
    )
    outcome = manifest(
        "lint", "--show-settings", "a/manifest.json", "--severity=missing-file=info", cwd=tmp_path
    )
    assert (outcome.code, outcome.err) == (CLEAN, "")
    assert "# configuration: a/manifestkit.toml\n# extends base.toml\n" in outcome.out
    said = settings(outcome.out)
    assert said["exclude"] == ('["old/"]', "base.toml:2:1")
    assert said["profile"] == ('["p.json"]', "base.toml:3:1")
    assert said["severity.version-form"] == ('"off"', "base.toml:5:1")
    assert said["severity.missing-file"] == ('"info"', "--severity")
    assert said["fail-on"] == ('"warning"', "a/manifestkit.toml:2:1")
    assert said["limits.depth"] == ("9", "a/manifestkit.toml:4:1")
    assert said["limits.findings"] == ("5000", "default")
    assert said["suppress[0]"][1] == "a/manifestkit.toml:5:3"
    assert "schema" not in said


def test_show_settings_without_a_configuration_says_so(tmp_path: Path) -> None:
    outcome = manifest("lint", "--show-settings", "--isolated", "--select=x", cwd=tmp_path)
    assert outcome.code == USAGE
    outcome = manifest("lint", "--show-settings", "--ignore=version-form", cwd=tmp_path)
    assert outcome.out.startswith("# Settings of .\n# no configuration file\n")
    said = settings(outcome.out)
    assert said["ignore"] == ('["version-form"]', "--ignore")
    assert said["fail-on"] == ('"error"', "default")


def test_show_settings_says_what_is_wrong_with_a_configuration(tmp_path: Path) -> None:
    project(tmp_path, manifestkit_toml="exclud = []")
    outcome = manifest("lint", "--show-settings", "manifest.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (USAGE, "")
    assert "did you mean `exclude`?" in outcome.err
