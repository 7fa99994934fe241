"""`manifest lint --watch`, at a terminal."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from command import MANIFEST, USAGE, environment, manifest
from manifestkit.cli.exit_codes import INTERRUPTED
from report_cases import GOOD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is of POSIX"),
]

WRONG = json.dumps({**GOOD, "permissions": ["host.camera"]})
RIGHT = json.dumps(GOOD)
CLEARED = "\x1b[2J"
WATCHING = "watching for changes; Ctrl-C ends"


class Watched:
    """A run of the command, and what is seen of it."""

    def __init__(self, terminal: int, process: subprocess.Popen[bytes]) -> None:
        self._terminal = terminal
        self._process = process
        self._round = 0
        self._seen = ""

    def round(self) -> str:
        """What the next round shows, from the clean screen on."""
        deadline = time.monotonic() + 30
        while self._seen.count(WATCHING) <= self._round:
            left = deadline - time.monotonic()
            assert left > 0, self._seen
            if select.select([self._terminal], [], [], left)[0]:
                self._seen += os.read(self._terminal, 65536).decode()
        self._round += 1
        return WATCHING.join(self._seen.split(WATCHING)[self._round - 1 : self._round])

    def interrupt(self) -> int:
        """Press Ctrl-C; the exit code."""
        os.write(self._terminal, b"\x03")
        return self._process.wait(30)


@contextmanager
def watching(cwd: Path, *arguments: str) -> Iterator[Watched]:
    import pty  # noqa: PLC0415 - not on Windows

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*MANIFEST, "lint", "--watch", "--output-format=concise", *arguments],
        cwd=cwd,
        env=environment(NO_COLOR="1", TERM="xterm"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - Ctrl-C goes to whom the terminal belongs
    )
    os.close(theirs)
    watched = Watched(ours, process)
    try:
        watched.round()
        watched.round()  # once more since the watch began
        yield watched
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        os.close(ours)


def _take_terminal() -> None:
    import fcntl  # noqa: PLC0415 - not on Windows
    import termios  # noqa: PLC0415

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def replace(file: Path, text: str) -> None:
    """Save a file as most editors do: a new one in its place."""
    fresh = file.with_name(f"{file.name}~")
    fresh.write_text(text)
    fresh.replace(file)


def test_what_changes_is_linted_again_on_a_clean_screen_until_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "manifest.json").write_text(RIGHT)
    (tmp_path / "a" / "manifest.json").write_text(WRONG)
    with watching(tmp_path) as watched:
        replace(tmp_path / "manifest.json", WRONG)
        shown = watched.round()
        assert CLEARED in shown
        assert " changed: manifest.json" in shown
        assert "\nmanifest.json:" in shown
        assert "a/manifest.json:" in shown
        assert "2 files checked: 2 errors" in shown
        replace(tmp_path / "a" / "manifest.json", RIGHT)
        assert "2 files checked: 1 error;" in watched.round()
        (tmp_path / "manifest.json").unlink()
        assert "1 file checked: no problems found" in watched.round()
        assert watched.interrupt() == INTERRUPTED


def test_a_new_manifest_and_a_changed_configuration_are_seen(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(WRONG)
    with watching(tmp_path, ".") as watched:
        replace(tmp_path / "b.manifest.json", RIGHT)
        assert "2 files checked: 1 error" in watched.round()
        replace(tmp_path / "manifestkit.toml", 'ignore = ["unknown-permission"]')
        assert "2 files checked: no problems found" in watched.round()
        replace(tmp_path / "manifestkit.toml", 'ignor = ["unknown-permission"]')
        assert "did you mean `ignore`?" in watched.round()
        replace(tmp_path / "manifestkit.toml", "")
        assert "2 files checked: 1 error" in watched.round()


def test_a_named_file_and_a_profile_elsewhere_are_watched_with_its_parts(tmp_path: Path) -> None:
    part = tmp_path / "hosts" / "parts" / "part.json"
    part.parent.mkdir(parents=True)
    part.write_text("{}")
    (tmp_path / "app").mkdir()
    profile = tmp_path / "hosts" / "host.json"
    profile.write_text('{"$ref": "parts/part.json"}')
    (tmp_path / "app" / "manifest.json").write_text(RIGHT)
    with watching(tmp_path / "app", "manifest.json", "--profile", str(profile)) as watched:
        replace(part, '{"maxProperties": 1}')
        assert "1 file checked: 1 error" in watched.round()
        replace(profile, "{}")
        assert "no problems found" in watched.round()
        replace(tmp_path / "app" / "manifest.json", "{")
        assert "syntax-error" in watched.round()


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    """The other file is not read: it is gone from under its name, and nobody was told."""
    folder = tmp_path / "watched"
    target = folder / "node_modules" / "data.json"  # where changes are not looked at
    target.parent.mkdir(parents=True)
    target.write_text(WRONG)
    (folder / "a.manifest.json").symlink_to(target)
    (folder / "b.manifest.json").write_text(RIGHT)
    with watching(folder) as watched:
        target.write_text(RIGHT)
        replace(folder / "b.manifest.json", WRONG)
        assert "2 files checked: 2 errors" in watched.round()


def test_a_rule_about_the_whole_run_sees_the_files_that_did_not_change(tmp_path: Path) -> None:
    (tmp_path / "a.manifest.json").write_text(RIGHT)
    (tmp_path / "b.manifest.json").write_text(WRONG)
    with watching(tmp_path, "--severity", "duplicate-provider-id=error") as watched:
        replace(tmp_path / "b.manifest.json", RIGHT)
        assert "2 files checked: 2 errors" in watched.round()
        provider = {**GOOD["provider"], "id": "com.example.other"}
        replace(tmp_path / "b.manifest.json", json.dumps({**GOOD, "provider": provider}))
        assert "2 files checked: no problems found" in watched.round()


@pytest.mark.parametrize(
    "arguments",
    [["--fix"], ["--diff"], ["-"], ["--show-files"], ["--write-baseline=b"],
     ["--output-format=json=f"], ["--show-settings"]],
)  # fmt: skip
def test_watch_goes_with_nothing_that_writes_or_ends(tmp_path: Path, arguments: list[str]) -> None:
    outcome = manifest("lint", "--watch", *arguments, cwd=tmp_path)
    assert outcome.code == USAGE
    assert "--watch only shows findings" in outcome.err


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        "util.find_spec = lambda name: None if name == 'watchfiles' else find(name)\n"
    )
    outcome = manifest("lint", "--watch", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert outcome.code == USAGE
    assert outcome.err == (
        "error: --watch needs the extra `watch`: python -m pip install 'manifestkit[watch]', or "
        "'.[watch]' in a clone\n"
    )
