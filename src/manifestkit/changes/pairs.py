"""Pairs of manifests, and the report of comparing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.compare import Comparer, not_compared
from manifestkit.engine import Decoded, FileResult, Report, Target, Workspace, crash_context
from manifestkit.engine.pool import map_in_order
from manifestkit.files import posix_name, read_bytes
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.report import STDIN

Read = Callable[[int], bytes]
"""Reads a manifest: at most the given number of bytes, and one more if there are more.

Raises:
    UnreadableFileError: they cannot be had.
"""


class ManifestSource(NamedTuple):
    """A manifest to compare.

    Attributes:
        name: how findings shall name it.
        path: its path, which tells syntax and format.
        read: reads it.
    """

    name: str
    path: str
    read: Read


class FilePair(NamedTuple):
    """Two manifests to compare.

    Attributes:
        target: the new one, or where it would be.
        old: the old one; None where there was none.
        new: the new one; None where there is none.
        is_moved: whether the file has another path now.
        is_unchanged: whether the two are known to be the same bytes.
        others: more old manifests, whose permissions and the like the new one may have no more of.
        problem: why one of them could not be read.
    """

    target: Target
    old: ManifestSource | None = None
    new: ManifestSource | None = None
    is_moved: bool = False
    is_unchanged: bool = False
    others: tuple[ManifestSource, ...] = ()
    problem: UnreadableFileError | CrashedFileError | None = None


_Result = FileResult | UnreadableFileError | CrashedFileError


def compare_all(workspace: Workspace, pairs: Iterable[FilePair]) -> Report:
    """Compare manifests; the report tells which could not be, and at which we fail ourselves.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    results: list[FileResult] = []
    unreadable: list[UnreadableFileError] = []
    crashed: list[CrashedFileError] = []
    read = (_read(workspace, each) for each in pairs)
    with closing(map_in_order(partial(_compared, workspace), read, _given_up)) as compared:
        for pair, result in compared:
            match result:
                case FileResult():
                    results.append(result)
                case UnreadableFileError():
                    results.append(not_compared(result, pair.target.name))
                    unreadable.append(result)
                case CrashedFileError():
                    crashed.append(result)
    return Report.of(results, unreadable, crashed=crashed)


def _read(workspace: Workspace, pair: FilePair) -> FilePair:
    """Read what is compared, here: a revision is read through one process."""
    most = workspace.limits(pair.target.folder).bytes

    def read(source: ManifestSource) -> ManifestSource:
        return source._replace(read=partial(_content, source.read(most)))

    try:
        with crash_context(pair.target.name):
            return pair._replace(
                new=pair.new and read(pair.new),
                old=read(pair.old) if pair.old and not pair.is_unchanged else None,
                others=tuple(map(read, pair.others)),
            )
    except (UnreadableFileError, CrashedFileError) as problem:
        return FilePair(pair.target, problem=problem)


def _content(data: bytes, at_most: int) -> bytes:
    return data[: at_most + 1]


def _given_up(pair: FilePair, error: Exception) -> _Result:
    return CrashedFileError.of_dead_process(pair.target.name, error)


def _compared(workspace: Workspace, pair: FilePair) -> _Result:
    if pair.problem:
        return pair.problem
    try:
        with crash_context(pair.target.name):
            return _compare(workspace, pair)
    except (UnreadableFileError, CrashedFileError) as problem:
        return problem


def _compare(workspace: Workspace, pair: FilePair) -> FileResult:
    target, folder = pair.target, pair.target.folder
    most = workspace.limits(folder).bytes

    def decode(source: ManifestSource) -> Decoded:
        return workspace.decode(source.read(most), source.path, folder)

    new, old = (each and decode(each) for each in (pair.new, pair.old))
    present = new or old
    if present and workspace.may_skip(target):
        kind = workspace.foreign_kind(present, folder)
        if kind:
            return FileResult(target.name, skipped=kind, is_comparison=True)
    if pair.is_unchanged:
        return FileResult(target.name, is_comparison=True, changes=())
    return comparer(workspace, folder).compare(
        old,
        new,
        pair.old.name if pair.old else target.name,
        target.name,
        is_moved=pair.is_moved,
        others=[(each.name, decode(each)) for each in pair.others],
    )


def comparer(workspace: Workspace, folder: str, *, uses_comments: bool = True) -> Comparer:
    """Return the comparer for the configuration of a folder.

    Args:
        workspace: has the configuration.
        folder: the folder.
        uses_comments: whether comments in a manifest may suppress findings.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    policy = workspace.policy(folder)
    return Comparer(policy if uses_comments else policy.replaced(uses_comments=False))


def of_files(old: Path | None, new: Path | None, read_stdin: Read) -> FilePair:
    """Two files; None for standard input, which is read in the syntax of the other."""
    old_name, new_name = (STDIN if path is None else posix_name(path) for path in (old, new))
    return FilePair(
        Target(new_name, found=False),
        ManifestSource(old_name, old_name if old else new_name, _reader(old, read_stdin)),
        ManifestSource(new_name, new_name if new else old_name, _reader(new, read_stdin)),
    )


def _reader(path: Path | None, read_stdin: Read) -> Read:
    return partial(read_bytes, path) if path else read_stdin
