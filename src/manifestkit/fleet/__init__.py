"""Millions of manifests: batches of rows in, a row with the findings for each of them out.

>>> import pyarrow
>>> from manifestkit.fleet import FleetPolicy, lint_batches
>>> rows = {"uri": ["manifest.json"], "content": ['{"schema_version": 1}']}
>>> (batch,) = lint_batches([pyarrow.RecordBatch.from_pydict(rows)], FleetPolicy())
>>> batch["fails"].to_pylist(), batch["errors"].to_pylist()
([True], [6])

`rows` checks a batch by a policy. For files, `runs` divides them into units, and gives those that
are not done to processes. `impact` compares two results.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("pyarrow") is None:
    raise ModuleNotFoundError(
        "manifestkit.fleet needs the extra `fleet`: python -m pip install 'manifestkit[fleet]'",
        name="pyarrow",
    )

from manifestkit.fleet.rows import SCHEMA, FleetPolicy, lint_batches

__all__ = ["SCHEMA", "FleetPolicy", "lint_batches"]
