"""Results that somebody has changed: they are not counted, and they are made again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generate import write
from test_runs import contents, fleet

LINT = ("lint", "in", "--output", "out")


def _with_nulls(name: str) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        kind = table.schema.field(name).type
        return _set(table, name, pa.nulls(table.num_rows, kind))

    return change


def _set(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "no-column": lambda table: table.drop_columns(["findings"]),
    "null-fails": _with_nulls("fails"),
    "null-findings": _with_nulls("findings"),
    "null-errors": _with_nulls("errors"),
    "text": lambda table: _set(table, "errors", pa.array(["x"] * table.num_rows)),
    "fewer": lambda table: table.slice(0, 20),
    "none": lambda table: table.slice(0, 0),
    "twice": lambda table: pa.concat_tables([table, table]),
    "written-again": lambda table: table,
    "passes": lambda table: _set(table, "fails", pa.array([False] * table.num_rows)),
}


def _rewritten(change: str) -> Callable[[Path], None]:
    def rewrite(file: Path) -> None:
        pq.write_table(CHANGES[change](pq.read_table(file)), file)

    return rewrite


def _flipped(at: float) -> Callable[[Path], None]:
    def flip(file: Path) -> None:
        data = bytearray(file.read_bytes())
        data[int(at * (len(data) - 1))] ^= 1
        file.write_bytes(data)

    return flip


@pytest.mark.parametrize(
    "change",
    [
        *(pytest.param(_rewritten(each), id=each) for each in CHANGES),
        *(pytest.param(_flipped(at / 20), id=f"bit-{at}") for at in range(21)),
        pytest.param(lambda file: file.write_bytes(b"PAR1" * 4), id="no-footer"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes() + b"\0"), id="longer"),
        pytest.param(lambda file: file.write_bytes(file.read_bytes() * 2), id="doubled"),
    ],
)
def test_a_result_that_was_changed_is_refused_and_made_again(
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path / "in", 100, group=50)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    before = contents(tmp_path / "out")
    changed = sorted((tmp_path / "out").glob("*.parquet"))[1]
    change(changed)
    done = fleet("impact", "out", "out", cwd=tmp_path)
    assert (done.code, done.out) == (2, ""), done
    assert "run `manifest fleet lint` again" in done.err
    done = fleet(*LINT, cwd=tmp_path)
    assert done.err.startswith("note: 1 unit of 2 already had results\n50 manifests checked, ")
    assert contents(tmp_path / "out") == before


def test_a_list_of_results_that_lacks_one_is_refused_and_made_again(tmp_path: Path) -> None:
    write(tmp_path / "in", 100, group=50)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    before = contents(tmp_path / "out")
    plan = tmp_path / "out" / "_fleet.json"
    said = json.loads(plan.read_text("utf-8"))
    said["units"].popitem()
    plan.write_text(json.dumps(said), "utf-8")
    done = fleet("impact", "out", "out", cwd=tmp_path)
    assert (done.code, done.out) == (2, ""), done
    assert "_fleet.json does not list part-0000-parquet-" in done.err
    assert fleet(*LINT, cwd=tmp_path).code == 0
    assert contents(tmp_path / "out") == before
