"""Find the files of a run."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.files import (
    absolute,
    is_folder,
    is_there,
    posix_name,
    reason_of,
    refuse_link_out,
    relative_name,
    repository,
)
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable

if TYPE_CHECKING:
    from manifestkit.config.exclude import Ignores

_SUFFIXES = (*SUFFIXES, ".json.txt", ".yaml.txt", ".yml.txt")  # as some editors save them
_NAMED = 5  # in a note


class Target(NamedTuple):
    """A file to lint, or a folder that may be excluded.

    Attributes:
        name: the path, as it is shown to the user.
        found: whether it was found in a folder, and not named.
        is_folder: whether it is a folder.
    """

    name: str
    found: bool
    is_folder: bool = False

    @property
    def path(self) -> Path:
        """The path."""
        return Path(self.name)

    @property
    def folder(self) -> str:
        """The name of its folder, with a ``/`` behind; empty for the working folder."""
        return self.name[: self.name.rfind("/") + 1]


class Excluded(NamedTuple):
    """A file or folder that is excluded.

    Attributes:
        name: the path, as it is shown to the user.
        by: the configuration file or the ``.gitignore`` that excludes it.
    """

    name: str
    by: Path


Found = Target | Excluded | UnreadableFileError
"""One result of a search."""


class _Searched(NamedTuple):
    """A folder to search: of what is ignored in it, only what git tracks is found.

    Attributes:
        root: the folder that was named.
        ignores: the ``.gitignore`` files that hold in it.
        ignored_by: the one that ignores all of it, of which git tracks a part.
    """

    path: Path
    root: Path
    ignores: "Ignores"
    ignored_by: Path | None = None

    def ignores_by(self, target: Target) -> Path | None:
        """Return the ``.gitignore`` that ignores a file or folder in it."""
        if self.ignored_by or not self.ignores.files:
            return self.ignored_by
        return self.ignores.file_for(target.path, is_folder=target.is_folder)


class Search:
    """The files that are named, and the manifests in the folders that are; each file once.

    Yields each as it is found, files that are named first. A folder is searched, even if it is
    ignored itself, without what ``.gitignore`` files exclude in it, unless git tracks it or cannot
    say so, without folders that the configuration excludes, and without following links to folders
    or out of it. A named file that does not exist is an error when it is read.

    Args:
        paths: the files and folders.
        excludes: returns the configuration file that excludes a file or folder, if one does.
        finder: given a folder's name with a ``/`` behind, returns a test for names of manifests.
        is_isolated: whether no ``.gitignore`` counts, and no named link out of the working folder
            is followed.

    Attributes:
        folders: the folders that are named.
        unreadable: the folders that could not be searched, and links out of them; so far, as are
            the others.
        excluded: the files and folders that were excluded.
        empty: the folders, as they were named, in which there is no manifest.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        excludes: Callable[[Target], Path | None],
        finder: Callable[[str], Callable[[str], bool]],
        *,
        is_isolated: bool = False,
    ) -> None:
        self._paths = sorted(paths, key=is_folder)
        self.folders = [absolute(each) for each in paths if is_folder(each)]
        self._is_isolated = is_isolated
        self._finder = finder
        self._excludes = excludes
        self._seen: set[str] = set()
        self._tracked = _TrackedFiles()
        self.unreadable: list[UnreadableFileError] = []
        self.excluded: list[Excluded] = []
        self.empty: list[str] = []
        self._unlike: list[str] = []

    @property
    def unlike(self) -> str:
        """The first JSON and YAML files that are not named as manifests are; empty for none."""
        names = [x for x in self._unlike if not self._excludes(Target(x, found=True))]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        return f"{', '.join(map(printable, sorted(names)[:_NAMED]))}{more}"

    @property
    def doubts(self) -> list[str]:
        """Notes on files that git may or may not track."""
        return [
            f"{relative_name(top)}: files that .gitignore excludes are checked, "
            f"as git cannot say which it tracks: {why}"
            for top, why in sorted(self._tracked.problems.items())
        ]

    def reaches(self, path: Path) -> bool:
        """Return whether a file is found in a folder that is named, if the file is there."""
        if self._excludes(Target(posix_name(path), found=True)):
            return False
        return any(x in path.parents and not self._ignores(path, x) for x in self.folders)

    def _ignores(self, path: Path, root: Path) -> bool:
        ignores = self._ignores_above(root)
        for each in reversed((path, *path.parents)):
            if root in each.parents and not self._is_isolated:
                ignores = ignores.within(each.parent)
                if ignores.file_for(each, is_folder=each != path):
                    return True
        return False

    def __iter__(self) -> Iterator[Target]:
        for path in self._paths:
            is_empty = True
            for found in self._named(path):
                is_empty = is_empty and isinstance(found, Excluded)
                if len(self._paths) > 1 and not self._is_new(found):
                    continue
                if isinstance(found, Excluded):
                    self.excluded += [found] if Path(found.name) not in self._paths else []
                elif isinstance(found, UnreadableFileError):
                    self.unreadable.append(found)
                elif by := self._excludes(found):
                    self.excluded.append(Excluded(found.name, by))
                else:
                    yield found
            if is_empty:
                self.empty.append(posix_name(path))

    def _is_new(self, found: Found) -> bool:
        path = found.path if isinstance(found, UnreadableFileError) else found.name
        key = os.path.normcase(absolute(path))
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _named(self, path: Path) -> Iterator[Found]:
        try:
            if self._is_isolated:
                refuse_link_out(path)
        except UnreadableFileError as problem:
            yield problem
        else:
            named = Target(posix_name(path), found=False)
            yield from self._in_folder(path) if is_folder(path) else (named,)

    def _in_folder(self, root: Path) -> Iterator[Found]:
        folders = [_Searched(root, root, self._ignores_above(root))]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(folder.path) as entries:
                    yield from self._among(entries, folder, folders)
            except OSError as error:
                reason = f"the folder cannot be searched: {reason_of(error)}"
                yield UnreadableFileError(posix_name(folder.path), reason)

    def _ignores_above(self, root: Path) -> "Ignores":
        from manifestkit.config.exclude import Ignores  # noqa: PLC0415 - files by name need none of it

        above = Ignores() if self._is_isolated else Ignores.above(root)
        # `dist/*` means `dist`, too.
        is_ignored = above.file_for(root / "any file", is_folder=False)
        return Ignores() if is_ignored else above

    def _among(
        self, entries: Iterable[os.DirEntry[str]], folder: _Searched, folders: list[_Searched]
    ) -> Iterator[Found]:
        """Yield what is found among the entries of a folder, and add the folders to search next."""
        if not self._is_isolated:
            folder = folder._replace(ignores=folder.ignores.within(folder.path))
        prefix = _prefix(folder.path)
        is_manifest = self._finder(prefix)
        for entry in entries:
            target = Target(prefix + entry.name, found=True)
            if entry.name == ".git":
                continue
            if entry.is_dir(follow_symlinks=False):
                target = target._replace(is_folder=True)
                by = folder.ignores_by(target)
                if by and not self._tracked.has(target.path, is_folder=True):
                    yield Excluded(target.name, by)
                elif self._excludes(target):
                    yield target
                else:
                    folders.append(folder._replace(path=folder.path / entry.name, ignored_by=by))
            elif is_manifest(entry.name) or (entry.is_symlink() and is_folder(entry)):
                yield from self._file(folder.root, entry, target, folder.ignores_by(target))
            elif folder.ignored_by is None and entry.name.lower().endswith(_SUFFIXES):
                self._unlike.append(target.name)

    def _file(
        self, root: Path, entry: os.DirEntry[str], target: Target, ignored_by: Path | None
    ) -> Iterator[Found]:
        """Yield a file or a link with a manifest's name, if it counts, or is excluded."""
        if ignored_by and not self._tracked.has(target.path, is_folder=False):
            yield Excluded(target.name, ignored_by)
        elif entry.is_symlink():
            target = target._replace(is_folder=is_folder(entry))
            try:
                refuse_link_out(target.path, [root])
                yield from () if target.is_folder else (target,)
            except UnreadableFileError as problem:
                yield target if self._excludes(target) else problem
        else:
            yield target


