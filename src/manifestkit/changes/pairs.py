"""Pairs of manifests: which are compared with each other, and the report of comparing them.

Two files, or the files of a work tree with a revision in git. There, a manifest is compared with
the one at its path. A new one is compared with one of its provider, and if there was none with the
removed one that it has most in common with.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from os.path import lexists, relpath
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.changes.compare import compare, not_compared
from manifestkit.changes.document import Arrival
from manifestkit.changes.git import Revision, is_digest
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Target
from manifestkit.engine.many import attempt
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.files import AS_INPUT, is_folder, is_there, posix_name, read_bytes
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import CrashedFileError, ManifestkitError, UnreadableFileError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import walk
from manifestkit.model.report import STDIN, FileResult, Report

_ALIKE = 0.5  # of all values of two manifests
_MARK = re.compile(rb"provider|\\[uUx\r\n]")
"""The member, or an escape that may write it: what has neither is no manifest by its content."""

_Read = Callable[[int], bytes]
"""Reads a manifest: at most the given number of bytes, and one more if there are more.

Raises:
    UnreadableFileError: they cannot be had.
"""


class _Source(NamedTuple):
    """A manifest to compare."""

    name: str  # as findings shall have it
    path: str  # tells syntax and format
    read: _Read | None  # none once it is read
    digest: str | None = None  # git's name for its content
    data: bytes = b""


class FilePair(NamedTuple):
    """Two manifests to compare.

    Attributes:
        target: the new one, or where it would be.
        old: the old one; None where there was none.
        new: the new one; None where there is none.
        arrival: how the new one came to its path, if it was not there.
        is_unchanged: whether the two are known to be the same bytes.
        problem: why one of them could not be read.
    """

    target: Target
    old: _Source | None = None
    new: _Source | None = None
    arrival: Arrival | None = None
    is_unchanged: bool = False
    problem: ManifestkitError | None = None

    @property
    def name(self) -> str:
        """The name of the new one."""
        return self.target.name


class _Run:
    """Compares pairs by the policies of a workspace, and collects what comes of it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._results: list[FileResult] = []
        self._unreadable: list[UnreadableFileError] = []
        self._crashed: list[CrashedFileError] = []

    def compare(self, pairs: Iterable[FilePair]) -> list[FilePair]:
        """Compare pairs, and return those of which only one side is a manifest, with that side."""
        halves: list[FilePair] = []
        read = (_read(self._workspace, each) for each in pairs)
        with closing(map_in_order(partial(_compared, self._workspace), read)) as compared:
            for pair, result in compared:
                match result:
                    case FileResult():
                        self._results.append(result)
                    case FilePair():
                        halves.append(result)
                    case UnreadableFileError():
                        self._results.append(not_compared(result, pair.name))
                        self._unreadable.append(result)
                    case CrashedFileError():
                        self._crashed.append(result)
        return halves

    def report(self) -> Report:
        """Return the report, which also tells what could not be compared."""
        return Report.of(self._results, self._unreadable, crashed=self._crashed)


def _read(workspace: Workspace, pair: FilePair) -> FilePair:
    """Read what is compared, here: a revision is read through one process."""
    most = workspace.policy(pair.target.folder).limits.bytes

    def read(source: _Source) -> _Source:
        data = source.read(most) if source.read else source.data
        return source._replace(read=None, data=data)

    def read_both(pair: FilePair) -> FilePair:
        new = pair.new and read(pair.new)
        digest = pair.old.digest if pair.old and not pair.arrival else None
        if new and digest and is_digest(digest, new.data):
            return FilePair(pair.target, is_unchanged=True)
        return pair._replace(new=new, old=pair.old and read(pair.old))

    found = attempt(read_both, pair)
    return found if isinstance(found, FilePair) else FilePair(pair.target, problem=found)


def _compared(workspace: Workspace, pair: FilePair) -> FileResult | FilePair | ManifestkitError:
    if pair.is_unchanged:
        return FileResult(pair.name, is_comparison=True, changes=())
    if pair.problem:
        return pair.problem
    return attempt(partial(_compare, workspace), pair)


