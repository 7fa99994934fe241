"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.options import DEFAULT_OPTIONS, Options, as_paths, expected
from manifestkit.engine.pool import judged
from manifestkit.engine.run import Run, crashes_at
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.report import FileResult, Report
from manifestkit.rules.checks.cross_file import elsewhere

if TYPE_CHECKING:
    from manifestkit.rules.rule import Elsewhere, Occurrence

    Occurrences = dict[Target, tuple[Occurrence, ...]]

_Result = FileResult | UnreadableFileError | CrashedFileError


class Outcome(NamedTuple):
    """What judging a file gave.

    Attributes:
        result: what was found, before anything is suppressed; or why there is no result.
        occurrences: the values that no other manifest of the run may have.
    """

    result: _Result
    occurrences: tuple[Occurrence, ...] = ()


Known = dict[str, Outcome | None]
"""The outcomes of files, by their names; None for a clean file."""


def lint_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    options: Options = DEFAULT_OPTIONS,
) -> Report:
    """Judge files, and the manifests found in folders.

    Args:
        paths: files and folders, or one of them. A named file is always judged; in a folder, the
            files that are named like a manifest are, unless they evidently are something else's.
        options: how to judge them.

    Raises:
        ConfigurationError: an option, a configuration file or a schema cannot be used.
        TypeError: an argument is of another type; the text names it.

    Example:
        >>> report = manifestkit.lint_paths(["manifest.json", "gone.json"])
        >>> report.summary.files, [str(error) for error in report.unreadable]
        (1, ['gone.json: no such file'])
    """
    run = Run(expected("options", options, Options, "Options"))
    found = run.find(as_paths("paths", paths, "a path or several"))
    return with_leftovers(lint_all(run, found), run, found)


def lint_all(
    run: Run, targets: Iterable[Target], *, keep_clean: bool = True, known: Known | None = None
) -> Report:
    """Judge files; the report lists which cannot be read, and at which we fail ourselves.

    Args:
        run: judges a file.
        targets: the files.
        keep_clean: whether the report shall name the clean ones too. Without, a run takes no
            more memory for many files than for few.
        known: what an earlier run found in files that did not change since; what is found in
            the others is added.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    gathered = _Gathered(keep_clean=keep_clean)
    occurrences: Occurrences = {}
    with closing(_outcomes(run, targets, known)) as outcomes:
        for target, outcome in outcomes:
            gathered.add(target, _unsuppressed(run, target, outcome.result if outcome else None))
            if outcome and outcome.occurrences:
                occurrences[target] = outcome.occurrences
    for target, others in elsewhere(occurrences, _file_of).items():
        outcome = _outcome(run, target, others)
        gathered.replace(target, _unsuppressed(run, target, outcome.result if outcome else None))
    return gathered.report()


def with_leftovers(report: Report, run: Run, found: Search) -> Report:
    """A report with the folders that could not be searched, and the suppressions without use."""
    is_complete = not (report.errors or found.unreadable)
    return report.joined(run.leftovers(is_complete=is_complete), found.unreadable)


def shared_values(run: Run, targets: Iterable[Target]) -> Mapping[Target, Elsewhere]:
    """The files that share a value which must be unique in a run, each with where the others are.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    return elsewhere(
        {
            target: outcome.occurrences
            for target in targets
            if run.linter(target.folder).compares
            and (outcome := _outcome(run, target))
            and outcome.occurrences
        },
        _file_of,
    )


def _file_of(target: Target) -> tuple[int, int] | str:
    """What is the same for two names of one file, links of any kind."""
    try:
        status = target.path.stat()
    except OSError:
        return target.name
    return status.st_dev, status.st_ino


class _Gathered:
    """The results so far."""

    def __init__(self, *, keep_clean: bool) -> None:
        self._keep_clean = keep_clean
        self._clean = 0
        self._results: dict[str, _Result] = {}

    def add(self, target: Target, result: _Result) -> None:
        if not self._keep_clean and isinstance(result, FileResult) and result.is_clean:
            self._clean += 1
        else:
            self._results[target.name] = result

    def replace(self, target: Target, result: _Result) -> None:
        if self._results.pop(target.name, None) is None:
            self._clean -= 1
        self.add(target, result)

    def report(self) -> Report:
        every = self._results.values()
        return Report.of(
            (each for each in every if isinstance(each, FileResult)),
            (each for each in every if isinstance(each, UnreadableFileError)),
            self._clean,
            (each for each in every if isinstance(each, CrashedFileError)),
        )


def _outcomes(
    run: Run, targets: Iterable[Target], known: Known | None
) -> Generator[tuple[Target, Outcome | None]]:
    """What there is to say of each file, nothing suppressed yet."""
    every = targets if known is None else list(targets)
    fresh = every if known is None else (each for each in every if each.name not in known)
    judge: Callable[[Target], Outcome | None] = partial(_outcome, run)
    outcomes: Generator[tuple[Target, Outcome | None]] = judged(judge, fresh, _given_up)
    for target, outcome in outcomes:
        if known is None:
            yield target, outcome
        else:
            known[target.name] = outcome
    if known is not None:
        yield from ((each, known[each.name]) for each in every)


def _outcome(run: Run, target: Target, elsewhere: Elsewhere | None = None) -> Outcome | None:
    """What there is to say of a file, nothing suppressed yet; None for nothing."""
    try:
        with crashes_at(target.name):
            decoded = run.decode(run.read(target), target.name, target.folder)
            result = run.before_suppression(target, decoded, elsewhere)
            linter = run.linter(target.folder)
            occurrences = () if result.skipped else linter.occurrences(decoded)
    except UnreadableFileError as error:
        return Outcome(UnreadableFileError(target.name, error.reason))
    except CrashedFileError as error:
        return Outcome(error)
    return None if result.is_clean and not occurrences else Outcome(result, occurrences)


def _unsuppressed(run: Run, target: Target, result: _Result | None) -> _Result:
    """What there is to say of a file, without what is suppressed."""
    if isinstance(result, UnreadableFileError | CrashedFileError):
        return result
    try:
        with crashes_at(target.name):
            return run.unsuppressed(result or FileResult(target.name), target.folder)
    except CrashedFileError as error:
        return error


def _given_up(target: Target, error: Exception) -> Outcome:
    return Outcome(CrashedFileError.of_dead_process(target.name, error))
