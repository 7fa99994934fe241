"""Compare the schema engines: `python benchmarks/schema_engines.py [COUNT]`.

Prints the processor time of `manifest lint` on so many manifests, one in ten with a fault, on
jsonschema-rs and on jsonschema, and their ratio.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from corpora import faulty_manifest, json_manifest, many

_WITHOUT = Path(__file__).parent.parent / "tests" / "portable"


def seconds(folder: Path, path: str) -> float:
    """Return the processor time of a run with a folder on Python's path."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "manifestkit", "lint", "--isolated", "--quiet", "."]
    env = {**os.environ, "PYTHONPATH": path}
    subprocess.run(command, cwd=folder, env=env, check=False, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(count: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many(folder, ".json", lambda n: (json_manifest if n % 10 else faulty_manifest)(n), count)
        for _ in range(3):
            fast, slow = seconds(folder, ""), seconds(folder, str(_WITHOUT))
            print(f"jsonschema-rs {fast:.2f} s, jsonschema {slow:.2f} s: {slow / fast:.1f} times")


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["10000"])[0]))
