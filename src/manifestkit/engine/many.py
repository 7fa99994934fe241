"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, TypeVar

from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options, as_paths, expected
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import (
    CrashedFileError,
    ManifestkitError,
    UnreadableFileError,
    UnwritableFileError,
    crash_context,
)
from manifestkit.model.report import FileResult, FileSummary, Report, SummarizedResults

_MOST_AS_THEY_ARE = 10_000  # results; more are kept in less memory

R = TypeVar("R")


class _KeptResults(SummarizedResults):
    """The results of a run, which may be very many: those after the first ones are packed.

    Args:
        kept: the summary of each result, and the result or its bytes.
        like: the bytes of one that the packed ones are much like.
    """

    def __init__(self, kept: Sequence[tuple[FileSummary, FileResult | bytes]], like: bytes) -> None:
        self.summaries = [summary for summary, _ in kept]
        self._kept = kept
        self._like = like

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _KeptResults(self._kept[index], self._like)
        packed = self._kept[index][1]
        if not isinstance(packed, bytes):
            return packed
        import pickle  # noqa: PLC0415 - most runs are short
        import zlib  # noqa: PLC0415 - likewise

        data = zlib.decompressobj(zdict=self._like).decompress(packed)
        return pickle.loads(data)  # noqa: S301 - of our own process


def _packed(result: FileResult, like: list[bytes]) -> FileResult | bytes:
    """Return a result as bytes; as it is, where a value is nested too deeply for that."""
    import pickle  # noqa: PLC0415 - most runs are short
    import zlib  # noqa: PLC0415 - likewise

    with suppress(RecursionError):
        data = pickle.dumps(result)
        if not like:
            like.append(data)
        packer = zlib.compressobj(1, zdict=like[0])
        return packer.compress(data) + packer.flush()
    return result


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
        TypeError: an argument is of another type; the text names it.

    Example:
        >>> report = manifestkit.lint_paths(["manifest.json", "gone.json"])
        >>> report.summary.files, [str(error) for error in report.unreadable]
        (1, ['gone.json: no such file'])
    """
    workspace = Workspace(expected("options", options, Options, "Options").checked())
    found = workspace.find(as_paths("paths", paths))
    report = lint_all(workspace, found)
    return workspace.with_unused(report._replace(results=tuple(report.results)), found)


def lint_all(
    workspace: Workspace,
    targets: Iterable[Target],
    besides: Iterable[tuple[str, str, Callable[[Target], Sequence[FileResult]]]] = (),
    *,
    keep_clean: bool = True,
    only_verdict: bool = False,
) -> Report:
    """Lint files; the report lists those that cannot be read, and those at which we crash.

    Args:
        workspace: lints a file.
        targets: the files.
        besides: the names of what else is linted, the folder whose policy it is held to, and how.
        keep_clean: whether the report names clean files.
        only_verdict: whether to leave out the findings.
    """
    results: dict[str, tuple[FileSummary, FileResult | bytes]] = {}
    summaries: dict[FileSummary, FileSummary] = {}
    failed: list[ManifestkitError] = []
    like: list[bytes] = []
    clean = 0
    lint_one = partial(attempt, partial(_linted, workspace, only_verdict=only_verdict))
    with closing(map_in_order(lint_one, targets)) as outcomes:
        for target, outcome in outcomes:
            result = outcome or FileResult(target.name)
            if isinstance(result, ManifestkitError):
                failed.append(result)
                continue
            failed += filter(None, [result.crash])
            summary = result.summary
            workspace.note_use(target.name, summary, target.folder)
            if summary.is_clean and not keep_clean:
                clean += 1
                continue
            is_early = len(results) < _MOST_AS_THEY_ARE
            kept = result if is_early else _packed(result, like)
            results[target.name] = summaries.setdefault(summary, summary), kept
    more: list[FileResult] = []
    for name, folder, lint in besides:
        found = attempt(lint, Target(name, found=False))
        if isinstance(found, ManifestkitError):
            failed.append(found)
            continue
        for each in found:
            workspace.note_use(each.path, each.summary, folder)
        more += found
    every = _KeptResults([results[name] for name in sorted(results)], b"".join(like))
    return Report(every, clean=clean).joined(
        more,
        (each for each in failed if isinstance(each, UnreadableFileError)),
        (each for each in failed if isinstance(each, CrashedFileError)),
    )


def _linted(workspace: Workspace, target: Target, *, only_verdict: bool) -> FileResult | None:
    """Lint one file; None for a clean one."""
    result = workspace.lint_file(target, only_verdict=only_verdict)
    return None if result.is_clean else result


def attempt(work: Callable[[Target], R], target: Target) -> R | ManifestkitError:
    """Return the result of work on a file, or why there is none."""
    try:
        with crash_context(target.name):
            return work(target)
    except (CrashedFileError, UnreadableFileError, UnwritableFileError) as problem:
        return problem
