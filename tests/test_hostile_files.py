"""Whatever a name stands for: a verdict or one clear line, and no raw control character."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from pathlib import Path

import pytest

from command import CLEAN, FINDINGS, USAGE, Outcome, manifest
from test_command import BROKEN, VALID, posix

pytestmark = posix

FORMS = ("full", "concise", "json")


_KINDS = {
    "a pipe": "is a pipe: give its content on standard input, with `-` as the file",
    "a device": "is a device",
    "a link to a device": "is a device",
    "a loop": "too many levels of symbolic links",
    "a dangling link": "no such file",
    "a file for a folder": "not a directory",
    "a long name": "file name too long",
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_file_is_told_in_one_line(tmp_path: Path, form: str) -> None:
    (tmp_path / "ok.json").write_bytes(VALID)
    reasons = {str(_made(tmp_path, kind)): reason for kind, reason in _KINDS.items()}
    outcome = manifest("lint", *reasons, "ok.json", f"--output-format={form}", "-q", cwd=tmp_path)
    assert outcome.code == USAGE
    told = sorted(reasons.items())
    assert outcome.err == "".join(f"error: {path}: {reason}\n" for path, reason in told)
    if form == "json":
        report = json.loads(outcome.out)
        assert report["errors"] == [{"path": path, "message": reason} for path, reason in told]
        assert report["summary"]["files"] == 1


def _made(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.manifest.json"
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a device":
            return Path("/dev/zero")
        case "a link to a device":
            path.symlink_to("/dev/zero")
        case "a loop":
            path.symlink_to(path.with_name("other"))
            path.with_name("other").symlink_to(path)
        case "a dangling link":
            path.symlink_to("nowhere")
        case "a file for a folder":
            return folder / "ok.json" / "inner.json"
        case "a long name":
            return folder / ("a" * 5_000)
    return path


def test_what_is_no_file_is_told_when_it_is_found_too(tmp_path: Path) -> None:
    found = ["a dangling link", "a link to a device", "a loop", "a pipe"]
    for kind in found:
        _made(tmp_path, kind)
    (tmp_path / "manifest.json").write_bytes(BROKEN)
    outcome = manifest("lint", ".", "-q", cwd=tmp_path)
    assert outcome.code == USAGE
    assert outcome.out.startswith("manifest.json:2:21: ")
    assert outcome.err == "".join(
        f"error: {kind}.manifest.json: {_KINDS[kind]}\n" for kind in found
    )


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "manifest.json").write_bytes(VALID)
    (inner / "loop").symlink_to(tmp_path)
    outcome = manifest("lint", "--show-files", cwd=tmp_path)
    assert outcome == Outcome(CLEAN, "inner/manifest.json\n", "")


# -- permissions -----------------------------------------------------------------------------


@pytest.fixture
def held_back() -> tuple[str, ...]:
    """What to run a command by so that permissions hold, which root passes over."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("permissions do not hold root back, and there is no setpriv")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


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


# -- names -----------------------------------------------------------------------------------

_NAMES = [
    b"line\nend.manifest.json",
    b"x\n::error::forged.manifest.json",
    b"\x1b[31mred\x1b]0;title\x07.manifest.json",
    b"carriage\rreturn\x00".removesuffix(b"\x00") + b".manifest.json",
    "bidi\u202e\u2066.manifest.json".encode(),
    "next\u0085line\u2028.manifest.json".encode(),
    b"not-utf-8-\xff\xc3.manifest.json",
    b"-leading.manifest.json",
    b"a:1:1: error x.manifest.json",
    b"100%25,[ab]*?.manifest.json",
    "坐禅 e\u0301.manifest.json".encode(),
]


def _is_safe(text: str) -> bool:
    harmless = text.replace("\n", "")
    return not any(
        unicodedata.category(each) in {"Cc", "Cs", "Cf", "Zl", "Zp"} for each in harmless
    )


def _make_all(folder: Path, content: bytes) -> list[str]:
    """Files of all the names; those of them that the file system takes."""
    made = []
    for name in _NAMES:
        path = folder / os.fsdecode(name)
        try:
            path.write_bytes(content)
        except OSError:
            continue
        made.append(os.fsdecode(name))
    return made


