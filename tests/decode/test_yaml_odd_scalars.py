"""Whatever a scalar or a key of a YAML manifest is: no command ends with a traceback."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from command import CLEAN, EXAMPLES, FINDINGS
from in_process import manifest_here
from odd_manifests import odd_scalar

pytestmark = pytest.mark.slow

GOOD = (EXAMPLES / "valid" / "minimal.activity-provider.yaml").read_text("utf-8")
SCALARS = st.randoms(use_true_random=False).map(odd_scalar)


@settings(
    max_examples=settings().max_examples,
)
@given(SCALARS, SCALARS, st.sampled_from(["", "[", "{"]))
@example("_1", "x", "")
@example("schema_version", "_1", "")
@example("x", "1" + ":59" * 300 + "_", "")
@example("x", "0b" + "1" * 900, "")
@example("<<", "=", "{")
def test_no_key_and_no_value_breaks_lint_fix_or_set(key: str, value: str, bracket: str) -> None:
    member = f"{key}: {value}"
    if bracket:
        member = f"x: {bracket}{member}{']' if bracket == '[' else '}'}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "manifest.yaml")
        text = (GOOD + member + "\n").encode("utf-8", "replace")
        for arguments in (
            ("lint", "--output-format", "json"),
            ("lint", "--fix"),
            ("set", "/x-note", "1"),
            ("fmt",),
        ):
            file.write_bytes(text)
            manifest_here(*arguments, str(file))


@pytest.mark.parametrize("line", ["_1: x", "schema_version: _1"])
def test_a_name_that_looks_like_a_number_is_text(tmp_path: Path, line: str) -> None:
    file = tmp_path / "manifest.yaml"
    file.write_text(f"{line}\n")
    outcome = manifest_here("lint", "--output-format", "json", cwd=tmp_path)
    assert outcome.code == FINDINGS
    findings = json.loads(outcome.out)["findings"]
    assert not [each for each in findings if each["rule"] in ("wrong-type", "yaml-unsupported")]
    assert manifest_here("set", "--force", "/x-note", "true", cwd=tmp_path).code == CLEAN
    assert file.read_text() == f"{line}\nx-note: true\n"
