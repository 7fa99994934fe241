"""Which manifests of a revision in git the files of the work tree are compared with."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.git import ContentReader, Revision
from manifestkit.changes.pairs import (
    UNKNOWN,
    Facts,
    FilePair,
    ManifestSource,
    Read,
    Unmatched,
    facts_of,
    folded,
)
from manifestkit.engine import Target, Workspace
from manifestkit.files import is_folder, is_there, posix_name, read_bytes
from manifestkit.model.errors import UnreadableFileError

_SUFFIXES = (".json", ".yaml", ".yml")
# An escape that a letter may be written with, a line that goes on, or UTF-16.
_SPELLED = re.compile(rb"\\[uUx/\r\n]|\0")


def of_revision(
    workspace: Workspace,
    revision: Revision,
    paths: Sequence[Path],
    found: Iterable[Target],
    reader: ContentReader,
) -> Matching:
    """Return the files of the work tree, each with what it is compared with in a revision.

    This is the manifest at the same path. One whose provider was not at that path is compared with
    those of the same provider id that are gone from their paths: as moved from one of them, and
    with the others in what it has more. Where none is gone, it is a copy of those that are there.

    Args:
        workspace: how manifests are judged, and which are excluded.
        revision: the revision.
        paths: the files and folders that were named.
        found: the files in the work tree that these are, or have in them.
        reader: reads contents of the repository.
    """
    named = _manifests(workspace, revision, _named(revision, paths, reader))
    places = {
        place: target
        for place, target in named
        if place in revision.left_out or reader.file(place, revision.entries)
    }
    refused = list[FilePair]()
    for target in found:
        there = revision.path_of(target.path)
        if there is None:
            problem = UnreadableFileError(target.name, "is outside of this repository")
            refused.append(FilePair(target, problem=problem))
            continue
        is_gone_folder = not is_there(target.path) and any(_is_in(each, there) for each in places)
        if not is_gone_folder:
            places[there] = target
    return Matching(workspace, revision, places, refused, reader)


def _named(revision: Revision, paths: Sequence[Path], reader: ContentReader) -> Iterator[str]:
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
                yield from _behind_changed_link(revision, each, reader)


def _behind_changed_link(revision: Revision, link: str, reader: ContentReader) -> Iterator[str]:
    folder = reader.behind(link, revision.entries)
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


def _facts(workspace: Workspace, target: Target, read: Read) -> Facts:
    """Return what identifies a manifest, as far as its file can be read."""
    folder = target.folder
    with suppress(UnreadableFileError):
        data = read(workspace.limits(folder).bytes)
        return facts_of(workspace, workspace.decode(data, target.name, folder), folder)
    return UNKNOWN


def _may_have(data: bytes, identifiers: Iterable[str]) -> bool:
    """Return whether a file may have one of some folded provider ids, without decoding it."""
    if _SPELLED.search(data):
        return True
    text = folded(data.decode(errors="replace"))
    return any(each in text for each in identifiers)


class _Known(NamedTuple):
    """A manifest of a revision, whose provider id is known."""

    place: str  # its path in the revision
    facts: Facts
    old: ManifestSource


class Matching:
    """The manifests of a work tree, each with what it is compared with in a revision.

    Args:
        workspace: how manifests are judged, and which are excluded.
        revision: the revision.
        places: files of any name that are manifests too, by their paths in the revision.
        refused: files that cannot be compared.
        reader: reads contents of the repository.

    Attributes:
        pairs: the files in the work tree, each with the one at its path in the revision.
    """

    def __init__(
        self,
        workspace: Workspace,
        revision: Revision,
        places: Mapping[str, Target],
        refused: Sequence[FilePair],
        reader: ContentReader,
    ) -> None:
        self._workspace = workspace
        self._revision = revision
        self._places = places
        self._reader = reader
        self._gone: dict[str | None, list[_Known]] = {}
        self._sought: set[str] = set()
        at_path = [self._at_path(place, target) for place, target in places.items()]
        self.pairs = [*refused, *(each for each in at_path if each.new or each.is_unchanged)]
        self._removed = [each for each in at_path if not each.new and not each.is_unchanged]

    def match(self, unmatched: Sequence[Unmatched]) -> list[FilePair]:
        """Return the pairs whose provider is new at their path as they are compared.

        With them, the manifests that are gone and were not moved.
        """
        self._sought = {each.new.provider for each in unmatched if each.new.provider is not None}
        found, removed = [], list(self._removed)
        for pair, old, new in unmatched:
            if new.is_foreign:
                removed.append(pair._replace(new=None, is_matched=True))
            else:
                is_replaced = old.is_foreign and self._workspace.may_skip(pair.target)
                found.append(self._matched(pair._replace(old=None) if is_replaced else pair, new))
        taken = {each.old.name for each in found if each.is_moved and each.old}
        return [*found, *(each for each in removed if each.old and each.old.name not in taken)]

    def _at_path(self, place: str, target: Target) -> FilePair:
        """Return a file with the old one at its path."""
        file = self._reader.file(place, self._revision.entries)
        if file and file.is_same:
            return FilePair(target, is_unchanged=True)
        old = self._old(place, target)
        new = self._new(place, target.path, target.name)
        if old and not new and (not is_there(target.path) or is_folder(target.path)):
            return FilePair(target, old)
        read = new or partial(read_bytes, target.name)
        source = ManifestSource(target.name, target.name, read)
        digest = file.digest if file else None
        return FilePair(target, old, source, digest=digest, is_matched=False)

    def _matched(self, pair: FilePair, new: Facts) -> FilePair:
        """Return a file whose provider is new at its path, with that provider's old manifests."""
        pair = pair._replace(is_matched=True, digest=None)
        known = self._by_provider.get(new.provider, [])
        gone = self._gone_of(new.provider)
        if pair.old or not gone:
            return pair._replace(others=_lacking(gone or known, new))
        # What moved may have been any of them: a permission is new that one of them lacks.
        name = pair.target.path.name
        old = min(gone, key=lambda each: posixpath.basename(each.place) != name)
        return pair._replace(old=old.old, others=_lacking(gone, new, old), is_moved=True)

    def _old(self, place: str, target: Target) -> ManifestSource | None:
        file = self._reader.file(place, self._revision.entries)
        if file is None:
            return None
        name = f"{self._revision.name}:{place}"
        return ManifestSource(name, target.name, partial(self._reader.content, file, name))

    def _new(self, place: str, path: Path, name: str) -> Read | None:
        """Read what a sparse checkout leaves out of the work tree; return None for all else."""
        if place in self._revision.left_out and not os.path.lexists(path):
            file = self._reader.file(place, self._revision.index)
            return partial(self._reader.content, file, name) if file else None
        return None

    @cached_property
    def _by_provider(self) -> dict[str | None, list[_Known]]:
        found = defaultdict[str | None, list[_Known]](list)
        everywhere = dict(_manifests(self._workspace, self._revision, self._revision.entries))
        named = {**everywhere, **self._places}
        for place, target in named.items():
            if known := self._known(place, target):
                found[known.facts.provider].append(known)
        for place, target in self._with_other_names(named):
            known = self._known(place, target)
            # One that is still there need not be meant as a manifest.
            if known and self._is_gone(place, known.facts.provider):
                found[known.facts.provider].append(known)
        return dict(found)

    def _known(self, place: str, target: Target) -> _Known | None:
        if old := self._old(place, target):
            facts = _facts(self._workspace, target, old.read)
            return _Known(place, facts, old) if facts.provider is not None else None
        return None

    def _with_other_names(self, named: Mapping[str, Target]) -> Iterator[tuple[str, Target]]:
        """Files without a manifest's name that may have one of the provider ids looked for."""
        most = self._workspace.limits("").bytes
        for place in self._revision.entries:
            if place in named or not place.lower().endswith(_SUFFIXES):
                continue
            target = _at(self._revision.root / place)
            with suppress(UnreadableFileError):
                old = self._old(place, target)
                if (
                    old
                    and _may_have(old.read(most), self._sought)
                    and not self._workspace.excluded(target)
                ):
                    yield place, target

    def _gone_of(self, provider: str | None) -> list[_Known]:
        """Return the manifests of a provider that are not at their paths in the work tree."""
        if provider not in self._gone:
            known = self._by_provider.get(provider, [])
            self._gone[provider] = [each for each in known if self._is_gone(each.place, provider)]
        return self._gone[provider]

    def _is_gone(self, place: str, provider: str | None) -> bool:
        path = self._revision.root / place
        file = self._reader.file(place, self._revision.entries)
        if Path(os.path.realpath(path)) != path and not (file and file.is_linked):
            return True  # it is behind a link now
        target = _at(path)
        read = self._new(place, path, target.name) or partial(read_bytes, path)
        return _facts(self._workspace, target, read).provider != provider


def _lacking(
    known: Iterable[_Known], new: Facts, but_for: _Known | None = None
) -> tuple[ManifestSource, ...]:
    """Return the manifests that lack something of a new one, each but once.

    Of those that say the same it is the first, and none that says the same as `but_for`, with
    which the new one is compared anyway.
    """
    found: dict[Facts, ManifestSource] = {}
    for each in known:
        if not new.granted <= each.facts.granted:
            found.setdefault(each.facts, each.old)
    if but_for:
        found.pop(but_for.facts, None)
    return tuple(found.values())
