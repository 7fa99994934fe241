"""A command on a terminal, as a person sees it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

_CLEARED_LINE = re.compile(r"[^\n]*\r\x1b\[K")


def on_a_terminal(command: str, folder: Path, columns: int = 100) -> str:
    """What a person sees: standard output and error on one terminal."""
    import pty  # noqa: PLC0415 - not on Windows

    ours, theirs = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    size = {"COLUMNS": str(columns), "LINES": "50"}
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", **size}
    environment.pop("FORCE_COLOR", None)
    process = subprocess.Popen(
        ["sh", "-c", command], stdout=theirs, stderr=theirs, cwd=folder, env=environment
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            piece = b""
        if not piece:
            break
        seen += piece
    process.wait()
    os.close(ours)
    return _CLEARED_LINE.sub("", seen.decode().replace("\r\n", "\n"))