def _prefix(folder: Path) -> str:
    name = posix_name(folder)
    return "" if name == "." else name if name.endswith("/") else f"{name}/"


class _TrackedFiles:
    """The files that git tracks, read from the index of each repository that is asked about.

    Attributes:
        problems: why git cannot list them, by the top of the repository.
    """

    def __init__(self) -> None:
        self.problems: dict[Path, str] = {}
        self._top = cache(repository)
        self._files = cache(self._listed)

    def has(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether git tracks a file, or anything in a folder; a submodule is tracked.

        Where git cannot say, it may.
        """
        real = Path(os.path.realpath(path if is_folder else path.parent))
        if not is_folder:
            real /= path.name
        top = self._top(real.parent)
        if top is None:
            return False
        return os.fsencode(real.relative_to(top).as_posix()) in self._files(top) or (
            top in self.problems
        )

    def _listed(self, top: Path) -> set[bytes]:
        """Return the tracked files, and the folders that they are in."""
        from manifestkit.engine.git import Git, NoRepositoryError  # noqa: PLC0415 - slow, rare

        found: set[bytes] = set()
        try:
            for file in Git(top).output("ls-files", "-z", "--cached").split(b"\0")[:-1]:
                while file not in found:
                    found.add(file)
                    file = file.rpartition(b"/")[0]  # noqa: PLW2901 - the folder it is in
        except NoRepositoryError:
            if is_there(top / ".git" / "objects"):  # else `.git` is something else
                self.problems[top] = "git finds no repository here: is `.git/HEAD` damaged?"
        except ConfigurationError as error:
            self.problems[top] = str(error)
        return found
