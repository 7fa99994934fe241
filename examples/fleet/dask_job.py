"""Check the manifests of a fleet on Dask: the rows of `manifest fleet lint`.

    python dask_job.py INPUT OUT [PROFILE ...]

INPUT is a folder of Parquet files with the columns `uri` and `content`; OUT gets a file for each.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from manifestkit import Options
from manifestkit.fleet import SCHEMA, FleetPolicy, lint_batches


def lint_file(source: Path, out: Path, policy: FleetPolicy) -> int:
    """Check the manifests of one file, and return their number."""
    batches = pq.ParquetFile(source).iter_batches(1_000, columns=["uri", "content"])
    results = pa.Table.from_batches(lint_batches(batches, policy), SCHEMA)
    pq.write_table(results, out / source.name)
    return int(results.num_rows)


def main(source: str, out: str, *profiles: str) -> None:
    """Run the job on two processes of this machine; `Client(ADDRESS)` uses a cluster."""
    policy = FleetPolicy(Options(profiles=profiles))  # type: ignore[arg-type]
    Path(out).mkdir()
    files = sorted(Path(source).glob("*.parquet"))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.gather(client.map(lint_file, files, out=Path(out), policy=policy, retries=3))


if __name__ == "__main__":
    main(*sys.argv[1:])
