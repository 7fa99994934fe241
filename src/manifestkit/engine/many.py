"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import (
    CrashContext,
    CrashedFileError,
    FileProblem,
    UnreadableFileError,
    UnwritableFileError,
)
from manifestkit.model.report import FileResult, Report

R = TypeVar("R")


def lint_paths(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    options: Options = Options(),  # noqa: B008 - a value
) -> Report:
    """Lint files, and the manifests found in folders.

    Args:
        paths: files and folders, or one of them. A named file is always linted; in a folder, files
            named like a manifest are, unless they are evidently another format's.
        options: how to lint them.

    Raises:
        ConfigurationError: an option, a configuration file or a schema cannot be used.

    Example:
        >>> report = manifestkit.lint_paths(["manifest.json", "gone.json"])
        >>> report.summary.files, [str(error) for error in report.unreadable]
        (1, ['gone.json: no such file'])
    """
    workspace = Workspace(options.normalized())
    named = (paths,) if isinstance(paths, str | os.PathLike) else paths
    found = workspace.find(map(Path, named))
    return workspace.with_unused(lint_all(workspace, found), found)


def lint_all(
    workspace: Workspace,
    targets: Iterable[Target],
    others: Iterable[tuple[Target, str, Callable[[Target], Sequence[FileResult]]]] = (),
    *,
    only_verdict: bool = False,
    keep_text: bool = True,
) -> Report:
    """Lint files; the report lists those that cannot be read, and those at which we crash.

    The texts that may be kept are those of files that have findings.

    Args:
        workspace: lints a file.
        targets: the files.
        others: what is no file of its own: each with the folder whose policy holds, and how.
        only_verdict: whether to leave out the findings.
        keep_text: whether to keep the texts of the files that have findings.
    """
    work = partial(_linted, workspace, only_verdict=only_verdict, keep_text=keep_text)
    results, problems = list[FileResult](), list[FileProblem]()
    with closing(map_in_order(partial(attempt, work), targets)) as outcomes:
        files = ((each.folder, result or [FileResult(each.name)]) for each, result in outcomes)
        beside = ((folder, attempt(lint, each)) for each, folder, lint in others)
        for folder, found in chain(files, beside):
            if isinstance(found, FileProblem):
                problems.append(found)
                continue
            for result in found:
                workspace.note_use(result, folder)
            results += found
    return Report.of(results, problems)


def _linted(
    workspace: Workspace, target: Target, *, only_verdict: bool, keep_text: bool
) -> list[FileResult] | None:
    """Return the result of one file; None for a clean one."""
    result = workspace.lint_file(target, only_verdict=only_verdict)
    if result.is_clean:
        return None
    return [result if keep_text else result._replace(text=None)]


def attempt(work: Callable[[Target], R], target: Target) -> R | FileProblem:
    """Return the result of work on a file, or why there is none: it may also be unwritable."""
    try:
        with CrashContext(target.name):
            return work(target)
    except (CrashedFileError, UnreadableFileError) as problem:
        return problem
    except UnwritableFileError as problem:
        return UnreadableFileError(problem.path, problem.reason)
