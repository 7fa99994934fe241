"""Which manifests of a revision in git the files of the work tree are compared with."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.git import ContentReader, Revision
from manifestkit.changes.pairs import FilePair, ManifestSource, Read
from manifestkit.engine import Target, Workspace
from manifestkit.files import is_folder, is_there, posix_name, read_bytes
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.pointer import Path as Pointer

_SUFFIXES = (".json", ".yaml", ".yml")
# An escape that a letter may be written with, a line that goes on, or UTF-16.
_SPELLED = re.compile(rb"\\[uUx/\r\n]|\0")


def of_revision(
    workspace: Workspace,
    revision: Revision,
    paths: Sequence[Path],
    found: Iterable[Target],
    reader: ContentReader,
) -> list[FilePair]:
    """Files of the work tree, each with what it is compared with in a revision.

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
    past = _Past(workspace, revision, places, reader)
    matched = past.compared()
    taken = {each.old.name for each in matched if each.is_moved and each.old}
    left = (each for each in matched if each.new or not each.old or each.old.name not in taken)
    return sorted([*refused, *left], key=lambda each: each.target.name)


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


class _Facts(NamedTuple):
    """Identity of a manifest.

    Attributes:
        is_foreign: whether it is evidently another format's.
        provider: what equals that of any spelling of the same provider id; None without one.
        granted: the permissions and other members of sets, each with its place.
    """

    is_foreign: bool = False
    provider: str | None = None
    granted: frozenset[tuple[Pointer, str]] = frozenset()


_UNKNOWN = _Facts()


def _facts(workspace: Workspace, target: Target, read: Read) -> _Facts:
    """Return what identifies a manifest, as far as its file can be read."""
    folder = target.folder
    with suppress(UnreadableFileError):
        decoded = workspace.decode(read(workspace.limits(folder).bytes), target.name, folder)
        document = decoded.document
        if workspace.foreign_kind(decoded, folder):
            return _Facts(is_foreign=True)
        schema = workspace.schema_of(document, folder)
        provider = document.value_or_none(schema.identifier) if schema.identifier else None
        if isinstance(provider, str):
            return _Facts(
                provider=_folded(provider),
                granted=frozenset(
                    (place, each)
                    for place in schema.sets
                    if isinstance(members := document.value_or_none(place), list)
                    for each in members
                    if isinstance(each, str)
                ),
            )
    return _UNKNOWN


def _folded(identifier: str) -> str:
    # A host may take ids for equal that differ in case or in Unicode form.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", identifier).casefold())


def _may_have(data: bytes, identifiers: Iterable[str]) -> bool:
    """Return whether a file may have one of some folded provider ids, without decoding it."""
    if _SPELLED.search(data):
        return True
    text = _folded(data.decode(errors="replace"))
    return any(each in text for each in identifiers)


class _Known(NamedTuple):
    """A manifest of a revision, whose provider id is known.

    Attributes:
        place: its path in the revision.
        facts: what is in it.
        old: the manifest.
    """

    place: str
    facts: _Facts
    old: ManifestSource


class _Past:
    """The manifests of a revision, by their provider ids.

    Args:
        workspace: how manifests are judged, and which are excluded.
        revision: the revision.
        places: files of any name that are manifests too, by their paths in the revision.
        reader: reads contents of the repository.
    """

    def __init__(
        self,
        workspace: Workspace,
        revision: Revision,
        places: Mapping[str, Target],
        reader: ContentReader,
    ) -> None:
        self._workspace = workspace
        self._revision = revision
        self._places = places
        self._reader = reader
        self._gone: dict[str | None, list[_Known]] = {}
        self._sought: set[str] = set()

    def compared(self) -> list[FilePair]:
        """Return the files, each with what it is compared with."""
        pairs = [self._at_path(place, target) for place, target in self._places.items()]
        self._sought = {new.provider for _, new in pairs if new and new.provider is not None}
        return [self._matched(pair, new) if new else pair for pair, new in pairs]

    def _at_path(self, place: str, target: Target) -> tuple[FilePair, _Facts | None]:
        """Return a file with the old one at its path, and facts if its provider is new there."""
        old = self._old(place, target)
        new = self._new(place, target.path, target.name)
        is_gone = old and not new and (not is_there(target.path) or is_folder(target.path))
        read = new or partial(read_bytes, target.name)
        pair = FilePair(
            target, old, None if is_gone else ManifestSource(target.name, target.name, read)
        )
        if not pair.new or self._is_same(pair):
            return pair._replace(is_unchanged=bool(pair.new)), None
        one = _facts(self._workspace, target, old.read) if old else _UNKNOWN
        two = _facts(self._workspace, target, pair.new.read)
        if self._workspace.may_skip(target):
            if two.is_foreign and one.provider is not None:
                return pair._replace(new=None), None
            if one.is_foreign and two.provider is not None:
                pair = pair._replace(old=None)
        return pair, None if two.provider in (None, one.provider) else two

    def _matched(self, pair: FilePair, new: _Facts) -> FilePair:
        """Return a file whose provider is new at its path, with that provider's old manifests."""
        known = self._by_provider.get(new.provider, [])
        gone = self._gone_of(new.provider)
        if pair.old or not gone:
            return pair._replace(others=_lacking(gone or known, new))
        # What moved may have been any of them: a permission is new that one of them lacks.
        name = pair.target.path.name
        old = min(gone, key=lambda each: posixpath.basename(each.place) != name)
        return pair._replace(old=old.old, others=_lacking(gone, new, old), is_moved=True)

    def _is_same(self, pair: FilePair) -> bool:
        """Return whether a file is unchanged."""
        most = self._workspace.limits(pair.target.folder).bytes
        with suppress(UnreadableFileError):
            if pair.old and pair.new:
                old = pair.old.read(most)
                return len(old) <= most and old == pair.new.read(most)
        return False

    def _old(self, place: str, target: Target) -> ManifestSource | None:
        file = self._reader.file(place, self._revision.entries)
        name = f"{self._revision.name}:{place}"
        return (
            ManifestSource(name, target.name, partial(self._reader.content, file, name))
            if file
            else None
        )

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
    known: Iterable[_Known], new: _Facts, but_for: _Known | None = None
) -> tuple[ManifestSource, ...]:
    """Manifests that lack something of a new one: of those that say the same, the first.

    Args:
        known: the manifests.
        new: what the new one has.
        but_for: one that it is compared with anyway.
    """
    found: dict[_Facts, ManifestSource] = {}
    for each in known:
        if not new.granted <= each.facts.granted:
            found.setdefault(each.facts, each.old)
    if but_for:
        found.pop(but_for.facts, None)
    return tuple(found.values())
