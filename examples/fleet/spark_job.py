"""Check the manifests of a fleet on Spark: the rows of `manifest fleet lint`.

    spark-submit spark_job.py INPUT OUT [PROFILE ...]

INPUT is Parquet with the columns `uri` and `content`. Spark needs Java 17 or newer.
"""

import sys
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from manifestkit import Options
from manifestkit.fleet import SCHEMA, FleetPolicy, lint_batches


def main(source: str, out: str, *profiles: str) -> None:
    """Run the job, on two processes of this machine unless `spark-submit` names a master."""
    policy = FleetPolicy(Options(profiles=profiles))  # type: ignore[arg-type]
    # `local[2]` would end the run when a worker is killed; `local[2,4]` tries again.
    session = SparkSession.builder.master("local[2,4]").getOrCreate()
    manifests = session.read.parquet(source).select("uri", "content")
    results = manifests.mapInArrow(partial(lint_batches, policy=policy), from_arrow_schema(SCHEMA))
    results.write.parquet(out)
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
