"""What `manifest lint` shows beside findings: fixes, settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import CLEAN, USAGE, manifest
from report_cases import GOOD

WRONG = {**GOOD, "permissions": ["x", "y"], "capabilities": ["z"]}


def project(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


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
