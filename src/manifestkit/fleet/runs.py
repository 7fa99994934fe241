"""A run over a fleet: the units that are not done yet, on the processors of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import NamedTuple

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


Tick = Callable[[int, int], None]
"""Is told of units that are done: how many, and their rows."""


def lint(
    source: str,
    out: str,
    policy: FleetPolicy,
    workers: int | None = None,
    begun: Callable[[int, int], Tick] = lambda _, __: lambda _, __: None,
) -> RunResult:
    """Check all manifests of an input that have no result of the policy yet.

    Args:
        source: a Parquet or JSON lines file, or a folder; a path or an address.
        out: the folder for the results.
        policy: what to check by.
        workers: how many processes; None for one on each processor.
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
            each_unit, count = partial(lint_unit, work), workers or processors()
            with closing(map_unordered(each_unit, left, _lost, count, forks=False)) as outcomes:
                for _, outcome in outcomes:
                    assert outcome is not None  # noqa: S101 - there is one of each unit
                    tick(1, outcome.rows)
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


def _lost(unit: Unit, error: BaseException) -> UnitOutcome:
    if not isinstance(error, ManifestkitError):
        error = CrashedFileError.of_dead_process(unit.name, error)
    return UnitOutcome(error=error)
