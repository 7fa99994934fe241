"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import NamedTuple, overload

from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options, as_paths, expected
from manifestkit.engine.pool import map_unordered
from manifestkit.engine.workspace import Workspace
from manifestkit.model.errors import CrashedFileError, UnreadableFileError, crash_context
from manifestkit.model.report import FileResult, FileSummary, Report, SummarizedResults

Result = FileResult | UnreadableFileError | CrashedFileError
_MOST_AS_THEY_ARE = 10_000  # results; more are kept in less memory


class _Packing:
    """Packs results into little memory: most are much like the first."""

    def __init__(self) -> None:
        self._first = b""

    def pack(self, result: FileResult) -> FileResult | bytes:
        """Return a result as bytes; as it is, where a value is nested too deeply for that."""
        import pickle  # noqa: PLC0415 - most runs are short
        import zlib  # noqa: PLC0415 - likewise

        with suppress(RecursionError):
            data = pickle.dumps(result)
            self._first = self._first or data
            packer = zlib.compressobj(1, zdict=self._first)
            return packer.compress(data) + packer.flush()
        return result

    def unpack(self, packed: FileResult | bytes) -> FileResult:
        """Return the result that was packed."""
        if not isinstance(packed, bytes):
            return packed
        import pickle  # noqa: PLC0415 - most runs are short
        import zlib  # noqa: PLC0415 - likewise

        data = zlib.decompressobj(zdict=self._first).decompress(packed)
        result: FileResult = pickle.loads(data)  # noqa: S301 - of our own process
        return result


class _KeptResult(NamedTuple):
    summary: FileSummary
    packed: FileResult | bytes


class _KeptResults(SummarizedResults):
    """The results of a run, which may be very many."""

    def __init__(self, kept: Sequence[_KeptResult], packing: _Packing) -> None:
        self.summaries = [each.summary for each in kept]
        self._kept = kept
        self._packing = packing

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> FileResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FileResult]: ...
    def __getitem__(self, index: int | slice) -> FileResult | Sequence[FileResult]:
        if isinstance(index, slice):
            return _KeptResults(self._kept[index], self._packing)
        return self._packing.unpack(self._kept[index].packed)


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
    besides: Iterable[tuple[str, str, Callable[[], Sequence[FileResult]]]] = (),
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
    results: dict[str, _KeptResult | UnreadableFileError | CrashedFileError] = {}
    summaries: dict[FileSummary, FileSummary] = {}
    packing = _Packing()
    crashes: list[CrashedFileError] = []
    count = 0
    result_of = partial(_result, workspace, only_verdict=only_verdict)
    with closing(map_unordered(result_of, targets)) as outcomes:
        for target, outcome in outcomes:
            count += 1
            result = outcome or FileResult(target.name)
            if not isinstance(result, FileResult):
                results[target.name] = result
                continue
            if result.crash:
                crashes.append(result.crash)
            summary = result.summary
            workspace.note_use(target.name, summary, target.folder)
            if keep_clean or not summary.is_clean:
                summary = summaries.setdefault(summary, summary)
                is_early = len(results) < _MOST_AS_THEY_ARE
                packed = result if is_early else packing.pack(result)
                results[target.name] = _KeptResult(summary, packed)
    every = [results[name] for name in sorted(results)]
    report = Report(
        _KeptResults([each for each in every if isinstance(each, _KeptResult)], packing),
        tuple(each for each in every if isinstance(each, UnreadableFileError)),
        count - len(results),
        tuple(
            sorted(
                (*crashes, *(each for each in every if isinstance(each, CrashedFileError))),
                key=lambda crash: crash.path,
            )
        ),
    )
    for name, folder, lint in besides:
        report = _joined(report, workspace, name, folder, lint)
    return report


def _joined(
    report: Report,
    workspace: Workspace,
    name: str,
    folder: str,
    lint: Callable[[], Sequence[FileResult]],
) -> Report:
    try:
        with crash_context(name):
            results = lint()
    except UnreadableFileError as problem:
        return report.joined([], [problem])
    except CrashedFileError as problem:
        return report.joined([], [], [problem])
    for each in results:
        workspace.note_use(each.path, each.summary, folder)
    return report.joined(results)


def _result(workspace: Workspace, target: Target, *, only_verdict: bool) -> Result | None:
    """Lint one file; None for a clean one."""
    try:
        with crash_context(target.name):
            decoded = workspace.decode(workspace.read(target), target.name, target.folder)
            result = workspace.lint(target, decoded, only_verdict=only_verdict)
    except UnreadableFileError as error:
        return UnreadableFileError(target.name, error.reason)
    except CrashedFileError as error:
        return error
    return None if result.is_clean else result
