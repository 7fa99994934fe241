"""Pairs of manifests, and the report of comparing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.compare import Comparer, not_compared
from manifestkit.engine import Decoded, FileResult, Report, Target, Workspace, crash_context
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


def compare_all(workspace: Workspace, asked: Iterable[Asked]) -> Report:
    """Compare manifests; the report tells which could not be, and at which we fail ourselves.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    results: list[FileResult] = []
    unreadable: list[UnreadableFileError] = []
    crashed: list[CrashedFileError] = []
    for each in asked:
        name = each.target.name
        try:
            with crash_context(name):
                results.append(_compared(workspace, each))
        except UnreadableFileError as problem:
            results.append(not_compared(problem, name))
            unreadable.append(problem)
        except CrashedFileError as crash:
            crashed.append(crash)
    return Report.of(results, unreadable, crashed=crashed)


def _compared(workspace: Workspace, asked: Asked) -> FileResult:
    target = asked.target
    folder, most = target.folder, workspace.limits(target.folder).bytes
    new_path = asked.new_path or target.name
    new = workspace.decode(asked.new(most), new_path, folder) if asked.new else None
    old = None
    if asked.old and not asked.is_unchanged:
        old = _decoded(workspace, asked.old, folder)
    present = new or old
    kind = (
        workspace.foreign_kind(present, folder) if present and workspace.may_skip(target) else None
    )
    if kind:
        return FileResult(target.name, skipped=kind, is_comparison=True)
    if asked.is_unchanged:
        return FileResult(target.name, is_comparison=True, changes=())
    return comparer(workspace, folder).compare(
        old,
        new,
        asked.old.name if asked.old else target.name,
        target.name,
        is_moved=asked.is_moved,
        others=[(each.name, _decoded(workspace, each, folder)) for each in asked.others],
    )


def _decoded(workspace: Workspace, old: Old, folder: str) -> Decoded:
    return workspace.decode(old.read(workspace.limits(folder).bytes), old.path, folder)


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
