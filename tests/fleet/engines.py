"""The jobs of `examples/fleet` on local clusters, each with a worker killed: the same rows.

    python tests/fleet/engines.py 4000

It needs `pip install -e '.[fleet]' pyspark pandas distributed duckdb` and Java 17.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import duckdb
import pyarrow.dataset as ds

from command import EXAMPLES, MANIFEST, environment
from generate import write

_JOBS = EXAMPLES / "fleet"
_FILES = 8
_PATIENCE = 300
_WORKERS = {"spark_job.py": "pyspark.daemon", "dask_job.py": "spawn_main"}


def _rows(folder: Path) -> list[dict[str, Any]]:
    return sorted(ds.dataset(folder).to_table().to_pylist(), key=lambda row: str(row["uri"]))


def _workers(pid: int, part: str) -> list[int]:
    """The processes below one whose command line has a part."""
    found, todo = list[int](), [pid]
    while todo:
        below = subprocess.run(
            ["pgrep", "-P", str(todo.pop())], stdout=subprocess.PIPE, text=True, check=False
        )
        for child in map(int, below.stdout.split()):
            todo.append(child)
            line = Path(f"/proc/{child}/cmdline")
            if line.exists() and part.encode() in line.read_bytes():
                found.append(child)
    return found


def _run_and_kill(job: str, source: Path, out: Path) -> None:
    """Run a job, and kill a worker once there are rows."""
    process = subprocess.Popen(
        [sys.executable, _JOBS / job, source, out],
        env=environment(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable),
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + _PATIENCE
    while not any(out.rglob("*.parquet")) and process.poll() is None:
        assert time.monotonic() < end, f"{job} writes nothing"
    workers = _workers(process.pid, _WORKERS[job])
    assert process.poll() is None, f"{job} ends before a worker is killed"
    os.kill(workers[-1], signal.SIGKILL)
    _, said = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 0, said


def main(count: int, folder: Path) -> None:
    """Compare the rows of each job with those of `manifest fleet lint`."""
    source = folder / "in"
    for index in range(_FILES):
        write(folder / "made", count // _FILES, first=index * (count // _FILES))
        source.mkdir(exist_ok=True)
        (folder / "made" / "part-0000.parquet").rename(source / f"{index}.parquet")
    for out, more in (("before", ["--ignore=missing-field"]), ("after", [])):
        lint: list[str | Path] = [
            *MANIFEST,
            "fleet",
            "lint",
            source,
            "--output",
            folder / out,
            *more,
        ]
        subprocess.run(lint, check=True)
    expected = _rows(folder / "after")
    for job in _WORKERS:
        _run_and_kill(job, source, folder / job)
        assert _rows(folder / job) == expected, f"{job} gives other rows"
        print(f"{job}: {len(expected):,} rows, the same")
    os.chdir(folder)
    for query in (_JOBS / "duckdb.sql").read_text("utf-8").split(";")[:-1]:
        assert duckdb.sql(query).fetchall(), query
    print("duckdb.sql: each query has rows")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(int(sys.argv[1]), Path(name))
