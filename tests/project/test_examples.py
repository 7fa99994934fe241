"""Each example shows what the list of examples says of it."""

from __future__ import annotations

import re
from pathlib import Path

import manifestkit
from command import CLEAN, EXAMPLES, REPOSITORY, manifest
from rows import rows

_LIST = (EXAMPLES / "README.md").read_text("utf-8")
_LINE = re.compile(r"^\| \[(\S+)\]\((\S+)\) \| [^|]+ \|(?: ([^|]+) \| ([^|]+) \|)?$", re.MULTILINE)
_ROWS = {path: (name, rules, fixes) for name, path, rules, fixes in _LINE.findall(_LIST)}
_BROKEN = [path for path in _ROWS if path.startswith("broken/")]


def test_the_list_has_every_example_once() -> None:
    files = {file.relative_to(EXAMPLES).as_posix() for file in EXAMPLES.glob("*/*")}
    others = {file for file in files if file.startswith("host/")}  # its own README lists them
    assert set(_ROWS) == files - others | {"host/README.md"}
    assert [Path(path).name for path in _ROWS] == [name for name, _, _ in _ROWS.values()]


def test_the_valid_examples_are_found_in_their_folder_and_clean() -> None:
    valid = [f"examples/{path}" for path in sorted(_ROWS) if path.startswith("valid/")]
    listed = manifest("lint", "examples/valid", "--show-files", cwd=REPOSITORY)
    assert listed.out.splitlines() == valid
    outcome = manifest("lint", "examples/valid", "--output-format=full", cwd=REPOSITORY)
    assert (outcome.code, outcome.out) == (CLEAN, "")


@rows("path", _BROKEN)
def test_a_broken_example_has_findings_of_the_rules_that_the_list_names(path: str) -> None:
    _, rules, fixes = _ROWS[path]
    file = EXAMPLES / path
    found = manifestkit.lint(file.read_bytes(), name=file.name).findings
    assert list(dict.fromkeys(each.rule for each in found)) == re.findall("`([^`]+)`", rules)
    fixed = manifestkit.fix(file.read_bytes(), file.name)
    assert (fixed.result.findings == ()) == (fixes == "repairs it")
