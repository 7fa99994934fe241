"""What people see of a file: dropping `x.json` or `x.yaml` and `x.out` into `golden/` adds a test.

`pytest --regenerate` writes the `.out`; read it before you commit it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from command import FINDINGS, manifest

_GOLDEN = Path(__file__).with_name("golden")
_FILES = sorted(each for each in _GOLDEN.iterdir() if each.suffix != ".out")


@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.stem)
def test_a_file_shows_as_it_always_did(file: Path, regenerate: bool) -> None:
    expected = file.with_suffix(".out")
    outcome = manifest("lint", file.name, "--output-format=full", "--quiet", cwd=_GOLDEN)
    assert (outcome.code, outcome.err) == (FINDINGS, "")
    if regenerate:
        expected.write_bytes(outcome.out.encode())
    assert outcome.out == expected.read_bytes().decode()


def test_standard_input_shows_the_same_under_its_own_name() -> None:
    file = _GOLDEN / "tabs.json"
    expected = file.with_suffix(".out").read_text("utf-8").replace("tabs.json", "<stdin>")
    outcome = manifest("lint", "-", "--output-format=full", cwd=_GOLDEN, stdin=file.read_bytes())
    assert (outcome.code, outcome.out) == (FINDINGS, expected)


def test_each_expected_output_has_its_file() -> None:
    assert {file.stem for file in _GOLDEN.glob("*.out")} == {file.stem for file in _FILES}
