"""Which manifests are compared with which: two files, or files with a revision in git."""

from __future__ import annotations

import os
import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.compare import Comparer, not_compared
from manifestkit.changes.git import Reader, Revision
from manifestkit.engine import Decoded, FileResult, Report, Run, Target, crashes_at
from manifestkit.files import is_there, read_bytes, shown
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.report import STDIN

Read = Callable[[int], bytes]
"""Gives the bytes of a manifest, or if there are more so many and one.

Raises:
    UnreadableFileError: they cannot be had.
"""


class Asked(NamedTuple):
    """Two manifests to compare.

    Attributes:
        target: the new one, or where it would be.
        old_name: the old one, as findings shall name it.
        old_path: its path, which tells syntax and format.
        old: reads the old one; None where there was none.
        new: reads the new one; None where there is none.
        is_moved: whether the file has another path now.
        new_path: what tells the syntax and format of the new one, where its name does not.
    """

    target: Target
    old_name: str
    old_path: str
    old: Read | None
    new: Read | None
    is_moved: bool = False
    new_path: str | None = None


def compare_all(run: Run, asked: Iterable[Asked]) -> Report:
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
            with crashes_at(name):
                results.append(_compared(run, each))
        except UnreadableFileError as problem:
            results.append(not_compared(problem, name))
            unreadable.append(problem)
        except CrashedFileError as crash:
            crashed.append(crash)
    return Report.of(results, unreadable, crashed=crashed)


def _compared(run: Run, asked: Asked) -> FileResult:
    target = asked.target
    folder, most = target.folder, run.limits(target.folder).bytes
    new_path = asked.new_path or target.name
    new = run.decode(asked.new(most), new_path, folder) if asked.new else None
    old = run.decode(asked.old(most), asked.old_path, folder) if asked.old else None
    present = new or old
    kind = run.foreign_kind(present, folder) if present and run.sifts(target) else None
    if kind:
        return FileResult(target.name, skipped=kind, is_comparison=True)
    return compare_pair(run, folder, old, new, asked.old_name, target.name, is_moved=asked.is_moved)


def compare_pair(
    run: Run,
    folder: str,
    old: Decoded | None,
    new: Decoded | None,
    old_name: str,
    name: str,
    *,
    is_moved: bool = False,
) -> FileResult:
    """What changed between two manifests, by the configuration of a folder.

    Raises:
        UnreadableFileError: one of them cannot be read: nothing is compared.
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    profiles = run.change_profiles(folder)
    comparer = Comparer(run.linter(folder), profiles, lambda result: run.unsuppressed(result, folder))
    return comparer.compare(old, new, old_name, name, is_moved=is_moved)


def of_files(old: Path | None, new: Path | None, read_stdin: Read) -> Asked:
    """Two files; None for standard input, which is read in the syntax of the other."""
    old_name, new_name = (STDIN if path is None else shown(path) for path in (old, new))
    return Asked(
        Target(new_name, found=False),
        old_name,
        new_name if old is None else old_name,
        read_stdin if old is None else partial(read_bytes, old),
        read_stdin if new is None else partial(read_bytes, new),
        new_path=old_name if new is None else None,
    )


def of_revision(
    run: Run, revision: Revision, paths: Sequence[Path], found: Iterable[Target], reader: Reader
) -> Iterator[Asked]:
    """Files of the work tree, each with what stands at its path in a revision.

    Args:
        run: how manifests are judged, and which are excluded.
        revision: the revision.
        paths: the files and folders that were named.
        found: the files in the work tree that these are, or have in them.
        reader: reads contents of the repository.
    """
    folders = [revision.path_of(Path(os.path.realpath(path))) for path in paths]
    below = (each for each in revision.entries if any(_is_in(each, folder) for folder in folders))
    places = dict(_manifests(run, revision, below))
    for target in found:
        there = revision.path_of(target.path)
        if there is None:
            refuse = partial(_refuse, target.name)
            yield Asked(target, target.name, target.name, refuse, None)
            continue
        is_gone_folder = not is_there(target.path) and any(_is_in(each, there) for each in places)
        if not is_gone_folder:
            places[there] = target
    asked = [_at(revision, place, target, reader) for place, target in places.items()]
    if any(each.old is None for each in asked):
        # What moved may have been anywhere: a permission is new wherever the manifest was before.
        absent = (each for each in revision.entries if not is_there(revision.root / each))
        gone = (_at(revision, *each, reader) for each in _manifests(run, revision, absent))
        asked = _with_moves(run, asked, [*gone, *(each for each in asked if each.new is None)])
    yield from sorted(asked, key=lambda each: each.target.name)


def _manifests(run: Run, revision: Revision, places: Iterable[str]) -> Iterator[tuple[str, Target]]:
    """Those of some paths in a revision that are manifests, each with its file in the work tree."""
    is_manifest = cache(run.finder)
    for place in places:
        target = Target(shown(os.path.relpath(revision.root / place)), found=True)
        if is_manifest(target.folder)(posixpath.basename(place)) and not run.excluded(target):
            yield place, target


def _is_in(place: str, folder: str | None) -> bool:
    return folder is not None and (folder == "." or place.startswith(f"{folder}/"))


def _at(revision: Revision, place: str, target: Target, reader: Reader) -> Asked:
    """A file, with what stands at its path in a revision."""
    entry = revision.entry(place)
    name = f"{revision.name}:{place}"
    old = partial(reader.content, entry, name) if entry else None
    new = partial(read_bytes, target.name) if not entry or is_there(target.path) else None
    return Asked(target, name, target.name, old, new)


def _refuse(name: str, at_most: int) -> bytes:
    del at_most
    raise UnreadableFileError(name, "is outside of this repository")


def _with_moves(run: Run, asked: Iterable[Asked], gone: Iterable[Asked]) -> list[Asked]:
    """The same, where a manifest that is new has the identifier of one that is gone, as moved."""
    old_of = defaultdict[str | None, list[Asked]](list)
    for each in gone:
        old_of[_identifier(run, each.target, each.old)].append(each)
    old_of.pop(None, None)
    moved, left, taken = list[Asked](), list[Asked](), set[str]()
    for each in asked:
        identifier = _identifier(run, each.target, each.new) if each.old is None else None
        if identifier not in old_of:
            left.append(each)
            continue
        name = each.target.path.name
        old = min(old_of[identifier], key=lambda old: old.target.path.name != name)
        taken.add(old.old_name)
        moved.append(
            each._replace(old_name=old.old_name, old_path=old.old_path, old=old.old, is_moved=True)
        )
    return [*moved, *(each for each in left if each.old_name not in taken)]


def _identifier(run: Run, target: Target, read: Read | None) -> str | None:
    folder = target.folder
    with suppress(UnreadableFileError, KeyError, IndexError, TypeError):
        if read is not None:
            data = read(run.limits(folder).bytes)
            document = run.decode(data, target.name, folder).document
            place = run.schema_of(document, folder).identifier
            name = None if place is None else document.value_at(place)
            return name if isinstance(name, str) else None
    return None
