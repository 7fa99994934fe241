"""Pairs of manifests: which are compared with each other, and the report of comparing them.

Two files, or the files of a work tree with a revision in git. There, a manifest is compared with
the one at its path. One whose provider was not at that path is compared with those of its provider
that are gone: as moved from one of them, and with the others in what it has more. Where there are
none of its provider, it is compared with the removed one that it has most in common with.
"""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache, cached_property, partial
from itertools import product, starmap
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.changes.compare import Comparer, not_compared
from manifestkit.changes.git import Revision, is_digest
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Target
from manifestkit.engine.pool import map_in_order
from manifestkit.engine.workspace import Workspace
from manifestkit.files import AS_INPUT, is_folder, is_there, posix_name, read_bytes
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import CrashedFileError, UnreadableFileError, crash_context
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.report import STDIN, FileResult, Report

_ALIKE = 0.5  # of all values of two manifests
# An escape that a letter may be written with, a line that goes on, or UTF-16.
_SPELLED = re.compile(rb"\\[uUx/\r\n]|\0")

_Read = Callable[[int], bytes]
"""Reads a manifest: at most the given number of bytes, and one more if there are more.

Raises:
    UnreadableFileError: they cannot be had.
"""


class _Source(NamedTuple):
    """A manifest to compare."""

    name: str  # as findings shall have it
    path: str  # tells syntax and format
    read: _Read


class _Facts(NamedTuple):
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


_UNKNOWN = _Facts()


