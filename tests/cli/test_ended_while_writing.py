"""Told to end while it writes a file, a run leaves it whole, and nothing beside it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import USAGE, environment
from in_process import manifest_here
from rows import rows
from samples import FIXABLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

OLD = b"old"
NEW = b"x" * 50_000_000
REWRITE = (
    "from manifestkit.files import rewrite; rewrite(Path('m.json'), b'x' * 50_000_000, b'old')"
)
REPLACE = """
from manifestkit.files import replacing
with replacing(Path('m.json')) as file:
    for _ in range(50): file.write('x' * 1_000_000)
"""
CREATE = "from manifestkit.files import create; create(Path('new.json'), 'x' * 50_000_000)"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [REWRITE, REPLACE, CREATE],
    ids=["rewrite", "replace", "create"],
)
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP"])
def test_a_file_is_whole_and_alone(tmp_path: Path, code: str, how: str) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(OLD)
    started = subprocess.Popen(
        [sys.executable, "-c", f"from pathlib import Path\n{code}\nimport time; time.sleep(60)"],
        cwd=tmp_path,
    )
    while started.poll() is None and os.listdir(tmp_path) == ["m.json"]:  # noqa: PTH208 - fast
        if file.stat().st_size != len(OLD):
            break
    started.send_signal(getattr(signal, how))
    assert started.wait(60) == -getattr(signal, how)
    assert file.read_bytes() in (OLD, NEW)
    others = {each.name: each.read_bytes() for each in tmp_path.iterdir() if each != file}
    assert others in ({}, {"new.json": NEW})


AT_ONCE = """
import signal, sys, tempfile
from pathlib import Path

open_path = Path.open

def interrupted(make):
    def made(*arguments, **options):
        result = make(*arguments, **options)
        if make is not open_path or "x" in arguments:
            signal.raise_signal(signal.SIGINT)
        return result
    return made

tempfile.mkstemp = interrupted(tempfile.mkstemp)
Path.open = interrupted(Path.open)
from manifestkit.cli.main import main
main()
"""


@pytest.mark.parametrize("command", [["lint", "--fix", "m.json"], ["new", "--yes", "new.json"]])
def test_an_interrupt_when_a_file_is_just_made_leaves_it_whole_or_none(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "m.json").write_bytes(FIXABLE)
    ran = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert ran.returncode in (128 + signal.SIGINT, -signal.SIGINT), ran.stderr
    assert {each.name for each in tmp_path.iterdir()} <= {"m.json", "new.json"}
    assert all(json.loads(each.read_bytes()) for each in tmp_path.iterdir())
    assert (tmp_path / "m.json").read_bytes() == FIXABLE


def test_an_interrupt_after_the_end_changes_nothing(tmp_path: Path) -> None:
    code = (
        "import atexit, os, signal, sys; before = {*sys.modules}\n"
        "from manifestkit.__main__ import main\n"
        "assert not {'typing', 'click'} & {*sys.modules} - before\n"
        "atexit.register(lambda: [os.kill(os.getpid(), signal.SIGINT), os.write(2, b'end')])\n"
        "sys.argv = ['manifest', 'explain', 'unknown-member']\n"
        "main()"
    )
    command, env = [sys.executable, "-c", code], environment()
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"end")


@rows("command", [["lint", "--fix"], ["fmt"], ["add", "permission", "profile.basic"]])
def test_hard_links_stay_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manifest.json").write_bytes(FIXABLE + b"\n\n")
    (tmp_path / "other.txt").hardlink_to(tmp_path / "manifest.json")
    before = (tmp_path / "manifest.json").read_bytes()
    outcome = manifest_here(*command, *([] if "add" in command else ["manifest.json"]))
    assert outcome.code == USAGE
    assert "is one of 2 hard links" in outcome.err
    assert (tmp_path / "manifest.json").read_bytes() == before
    assert (tmp_path / "manifest.json").samefile(tmp_path / "other.txt")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
@pytest.mark.parametrize("command", [["fmt"], ["lint", "--fix"]], ids=" ".join)
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_the_workers_of_a_run_leave_nothing_beside_their_files(
    tmp_path: Path, command: list[str], how: str
) -> None:
    """A worker that is ended with its run first ends the file that it writes."""
    activities = [{"id": f"a{number}", "name": "A"} for number in range(2_000)]
    old = json.dumps({**json.loads(FIXABLE), "activities": activities}).encode()
    names = {f"{number:03}.manifest.json" for number in range(200)}
    for name in names:
        (tmp_path / name).write_bytes(old)
    run = (sys.executable, "-c", _WITH_FOUR_WORKERS, *command, ".")
    started = subprocess.Popen(
        run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()
    )
    while started.poll() is None and {*os.listdir(tmp_path)} <= names:  # noqa: PTH208 - fast
        continue
    assert started.poll() is None
    started.send_signal(getattr(signal, how))
    started.communicate(timeout=60)  # until each worker has ended, too
    assert {each.name for each in tmp_path.iterdir()} == names
    texts = {each.read_bytes() for each in tmp_path.iterdir()}
    assert old in texts
    assert len(texts) <= 2


_WITH_FOUR_WORKERS = """
import os
os.sched_getaffinity = lambda process: {0, 1, 2, 3}
from manifestkit.cli.main import main
main()
"""


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes are Linux's")
@pytest.mark.parametrize("command", [["lint", "--fix"], ["fmt"], ["set", "provider.name", "X"]])
def test_extended_attributes_and_the_mode_survive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "manifest.json"
    file.write_bytes(FIXABLE + b"\n\n")
    file.chmod(0o640)
    os.utime(file, (1, 1))
    try:
        os.setxattr(file, "user.origin", b"there")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    manifest_here(*command, "manifest.json")
    assert file.read_bytes() != FIXABLE + b"\n\n"
    assert os.getxattr(file, "user.origin") == b"there"
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.stat().st_mtime > 1
