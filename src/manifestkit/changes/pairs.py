"""Pairs of manifests, and the report of comparing them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.changes.compare import Comparer, not_compared
from manifestkit.changes.git import is_digest
from manifestkit.engine import Decoded, FileResult, Report, Target, Workspace, crash_context
from manifestkit.engine.pool import map_unordered
from manifestkit.files import AS_INPUT, posix_name, read_bytes
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.report import STDIN

Read = Callable[[int], bytes]
"""Reads a manifest: at most the given number of bytes, and one more if there are more.

Raises:
    UnreadableFileError: they cannot be had.
"""


class ManifestSource(NamedTuple):
    """A manifest to compare."""

    name: str  # as findings shall have it
    path: str  # tells syntax and format
    read: Read


class Facts(NamedTuple):
    """Identity of a manifest.

    Attributes:
        is_foreign: whether it is evidently another format's.
        provider: what equals that of any spelling of the same provider id; None without one.
        content: its values, each with its place but for indices.
        granted: those of them that are permissions and other members of sets.
    """

    is_foreign: bool = False
    provider: str | None = None
    content: frozenset[tuple[Pointer, str]] = frozenset()
    granted: frozenset[tuple[Pointer, str]] = frozenset()


UNKNOWN = Facts()


def facts_of(workspace: Workspace, decoded: Decoded, folder: str) -> Facts:
    """Return what identifies a manifest in a folder, as far as it can be read."""
    document = decoded.document
    if workspace.foreign_kind(decoded, folder):
        return Facts(is_foreign=True)
    schema = workspace.schema_of(document, folder)
    provider = document.value_or_none(schema.identifier) if schema.identifier else None
    content = frozenset(_values(document.value)) if decoded.readable else frozenset()
    return Facts(
        provider=_folded(provider) if isinstance(provider, str) else None,
        content=content,
        granted=frozenset(
            (place, each)
            for place in schema.sets
            if isinstance(members := document.value_or_none(place), list)
            for each in members
            if isinstance(each, str)
        ),
    )


def _values(value: Any) -> Iterator[tuple[Pointer, str]]:
    todo: list[tuple[Pointer, Any]] = [((), value)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            todo.extend(((*path, name), each) for name, each in value.items())
        elif isinstance(value, list):
            todo.extend((path, each) for each in value)
        else:
            yield path, str(value)


def _folded(identifier: str) -> str:
    """Return an identifier as hosts may compare it: they may ignore case and Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", identifier).casefold())


class FilePair(NamedTuple):
    """Two manifests to compare.

    Attributes:
        target: the new one, or where it would be.
        old: the old one; None where there was none.
        new: the new one; None where there is none.
        is_moved: whether the file has another path now.
        digest: git's name for the content of the old one, if the new one with that is unchanged.
        is_matched: whether the old one is what the new one is compared with; else only if both are
            of the same provider.
        is_unchanged: whether the two are known to be the same bytes.
        others: more old manifests, whose permissions and the like the new one may have no more of.
        problem: why one of them could not be read.
    """

    target: Target
    old: ManifestSource | None = None
    new: ManifestSource | None = None
    is_moved: bool = False
    digest: str | None = None
    is_matched: bool = True
    is_unchanged: bool = False
    others: tuple[ManifestSource, ...] = ()
    problem: UnreadableFileError | CrashedFileError | None = None


class Unmatched(NamedTuple):
    """A pair whose provider is new at its path, or whose new file is no manifest any more."""

    pair: FilePair
    old: Facts
    new: Facts


Match = Callable[[list[Unmatched]], Iterable[FilePair]]
_Result = FileResult | UnreadableFileError | CrashedFileError | tuple[Facts, Facts]


def compare_all(
    workspace: Workspace, pairs: Iterable[FilePair], match: Match | None = None
) -> Report:
    """Compare manifests; the report tells which could not be, and at which we fail ourselves.

    Args:
        workspace: how manifests are judged.
        pairs: the manifests.
        match: finds what those are compared with that are not matched.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    results: list[FileResult] = []
    unreadable: list[UnreadableFileError] = []
    crashed: list[CrashedFileError] = []
    unmatched: list[Unmatched] = []

    def compare(pairs: Iterable[FilePair]) -> None:
        read = (_read(workspace, each) for each in pairs)
        with closing(map_unordered(partial(_compared, workspace), read, _given_up)) as compared:
            for pair, result in compared:
                match result:
                    case FileResult():
                        results.append(result)
                    case UnreadableFileError():
                        results.append(not_compared(result, pair.target.name))
                        unreadable.append(result)
                    case CrashedFileError():
                        crashed.append(result)
                    case (Facts() as old, Facts() as new):
                        unmatched.append(Unmatched(pair, old, new))

    compare(pairs)
    if match:
        compare(match(unmatched))
    return Report.of(results, unreadable, crashed=crashed)


def _read(workspace: Workspace, pair: FilePair) -> FilePair:
    """Read what is compared, here: a revision is read through one process."""
    most = workspace.limits(pair.target.folder).bytes

    def read(source: ManifestSource) -> ManifestSource:
        return source._replace(read=partial(_content, source.read(most)))

    try:
        with crash_context(pair.target.name):
            new = pair.new and read(pair.new)
            if new and pair.digest and is_digest(pair.digest, new.read(most)):
                return pair._replace(new=new, old=None, is_unchanged=True)
            old = pair.old and read(pair.old)
            return pair._replace(new=new, old=old, others=tuple(map(read, pair.others)))
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


def _compare(workspace: Workspace, pair: FilePair) -> FileResult | tuple[Facts, Facts]:
    target, folder = pair.target, pair.target.folder
    most = workspace.limits(folder).bytes

    def decode(source: ManifestSource) -> Decoded:
        return workspace.decode(source.read(most), source.path, folder)

    new, old = (each and decode(each) for each in (pair.new, pair.old))
    may_skip = workspace.may_skip(target)
    if new and not (pair.is_matched or pair.is_unchanged):
        one = facts_of(workspace, old, folder) if old else UNKNOWN
        two = facts_of(workspace, new, folder)
        if two.is_foreign and may_skip:
            is_unmatched = one.provider is not None
        else:
            is_new = old is None or (one.is_foreign and may_skip)
            is_unmatched = is_new or two.provider not in (None, one.provider)
        if is_unmatched:
            return one, two
    present = new or old
    if present and may_skip:
        kind = workspace.foreign_kind(present, folder)
        if kind:
            return FileResult(target.name, skipped=kind, is_comparison=True)
    if pair.is_unchanged:
        return FileResult(target.name, is_comparison=True, changes=())
    return Comparer(workspace.policy(folder)).compare(
        old,
        new,
        pair.old.name if pair.old else target.name,
        target.name,
        is_moved=pair.is_moved,
        others=[(each.name, decode(each)) for each in pair.others],
    )


def of_files(old: Path | None, new: Path | None, read_stdin: Read) -> FilePair:
    """Two files; None for standard input, which is read in the syntax of the other."""
    old_name, new_name = (STDIN if path is None else posix_name(path) for path in (old, new))
    return FilePair(
        Target(new_name, found=False),
        ManifestSource(old_name, old_name if old else new_name, _reader(old, read_stdin)),
        ManifestSource(new_name, new_name if new else old_name, _reader(new, read_stdin)),
    )


def _reader(path: Path | None, read_stdin: Read) -> Read:
    return partial(read_bytes, path, instead_of_pipe=AS_INPUT) if path else read_stdin