@pytest.mark.parametrize("form", FORMS)
def test_found_files_of_any_name_are_judged_and_named_safely(tmp_path: Path, form: str) -> None:
    names = _make_all(tmp_path, BROKEN)
    outcome = manifest("lint", ".", f"--output-format={form}", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert _is_safe(outcome.out)
    assert outcome.err in {
        "",
        f"{len(names)} files checked: {len(names)} errors; --fix mends {len(names)}\n",
    }
    if form == "concise":
        assert outcome.out.count("\n") == len(names)
        assert "\n::" not in outcome.out
    if form == "json":
        paths = [each["path"] for each in json.loads(outcome.out)["findings"]]
        assert paths == sorted(names)


def test_a_name_that_is_given_is_a_name_and_no_pattern(tmp_path: Path) -> None:
    names = _make_all(tmp_path, VALID)
    outcome = manifest("lint", "--", *names, cwd=tmp_path)
    assert outcome == Outcome(CLEAN, "", f"{len(names)} files checked: nothing wrong\n")


def test_missing_files_of_any_name_are_told_in_one_safe_line_each(tmp_path: Path) -> None:
    outcome = manifest("lint", "-q", "--", *_NAMES, cwd=tmp_path)
    assert outcome.code == USAGE
    assert _is_safe(outcome.err)
    told = [line for line in outcome.err.splitlines() if line.endswith(": no such file")]
    assert len(told) == len(_NAMES)
    assert all(line.startswith("error: ") for line in outcome.err.splitlines())


def test_skipped_files_and_empty_folders_of_any_name_are_named_safely(tmp_path: Path) -> None:
    names = _make_all(tmp_path, b'{"manifest_version": 3}')
    folders = [f"{name}-folder" for name in names]
    for folder in folders:
        (tmp_path / folder).mkdir()
    outcome = manifest("lint", "--verbose", "--", ".", *folders, cwd=tmp_path)
    assert _is_safe(outcome.err)
    lines = outcome.err.splitlines()
    assert sum(line.endswith("a browser extension's manifest") for line in lines) == len(names)
    assert sum(line.endswith("no manifest in this folder") for line in lines) == len(names)
    assert all(line.startswith(("note: ", "error: ")) for line in lines)


def test_listed_files_of_any_name_take_one_safe_line_each(tmp_path: Path) -> None:
    names = _make_all(tmp_path, VALID)
    listed = manifest("lint", "--show-files", cwd=tmp_path)
    assert _is_safe(listed.out)
    assert listed.out.count("\n") == len(names)


# -- content ---------------------------------------------------------------------------------


_CONTENTS = [
    b"",
    b"\x00" * 100,
    b"\xff\xfe\x00\x00",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"9" * 100_000,
    b'"' + b"\x1b[31m" * 100,
    b'"' + b"x" * 1_000_000,
    b'{"presentation": {"\\u001b[31m\\u202e\\ud800": "' + b"\xc2\x9b" * 50 + b'"}}',
    "{\u2028\u202e}".encode(),
    b"{\x1b}",
    bytes(range(256)),
]


@pytest.mark.parametrize("form", FORMS)
def test_hostile_texts_give_findings_and_no_raw_control_character(
    tmp_path: Path, form: str
) -> None:
    names = [f"{number:02}.json" for number in range(len(_CONTENTS))]
    for name, content in zip(names, _CONTENTS, strict=True):
        (tmp_path / name).write_bytes(content)
    outcome = manifest("lint", *names, f"--output-format={form}", cwd=tmp_path)
    assert outcome.code == FINDINGS
    assert all(name in outcome.out for name in names)
    assert _is_safe(outcome.out)
    assert len(outcome.out) < 200_000


def test_a_file_beyond_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(100 * 1024**3)
    outcome = manifest("lint", "huge.json", cwd=tmp_path)
    assert outcome.out == (
        "huge.json:1:1: error limit-exceeded the file is larger than 33,554,432 bytes\n"
    )
