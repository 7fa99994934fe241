"""Pairs of manifests, and the report of comparing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
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


class Old(NamedTuple):
    """An old manifest.

    Attributes:
        name: how findings shall name it.
        path: its path, which tells syntax and format.
        read: reads it.
    """

    name: str
    path: str
    read: Read


class Asked(NamedTuple):
    """Two manifests to compare.

    Attributes:
        target: the new one, or where it would be.
        old: the old one; None where there was none.
        new: reads the new one; None where there is none.
        is_moved: whether the file has another path now.
        new_path: what tells the syntax and format of the new one, where its name does not.
        is_unchanged: whether the two are known to be the same bytes.
        others: more old manifests, whose permissions and the like the new one may have no more of.
    """

    target: Target
    old: Old | None
    new: Read | None
    is_moved: bool = False
    is_unchanged: bool = False
    new_path: str | None = None
    others: tuple[Old, ...] = ()


class _ComparedText(NamedTuple):
    """A manifest that was read.

    Attributes:
        name: how findings shall name it.
        path: what tells its syntax and format.
        data: its content.
    """

    name: str
    path: str
    data: bytes


class _Pair(NamedTuple):
    """Two manifests to compare, as `Asked` has them, but read.

    Attributes:
        target: the new one, or where it would be.
        new: its content; None where there is none.
        old: the old one; None where there was none, or where it is the same.
        others: more old ones.
        is_moved: whether the file has another path now.
        is_unchanged: whether the two are known to be the same bytes.
        problem: why one of them could not be read.
    """

    target: Target
    new: _ComparedText | None = None
    old: _ComparedText | None = None
    others: tuple[_ComparedText, ...] = ()
    is_moved: bool = False
    is_unchanged: bool = False
    problem: UnreadableFileError | CrashedFileError | None = None


_Result = FileResult | UnreadableFileError | CrashedFileError


def compare_all(workspace: Workspace, asked: Iterable[Asked]) -> Report:
    """Compare manifests; the report tells which could not be, and at which we fail ourselves.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    results: list[FileResult] = []
    unreadable: list[UnreadableFileError] = []
    crashed: list[CrashedFileError] = []
    pairs = (_read(workspace, each) for each in asked)
    with closing(map_in_order(partial(_compared, workspace), pairs, _given_up)) as compared:
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


def _read(workspace: Workspace, asked: Asked) -> _Pair:
    """Read what is compared, here: a revision is read through one process."""
    target = asked.target
    most = workspace.limits(target.folder).bytes

    def text(old: Old) -> _ComparedText:
        return _ComparedText(old.name, old.path, old.read(most))

    try:
        with crash_context(target.name):
            new_path = asked.new_path or target.name
            return _Pair(
                target,
                asked.new and _ComparedText(target.name, new_path, asked.new(most)),
                text(asked.old) if asked.old and not asked.is_unchanged else None,
                tuple(map(text, asked.others)),
                is_moved=asked.is_moved,
                is_unchanged=asked.is_unchanged,
            )
    except (UnreadableFileError, CrashedFileError) as problem:
        return _Pair(target, problem=problem)


def _given_up(pair: _Pair, error: Exception) -> _Result:
    return CrashedFileError.of_dead_process(pair.target.name, error)


def _compared(workspace: Workspace, pair: _Pair) -> _Result:
    if pair.problem:
        return pair.problem
    try:
        with crash_context(pair.target.name):
            return _compare(workspace, pair)
    except (UnreadableFileError, CrashedFileError) as problem:
        return problem


def _compare(workspace: Workspace, pair: _Pair) -> FileResult:
    target, folder = pair.target, pair.target.folder

    def decode(text: _ComparedText) -> Decoded:
        return workspace.decode(text.data, text.path, folder)

    new, old = (each and decode(each) for each in (pair.new, pair.old))
    present = new or old
    kind = (
        workspace.foreign_kind(present, folder) if present and workspace.may_skip(target) else None
    )
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
    return Comparer(policy if uses_comments else replace(policy, uses_comments=False))


def of_files(old: Path | None, new: Path | None, read_stdin: Read) -> Asked:
    """Two files; None for standard input, which is read in the syntax of the other."""
    old_name, new_name = (STDIN if path is None else posix_name(path) for path in (old, new))
    return Asked(
        Target(new_name, found=False),
        Old(
            old_name,
            new_name if old is None else old_name,
            read_stdin if old is None else partial(read_bytes, old),
        ),
        read_stdin if new is None else partial(read_bytes, new),
        new_path=old_name if new is None else None,
    )