def _compare(workspace: Workspace, pair: FilePair) -> FileResult | FilePair:
    target, folder = pair.target, pair.target.folder

    def decode(source: _Source) -> Decoded:
        return workspace.decode(source.data, source.path, folder)

    old, new = pair.old and decode(pair.old), pair.new and decode(pair.new)
    was, kind = (each and workspace.foreign_kind(each, folder) for each in (old, new))
    if not workspace.may_skip(target):
        was, kind = was if new else None, None
    if old and new and bool(was) is not bool(kind):
        return pair._replace(old=None) if was else pair._replace(new=None)
    if kind or was:
        return FileResult(target.name, skipped=kind or was, is_comparison=True)
    old_name = pair.old.name if pair.old else target.name
    return compare(workspace.policy(folder), old, new, old_name, target.name, pair.arrival)


def compare_files(
    workspace: Workspace, old: Path | None, new: Path | None, read_stdin: _Read
) -> Report:
    """Compare two files; None for standard input, which is read in the syntax of the other.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    old_name, new_name = (STDIN if path is None else posix_name(path) for path in (old, new))
    pair = FilePair(
        Target(new_name, found=False),
        _Source(old_name, old_name if old else new_name, _reader(old, read_stdin)),
        _Source(new_name, new_name if new else old_name, _reader(new, read_stdin)),
    )
    run = _Run(workspace)
    run.compare([pair])
    return run.report()


def _reader(path: Path | None, read_stdin: _Read) -> _Read:
    return partial(read_bytes, path, instead_of_pipe=AS_INPUT) if path else read_stdin


def _is_in(place: str, folder: str | None) -> bool:
    return folder is not None and (folder == "." or place.startswith(f"{folder}/"))


class _Facts(NamedTuple):
    """Identity of a manifest.

    Attributes:
        provider: its provider id; None without one.
        content: its values, each with its place but for indices.
        granted: those of them that are permissions and other members of sets.
    """

    provider: str | None
    content: frozenset[tuple[Pointer, str]]
    granted: frozenset[tuple[Pointer, str]]


def _values(value: Any) -> Iterator[tuple[Pointer, str]]:
    for path, each in walk(value):
        if not isinstance(each, dict | list):
            yield tuple(token for token in path if isinstance(token, str)), str(each)


class _Known(NamedTuple):
    """A manifest of the revision.

    Attributes:
        old: how to read it.
        facts: what identifies it.
        now: what identifies the one at its path in the work tree; None if there is none.
    """

    old: _Source
    facts: _Facts
    now: _Facts | None

    @property
    def is_gone(self) -> bool:
        """Return whether no manifest of its provider is at its path."""
        return self.now is None or self.now.provider != self.facts.provider

    def nearness(self, path: str, new: _Facts) -> tuple[float, bool]:
        """Return how much it has in common with a new one, then whether in its name."""
        shared = len(new.content & self.facts.content)
        whole = len(new.content | self.facts.content)
        is_named_so = posixpath.basename(self.old.name) == posixpath.basename(path)
        return shared / max(1, whole), is_named_so

    def is_like(self, path: str, new: _Facts) -> bool:
        """Return whether a new file is evidently this one."""
        is_same = new.provider is not None and new.provider == self.facts.provider
        return is_same or self.nearness(path, new)[0] > _ALIKE


class Matching:
    """The manifests of a work tree, each with what it is compared with in a revision.

    Args:
        workspace: how manifests are judged, and which are excluded.
        revision: the revision.
        paths: the files and folders that were named.
        found: the files in the work tree that these are, or have in them.

    Attributes:
        pairs: the files in the work tree that the revision has, too, at the same path.
    """

    def __init__(
        self,
        workspace: Workspace,
        revision: Revision,
        paths: Sequence[Path],
        found: Iterable[Target],
    ) -> None:
        self._workspace = workspace
        self._revision = revision
        self._is_manifest = cache(workspace.finder)
        # Files of any name that are manifests, by their paths in the revision.
        self._places: dict[str, Target] = {}
        folders = {revision.path_of(path) for path in paths}
        replaced = {revision.path_of(path) for path in paths if is_folder(path)}
        everywhere = (
            *(*revision.entries, *revision.left_out),
            *(*revision.behind_changed_links(), *revision.in_submodules()),
        )
        for place in everywhere:
            if place in replaced or any(_is_in(place, folder) for folder in folders):
                target = self._at(place)
                is_file = place in revision.left_out or revision.file(place)
                if self._has_name(target) and is_file and not workspace.excluded(target):
                    self._places[place] = target
        self.pairs: list[FilePair] = []
        for target in found:
            there = revision.path_of(target.path)
            if there is None:
                problem = UnreadableFileError(target.name, "is outside of this repository")
                self.pairs.append(FilePair(target, problem=problem))
            elif is_there(target.path) or not any(_is_in(each, there) for each in self._places):
                self._places[there] = target
        at_path = [self._at_path(place, target) for place, target in self._places.items()]
        self.pairs += (each for each in at_path if each.is_unchanged or (each.old and each.new))
        self._halves = [each for each in at_path if bool(each.old) is not bool(each.new)]

    def compare(self, pairs: Iterable[FilePair]) -> Report:
        """Compare its pairs, and what is new or gone.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        run = _Run(self._workspace)
        halves = [*self._halves, *run.compare(pairs)]
        added = [each for each in halves if each.new]
        run.compare(self._match(added, [each for each in halves if each.old]))
        return run.report()

    def _match(self, added: Sequence[FilePair], removed: Sequence[FilePair]) -> list[FilePair]:
        """Return what is new with what it is compared with, and what is gone and was not moved."""
        if not added and not removed:
            return []
        known, problems = self._known()
        others = list(self._other_files())
        new = [
            (each, self._facts(each.target, self._data(each.target, each.new))) for each in added
        ]
        was = (each.now for each in known if each.now and each.now.provider != each.facts.provider)
        now = (*(facts for _, facts in (*new, *others)), *was)
        present = {facts.provider for facts in now if facts} - {None}
        pairs = [_matched(*each, known, present) for each in new]
        taken = {each.old.name for each in pairs if each.old}
        left = {each.old.name: each for each in removed if each.old}
        left = {name: each for name, each in left.items() if name not in taken}
        for pair, facts in others:
            for each in known:
                if each.old.name in left and each.is_like(pair.name, facts):
                    del left[each.old.name]
                    pairs.append(pair._replace(old=each.old, arrival="renamed"))
                    break
        return [*problems, *pairs, *left.values()]

    def _known(self) -> tuple[list[_Known], list[FilePair]]:
        """Return the manifests of the revision, and what may be one and cannot be read."""
        known: list[_Known] = []
        problems: list[FilePair] = []
        for place in {**self._revision.entries, **self._places}:
            target = self._places.get(place) or self._at(place)
            has_name = place in self._places or self._has_name(target)
            if not has_name and not place.lower().endswith(SUFFIXES):
                continue
            if place not in self._places and self._workspace.excluded(target):
                continue
            try:
                found = self._known_at(place, target, has_name=has_name)
            except UnreadableFileError as problem:
                if has_name and place not in self._places:  # others are told as they are compared
                    problems.append(FilePair(target, problem=problem))
            else:
                known += [found] if found else []
        return known, problems

    def _known_at(self, place: str, target: Target, *, has_name: bool) -> _Known | None:
        """Return the manifest at a path of the revision; None for none.

        One that has no manifest's name is one if it was evidently moved.
        """
        old = self._old(place, target)
        if old is None or old.read is None or not old.digest or self._revision.is_same(place):
            return None
        new = self._data(target, self._new(place, target))
        if new is not None and is_digest(old.digest, new):
            now = self._facts(target, new) if has_name else None
            return _Known(old, now, now) if now else None
        data = old.read(self._workspace.policy(target.folder).limits.bytes)
        facts = self._facts(target, data) if has_name or _MARK.search(data) else None
        if facts is None:
            return None
        known = _Known(old, facts, self._facts(target, new))
        return known if has_name or (known.is_gone and facts.provider is not None) else None

    def _other_files(self) -> Iterator[tuple[FilePair, _Facts]]:
        """Yield the manifests of any name that are new in the work tree, and are not named."""
        for place in self._revision.new_files():
            target = self._at(place)
            if place not in self._places and place.lower().endswith(SUFFIXES):
                source = _on_disk(target)
                data = None if self._workspace.excluded(target) else self._data(target, source)
                facts = self._facts(target, data) if data and _MARK.search(data) else None
                if facts:
                    yield FilePair(target, new=source), facts

    def _at(self, place: str) -> Target:
        return Target(posix_name(relpath(self._revision.root / place)), found=True)

    def _has_name(self, target: Target) -> bool:
        return self._is_manifest(target.folder)(posixpath.basename(target.name))

    def _at_path(self, place: str, target: Target) -> FilePair:
        """Return a file with the old one at its path."""
        if self._revision.is_same(place):
            return FilePair(target, is_unchanged=True)
        old, new = self._old(place, target), self._new(place, target)
        return FilePair(target, old, new if new or old else _on_disk(target))

    def _old(self, place: str, target: Target) -> _Source | None:
        file = self._revision.file(place)
        if file is None:
            return None
        name = f"{self._revision.name}:{place}"
        read = partial(self._revision.content, file, name)
        return _Source(name, target.name, read, file.digest)

    def _new(self, place: str, target: Target) -> _Source | None:
        """Return what is in the work tree, or in the index if a sparse checkout leaves it out."""
        if place in self._revision.left_out and not lexists(target.path):
            file = self._revision.left_out[place]
            read = partial(self._revision.content, file, target.name)
            return _Source(target.name, target.name, read)
        try:
            target.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            pass  # reading it tells
        return None if is_folder(target.path) else _on_disk(target)

    def _data(self, target: Target, source: _Source | None) -> bytes | None:
        """Return what a file holds; None if it cannot be read."""
        if source and source.read:
            with suppress(UnreadableFileError):
                return source.read(self._workspace.policy(target.folder).limits.bytes)
            return None
        return source.data if source else None

    def _facts(self, target: Target, data: bytes | None) -> _Facts | None:
        """Return what identifies a manifest; None where there is none that can be read."""
        folder = target.folder
        decoded = None if data is None else self._workspace.decode(data, target.name, folder)
        if decoded is None or not decoded.readable or self._workspace.foreign_kind(decoded, folder):
            return None
        document = decoded.document
        schema = self._workspace.policy(folder).requirements(document).schema
        provider = document.value_or_none(schema.identifier) if schema.identifier else None
        granted = (
            (place, each)
            for place in schema.sets
            if isinstance(members := document.value_or_none(place), list)
            for each in members
            if isinstance(each, str)
        )
        return _Facts(
            provider if isinstance(provider, str) else None,
            frozenset(_values(document.value)),
            frozenset(granted),
        )


def _on_disk(target: Target) -> _Source:
    return _Source(target.name, target.name, partial(read_bytes, target.name))


def _matched(
    pair: FilePair, facts: _Facts | None, known: Iterable[_Known], present: set[str | None]
) -> FilePair:
    """Return a new manifest with the one that it is compared with, if there is one.

    That is one of its provider, the gone ones first, or else a removed one whose provider is not
    present any more.
    """
    if facts is None:
        return pair
    provider = facts.provider
    of_it = [each for each in known if provider is not None and each.facts.provider == provider]
    removed = (each for each in known if each.now is None and each.facts.provider not in present)
    candidates = [each for each in of_it if each.is_gone] or of_it or list(removed)
    if not candidates:
        return pair
    # What moved may have been any of its provider: a permission is new that one of them lacks.
    one = max(
        candidates,
        key=lambda each: (
            len(facts.granted - each.facts.granted) * bool(of_it),
            *each.nearness(pair.name, facts),
        ),
    )
    return pair._replace(old=one.old, arrival="renamed" if one.is_gone else "added")
