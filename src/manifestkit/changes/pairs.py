"""Pairs of manifests: which are compared with each other, and the report of comparing them.

Two files, or the files of a work tree with a revision in git. There, a manifest is compared with
the one at its path. A new one is compared with one of its provider, and if there was none with the
removed one that it has most in common with.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from os.path import lexists, relpath
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.compare import compare, not_compared
from manifestkit.changes.document import Arrival
from manifestkit.changes.git import Revision, RevisionFile
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Target
from manifestkit.engine.many import attempt
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.files import AS_INPUT, absolute, is_folder, posix_name, read_bytes, refuse_link_out
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import FileProblem, UnreadableFileError
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import walk
from manifestkit.model.report import STDIN, FileResult, Report

_ALIKE = 0.5  # of all values of two manifests
_MARK = re.compile(rb"provider|\\[uUx\r\n]")
"""The member, or an escape that may write it: what has neither is no manifest by its content."""


class _Source(NamedTuple):
    """A manifest to compare, as it was read."""

    name: str  # as findings shall have it
    path: str  # tells syntax and format
    data: bytes


class FilePair(NamedTuple):
    """Two manifests to compare; of the old or the new one, None where there is none."""

    target: Target  # the new one, or where it would be
    old: _Source | None = None
    new: _Source | None = None
    arrival: Arrival | None = None  # how the new one came to its path, if it was not there
    is_unchanged: bool = False  # whether the two are known to be the same bytes
    problem: FileProblem | None = None  # why one of them could not be read

    @property
    def name(self) -> str:
        """The name of the new one."""
        return self.target.name


_Compared = tuple[str, FileResult | FilePair | FileProblem | None]
"""A pair's name, and what comes of it: where only one side is a manifest, the pair of that."""


def _compared(workspace: Workspace, pairs: Iterable[FilePair]) -> list[_Compared]:
    """Compare pairs by the policies of a workspace."""
    with closing(map_in_order(partial(_result, workspace), pairs)) as compared:
        return [(pair.name, result) for pair, result in compared]


def _report(compared: Iterable[_Compared]) -> Report:
    """Return the report, which also tells what could not be compared."""
    results, problems = list[FileResult](), list[FileProblem]()
    for name, result in compared:
        if isinstance(result, FileProblem):
            problems.append(result)
        if isinstance(result, UnreadableFileError):
            results.append(not_compared(result, name))
        elif isinstance(result, FileResult):
            results.append(result)
    return Report.of(results, problems)


def _read_pair(read: Callable[[Target], FilePair], target: Target) -> FilePair:
    """Return a pair that is read, here: a revision is read through one process."""
    found = attempt(read, target)
    return found if isinstance(found, FilePair) else FilePair(target, problem=found)


