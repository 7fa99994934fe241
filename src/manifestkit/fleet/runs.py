"""A run over a fleet: the units that are not done yet, on this machine, Dask or Spark.

An engine is given a list of units to read, lint and write, and gives back what became of each.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import Any, Literal, NamedTuple

from manifestkit.engine.pool import map_unordered, processors
from manifestkit.fleet.inputs import Unit, batches_of, units_of
from manifestkit.fleet.places import place
from manifestkit.fleet.policy import FleetPolicy
from manifestkit.fleet.results import Plan, alone_in, finish, prepare, write
from manifestkit.fleet.rows import Slowest, lint_batches
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    ManifestkitError,
    UnwritableFileError,
)

EngineName = Literal["local", "dask", "spark"]

_RETRIES = 3
_LOOK = 0.5  # seconds between two looks at what is done


class Work(NamedTuple):
    """Work to do with each unit, in any process."""

    source: str  # the input, as the user wrote it
    out: str  # the folder for the results, likewise
    folder: str  # what their paths are relative to
    policy: FleetPolicy


class UnitOutcome(NamedTuple):
    """Outcome of a unit: how many rows it has, or why there are none."""

    rows: int = 0
    failing: int = 0
    slowest: tuple[tuple[float, str], ...] = ()  # the seconds and the URIs of some rows
    error: ManifestkitError | None = None


class RunResult(NamedTuple):
    """Outcome of a run."""

    units: int
    skipped: int  # units that were done before
    not_done: int  # units without a result, and files of the input without units
    rows: int  # that were checked now
    failing: int
    slowest: list[tuple[float, str]]
    errors: list[ManifestkitError]
    left_out: str  # the links to folders in the input, in words; empty without any


class Cluster(NamedTuple):
    """Cluster that does the work."""

    engine: EngineName = "local"
    address: str | None = None  # of a scheduler; None for processes of this machine
    workers: int | None = None  # processes of this machine; None for one on each processor


Tick = Callable[[int, int], None]
"""Is told of units that are done: how many, and their rows."""


def lint(
    source: str,
    out: str,
    policy: FleetPolicy,
    cluster: Cluster = Cluster(),  # noqa: B008 - a value
    begun: Callable[[int, int], Tick] = lambda _, __: lambda _, __: None,
) -> RunResult:
    """Check all manifests of an input that have no result of the policy yet.

    Args:
        source: a Parquet, JSON lines or tar file, or a folder; a path or an address.
        out: the folder for the results.
        policy: what to check by.
        cluster: where.
        begun: is told how many units there are, and how many are done already; what it gives
            is told of the others.
    """
    _refuse_inside(source, out)
    units, problems, left_out = units_of(source)
    with alone_in(out):
        done = prepare(out, Plan.of(policy, units))
        left = [each for each in units if each.name not in done]
        tick = begun(len(units), len(done))
        work = Work(source, out, os.getcwd(), policy)  # noqa: PTH109 - it is sent as text
        slowest, errors, rows, failing = Slowest(), [*problems], 0, 0
        not_done = len(problems) + len(left)
        try:
            with closing(_ENGINES[cluster.engine](work, left, cluster, tick)) as outcomes:
                for outcome in outcomes if left else ():
                    rows += outcome.rows
                    failing += outcome.failing
                    for each in outcome.slowest:
                        slowest.note(*each)
                    if outcome.error:
                        errors.append(outcome.error)
                    else:
                        not_done -= 1
                    if isinstance(outcome.error, UnwritableFileError | ConfigurationError):
                        break  # nor can the others be
        finally:
            finish(out)
    return RunResult(
        len(units), len(done), not_done, rows, failing, slowest.rows(), errors, left_out
    )


def _refuse_inside(source: str, out: str) -> None:
    given, results = place(source), place(out)
    inner, outer = (
        os.path.realpath(each.path) if each.is_local else each.path for each in (results, given)
    )
    if given.store == results.store and f"{inner}/".startswith(f"{outer}/".replace("//", "/")):
        raise ConfigurationError(
            f"{out}: choose a folder outside of {source}: its results would be read the next time"
        )


def lint_unit(work: Work, unit: Unit) -> UnitOutcome:
    """Read, check and write one unit."""
    slowest = Slowest()
    try:
        most = work.policy.policy.limits.bytes
        source, out = place(work.source, work.folder), place(work.out, work.folder)
        batches = lint_batches(batches_of(source, unit, most), work.policy, slowest)
        rows, failing = write(out, work.policy, unit, batches)
    except ManifestkitError as error:
        return UnitOutcome(error=error)
    except Exception as error:  # noqa: BLE001 - an engine would try it again, to no use
        return UnitOutcome(error=CrashedFileError.of(unit.name, error))
    return UnitOutcome(rows, failing, tuple(slowest.rows()))


def _local(work: Work, units: list[Unit], cluster: Cluster, tick: Tick) -> Iterator[UnitOutcome]:
    each_unit = partial(lint_unit, work)
    workers = cluster.workers or processors()
    with closing(map_unordered(each_unit, units, _lost, workers, forks=False)) as outcomes:
        for _, outcome in outcomes:
            assert outcome is not None  # noqa: S101 - there is one of each unit
            tick(1, outcome.rows)
            yield outcome


def _dask(work: Work, units: list[Unit], cluster: Cluster, tick: Tick) -> Iterator[UnitOutcome]:
    import distributed  # noqa: PLC0415 - an extra

    with _dask_client(distributed, cluster) as client:
        futures = client.map(partial(lint_unit, work), units, pure=False, retries=_RETRIES)
        unit_of = {future.key: unit for future, unit in zip(futures, units, strict=True)}
        for future in distributed.as_completed(futures):
            error = future.exception()
            outcome = future.result() if error is None else _lost(unit_of[future.key], error)
            future.release()
            tick(1, outcome.rows)
            yield outcome


def _dask_client(distributed: Any, cluster: Cluster) -> Any:
    if cluster.address:
        try:
            return distributed.Client(cluster.address, timeout=_RETRIES * 5)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"{cluster.address}: no Dask scheduler: {_first_line(error)}"
            ) from None
    local = distributed.LocalCluster(
        cluster.workers or processors(),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,  # outcomes say what went wrong
    )
    return distributed.Client(local)


def _spark(work: Work, units: list[Unit], cluster: Cluster, tick: Tick) -> Iterator[UnitOutcome]:
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise ConfigurationError("Spark needs Java 17 or newer: install it, or set JAVA_HOME")
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415 - likewise
    from pyspark.sql import SparkSession  # noqa: PLC0415 - likewise

    # Of a worker that is killed, `local[N]` would end the run; `local[N,4]` tries again.
    master = cluster.address or f"local[{cluster.workers or processors()},{_RETRIES + 1}]"
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        session = (
            SparkSession.builder.master(master)
            .appName("manifest fleet")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
    except (PySparkException, OSError) as error:
        raise ConfigurationError(f"{master}: Spark does not start: {_first_line(error)}") from None
    context = session.sparkContext
    try:
        counted = context.accumulator(0)

        def each_unit(unit: Unit) -> UnitOutcome:
            outcome = lint_unit(work, unit)
            counted.add(outcome.rows)
            return outcome

        job = context.parallelize(units, len(units)).map(each_unit)
        with ThreadPoolExecutor(1) as waiting:
            collected = waiting.submit(job.collect)
            told = 0
            while not wait([collected], _LOOK).done:
                tick(0, counted.value - told)
                told = counted.value
        yield from collected.result()
    except (PySparkException, Py4JError, OSError) as error:
        raise ConfigurationError(f"Spark gave up: {_first_line(error)}") from None
    finally:
        session.stop()


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _lost(unit: Unit, error: BaseException) -> UnitOutcome:
    if not isinstance(error, ManifestkitError):
        error = CrashedFileError.of_dead_process(unit.name, error)
    return UnitOutcome(error=error)


_ENGINES: dict[EngineName, Callable[[Work, list[Unit], Cluster, Tick], Any]] = {
    "local": _local,
    "dask": _dask,
    "spark": _spark,
}
