"""What `manifest lint` shows beside findings: what is fixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import USAGE, manifest
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
