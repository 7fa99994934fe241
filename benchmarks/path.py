"""Counts the functions, files and calls of ours between a manifest and its findings.

    python benchmarks/path.py

Each way is gone once before it is counted, so that what is worked out once is not: modules,
compiled schemas, texts. `manifest lint` is counted by its named functions alone.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import manifestkit
from manifestkit.__main__ import main as command

_OURS = f"{Path(manifestkit.__file__).parent}{os.sep}"
_EXAMPLE = Path(__file__).parent.parent / "examples/valid/minimal.activity-provider.json"


class Passed(NamedTuple):
    """What was passed on a way."""

    functions: int
    named: int
    files: int
    calls: int


def passed(way: Callable[[], Any]) -> Passed:
    """Count what of ours is called on a way, the second time."""
    way()
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_OURS):
            calls[code.co_filename, code.co_qualname] += 1

    sys.setprofile(note)
    try:
        way()
    finally:
        sys.setprofile(None)
    named = [name for _, name in calls if not name.endswith(">")]
    return Passed(len(calls), len(named), len({file for file, _ in calls}), calls.total())


def lint_here() -> None:
    """Run `manifest lint manifest.json`."""
    sys.argv = ["manifest", "lint", "manifest.json"]
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        command()


def main() -> None:
    """Print a table."""
    good = json.loads(_EXAMPLE.read_text("utf-8"))
    manifests = {
        "clean": good,
        "unknown permission": {**good, "permissions": ["host.haptic"]},
        "wrong type": {**good, "schema_version": 1},
        "missing member": {name: each for name, each in good.items() if name != "runtime"},
    }
    print(f"{'one manifest':<20}{'functions':>11}{'files':>7}{'calls':>7}{'command':>9}")
    for name, value in manifests.items():
        text = json.dumps(value, indent=2)
        library = passed(lambda: manifestkit.lint(text, "manifest.json").findings)  # noqa: B023
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            Path("manifest.json").write_text(text, "utf-8")
            whole = passed(lint_here)
        print(
            f"{name:<20}{library.functions:>11}{library.files:>7}{library.calls:>7}{whole.named:>9}"
        )


if __name__ == "__main__":
    main()
