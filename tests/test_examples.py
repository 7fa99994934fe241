"""Each example says what it is there to say.

Beside each of `golden/broken` stands what `--output-format full` prints of it, in a file that
ends in `.out`. What `--fix` makes of it, if anything, stands in one that ends in `.fixed`, and what
`--unsafe-fixes` makes of it beyond that in `.unsafe-fixed`. A new example gets its own with
`pytest --regenerate`; read them before you commit them.
`golden/broken.tsv` was made by reading the examples, not by running the linter.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import manifestkit
from command import CLEAN, EXAMPLES, FINDINGS, GOLDEN, REPOSITORY, manifest
from manifestkit.fix import fix

_VALID = sorted(
    file
    for folder in (EXAMPLES, GOLDEN)
    for file in (folder / "valid").glob("*.activity-provider.*")
)
_BROKEN = sorted(
    file for file in (GOLDEN / "broken").iterdir() if file.suffix in {".json", ".yaml"}
)
_TABLE = GOLDEN / "broken.tsv"


def test_the_valid_examples_are_clean() -> None:
    outcome = manifest("lint", *_VALID, "--output-format=full", cwd=EXAMPLES)
    assert (outcome.code, outcome.out) == (CLEAN, "")
    assert len(_VALID) > 1


def test_the_valid_examples_are_found_in_their_folder() -> None:
    listed = manifest("lint", "examples/valid", "--show-files", cwd=REPOSITORY)
    assert listed.out.splitlines() == sorted(
        f"examples/valid/{file.name}" for file in (EXAMPLES / "valid").iterdir()
    )


@pytest.mark.parametrize("file", _BROKEN, ids=lambda file: file.name)
def test_a_broken_example_shows_its_one_fault(file: Path, regenerate: bool) -> None:
    expected = file.with_name(f"{file.name}.out")
    outcome = manifest("lint", file.name, "--output-format=full", "--quiet", cwd=file.parent)
    assert (outcome.code, outcome.err) == (FINDINGS, "")
    if regenerate:
        expected.write_bytes(outcome.out.encode())
    assert outcome.out == expected.read_bytes().decode()


@pytest.mark.parametrize("file", _BROKEN, ids=lambda file: file.name)
def test_fixes_make_of_a_broken_example_what_stands_beside_it(file: Path, regenerate: bool) -> None:
    data = file.read_bytes()
    safe = fix(lambda each: manifestkit.lint(each, file.name), data)
    unsafe = fix(lambda each: manifestkit.lint(each, file.name), data, unsafe=True)
    for suffix, before, after in (
        ("fixed", data, safe.data),
        ("unsafe-fixed", safe.data, unsafe.data),
    ):
        expected = file.with_name(f"{file.name}.{suffix}")
        if regenerate and after != before:
            expected.write_bytes(after)
        assert after == (expected.read_bytes() if expected.exists() else before)
    assert not unsafe.fixed or not unsafe.result.fails


def _rows() -> list[dict[str, str]]:
    with _TABLE.open(encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def test_each_broken_example_stands_in_the_table_and_has_its_output() -> None:
    names = {file.name for file in _BROKEN}
    assert {row["file"] for row in _rows()} == names
    outputs = {file.stem for file in _BROKEN[0].parent.glob("*.out")}
    assert outputs == names
    assert {file.stem for file in _BROKEN[0].parent.glob("*fixed")} <= names


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["file"])
def test_a_broken_example_has_one_finding_of_its_rule_at_its_place(row: dict[str, str]) -> None:
    source = (GOLDEN / "broken" / row["file"]).read_bytes()
    (finding,) = manifestkit.lint(source, name=row["file"]).findings
    place = finding.location.line, finding.location.column
    assert (finding.rule, finding.pointer, finding.property or "") == (
        row["rule"],
        row["pointer"],
        row["property"],
    )
    assert place == (int(row["line"]), int(row["column"]))
