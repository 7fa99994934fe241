"""One run, several forms: each whole, on standard output or in a file of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import pytest

from checkout import make_repository
from command import environment, manifest
from manifestkit.cli.console import progress
from manifestkit.rendering import FORMATS
from report_cases import GOOD, GOOD_TEXT

MANIFEST = (sys.executable, "-m", "manifestkit", "lint")
FAULTY = json.dumps({**GOOD, "provider": {"id": "é😀"}, "permissions": ["host.camera"]}, indent=2)
needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
# The time stamp differs between runs.
COMPARABLE = sorted(FORMATS.keys() - {"junit"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_text(FAULTY, "utf-8")
    (tmp_path / "good.manifest.json").write_text(GOOD_TEXT, "utf-8")
    return tmp_path


def lint(
    *arguments: str, cwd: Path, stdout: int | None = None, by: tuple[str, ...] = ()
) -> tuple[int, bytes, str]:
    """Exit code, standard output, a file unless one is given, and standard error of a run."""
    if stdout is None:
        outcome = manifest("lint", *arguments, cwd=cwd, by=by)
        return outcome.code, outcome.out.encode(), outcome.err
    done = subprocess.run(
        [*MANIFEST, *arguments],
        cwd=cwd,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )
    said = done.stderr.decode()
    assert "Traceback" not in said
    assert done.returncode in {0, 1, 2, 141}
    return done.returncode, done.stdout or b"", said


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("form", COMPARABLE)
def test_a_file_holds_what_standard_output_would_show(form: str, project: Path) -> None:
    shown = manifest("lint", "--output-format", form, cwd=project)
    quiet = manifest("lint", "--output-format", f"{form}=out", "--color", "always", cwd=project)
    assert (quiet.code, quiet.out) == (shown.code, "")
    assert (project / "out").read_bytes() == shown.out.encode()
    assert "\r" not in shown.out
    assert "\x1b" not in shown.out


def test_a_dash_is_standard_output(project: Path) -> None:
    before = names(project)
    assert lint("--output-format", "json=-", cwd=project) == lint(
        "--output-format", "json", cwd=project
    )
    assert names(project) == before


def test_two_forms_of_one_run_are_each_whole(project: Path) -> None:
    _, full, _ = lint("--output-format", "full", cwd=project)
    _, sarif, _ = lint("--output-format", "sarif", cwd=project)
    code, shown, said = lint(
        "--output-format", "full", "--output-format", "sarif=out.sarif", cwd=project
    )
    assert (code, shown) == (1, full)
    assert (project / "out.sarif").read_bytes() == sarif
    assert said.startswith("2 files checked: ")


def test_a_terminal_gets_colour_and_a_file_none(project: Path) -> None:
    controller, terminal = pty.openpty()
    code, _, _ = lint(
        "--output-format", "full", "--output-format", "full=out", cwd=project, stdout=terminal
    )
    os.close(terminal)
    shown = os.read(controller, 100_000)
    os.close(controller)
    assert code == 1
    assert b"\x1b[1;31merror" in shown
    assert (project / "out").read_bytes().startswith(b"error[")


def test_with_files_only_nothing_is_on_standard_output(project: Path) -> None:
    files = ("--output-format", "junit=j.xml", "--output-format", "gitlab=g.json")
    code, shown, said = lint(*files, cwd=project)
    assert (code, shown) == (1, b"")
    assert said == "2 files checked: 3 errors; see j.xml, g.json\n"
    assert lint(*files, "--quiet", cwd=project) == (1, b"", "")
    assert json.loads((project / "g.json").read_text())
    assert (project / "j.xml").read_text().endswith("</testsuites>\n")


def test_without_a_format_a_pipe_gets_concise(project: Path) -> None:
    _, concise, _ = lint("--output-format", "concise", cwd=project)
    assert lint(cwd=project, stdout=subprocess.PIPE)[1] == concise != b""


@pytest.mark.parametrize(
    "formats",
    [
        ("json", "sarif"),
        ("json=out", "sarif=out"),
        ("json=out", "sarif=./sub/../out"),
        ("json=link", "sarif=out"),
    ],
)
def test_two_forms_do_not_share_a_target(formats: tuple[str, str], project: Path) -> None:
    (project / "sub").mkdir()
    (project / "link").symlink_to("out")
    arguments = [each for form in formats for each in ("--output-format", form)]
    code, shown, said = lint(*arguments, cwd=project)
    assert (code, shown) == (2, b"")
    assert "two output formats write to" in said
    assert not (project / "out").exists()


@pytest.mark.parametrize("target", ["manifest.json", "./manifest.json", "link"])
def test_a_manifest_is_never_overwritten(target: str, project: Path) -> None:
    (project / "link").symlink_to("manifest.json")
    code, shown, said = lint("--output-format", f"json={target}", cwd=project)
    assert (code, shown) == (2, b"")
    assert "is an input of this run and cannot be an output" in said
    assert (project / "manifest.json").read_text("utf-8") == FAULTY


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("sarf", "did you mean `manifest lint --output-format sarif`?"),
        ("nonsense=out", "is not one of full, concise"),
        ("json=", "write json=FILE"),
    ],
)
def test_a_wrong_format_says_what_to_write(value: str, words: str, project: Path) -> None:
    code, _, said = lint("--output-format", value, cwd=project)
    assert code == 2
    assert words in " ".join(said.split())


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("reports/out.json", "the folder `reports` does not exist; create it first"),
        ("manifest.json/out", "the folder `manifest.json` is a file"),
        ("folder", "folder is a folder and cannot be an output"),
    ],
)
@pytest.mark.parametrize("command", [("lint",), ("diff", "manifest.json", "good.manifest.json")])
def test_where_no_file_can_be_nothing_is_checked_or_written(
    command: tuple[str, ...], target: str, words: str, project: Path
) -> None:
    (project / "folder").mkdir()
    before = names(project)
    outcome = manifest(
        *command,
        *("--output-format", "sarif=out.sarif"),
        *("--output-format", f"json={target}"),
        cwd=project,
    )
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert names(project) == before


def test_an_unwritable_file_is_told_and_the_others_are_written(project: Path) -> None:
    target = "n" * 300  # longer than a name can be
    before = names(project)
    code, shown, said = lint(
        *("--output-format", f"json={target}"),
        *("--output-format", "sarif=out.sarif"),
        *("--output-format", "concise"),
        cwd=project,
    )
    assert code == 2
    assert f"error: {target}: cannot be written: " in said
    assert b"unknown-permission" in shown
    assert json.loads((project / "out.sarif").read_text())
    assert names(project) == {*before, "out.sarif"}, "nothing half written is left"


def test_a_file_that_cannot_be_written_to_its_end_stays_as_it_was(project: Path) -> None:
    (project / "out.json").write_text("old")
    before = names(project)
    limited = ("/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    code, shown, said = lint("--output-format", "json=out.json", cwd=project, by=limited)
    assert (code, shown) == (2, b"")
    first, counts = said.splitlines()
    assert first == "error: out.json: cannot be written: file too large"
    assert "see out.json" not in counts
    assert (project / "out.json").read_text() == "old"
    assert names(project) == before, "nothing half written is left"


@needs_dev_full
def test_a_full_disk_is_told(project: Path) -> None:
    code, shown, said = lint(
        "--output-format", "json=/dev/full", "--output-format", "concise", cwd=project
    )
    assert code == 2
    assert "error: /dev/full: cannot be written: no space left on device" in said
    assert b"unknown-permission" in shown
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode), "it is still a device"


@pytest.mark.slow
@needs_dev_full
@pytest.mark.parametrize("form", FORMATS)
def test_a_full_standard_output_is_told_and_files_are_written(form: str, project: Path) -> None:
    outcome = manifest(
        *("lint", "--output-format", form, "--output-format", f"{_other(form)}=out"),
        cwd=project,
        instead={1: Path("/dev/full")},
    )
    assert outcome.code == 2
    assert "error: the output cannot be written: no space left on device" in outcome.err
    assert (project / "out").stat().st_size > 0


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_reader_that_is_gone_ends_the_run_quietly(form: str, project: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code, _, said = lint(
        "--output-format", form, "--output-format", f"{_other(form)}=out",
        cwd=project, stdout=writer,
    )  # fmt: skip
    os.close(writer)
    assert (code, said) == (141, "")
    assert (project / "out").stat().st_size > 0


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_after_a_line_ends_the_run_quietly(
    unbuffered: str, project: Path
) -> None:
    many = {**GOOD, "permissions": [f"host.unknown.{number}" for number in range(2_000)]}
    (project / "manifest.json").write_text(json.dumps(many), "utf-8")
    with subprocess.Popen(
        [*MANIFEST, "--output-format", "json"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()
        said = running.stderr.read()
    assert (running.returncode, said) == (141, b"")


def _other(form: str) -> str:
    return "json" if form != "json" else "sarif"


def test_a_device_is_written_into(project: Path) -> None:
    target = ("--output-format", "json=/dev/stdout")
    code, shown, _ = lint(*target, cwd=project, stdout=subprocess.PIPE)
    assert code == 1
    assert json.loads(shown)["findings"]
    with (project / "log").open("w") as log:  # as `>log` of a shell, for more than one command
        print("before", file=log, flush=True)
        lint(*target, cwd=project, stdout=log.fileno())
        print("after", file=log)
    assert (project / "log").read_bytes() == b"before\n" + shown + b"after\n"


def test_a_file_keeps_its_mode_and_a_link_its_place(project: Path) -> None:
    real = project / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    (project / "link.json").symlink_to("real.json")
    lint("--output-format", "json=link.json", cwd=project)
    assert (project / "link.json").is_symlink()
    assert json.loads(real.read_text())["findings"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_can_be_read_by_whom_the_umask_allows(project: Path) -> None:
    lint("--output-format", "json=out.json", cwd=project)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((project / "out.json").stat().st_mode) == 0o666 & ~umask


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Standard error as a terminal, and a clock on which each look takes a tenth of a second."""
    shown = _Terminal()
    clock = count(step=0.1)
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_a_long_run_shows_how_far_it_is_and_clears_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _at_a_terminal(monkeypatch)
    with progress(range(1_234)) as items:
        assert list(items) == list(range(1_234))
    shown = terminal.getvalue()
    assert "\r\x1b[K1,000 of 1,234 files checked\r" in shown
    assert not shown.startswith("\r\x1b[K0 of")
    assert shown.endswith(" checked\r\x1b[K")