def _facts_of(workspace: Workspace, decoded: Decoded, folder: str) -> _Facts:
    """Return what identifies a manifest in a folder, as far as it can be read."""
    document = decoded.document
    if workspace.foreign_kind(decoded, folder):
        return _Facts(is_foreign=True)
    schema = workspace.schema_of(document, folder)
    provider = document.value_or_none(schema.identifier) if schema.identifier else None
    content = frozenset(_values(document.value)) if decoded.readable else frozenset()
    return _Facts(
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
    old: _Source | None = None
    new: _Source | None = None
    is_moved: bool = False
    digest: str | None = None
    is_matched: bool = True
    is_unchanged: bool = False
    others: tuple[_Source, ...] = ()
    problem: UnreadableFileError | CrashedFileError | None = None

    @property
    def name(self) -> str:
        """The name of the new one."""
        return self.target.name


class _Unmatched(NamedTuple):
    """A pair whose provider is new at its path, or whose new file is no manifest any more."""

    pair: FilePair
    old: _Facts
    new: _Facts


_Match = Callable[[list[_Unmatched]], Iterable[FilePair]]
_Result = FileResult | UnreadableFileError | CrashedFileError | tuple[_Facts, _Facts]


def _compare_all(
    workspace: Workspace, pairs: Iterable[FilePair], match: _Match | None = None
) -> Report:
    """Compare manifests; the report tells which could not be, and at which we fail ourselves.

    Args:
        workspace: how manifests are judged.
        pairs: the manifests.
        match: finds what those are compared with that are not matched.
    """
    results: list[FileResult] = []
    unreadable: list[UnreadableFileError] = []
    crashed: list[CrashedFileError] = []
    unmatched: list[_Unmatched] = []

    def compare(pairs: Iterable[FilePair]) -> None:
        read = (_read(workspace, each) for each in pairs)
        with closing(map_in_order(partial(_compared, workspace), read)) as compared:
            for pair, result in compared:
                match result:
                    case FileResult():
                        results.append(result)
                    case UnreadableFileError():
                        results.append(not_compared(result, pair.target.name))
                        unreadable.append(result)
                    case CrashedFileError():
                        crashed.append(result)
                    case (_Facts() as old, _Facts() as new):
                        unmatched.append(_Unmatched(pair, old, new))

    compare(pairs)
    if match:
        compare(match(unmatched))
    return Report.of(results, unreadable, crashed=crashed)


def _read(workspace: Workspace, pair: FilePair) -> FilePair:
    """Read what is compared, here: a revision is read through one process."""
    most = workspace.limits(pair.target.folder).bytes

    def read(source: _Source) -> _Source:
        return source._replace(read=partial(_first, source.read(most)))

    try:
        with crash_context(pair.target.name):
            new = pair.new and read(pair.new)
            if new and pair.digest and is_digest(pair.digest, new.read(most)):
                return pair._replace(new=new, old=None, is_unchanged=True)
            old = pair.old and read(pair.old)
            return pair._replace(new=new, old=old, others=tuple(map(read, pair.others)))
    except (UnreadableFileError, CrashedFileError) as problem:
        return FilePair(pair.target, problem=problem)


def _first(data: bytes, at_most: int) -> bytes:
    return data[: at_most + 1]


def _compared(workspace: Workspace, pair: FilePair) -> _Result:
    if pair.problem:
        return pair.problem
    try:
        with crash_context(pair.target.name):
            return _compare(workspace, pair)
    except (UnreadableFileError, CrashedFileError) as problem:
        return problem


def _compare(workspace: Workspace, pair: FilePair) -> FileResult | tuple[_Facts, _Facts]:
    target, folder = pair.target, pair.target.folder
    most = workspace.limits(folder).bytes

    def decode(source: _Source) -> Decoded:
        return workspace.decode(source.read(most), source.path, folder)

    new, old = (each and decode(each) for each in (pair.new, pair.old))
    may_skip = workspace.may_skip(target)
    if new and not (pair.is_matched or pair.is_unchanged):
        one = _facts_of(workspace, old, folder) if old else _UNKNOWN
        two = _facts_of(workspace, new, folder)
        if two.is_foreign and may_skip:
            is_unmatched = one.provider is not None
        else:
            is_new = old is None or (one.is_foreign and may_skip)
            is_unmatched = is_new or two.provider not in (None, one.provider)
        if is_unmatched:
            return one, two
    if pair.is_unchanged:
        return FileResult(target.name, is_comparison=True, changes=())
    present = new or old
    if present and may_skip:
        kind = workspace.foreign_kind(present, folder)
        if kind:
            return FileResult(target.name, skipped=kind, is_comparison=True)
    return Comparer(workspace.policy(folder)).compare(
        old,
        new,
        pair.old.name if pair.old else target.name,
        target.name,
        is_moved=pair.is_moved,
        others=[(each.name, decode(each)) for each in pair.others],
    )


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
    return _compare_all(workspace, [pair])


def _reader(path: Path | None, read_stdin: _Read) -> _Read:
    return partial(read_bytes, path, instead_of_pipe=AS_INPUT) if path else read_stdin


def _named(revision: Revision, paths: Sequence[Path]) -> Iterator[str]:
    """Return what a revision has in the folders that are named, or in their former places.

    And what it has behind links that lead elsewhere now, and a sparse checkout only in the index.
    """
    folders = set[str | None]()
    for path in paths:
        folders.add(place := revision.path_of(path))
        if place is None or not revision.has_link(place):
            folders.add(revision.path_of(Path(os.path.realpath(path))))
    replaced = {revision.path_of(path) for path in paths if is_folder(path)}
    for each in dict.fromkeys((*revision.entries, *revision.left_out)):
        if each in replaced or any(_is_in(each, folder) for folder in folders):
            yield each
            if each in revision.entries:
                yield from _behind_changed_link(revision, each)


def _behind_changed_link(revision: Revision, link: str) -> Iterator[str]:
    folder = revision.behind(link)
    if folder is None or os.path.realpath(revision.root / link) == str(revision.root / folder):
        return
    for each in revision.entries:
        if _is_in(each, folder or "."):
            yield f"{link}/{posixpath.relpath(each, folder or '.')}"


def _is_in(place: str, folder: str | None) -> bool:
    return folder is not None and (folder == "." or place.startswith(f"{folder}/"))


def _manifests(
    workspace: Workspace, revision: Revision, places: Iterable[str]
) -> Iterator[tuple[str, Target]]:
    """Those of some paths in a revision that are manifests, each with its file in the work tree."""
    is_manifest = cache(workspace.finder)
    for place in places:
        target = _at(revision.root / place)
        if is_manifest(target.folder)(posixpath.basename(place)) and not workspace.excluded(target):
            yield place, target


def _at(path: Path) -> Target:
    return Target(posix_name(os.path.relpath(path)), found=True)


class _Known(NamedTuple):
    """A manifest of a revision.

    Attributes:
        place: its path there.
        facts: what identifies it.
        old: how to read it.
        now: what identifies the one at its path in the work tree; without content if there is none.
    """

    place: str
    facts: _Facts
    old: _Source
    now: _Facts

    @property
    def is_gone(self) -> bool:
        """Return whether no manifest of its provider is at its path."""
        return not self.now.content or self.now.provider != self.facts.provider


class Matching:
    """The manifests of a work tree, each with what it is compared with in a revision.

    Args:
        workspace: how manifests are judged, and which are excluded.
        revision: the revision.
        paths: the files and folders that were named.
        found: the files in the work tree that these are, or have in them.

    Attributes:
        pairs: the files in the work tree, each with the one at its path in the revision.
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
        self._unread: list[FilePair] = []
        # Files of any name that are manifests, by their paths in the revision.
        self._places = {
            place: target
            for place, target in _manifests(workspace, revision, _named(revision, paths))
            if place in revision.left_out or revision.file(place)
        }
        self.pairs: list[FilePair] = []
        for target in found:
            there = revision.path_of(target.path)
            if there is None:
                problem = UnreadableFileError(target.name, "is outside of this repository")
                self.pairs.append(FilePair(target, problem=problem))
            elif is_there(target.path) or not any(_is_in(each, there) for each in self._places):
                self._places[there] = target
        at_path = [self._at_path(place, target) for place, target in self._places.items()]
        self.pairs += (each for each in at_path if each.new or each.is_unchanged)
        self._removed = [each for each in at_path if not each.new and not each.is_unchanged]

    def compare(self, pairs: Iterable[FilePair]) -> Report:
        """Compare its pairs, and what else is to be compared by what these turn out to be.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return _compare_all(self._workspace, pairs, self._match)

    def _match(self, unmatched: Sequence[_Unmatched]) -> list[FilePair]:
        """Return the pairs whose provider is new at their path as they are compared.

        With them, the manifests that are gone and were not moved.
        """
        found, removed, strangers = [], list(self._removed), []
        for each in unmatched:
            _, old, new = each
            pair = each.pair._replace(is_matched=True, digest=None)
            if new.is_foreign:
                removed.append(pair._replace(new=None))
                continue
            if old.is_foreign and self._workspace.may_skip(pair.target):
                pair = pair._replace(old=None)
            known = [each for each in self._known if each.facts.provider == new.provider]
            known = known if new.provider is not None else []
            gone = [each for each in known if each.is_gone]
            if pair.old or (known and not gone):
                found.append(pair._replace(others=_lacking(gone or known, new)))
            elif gone:
                # What moved may have been any of them: a permission is new that one of them lacks.
                one = max(gone, key=partial(_nearness, pair, new))
                found.append(_moved(pair, one)._replace(others=_lacking(gone, new, one)))
            else:
                strangers.append(_Unmatched(pair, old, new))
        if strangers:
            found += self._compared_with_removed(
                strangers, {each.new.provider for each in unmatched}
            )
        taken = {each.old.name for each in found if each.is_moved and each.old}
        removed = [each for each in removed if each.old and each.old.name not in taken]
        renamed = list(self._under_other_names(removed)) if removed else []
        taken = {each.old.name for each in renamed if each.old}
        removed = [each for each in removed if each.old and each.old.name not in taken]
        return [*found, *renamed, *removed, *self._unread]

    def _under_other_names(self, removed: Sequence[FilePair]) -> Iterator[FilePair]:
        """Yield new files without a manifest's name that are evidently removed manifests."""
        names = {each.old.name for each in removed if each.old}
        for place in self._revision.new_files():
            target = _at(self._revision.root / place)
            if (
                place in self._places
                or not place.lower().endswith(SUFFIXES)
                or self._workspace.excluded(target)
            ):
                continue
            read = partial(read_bytes, target.path)
            data = self._content(target, read)
            if not _may_be_manifest(data):
                continue
            pair = FilePair(target, new=_Source(target.name, target.name, read))
            new = self._facts(target, data)
            for each in self._known:
                is_same = new.provider is not None and new.provider == each.facts.provider
                is_like = is_same or _nearness(pair, new, each)[0] > _ALIKE
                if is_like and each.old.name in names:
                    yield _moved(pair, each)
                    break

    def _compared_with_removed(
        self, strangers: list[_Unmatched], present: set[str | None]
    ) -> Iterator[FilePair]:
        """Yield manifests of new providers, each with the removed one that is most like it.

        Args:
            strangers: the manifests.
            present: the providers of all manifests that are new at their paths.
        """
        removed = [each for each in self._known if not each.now.content]
        if any(each.facts.provider not in present for each in removed):
            present |= self._providers_elsewhere()
        removed = [
            each
            for each in removed
            if each.facts.provider is None or each.facts.provider not in present
        ]
        left = dict(enumerate(strangers))
        free = dict(enumerate(removed))
        nearest = sorted(
            product(left, free),
            key=lambda both: _nearness(
                strangers[both[0]].pair, strangers[both[0]].new, removed[both[1]]
            ),
            reverse=True,
        )
        while left and removed:  # where more are new than were removed, one may have become several
            for number, index in nearest:
                if number in left and index in free:
                    yield _moved(left.pop(number).pair, free.pop(index))
            free = dict(enumerate(removed))
        yield from (each.pair for each in left.values())

    def _at_path(self, place: str, target: Target) -> FilePair:
        """Return a file with the old one at its path."""
        file = self._revision.file(place)
        if file and file.is_same:
            return FilePair(target, is_unchanged=True)
        old = self._old(place, target)
        new = self._new(place, target.path, target.name)
        if old and not new and (not is_there(target.path) or is_folder(target.path)):
            return FilePair(target, old)
        read = new or partial(read_bytes, target.name)
        source = _Source(target.name, target.name, read)
        digest = file.digest if file else None
        return FilePair(target, old, source, digest=digest, is_matched=False)

    def _old(self, place: str, target: Target) -> _Source | None:
        file = self._revision.file(place)
        if file is None:
            return None
        name = f"{self._revision.name}:{place}"
        return _Source(name, target.name, partial(self._revision.content, file, name))

    def _new(self, place: str, path: Path, name: str) -> _Read | None:
        """Read what a sparse checkout leaves out of the work tree; return None for all else."""
        if place in self._revision.left_out and not os.path.lexists(path):
            file = self._revision.file(place, in_index=True)
            return partial(self._revision.content, file, name) if file else None
        return None

    @cached_property
    def _known(self) -> list[_Known]:
        """The manifests of the revision, and files of other names that were evidently some."""
        everywhere = dict(_manifests(self._workspace, self._revision, self._revision.entries))
        named = {**everywhere, **self._places}
        return [
            *filter(None, starmap(self._known_at, named.items())),
            *self._with_other_names(named),
        ]

    def _known_at(self, place: str, target: Target) -> _Known | None:
        """Return the manifest at a path of the revision; None if there is none that can be read."""
        file = self._revision.file(place)
        old = self._old(place, target)
        if file is None or file.problem is not None or old is None:
            return None
        read_new = self._new(place, target.path, target.name) or partial(read_bytes, target.path)
        new = self._content(target, read_new)
        real = Path(os.path.realpath(target.path))
        if real != self._revision.root / place and not file.is_linked:
            new = None  # it is behind a link now
        now = self._facts(target, new)
        if new is not None and is_digest(file.digest, new):
            return _Known(place, now, old, now) if now.content else None
        try:
            facts = self._facts(target, old.read(self._workspace.limits(target.folder).bytes))
        except UnreadableFileError as problem:
            if place not in self._places:  # those are told of as they are compared
                self._unread.append(FilePair(target, problem=problem))
            return None
        return _Known(place, facts, old, now) if facts.content else None

    def _content(self, target: Target, read: _Read) -> bytes | None:
        with suppress(UnreadableFileError):
            return read(self._workspace.limits(target.folder).bytes)
        return None

    def _facts(self, target: Target, data: bytes | None) -> _Facts:
        """Return what identifies a manifest; nothing where there is none that can be read."""
        folder = target.folder
        if data is None:
            return _UNKNOWN
        return _facts_of(self._workspace, self._workspace.decode(data, target.name, folder), folder)

    def _with_other_names(self, named: Mapping[str, Target]) -> Iterator[_Known]:
        """Yield what is gone and had no manifest's name, but was one by its content."""
        for place, entry in self._revision.entries.items():
            if place in named or not place.lower().endswith(SUFFIXES):
                continue
            target = _at(self._revision.root / place)
            new = self._content(target, partial(read_bytes, target.path))
            is_unchanged = new is not None and is_digest(entry.digest, new)
            if is_unchanged or self._workspace.excluded(target):
                continue
            old = self._old(place, target)
            if old and _may_be_manifest(self._content(target, old.read)):
                known = self._known_at(place, target)
                # One that is still there need not be meant as a manifest.
                if known and known.is_gone and known.facts.provider is not None:
                    yield known

    def _providers_elsewhere(self) -> set[str | None]:
        """Return the providers of manifests that are new in the rest of the work tree."""
        found = set[str | None]()
        for target in self._workspace.find([Path(os.path.relpath(self._revision.root))]):
            place = self._revision.path_of(target.path)
            if place is None or place in self._places:
                continue
            data = self._content(target, partial(read_bytes, target.path))
            entry = self._revision.entries.get(place)
            if data is not None and not (entry and is_digest(entry.digest, data)):
                found.add(self._facts(target, data).provider)
        return found


def _moved(pair: FilePair, known: _Known) -> FilePair:
    return pair._replace(old=known.old, is_moved=True)


def _nearness(pair: FilePair, new: _Facts, known: _Known) -> tuple[float, bool]:
    """Return how much an old manifest has in common with a new one, then whether in its name."""
    shared = len(new.content & known.facts.content)
    whole = len(new.content) + len(known.facts.content) - shared
    return shared / whole, posixpath.basename(known.place) == pair.target.path.name


def _may_be_manifest(data: bytes | None) -> bool:
    """Return whether a file may have a provider, without decoding it."""
    return data is not None and (b"provider" in data or _SPELLED.search(data) is not None)


def _lacking(
    known: Iterable[_Known], new: _Facts, but_for: _Known | None = None
) -> tuple[_Source, ...]:
    """Return the manifests that lack something of a new one, each but once.

    Of those that say the same it is the first, and none that says the same as `but_for`, with
    which the new one is compared anyway.
    """
    found: dict[_Facts, _Source] = {}
    for each in known:
        if not new.granted <= each.facts.granted:
            found.setdefault(each.facts, each.old)
    if but_for:
        found.pop(but_for.facts, None)
    return tuple(found.values())
