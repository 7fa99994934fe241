"""CPU and memory of `manifestkit.fleet.lint_batches` for a row of a fleet.

    python benchmarks/fleet.py [ROWS]

In one process, without reading and writing. The rows are those of `tests/fleet/generate.py`: about
600 bytes, one in ten faulty. They are checked in batches of 1,000, each after a fixed loop: the
median is told as it was, and as it is at the best pace of that loop.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from pathlib import Path

import pyarrow as pa

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "fleet"))

from generate import many  # noqa: E402
from manifestkit import Options  # noqa: E402
from manifestkit.fleet import FleetPolicy, lint_batches  # noqa: E402
from timing import pace  # noqa: E402

_BATCH = 1_000  # as a run has them
_HOST = Options(profiles=(ROOT / "examples" / "profiles" / "host-catalogue.schema.json",))
_CASES = (
    ("JSON, one in ten faulty", "json", FleetPolicy()),
    ("YAML, one in ten faulty", "yaml", FleetPolicy()),
    ("JSON, heavy profile", "json", FleetPolicy(_HOST)),
)


def _batch(start: int, syntax: str) -> pa.RecordBatch:
    rows = list(many(_BATCH, syntax, start))
    uris, contents = ([each[index] for each in rows] for index in (0, 1))
    return pa.RecordBatch.from_pydict({"uri": uris, "content": pa.array(contents, pa.binary())})


def main(rows: int) -> None:
    """Print a table."""
    print("| rows | us | us at the best pace | findings a row | peak MB |\n|---|--:|--:|--:|--:|")
    for name, syntax, policy in _CASES:
        list(lint_batches([_batch(0, syntax)], policy))  # what all rows share is loaded
        taken: list[float] = []
        paces: list[float] = []
        findings = 0
        for start in range(0, rows, _BATCH):
            batch = _batch(start, syntax)
            paces.append(pace())
            began = time.process_time()
            out = list(lint_batches([batch], policy))
            taken.append((time.process_time() - began) / _BATCH * 1e6)
            findings += sum(len(each["findings"].flatten()) for each in out)
        best = min(paces)
        at_best = (each * best / loop for each, loop in zip(taken, paces, strict=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(
            f"| {name} | {statistics.median(taken):.0f} | {statistics.median(at_best):.0f} | "
            f"{findings / rows:.2f} | {peak:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["20000"])[0]))
