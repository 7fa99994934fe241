"""A run over a fleet, on the processors of this machine.

Results are a folder with a Parquet file for each unit. A file is written in the folder
`_incomplete` and moved into place: what is in place is whole. Its footer says by which policy it
was made, and of what. `_incomplete` is there until all units are done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from manifestkit.engine.pool import map_unordered, processors
from manifestkit.fleet.inputs import Place, Unit, batches_of, reading, reason, units_of
from manifestkit.fleet.policy import COLUMNS, FleetPolicy
from manifestkit.fleet.rows import SCHEMA, lint_batches
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    ManifestkitError,
    UnreadableFileError,
    UnwritableFileError,
)

INCOMPLETE = "_incomplete"

_MADE_BY = b"manifestkit.fleet.made-by"
_GROUP_ROWS = 10_000
_GROUP_BYTES = 16 * 1024 * 1024

_Outcome = tuple[int, int] | ManifestkitError
"""The rows of a unit and those that fail, in number, or why there are none."""


class RunResult(NamedTuple):
    """Outcome of a run."""

    units: int
    skipped: int  # units that were done before
    not_done: int  # units without a result, and files of the input without units
    rows: int  # that were checked now
    failing: int
    errors: list[ManifestkitError]


Tick = Callable[[int, int], None]
"""Is told of units that are done: how many, and their rows."""


def lint(
    source: str,
    output: str,
    policy: FleetPolicy,
    workers: int | None = None,
    begun: Callable[[int, int], Tick] = lambda _, __: lambda _, __: None,
) -> RunResult:
    """Check all manifests of an input that have no result of the policy yet.

    Args:
        source: a Parquet or JSON lines file, or a folder; a path or an address.
        output: the folder for the results.
        policy: what to check by.
        workers: how many processes; None for one on each processor.
        begun: is told how many units there are, and how many are done already; what it gives
            is told of the others.
    """
    given, out = Place.of(source), Place.of(output)
    if given.store == out.store and f"{out.path}/".startswith(f"{given.path.rstrip('/')}/"):
        raise ConfigurationError(
            f"{output}: choose a folder outside of {source}: its results would be read the next "
            "time"
        )
    units, errors = units_of(given)
    done = _prepare(out, policy, units)
    left = [each for each in units if each.name not in done]
    unreadable, undone = len(errors), len(left)
    rows = failing = 0
    tick = begun(len(units), len(done))
    each_unit, count = partial(_lint_unit, out, policy), workers or processors()
    with closing(map_unordered(each_unit, left, _lost, count, forks=False)) as outcomes:
        for _, outcome in outcomes:
            if isinstance(outcome, tuple):
                rows, failing, undone = rows + outcome[0], failing + outcome[1], undone - 1
                tick(1, outcome[0])
            elif outcome:
                errors.append(outcome)
            if isinstance(outcome, UnwritableFileError):
                break  # nor can the others be
    if not undone:
        with _writing(out):
            out.store.delete_dir_contents(out.below(INCOMPLETE).path, missing_dir_ok=True)
            out.store.delete_dir(out.below(INCOMPLETE).path)
    return RunResult(len(units), len(done), unreadable + undone, rows, failing, errors)


def _prepare(out: Place, policy: FleetPolicy, units: Iterable[Unit]) -> set[str]:
    """Make a folder ready for results, and return which files of it are results already.

    Results of what is no longer in the input are deleted.

    Raises:
        ConfigurationError: there is something else in the folder, or results of another policy,
            which someone may want to compare with.
    """
    wanted = {each.name: _mark(policy, each) for each in units}
    with reading(out):
        there = out.store.get_file_info(fs.FileSelector(out.path, allow_not_found=True))
        names = [each.base_name for each in there if each.base_name != INCOMPLETE]
        marks = {name: _mark_of(out.below(name)) for name in names}
    for name, mark in marks.items():
        if mark is None:
            raise ConfigurationError(
                f"{out.address}: holds {name}, no result of `manifest fleet lint`; give another "
                "folder"
            )
        if mark[:2] != [COLUMNS, policy.digest]:
            raise ConfigurationError(
                f"{out.address}: has results of another profile, other options or another version "
                "of manifestkit; give another folder, or delete this one"
            )
    done = {name for name, mark in marks.items() if mark == wanted.get(name)}
    with _writing(out):
        out.store.create_dir(out.below(INCOMPLETE).path)
        for name in marks.keys() - done:
            out.store.delete_file(out.below(name).path)
    return done


def _mark(policy: FleetPolicy, unit: Unit) -> list[Any]:
    return [COLUMNS, policy.digest, unit.state]


def _mark_of(file: Place) -> Any:
    """Return what the footer of a file says of how it was made; None if it is no result."""
    try:
        with file.open() as opened:
            return json.loads((pq.read_schema(opened).metadata or {})[_MADE_BY])
    except (KeyError, ValueError, UnreadableFileError, OSError, pa.ArrowException):
        return None


def _lint_unit(out: Place, policy: FleetPolicy, unit: Unit) -> _Outcome:
    """Read, check and write one unit."""
    try:
        batches = batches_of(unit, policy.policy.limits.bytes)
        return _write(out, policy, unit, lint_batches(batches, policy))
    except ConfigurationError as error:
        return UnreadableFileError(unit.files[0][1].address, str(error))
    except ManifestkitError as error:
        return error
    except Exception as error:  # noqa: BLE001 - the other units are done all the same
        return CrashedFileError.of(unit.name, error)


def _lost(unit: Unit, error: BaseException) -> _Outcome:
    return CrashedFileError.of_dead_process(unit.name, error)


def _write(
    out: Place, policy: FleetPolicy, unit: Unit, batches: Iterable[pa.RecordBatch]
) -> tuple[int, int]:
    """Write the results of one unit, and return how many rows they are and how many fail."""
    rows = failing = 0
    made_by = json.dumps(_mark(policy, unit)).encode()
    schema = SCHEMA.with_metadata({**SCHEMA.metadata, _MADE_BY: made_by})
    aside = out.below(INCOMPLETE).below(f"{unit.name}.{uuid4().hex}").path
    with _writing(out.below(unit.name)):
        with (
            out.store.open_output_stream(aside) as file,
            pq.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for table in _gathered(batches):
                rows += table.num_rows
                failing += pc.sum(table["fails"]).as_py()
                writer.write_table(table.replace_schema_metadata(schema.metadata))
        out.store.move(aside, out.below(unit.name).path)
    return rows, failing


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join batches into tables that are large enough for a row group."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(group)
            group, rows, size = [], 0, 0
    if group:
        yield pa.Table.from_batches(group)


@contextmanager
def _writing(place: Place) -> Iterator[None]:
    """Say why a place cannot be written."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise UnwritableFileError(place.address, f"cannot be written: {reason(error)}") from None
