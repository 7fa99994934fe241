"""A folder that is read without following a link, whatever is put in its place meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from manifestkit.files import reason_of, shown
from manifestkit.model.errors import UnreadableFileError

Parts = tuple[str, ...]
"""The names from the folder down to something in it."""

_REPLACED = "was replaced while it was packed: try again when nothing changes it"
_LINKS = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})  # as systems say it
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class Folder(ABC):
    """A folder and what is in it; a context that lets it go.

    A link to the folder itself is followed; in it, none is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let it go."""

    def listed(self, parts: Parts) -> list[tuple[str, os.stat_result]]:
        """What is in a folder of it: the names, and what each is.

        Raises:
            UnreadableFileError: it is no folder any more, or cannot be read.
        """
        with self._named_errors(parts):
            return list(self._listed(parts))

    def open(self, parts: Parts) -> BinaryIO:
        """A regular file of it, open for reading.

        Raises:
            UnreadableFileError: it is no regular file any more, or cannot be read.
        """
        with self._named_errors(parts):
            descriptor = self._opened(parts)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnreadableFileError(shown(self.path.joinpath(*parts)), _REPLACED)
        return open(descriptor, "rb")  # noqa: PTH123 - a descriptor, not a path

    @contextmanager
    def _named_errors(self, parts: Parts) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"cannot be packed: {reason_of(error)}"
            if error.errno in _LINKS and parts:
                reason = _REPLACED
            raise UnreadableFileError(shown(self.path.joinpath(*parts)), reason) from None

    @abstractmethod
    def _listed(self, parts: Parts) -> Iterator[tuple[str, os.stat_result]]: ...

    @abstractmethod
    def _opened(self, parts: Parts) -> int: ...


class FolderByDescriptor(Folder):
    """Each name is looked up in a folder that is open: no link can come between."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with self._named_errors(()):
            self._root = os.open(path, _FOLDER)

    def close(self) -> None:
        """Let go of the descriptor."""
        os.close(self._root)

    def _listed(self, parts: Parts) -> Iterator[tuple[str, os.stat_result]]:
        with self._within(parts) as here, os.scandir(here) as entries:
            for entry in entries:
                yield entry.name, entry.stat(follow_symlinks=False)

    def _opened(self, parts: Parts) -> int:
        with self._within(parts[:-1]) as here:
            return os.open(parts[-1], _FILE | _NO_LINK, dir_fd=here)

    @contextmanager
    def _within(self, parts: Parts) -> Iterator[int]:
        """The descriptor of a folder in this one."""
        here = os.dup(self._root)
        try:
            for part in parts:
                inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


class FolderByPath(Folder):
    """For Windows, which opens nothing by its folder: what was opened is held against its path.

    Each folder on the path, and the file itself, must be no link and the same before and after.
    """

    def close(self) -> None:
        """Nothing is held."""

    def _listed(self, parts: Parts) -> Iterator[tuple[str, os.stat_result]]:
        steps = self._steps(parts)
        for entry in list(self.path.joinpath(*parts).iterdir()):
            yield entry.name, entry.lstat()
        self._hold(steps, parts)

    def _opened(self, parts: Parts) -> int:
        steps = self._steps(parts)
        descriptor = os.open(self.path.joinpath(*parts), _FILE)
        try:
            self._hold([*steps[:-1], os.fstat(descriptor)], parts)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _steps(self, parts: Parts) -> list[os.stat_result]:
        paths = [self.path.joinpath(*parts[: length + 1]) for length in range(len(parts))]
        steps = [path.lstat() for path in paths]
        if any(map(is_link, steps)):
            raise OSError(errno.ELOOP, _REPLACED)
        return [self.path.stat(), *steps]

    def _hold(self, steps: list[os.stat_result], parts: Parts) -> None:
        if not all(map(os.path.samestat, steps, self._steps(parts))):
            raise OSError(errno.ELOOP, _REPLACED)


def is_link(status: os.stat_result) -> bool:
    """Whether something is a link, or what Windows has in place of links to folders."""
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(status.st_mode) or (
        junction is not None and getattr(status, "st_reparse_tag", 0) == junction
    )


def open_folder(path: Path) -> Folder:
    """A folder, as safely as this system can.

    Raises:
        UnreadableFileError: it cannot be read.
    """
    by_descriptor = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and _NO_LINK
    return FolderByDescriptor(path) if by_descriptor else FolderByPath(path)
