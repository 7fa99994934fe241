"""What people see of a file, and what fixes make of it, as it was read once and found good.

`golden/` has faults of one kind in `broken/`, one in each file, and manifests that are hard to show
beside it. By each stands what `--output-format full` prints of it, in a file that ends in `.out`.
What `--fix` makes of it, if anything, stands in one that ends in `.fixed`, and what
`--unsafe-fixes` makes of it beyond that in `.unsafe-fixed`. A new file gets its own with
`pytest --regenerate`. `broken.tsv` was made by reading the files, not by running the linter.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import manifestkit
from command import CLEAN, FINDINGS, GOLDEN, manifest
from in_process import manifest_here
from rows import rows

_BROKEN = sorted(
    file for file in (GOLDEN / "broken").iterdir() if file.suffix in {".json", ".yaml"}
)
_FILES = [*sorted(GOLDEN.glob("*.json")), *sorted(GOLDEN.glob("*.yaml")), *_BROKEN]
_SHOWN = ("--output-format=full", "--color=never", "--quiet")


def _beside(file: Path, suffix: str) -> Path:
    return file.with_name(f"{file.name}.{suffix}")


@rows("file", _FILES, ids=lambda file: file.name)
def test_a_file_shows_as_it_always_did(
    file: Path, regenerate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    outcome = manifest_here("lint", file.name, *_SHOWN)
    assert (outcome.code, outcome.err) == (FINDINGS, "")
    expected = _beside(file, "out")
    if regenerate:
        expected.write_bytes(outcome.out.encode())
    assert outcome.out == expected.read_bytes().decode()


def test_a_process_shows_all_files_as_they_show_one_by_one() -> None:
    outcome = manifest("lint", *(file.name for file in _BROKEN), *_SHOWN, cwd=GOLDEN / "broken")
    one_by_one = "".join(_beside(file, "out").read_bytes().decode() for file in _BROKEN)
    assert (outcome.code, outcome.err) == (FINDINGS, "")
    assert outcome.out == one_by_one


def test_standard_input_shows_the_same_under_its_own_name() -> None:
    file = GOLDEN / "tabs.json"
    expected = _beside(file, "out").read_text("utf-8").replace("tabs.json", "<stdin>")
    outcome = manifest("lint", "-", "--output-format=full", cwd=GOLDEN, stdin=file.read_bytes())
    assert (outcome.code, outcome.out) == (FINDINGS, expected)


@rows("file", _BROKEN, ids=lambda file: file.name)
def test_fixes_make_of_a_broken_file_what_stands_beside_it(file: Path, regenerate: bool) -> None:
    data = file.read_bytes()
    safe = manifestkit.fix(data, file.name)
    unsafe = manifestkit.fix(data, file.name, unsafe=True)
    for suffix, before, after in (
        ("fixed", data, safe.data),
        ("unsafe-fixed", safe.data, unsafe.data),
    ):
        expected = _beside(file, suffix)
        if regenerate:
            expected.unlink(missing_ok=True)
            if after != before:
                expected.write_bytes(after)
        assert after == (expected.read_bytes() if expected.exists() else before)
    assert not unsafe.fixed or not unsafe.result.fails


def _rows() -> list[dict[str, str]]:
    with (GOLDEN / "broken.tsv").open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def test_each_file_has_its_output_and_each_broken_one_stands_in_the_table() -> None:
    assert {file.stem for file in GOLDEN.rglob("*.out")} == {file.name for file in _FILES}
    names = {file.name for file in _BROKEN}
    assert {row["file"] for row in _rows()} == names
    assert {file.stem for file in GOLDEN.rglob("*fixed")} <= names


@rows("row", _rows(), ids=lambda row: row["file"])
def test_a_broken_file_has_one_finding_of_its_rule_at_its_place(row: dict[str, str]) -> None:
    source = (GOLDEN / "broken" / row["file"]).read_bytes()
    (finding,) = manifestkit.lint(source, name=row["file"]).findings
    place = finding.location.line, finding.location.column
    assert (finding.rule, finding.pointer, finding.property or "") == (
        row["rule"],
        row["pointer"],
        row["property"],
    )
    assert place == (int(row["line"]), int(row["column"]))


def test_a_valid_file_is_clean() -> None:
    outcome = manifest("lint", "valid", "--output-format=full", cwd=GOLDEN)
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert outcome.err.startswith(f"{len(list((GOLDEN / 'valid').iterdir()))} files checked")
