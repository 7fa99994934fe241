"""The command as its user runs it: a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
EXAMPLES = REPOSITORY / "examples"
GOLDEN = REPOSITORY / "tests" / "golden"

CLEAN, FINDINGS, USAGE, CLOSED_PIPE = 0, 1, 2, 141
DOCUMENTED_CODES = {CLEAN, FINDINGS, USAGE, 130, CLOSED_PIPE}

MANIFEST = (sys.executable, "-m", "manifestkit")
_PER_USER = ("FORCE_COLOR", "NO_COLOR", "COLUMNS")


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
        if name not in _PER_USER and not name.startswith("GIT_")
    }
    return {**kept, "PYTHONUTF8": "1", **changes}


def manifest(
    *arguments: str | bytes | Path,
    cwd: Path,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    by: tuple[str, ...] = (),
) -> Outcome:
    """Run `manifest`; whatever it is asked, it must not crash."""
    done = subprocess.run(
        [*by, *MANIFEST, *arguments],
        cwd=cwd,
        input=stdin,
        env=environment(**(env or {})),
        capture_output=True,
        timeout=60,
        check=False,
    )
    outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in outcome.err, outcome.err
    assert outcome.code in DOCUMENTED_CODES, outcome
    return outcome


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
