"""Whatever a name stands for: the verdict in the table, at once, and no file that is harmed.

`files.tsv` says how each run on each fault of `hostile_files.py` ends, and what it says;
`pytest --regenerate` writes it anew: read the difference before you commit it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE, Outcome, manifest
from hostile_files import FAULTS, WITH_A_NAME, happening, made
from in_process import manifest_here
from readers import UNSEEN, forged_commands
from samples import BROKEN, VALID
from skips import posix

pytestmark = [pytest.mark.slow, posix]

_TABLE = Path(__file__).with_name("files.tsv")
_NAME = "NAME"
RUNS: dict[str, tuple[str, ...]] = {
    "lint": ("lint", "-q", "--", _NAME),
    "lint, found": ("lint", "-q"),
    "lint --fix": ("lint", "-q", "--fix", "--", _NAME),
    "lint --fix, found": ("lint", "-q", "--fix"),
    "fmt": ("fmt", "--", _NAME),
    "fmt, found": ("fmt",),
    "set": ("set", "--", "/provider/version", '"2"', _NAME),
    "get": ("get", "--", "/provider/version", _NAME),
    "preview": ("preview", "--", _NAME),
    "preview --against": ("preview", "--against", _NAME, "-"),
    "convert": ("convert", "--to=yaml", "--", _NAME),
    "new --fill": ("new", "--fill", "--yes", "--", _NAME),
    "new --from": ("new", "--yes", "--dry-run", "--from", _NAME),
    "--schema": ("lint", "-q", "--isolated", "--schema", _NAME, "-"),
    "--profile": ("lint", "-q", "--isolated", "--profile", _NAME, "-"),
    "--config": ("lint", "-q", "--config", _NAME, "-"),
    "--baseline": ("lint", "-q", "--isolated", "--baseline", _NAME, "-"),
}
"""The commands that read a file; `NAME` stands for its name."""
_NOT_FOR_NAMES = ("lint --fix, found", "fmt, found", "--profile", "--config", "--baseline")
_WRITING = ("lint --fix", "fmt", "set", "new --fill")
_MOST = 200

Row = tuple[str, str]
"""The exit code, and the first of what is said."""


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Ends what waits, for the writer of a pipe say."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("run", RUNS)
def test_each_fault_gets_its_verdict(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, regenerate: bool
) -> None:
    found: dict[str, Row] = {}
    for number, (what, fault) in enumerate(FAULTS.items()):
        if run in _NOT_FOR_NAMES and what in WITH_A_NAME:
            continue
        folder = tmp_path / str(number) / "here"
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        path = made(fault)
        if path is None:
            continue
        there = _listed(folder)
        arguments = [os.fsdecode(fault.name) if each == _NAME else each for each in RUNS[run]]
        with happening(fault, path):
            outcome = manifest_here(*arguments, stdin=VALID)
        _check_said(outcome, what)
        found[what] = str(outcome.code), _told(outcome, tmp_path)
        if fault.meanwhile is None:
            assert _listed(folder).keys() == there.keys(), what
            is_alone = "found" not in run  # of several that are found one may be written
            if not run.startswith(_WRITING) or (outcome.code != CLEAN and is_alone):
                assert _listed(folder) == there, what
    if regenerate:
        _write_table(run, found)
    due = _table()
    assert found == {what: due[run, what] for what in found}


def _listed(folder: Path) -> dict[str, bytes | None]:
    """What stands in a folder, and around it: the names, and the content of small files."""
    return {
        str(each): each.read_bytes() if each.is_file() and each.stat().st_size < 10**6 else None
        for each in folder.parent.rglob("*")
    }


def _check_said(outcome: Outcome, what: str) -> None:
    assert outcome.code in {CLEAN, FINDINGS, USAGE}, what
    for text in (outcome.out, outcome.err):
        assert not UNSEEN.search(text), (what, text)
        assert forged_commands(text) == [], (what, text)
    for line in outcome.err.splitlines():
        assert re.match(
            r"error: |note: |Usage: |Try |$|\d+ files? |Set `|.* is already `"
            r"|.*:\d+:\d+: error ",  # what `convert` has no room for on standard output
            line,
        ), (what, line)
    if outcome.code == USAGE:
        assert outcome.err.count("error: ") >= 1, what


def _told(outcome: Outcome, base: Path) -> str:
    lines = (outcome.err + outcome.out).replace(str(base.resolve()), "BASE").splitlines()
    first = re.sub(r"BASE/\d+/", "", lines[0]) if lines else ""
    return first if len(first) <= _MOST else f"{first[: _MOST // 2]} ... {first[-_MOST // 2 :]}"


def _table() -> dict[tuple[str, str], Row]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(row["run"], row["fault"]): (row["code"], row["told"]) for row in rows}


def _write_table(run: str, found: dict[str, Row]) -> None:
    known = _table() if _TABLE.exists() else {}
    known.update({(run, what): row for what, row in found.items()})
    with _TABLE.open("w", encoding="utf-8", newline="\n") as file:
        print("fault", "run", "code", "told", sep="\t", file=file)
        for what in FAULTS:
            for each in RUNS:
                if (each, what) in known:
                    print(what, each, *known[each, what], sep="\t", file=file)


# -- a run of its own, on many at once -----------------------------------------------------------


def test_what_is_no_file_is_told_beside_what_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("manifest.json").write_bytes(BROKEN)
    told = {}
    for number, (what, fault) in enumerate(FAULTS.items()):
        name = f"{number}.manifest.json"
        verdict = _table()["lint", what][1]
        is_read = _table()["lint, found", what][1] == verdict
        if is_read and verdict.startswith("error: m.manifest.json: "):
            made(fault._replace(name=name.encode()))
            told[name] = verdict.removeprefix("error: m.manifest.json: ")
    assert len(told) >= 6
    due = sorted({**told, "gone.json": "no such file"}.items())
    outcome = manifest("lint", ".", "gone.json", "--output-format=json", "-q", cwd=tmp_path)
    assert outcome.code == USAGE
    assert outcome.err == "".join(f"error: {name}: {reason}\n" for name, reason in due)
    report = json.loads(outcome.out)
    assert report["errors"] == [{"path": name, "message": reason} for name, reason in due]
    assert {each["path"] for each in report["findings"]} == {"manifest.json"}


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "manifest.json").write_bytes(VALID)
    (inner / "loop").symlink_to(tmp_path)
    outcome = manifest("lint", "--show-files", cwd=tmp_path)
    assert outcome == Outcome(CLEAN, "inner/manifest.json\n", "")


# -- names ---------------------------------------------------------------------------------------


def _named(folder: Path, content: bytes) -> list[str]:
    """Files of all the names; those of them that the file system takes."""
    names = []
    for what in sorted(WITH_A_NAME):
        path = folder / os.fsdecode(FAULTS[what].name)
        if path.name.endswith(".manifest.json"):
            with suppress(OSError):
                path.write_bytes(content)
                names.append(path.name)
    return sorted(names)


def _check_harmless(text: str) -> None:
    assert not UNSEEN.search(text), text
    assert forged_commands(text) == [], text


@pytest.mark.parametrize("form", ["full", "json"])
def test_found_files_of_any_name_are_judged_and_named(tmp_path: Path, form: str) -> None:
    names = _named(tmp_path, BROKEN)
    outcome = manifest("lint", ".", f"--output-format={form}", cwd=tmp_path)
    assert outcome.code == FINDINGS
    _check_harmless(outcome.out)
    if form == "json":
        paths = [each["path"] for each in json.loads(outcome.out)["findings"]]
        assert paths == [each.encode(errors="backslashreplace").decode() for each in names]
    else:
        assert outcome.err.startswith(f"{len(names)} files checked: {len(names)} errors")


def test_names_that_are_given_are_names_and_no_patterns(tmp_path: Path) -> None:
    names = _named(tmp_path, VALID)
    outcome = manifest("lint", "--", *names, cwd=tmp_path)
    assert outcome == Outcome(CLEAN, "", f"{len(names)} files checked: no problems found\n")


def test_missing_files_of_any_name_are_told_in_a_line_each(tmp_path: Path) -> None:
    names = [FAULTS[what].name for what in WITH_A_NAME]
    outcome = manifest("lint", "-q", "--", *names, cwd=tmp_path)
    assert outcome.code == USAGE
    _check_harmless(outcome.err)
    lines = outcome.err.splitlines()
    assert sum(": no such file" in line for line in lines) == len(names)
    assert all(line.startswith("error: ") for line in lines)


def test_skipped_files_and_empty_folders_of_any_name_are_told_in_a_line_each(
    tmp_path: Path,
) -> None:
    names = _named(tmp_path, b'{"manifest_version": 3}')
    folders = [f"{name}-folder" for name in names]
    for folder in folders:
        (tmp_path / folder).mkdir()
    outcome = manifest("lint", "--verbose", "--", ".", *folders, cwd=tmp_path)
    _check_harmless(outcome.err)
    lines = outcome.err.splitlines()
    assert sum(line.endswith("a browser extension's manifest") for line in lines) == len(names)
    assert sum(line.endswith("no manifest in this folder") for line in lines) == len(names)
    assert all(line.startswith(("note: ", "error: ")) for line in lines)


def test_listed_files_of_any_name_take_a_line_each(tmp_path: Path) -> None:
    names = _named(tmp_path, VALID)
    listed = manifest("lint", "--show-files", cwd=tmp_path)
    _check_harmless(listed.out)
    assert listed.out.count("\n") == len(names)


@pytest.mark.parametrize("command", ["lint", "fmt", "explain", "set", "new", "--schema"])
def test_a_name_that_is_taken_for_an_option_forges_nothing(command: str, tmp_path: Path) -> None:
    for name in ("--x\n::error::forged.json", "x\n##vso[task.complete]\x1b[31m.json"):
        outcome = manifest(*command.split(), name, "more", "and more", cwd=tmp_path)
        assert outcome.code == USAGE
        _check_harmless(outcome.out + outcome.err)


# -- permissions ---------------------------------------------------------------------------------


def test_a_file_that_may_not_be_read_is_told(tmp_path: Path, held_back: tuple[str, ...]) -> None:
    (tmp_path / "a.json").write_bytes(VALID)
    (tmp_path / "a.json").chmod(0)
    (tmp_path / "b.json").write_bytes(BROKEN)
    outcome = manifest("lint", "a.json", "b.json", "-q", cwd=tmp_path, by=held_back)
    assert (outcome.code, outcome.err) == (USAGE, "error: a.json: permission denied\n")
    assert outcome.out.startswith("b.json:2:21: ")


def test_a_folder_that_may_not_be_searched_is_told(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    outcome = manifest("lint", ".", "-q", cwd=tmp_path, by=held_back)
    assert outcome.code == USAGE
    assert outcome.err == "error: closed: the folder cannot be searched: permission denied\n"
    assert outcome.out.startswith("manifest.json:2:21: ")


def test_a_file_in_a_folder_that_may_not_be_entered_is_told(
    tmp_path: Path, held_back: tuple[str, ...]
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "manifest.json").write_bytes(VALID)
    closed.chmod(0o444)
    (tmp_path / "b.json").write_bytes(BROKEN)
    arguments = ["closed/manifest.json", "closed", "b.json"]
    outcome = manifest("lint", *arguments, "-q", cwd=tmp_path, by=held_back)
    closed.chmod(0o755)
    assert outcome.code == USAGE
    assert outcome.err == "error: closed/manifest.json: permission denied\n"
    assert outcome.out.startswith("b.json:2:21: ")
