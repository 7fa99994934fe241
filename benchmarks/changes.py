"""Measures how long comparing takes: one pair in the library, 10 MB with 10 MB as a process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import manifestkit

_ACTIVITIES = 50_000
_ROUNDS = 300


def manifest(activities: int, note: str, *permissions: str) -> dict[str, Any]:
    """Return a manifest with so many activities."""
    return {
        "schema_version": "1.0",
        "provider": {"id": "com.example.box", "name": "Box", "version": "1.0.0"},
        "runtime": {"entrypoint": "dist/index.js", "sdk_version": "1.0"},
        "activities": [
            {
                "id": f"activity-{index}",
                "name": f"Activity {index}, {note}",
                "category": "relaxation and breathing",
                "duration_minutes": 5,
                "surfaces": ["phone", "watch"],
                "note": "as long as it takes to fill a file",
            }
            for index in range(activities)
        ],
        "permissions": list(permissions),
        "capabilities": [],
    }


def pair() -> float:
    """Return the seconds that one small pair with two changes takes, at best."""
    old = json.dumps(manifest(2, "old"), indent=2)
    new = json.dumps(manifest(2, "old", "host.timer", "host.haptics"), indent=2)
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.process_time()
        result = manifestkit.diff(old, new)
        best = min(best, time.process_time() - start)
        if len(result.changes or ()) != 2:  # noqa: PLR2004 - see above
            raise AssertionError(result)
    return best


def large(folder: Path) -> tuple[float, int, int]:
    """Seconds of processor and the peak of memory in kB of a process, and the bytes of a file."""
    files = [folder / "old.json", folder / "new.json"]
    for file in files:
        file.write_text(json.dumps(manifest(_ACTIVITIES, file.stem), indent=1), "utf-8")
    once = Path(__file__).with_name("once.py")
    command = [
        sys.executable,
        "-m",
        "manifestkit",
        "diff",
        *map(str, files),
        "--output-format=json",
    ]
    done = subprocess.run(
        [sys.executable, str(once), *command], capture_output=True, text=True, check=True
    )
    _, work, kilobytes, _ = done.stdout.split()
    return float(work), int(kilobytes), max(file.stat().st_size for file in files)


def main() -> None:
    """Measure, and print a table."""
    print("| compared | seconds of processor time | peak MB |\n|---|--:|--:|")
    print(f"| two small manifests, in the library | {pair():.5f} | |")
    with tempfile.TemporaryDirectory() as folder:
        seconds, kilobytes, size = large(Path(folder))
    what = f"{size / 1e6:.1f} MB with as much, all of it changed"
    print(f"| {what} | {seconds:.1f} | {kilobytes / 1_000:.0f} |")


if __name__ == "__main__":
    main()
