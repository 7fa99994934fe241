"""The command `manifest` in the page: takes files and arguments, returns output and files."""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from manifestkit.cli.main import main

FOLDER = Path("/home/playground")
FOLDER.mkdir(parents=True, exist_ok=True)
os.chdir(FOLDER)


def run(job: str) -> str:
    """Run the command on files, and return its exit code, its output and the files after it."""
    asked = json.loads(job)
    for file in FOLDER.iterdir():
        file.unlink()
    for name, each in asked["files"].items():
        is_text = isinstance(each, str)
        content = (
            each.encode("utf-8", "surrogatepass") if is_text else base64.b64decode(each["base64"])
        )
        (FOLDER / name).write_bytes(content)
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    kept = sys.argv, sys.stdout, sys.stderr
    sys.argv, sys.stdout, sys.stderr = ["manifest", *asked["arguments"]], *streams
    code: Any = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv, sys.stdout, sys.stderr = kept
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)
    files = {file.name: file.read_bytes().decode("utf-8", "replace") for file in FOLDER.iterdir()}
    return json.dumps({"code": code, "out": out, "err": err, "files": files})