def test_of_files_that_are_still_searched_for_it_says_no_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = _at_a_terminal(monkeypatch)
    with progress(iter(range(1_234))) as items:
        assert list(items) == list(range(1_234))
    assert "\r\x1b[K1,000 files checked\r" in terminal.getvalue()


def _fail_at(item: int, items: Iterable[int]) -> None:
    for each in items:
        if each == item:
            raise KeyError


def test_a_run_that_fails_midway_clears_the_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)
    with pytest.raises(KeyError), progress(range(1_234)) as items:
        _fail_at(1_000, items)
    assert terminal.getvalue().endswith(" checked\r\x1b[K")


@pytest.mark.parametrize("files", [0, 9])
def test_a_short_run_goes_without_a_word(files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)  # on whose clock each file takes a tenth of a second
    with progress(range(files)) as items:
        assert len(list(items)) == files
    assert terminal.getvalue() == ""


def test_off_a_terminal_nothing_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _at_a_terminal(monkeypatch)
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    with progress(range(1_234)) as items:
        assert len(list(items)) == 1_234
    assert terminal.getvalue() == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["lint", "--fix"], ["diff", "--base", "HEAD"]],
    ids=" ".join,
)
def test_whatever_takes_long_tells_a_terminal_how_much_is_left(
    arguments: list[str], tmp_path: Path
) -> None:
    text = FAULTY.replace("host.camera", "host.timers")
    for number in range(2_000):
        (tmp_path / f"{number}.manifest.json").write_text(text, "utf-8")
    make_repository(tmp_path)
    for number in range(2_000):
        (tmp_path / f"{number}.manifest.json").write_text(text.replace("id", "name", 1), "utf-8")
    controller, terminal = pty.openpty()
    one = (lambda: os.sched_setaffinity(0, {0})) if hasattr(os, "sched_setaffinity") else None
    process = subprocess.Popen(
        [sys.executable, "-m", "manifestkit", *arguments],
        cwd=tmp_path,
        env=environment(TERM="xterm"),
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        preexec_fn=one,  # noqa: PLW1509 - it has no threads
    )
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # Linux says so when the other end is closed
        while piece := os.read(controller, 65_536):
            shown += piece
    os.close(controller)
    assert process.wait() in (0, 1)
    line = rb"\r\x1b\[K[\d,]+ of 2,000 files checked\r"
    assert re.search(line, shown)
