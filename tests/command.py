"""The command as its user runs it: in a process that ends with it.

Starting Python and importing the package takes most of the time of a small command. So the process
is forked from one that has imported what all commands need, has compiled the packaged schema, and
has run no command.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

from manifestkit.__main__ import main as run_manifest

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"
GOLDEN = REPOSITORY / "tests" / "golden"

CLEAN, FINDINGS, USAGE, CLOSED_PIPE = 0, 1, 2, 141
DOCUMENTED_CODES = {CLEAN, FINDINGS, USAGE, 130, CLOSED_PIPE}

MANIFEST = (sys.executable, "-m", "manifestkit")
_PER_USER = (
    *("CI", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"),
    "NO_COLOR",
)
_AT_MOST = 300  # seconds, on a busy machine

if sys.platform != "win32":
    _FORKING = multiprocessing.get_context("forkserver")
    _FORKING.set_forkserver_preload(["__main__", "command", "preloaded"])


@dataclass(frozen=True)
class Outcome:
    """How a process ended."""

    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """The environment of this process, without what would change the output or mislead git."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _PER_USER and not name.startswith(("GIT_", "MANIFEST_"))
    }
    return {**kept, "PYTHONUTF8": "1", **changes}


def manifest(
    *arguments: str | bytes | Path,
    cwd: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    by: tuple[str, ...] = (),
    instead: Mapping[int, Path | None] | None = None,
) -> Outcome:
    """Run `manifest`; whatever it is asked, it must not crash.

    It starts a Python of its own where another program runs it (`by`), where the environment has a
    setting of Python's, and where there is no fork. `instead` says, where there is, which file is a
    standard stream; of None, it is closed from the start.
    """
    settings = environment(**(env or {}))
    needs_start = by or any(name.startswith("PYTHON") for name in env or {})
    if needs_start or sys.platform == "win32":
        done = subprocess.run(
            [*by, *MANIFEST, *arguments],
            cwd=cwd,
            input=stdin,
            env=settings,
            capture_output=True,
            timeout=_AT_MOST,
            check=False,
        )
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    else:
        outcome = _forked(
            [os.fsdecode(each) for each in arguments], cwd, stdin, settings, instead or {}
        )
    assert "Traceback" not in outcome.err, outcome.err
    assert outcome.code in DOCUMENTED_CODES, outcome
    return outcome


def _forked(
    arguments: list[str],
    cwd: Path,
    stdin: bytes,
    env: dict[str, str],
    instead: Mapping[int, Path | None],
) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        streams[0].write_bytes(stdin)
        for each in streams[1:]:
            each.touch()
        process = Forked(
            arguments, cwd, env, [instead.get(n, each) for n, each in enumerate(streams)]
        )
        try:
            code = process.wait(_AT_MOST)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        out, err = (each.read_bytes().decode() for each in streams[1:])
    return Outcome(code, out, err)


class Forked:
    """A process that runs the command, as far as it is like `subprocess.Popen`.

    Args:
        arguments: those of the command.
        cwd: its folder.
        env: its environment.
        streams: its standard streams: names of files or pipes, or what is open; of None, closed.
        leads: whether it is the first of a session, and a stream that is a terminal its own.
    """

    def __init__(
        self,
        arguments: list[str],
        cwd: Path,
        env: dict[str, str],
        streams: Sequence[Path | Connection | None],
        *,
        leads: bool = False,
    ) -> None:
        _prepare_forks()
        self._process = _FORKING.Process(target=become, args=(arguments, cwd, env, streams, leads))
        self._process.start()
        self.pid: int = self._process.ident or 0
        self.sentinel: int = self._process.sentinel
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None

    def wait(self, timeout: float) -> int:
        """Wait for its end; its exit code."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("manifest", timeout)
        return self._process.exitcode

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.join()


@cache
def _prepare_forks() -> None:
    """Start the process that others are forked from; it looks for modules where Python does."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    try:
        forkserver.ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        os.environ.update({"PYTHONPATH": before} if before else {})


def start(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> Forked | subprocess.Popen[bytes]:
    """Start a command that reads and writes pipes."""
    settings = environment(**(env or {}))
    if sys.platform == "win32":
        return subprocess.Popen(
            [*MANIFEST, *arguments],
            cwd=cwd,
            env=settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        for each in streams:
            os.mkfifo(each)
        process = Forked(list(arguments), cwd, settings, streams)
        process.stdin = streams[0].open("wb")
        process.stdout, process.stderr = (each.open("rb") for each in streams[1:])
    return process


def become(
    arguments: list[str],
    cwd: Path,
    env: dict[str, str],
    streams: Sequence[Path | Connection | None],
    leads: bool = False,
) -> None:
    """Become `python -m manifestkit`, started in a folder with an environment and streams."""
    if leads:
        os.setsid()
    modes = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for number, (path, mode) in enumerate(zip(streams, modes, strict=True)):
        if path is not None:
            opened = path.fileno() if isinstance(path, Connection) else os.open(path, mode)
            os.dup2(opened, number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    buffering = 1 if "PYTHONUNBUFFERED" in env else -1
    sys.stdout = open(1, "w", buffering, "utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if streams[number] is None:  # as Python does it
            os.close(number)
            setattr(sys, name, None)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["manifest", *arguments]
    run_manifest()


def package_in(folder: Path) -> Path:
    """A copy of the package as it is installed, below a folder for Python's search path."""
    package = folder / "manifestkit"
    # Other tests' processes write bytecode meanwhile.
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "src" / "manifestkit", package, ignore=without)
    shutil.copytree(REPOSITORY / "schemas", package / "schemas")
    return package


def modules_after(code: str, cwd: Path) -> set[str]:
    """The modules that a Python has loaded when it has run some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())
