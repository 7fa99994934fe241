"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.engine.detail import Detail
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.lint import find_occurrences
from manifestkit.engine.options import DEFAULT_OPTIONS, Options, as_paths, expected
from manifestkit.engine.pool import judged
from manifestkit.engine.workspace import Workspace, crashes_at
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.report import FileResult, Report
from manifestkit.rules.checks.cross_file import elsewhere

if TYPE_CHECKING:
    from manifestkit.schema.manifest import Occurrence
    from manifestkit.schema.manifest import Occurrences as OccurrencesElsewhere

    Occurrences = dict[Target, tuple[Occurrence, ...]]

Result = FileResult | UnreadableFileError | CrashedFileError


class Outcome(NamedTuple):
    """What linting a file gave.

    Attributes:
        result: what was found; or why there is no result.
        occurrences: the values that no other manifest of the run may have.
    """

    result: Result
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
    workspace = Workspace(expected("options", options, Options, "Options").checked())
    found = workspace.find(as_paths("paths", paths, "a path or several"))
    return with_unused(lint_all(workspace, found), workspace, found)


def lint_all(
    workspace: Workspace,
    targets: Iterable[Target],
    *,
    keep_clean: bool = True,
    known: Known | None = None,
    detail: Detail = Detail.EDITS,
) -> Report:
    """Lint files; the report lists which cannot be read, and at which we fail ourselves.

    Args:
        workspace: lints a file.
        targets: the files.
        keep_clean: whether the report shall name the clean ones too. Without, a run takes no
            more memory for many files than for few.
        known: what an earlier run found in files that did not change since; what is found in
            the others is added.
        detail: how much to say of what is wrong.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    gathered = _Gathered(workspace, keep_clean=keep_clean)
    occurrences: Occurrences = {}
    with closing(_outcomes(workspace, targets, known, detail)) as outcomes:
        for target, outcome in outcomes:
            gathered.add(target, outcome)
            if outcome and outcome.occurrences:
                occurrences[target] = outcome.occurrences
    for target, others in elsewhere(occurrences, _file_of).items() if occurrences else ():
        gathered.replace(target, _outcome(workspace, detail, target, others))
    return gathered.report()


def with_unused(report: Report, workspace: Workspace, found: Search) -> Report:
    """A report with the folders that could not be searched, and the suppressions without use."""
    is_complete = not (report.errors or found.unreadable)
    unused = workspace.unused_suppressions(is_complete=is_complete)
    if not unused and not found.unreadable:
        return report
    return report.joined(unused, found.unreadable)


def shared_values(
    workspace: Workspace, targets: Iterable[Target]
) -> Mapping[Target, OccurrencesElsewhere]:
    """The files that share a value which must be unique in a run, each with where the others are.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    return elsewhere(
        {
            target: outcome.occurrences
            for target in targets
            if workspace.policy(target.folder).compared
            and (outcome := _outcome(workspace, Detail.TALLY, target))
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

    def __init__(self, workspace: Workspace, *, keep_clean: bool) -> None:
        self._workspace = workspace
        self._keep_clean = keep_clean
        self._clean = 0
        self._results: dict[str, Result] = {}

    def add(self, target: Target, outcome: Outcome | None) -> None:
        result = outcome.result if outcome else FileResult(target.name)
        if isinstance(result, FileResult):
            self._workspace.note_use(result, target.folder)
        if not self._keep_clean and isinstance(result, FileResult) and result.is_clean:
            self._clean += 1
        else:
            self._results[target.name] = result

    def replace(self, target: Target, outcome: Outcome | None) -> None:
        if self._results.pop(target.name, None) is None:
            self._clean -= 1
        self.add(target, outcome)

    def report(self) -> Report:
        every = self._results.values()
        return Report.of(
            (each for each in every if isinstance(each, FileResult)),
            (each for each in every if isinstance(each, UnreadableFileError)),
            self._clean,
            (each for each in every if isinstance(each, CrashedFileError)),
        )


def _outcomes(
    workspace: Workspace, targets: Iterable[Target], known: Known | None, detail: Detail
) -> Generator[tuple[Target, Outcome | None]]:
    """What there is to say of each file."""
    every = targets if known is None else list(targets)
    fresh = every if known is None else (each for each in every if each.name not in known)
    outcome_of: Callable[[Target], Outcome | None] = partial(_outcome, workspace, detail)
    outcomes: Generator[tuple[Target, Outcome | None]] = judged(outcome_of, fresh, _given_up)
    for target, outcome in outcomes:
        if known is None:
            yield target, outcome
        else:
            known[target.name] = outcome
    if known is not None:
        yield from ((each, known[each.name]) for each in every)


def _outcome(
    workspace: Workspace,
    detail: Detail,
    target: Target,
    elsewhere: OccurrencesElsewhere | None = None,
) -> Outcome | None:
    """What there is to say of a file; None for nothing."""
    try:
        with crashes_at(target.name):
            decoded = workspace.decode(workspace.read(target), target.name, target.folder)
            result = workspace.lint(target, decoded, elsewhere, detail=detail)
            policy = workspace.policy(target.folder)
            found: tuple[Occurrence, ...] = ()
            if policy.compared and not result.skipped:
                found = find_occurrences(decoded, policy)
    except UnreadableFileError as error:
        return Outcome(UnreadableFileError(target.name, error.reason))
    except CrashedFileError as error:
        return Outcome(error)
    return None if result.is_clean and not found else Outcome(result, found)


def _given_up(target: Target, error: Exception) -> Outcome:
    return Outcome(CrashedFileError.of_dead_process(target.name, error))
