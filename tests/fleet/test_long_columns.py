"""`manifest fleet` on Parquet whose few bytes unfold to gigabytes, in bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import EXAMPLES, MANIFEST, environment
from manifestkit.fleet import FleetPolicy, lint_batches
from manifestkit.fleet.inputs import batches_of, units_of
from manifestkit.fleet.places import place
from test_runs import fleet, rows, uncounted

pytestmark = pytest.mark.slow

MINIMAL = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
LONG = "]" * 5_000_000
ROWS = 300
MOST = 500  # MB


# Run by a process of its own: a child's peak counts what its parent held when it was made.
_MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def _lint(folder: Path) -> tuple[int, str, float]:
    """Lint a file in a process of its own; its exit code, what it said, and its peak MB."""
    command = [*MANIFEST, "fleet", "lint", "in.parquet", "--output", "out", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, peak = map(int, done.stdout.split())
    return code, done.stderr, peak / 1024


def _repeated(text: str, rows: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


@pytest.mark.parametrize(
    ("column", "size", "stored"),
    [("content", 5, False), ("content", 5, True), ("uri", 1, False), ("name", 1, True)],
)
def test_a_text_that_every_row_repeats_is_not_held_for_each(
    column: str, size: int, stored: bool, tmp_path: Path
) -> None:
    columns: dict[str, Any] = {"uri": list(map(str, range(ROWS))), "content": ["{}"] * ROWS}
    columns[column] = _repeated(LONG[: size * 1_000_000], ROWS)
    pq.write_table(pa.table(columns), tmp_path / "in.parquet", store_schema=stored)
    code, said, peak = _lint(tmp_path)
    assert (code, uncounted(said)) == (0, f"{ROWS} manifests checked\n")
    assert peak < MOST
    files = list((tmp_path / "out").glob("*.parquet"))
    assert [pq.read_metadata(each).num_rows for each in files] == [ROWS]


def test_prefixes_that_are_written_once_are_not_held_for_each_row(tmp_path: Path) -> None:
    columns = {"uri": list(map(str, range(25))), "content": [LONG] * 25}
    pq.write_table(
        pa.table(columns),
        tmp_path / "in.parquet",
        use_dictionary=False,
        column_encoding={"content": "DELTA_BYTE_ARRAY"},
    )
    code, said, peak = _lint(tmp_path)
    assert (code, uncounted(said)) == (0, "25 manifests checked\n")
    assert peak < MOST


@pytest.mark.parametrize(("version", "dictionary"), [("1.0", True), ("2.0", False)])
def test_a_page_that_is_too_large_is_an_error_that_says_what_to_do(
    version: str, dictionary: bool, tmp_path: Path
) -> None:
    contents = [f"{LONG}{number}" for number in range(30)]
    table = pa.table({"uri": list(map(str, range(30))), "content": contents})
    written: dict[str, Any] = {"use_dictionary": dictionary, "data_page_version": version}
    pq.write_table(table, tmp_path / "in.parquet", **written)
    code, said, peak = _lint(tmp_path)
    assert code == 2
    assert said.startswith("error: in.parquet: the column `content` has a page of 150,0")
    assert "more than 134,217,728; write it again in smaller row groups\n" in said
    assert peak < MOST
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=10, **written)
    code, said, peak = _lint(tmp_path)
    assert (code, uncounted(said)) == (0, "30 manifests checked\n")
    assert peak < MOST


def test_rows_with_long_uris_are_not_held_until_there_are_a_thousand(tmp_path: Path) -> None:
    line = f'{{"uri": "{"u" * 5_000_000}", "content": "{{}}"}}\n'
    (tmp_path / "in.jsonl").write_text(line * 3, "utf-8")
    (unit,), _, _ = units_of(str(tmp_path / "in.jsonl"))
    batches = list(batches_of(place(str(tmp_path / "in.jsonl")), unit, 1_000))
    assert [each.num_rows for each in batches] == [2, 1]
    (batch,) = (pa.RecordBatch.from_pydict({"uri": ["u" * 5_000_000] * 3, "content": ["{}"] * 3}),)
    assert [each.num_rows for each in lint_batches([batch], FleetPolicy())] == [1, 1, 1]


@pytest.mark.parametrize("kind", [pa.json_(), pa.json_(pa.large_string())])
def test_a_column_of_an_extension_type_is_what_it_is_stored_as(
    kind: pa.DataType, tmp_path: Path
) -> None:
    contents = pa.array([MINIMAL, None, "{"], kind)
    pq.write_table(pa.table({"uri": ["a", "b", "c"], "content": contents}), tmp_path / "in.parquet")
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    assert (done.code, uncounted(done.err)) == (0, "3 manifests checked\n")
    assert [[each["rule"] for each in row["findings"]] for row in rows(tmp_path / "out")] == [
        [],
        ["unreadable"],
        ["syntax-error"],
    ]