def _result(workspace: Workspace, pair: FilePair) -> FileResult | FilePair | FileProblem:
    if pair.is_unchanged:
        return FileResult(pair.name, is_comparison=True, changes=())
    if pair.problem:
        return pair.problem
    return attempt(lambda _: _compare(workspace, pair), pair.target)


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
    workspace: Workspace, old: Path | None, new: Path | None, read_stdin: Callable[[int], bytes]
) -> Report:
    """Compare two files; None for standard input, which is read in the syntax of the other.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    old_name, new_name = (STDIN if path is None else posix_name(path) for path in (old, new))

    def read(target: Target) -> FilePair:
        most = workspace.policy(target.folder).limits.bytes
        for each in filter(None, (old, new) if workspace.options.isolated else ()):
            refuse_link_out(each)
        one, two = (
            read_bytes(each, most, AS_INPUT) if each else read_stdin(most) for each in (old, new)
        )
        return FilePair(
            target,
            _Source(old_name, old_name if old else new_name, one),
            _Source(new_name, new_name if new else old_name, two),
        )

    return _report(_compared(workspace, [_read_pair(read, Target(new_name, found=False))]))


def _is_in(place: str, folder: str | None) -> bool:
    return folder is not None and (folder == "." or place.startswith(f"{folder}/"))


class _Facts(NamedTuple):
    """Identity of a manifest."""

    provider: str | None  # its provider id
    content: frozenset[tuple[Pointer, str]]  # its values, each with its place but for indices
    granted: frozenset[tuple[Pointer, str]]  # its permissions and other members of sets


class _Known(NamedTuple):
    """A manifest of the revision."""

    old: _Source
    facts: _Facts
    now: _Facts | None  # of the one at its path in the work tree, if there is one

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
        paths: the files and folders that were named.
        found: the files in the work tree that these are, or have in them.

    Attributes:
        files: what is compared, each with its path in the revision; None for one outside of it.
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
        self._is_left_out = cache(workspace.leaves_out)
        # Files of any name that are manifests, by their paths in the revision.
        self._places: dict[str, Target] = {}
        self._named = [absolute(path) for path in paths]
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
        self.files: list[tuple[str | None, Target]] = []
        for target in found:
            there = revision.path_of(target.path)
            if there is None:
                self.files.append((None, target))
            elif lexists(target.path) or not any(_is_in(each, there) for each in self._places):
                self._places[there] = target
        self.files += self._places.items()

    def compare(self, files: Iterable[tuple[str | None, Target]]) -> Report:
        """Compare its files, and what is new or gone.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        halves: list[FilePair] = []

        def whole() -> Iterator[FilePair]:
            for place, target in files:
                pair = self._at_path(place, target)
                if bool(pair.old) is bool(pair.new):
                    yield pair
                else:
                    halves.append(pair)

        compared = _compared(self._workspace, whole())
        halves += (result for _, result in compared if isinstance(result, FilePair))
        added = [each for each in halves if each.new]
        matched = self._match(added, [each for each in halves if each.old])
        return _report(compared + _compared(self._workspace, matched))

    def _match(self, added: Sequence[FilePair], removed: Sequence[FilePair]) -> list[FilePair]:
        """Return what is new with what it is compared with, and what is gone and was not moved."""
        if not added and not removed:
            return []
        known, problems = self._known()
        others = list(self._other_files())
        new = [(each, self._facts(each.target, each.new and each.new.data)) for each in added]
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
        file, new = self._revision.file(place), None
        if file is None or not file.digest or self._revision.is_same(place):
            return None
        with suppress(UnreadableFileError):
            new = self._new(place, target)
        if new is not None and file.has(new):
            now = self._facts(target, new) if has_name else None
            old = _Source(self._name(place), target.name, new)
            return _Known(old, now, now) if now else None
        old = self._old(place, target, file)
        facts = self._facts(target, old.data) if has_name or _MARK.search(old.data) else None
        if facts is None:
            return None
        known = _Known(old, facts, self._facts(target, new))
        return known if has_name or (known.is_gone and facts.provider is not None) else None

    def _other_files(self) -> Iterator[tuple[FilePair, _Facts]]:
        """Yield the manifests of any name that are new in the work tree, and are not named."""
        for place in self._revision.new_files():
            target = self._at(place)
            is_known = place in self._places or not place.lower().endswith(SUFFIXES)
            if is_known or self._workspace.excluded(target):
                continue
            with suppress(UnreadableFileError):
                data = self._read_now(target)
                facts = self._facts(target, data) if _MARK.search(data) else None
                if facts:
                    yield FilePair(target, new=_Source(target.name, target.name, data)), facts

    def _at(self, place: str) -> Target:
        return Target(posix_name(relpath(self._revision.root / place)), found=True)

    def _has_name(self, target: Target) -> bool:
        folder, name = target.folder, posixpath.basename(target.name)
        return not self._is_left_out(folder) and self._is_manifest(folder)(name)

    def _at_path(self, place: str | None, target: Target) -> FilePair:
        """Return a file with the old one at its path."""
        if place is None:
            problem = UnreadableFileError(target.name, "is outside of this repository")
            return FilePair(target, problem=problem)
        if self._revision.is_same(place):
            return FilePair(target, is_unchanged=True)
        return _read_pair(partial(self._read, place), target)

    def _read(self, place: str, target: Target) -> FilePair:
        file, new = self._revision.file(place), self._new(place, target)
        if file is None and new is None:
            new = self._read_now(target)  # which tells why there is none
        if file and new is not None and file.has(new):
            return FilePair(target, is_unchanged=True)
        old = self._old(place, target, file) if file else None
        now = None if new is None else _Source(target.name, target.name, new)
        return FilePair(target, old, now)

    def _old(self, place: str, target: Target, file: RevisionFile) -> _Source:
        name = self._name(place)
        return _Source(name, target.name, self._revision.content(file, name, self._most(target)))

    def _name(self, place: str) -> str:
        return f"{self._revision.name}:{place}"

    def _new(self, place: str, target: Target) -> bytes | None:
        """Return what is in the work tree, or in the index if a sparse checkout leaves it out."""
        if place in self._revision.left_out and not lexists(target.path):
            file = self._revision.left_out[place]
            return self._revision.content(file, target.name, self._most(target))
        try:
            target.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            pass  # reading it tells
        return None if is_folder(target.path) else self._read_now(target)

    def _read_now(self, target: Target) -> bytes:
        if (path := absolute(target.name)) not in self._named:
            around = [each for each in self._named if path.is_relative_to(each)]
            refuse_link_out(target.path, around or [self._revision.root])
        if self._workspace.options.isolated:
            refuse_link_out(target.path)
        return read_bytes(target.name, self._most(target))

    def _most(self, target: Target) -> int:
        return self._workspace.policy(target.folder).limits.bytes

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
        content = (
            (tuple(token for token in path if isinstance(token, str)), str(each))
            for path, each in walk(document.value)
            if not isinstance(each, dict | list)
        )
        provider = provider if isinstance(provider, str) else None
        return _Facts(provider, frozenset(content), frozenset(granted))


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
