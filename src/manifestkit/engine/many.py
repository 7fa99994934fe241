"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options, as_tuple
from manifestkit.engine.pool import Named, map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import (
    CrashedFileError,
    ManifestkitError,
    UnreadableFileError,
    UnwritableFileError,
    crash_context,
)
from manifestkit.model.report import FileResult, Report

R = TypeVar("R")
T = TypeVar("T", bound=Named)


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
    found = workspace.find(map(Path, as_tuple(paths)))
    return workspace.with_unused(lint_all(workspace, found), found)


def lint_all(
    workspace: Workspace,
    targets: Iterable[Target],
    besides: Iterable[tuple[str, str, Callable[[Target], Sequence[FileResult]]]] = (),
    *,
    only_verdict: bool = False,
    keep_text: bool = True,
) -> Report:
    """Lint files; the report lists those that cannot be read, and those at which we crash.

    Args:
        workspace: lints a file.
        targets: the files.
        besides: the names of what else is linted, the folder whose policy it is held to, and how.
        only_verdict: whether to leave out the findings.
        keep_text: whether to keep the texts of the files that have findings.
    """
    results: list[FileResult] = []
    failed: list[ManifestkitError] = []
    work = partial(_linted, workspace, only_verdict=only_verdict, keep_text=keep_text)
    lint_one = partial(attempt, work)
    with closing(map_in_order(lint_one, targets)) as outcomes:
        for target, outcome in outcomes:
            result = outcome or FileResult(target.name)
            if isinstance(result, ManifestkitError):
                failed.append(result)
                continue
            workspace.note_use(result, target.folder)
            results.append(result)
    for name, folder, lint in besides:
        found = attempt(lint, Target(name, found=False))
        if isinstance(found, ManifestkitError):
            failed.append(found)
            continue
        for each in found:
            workspace.note_use(each, folder)
        results += found
    unreadable = (each for each in failed if isinstance(each, UnreadableFileError))
    crashed = (each for each in failed if isinstance(each, CrashedFileError))
    return Report.of(results, unreadable, crashed)


def _linted(
    workspace: Workspace, target: Target, *, only_verdict: bool, keep_text: bool
) -> FileResult | None:
    """Lint one file; None for a clean one."""
    result = workspace.lint_file(target, only_verdict=only_verdict)
    if result.is_clean:
        return None
    return result if keep_text else result._replace(text=None)


def attempt(work: Callable[[T], R], item: T) -> R | ManifestkitError:
    """Return the result of work on a file, or on what has the name of one, or why there is none."""
    try:
        with crash_context(item.name):
            return work(item)
    except (CrashedFileError, UnreadableFileError, UnwritableFileError) as problem:
        return problem
