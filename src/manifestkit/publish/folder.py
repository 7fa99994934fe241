"""A folder as a site, read without following a link, whatever is put in its place meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from manifestkit.files import posix_name, read_bytes, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.publish.entry import CHANGED, CHUNK, SiteEntry, identity
from manifestkit.publish.ignoring import IGNORE_FILE, MOST_IGNORE_BYTES, Ignoring, LeftOut

_Parts = tuple[str, ...]  # the names from the folder down to something in it
_REPLACED = "was replaced while it was packed: try again when nothing changes it"
_LINKS = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})  # as systems say it
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _NO_LINK
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)


class Folder:
    """A folder, where each name is looked up in a folder that is open: no link can come between.

    A link to the folder itself is followed; in it, none is. Windows opens nothing by its folder:
    there, only the identity of what is opened tells whether it is what was listed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root: int | None = None
        if _BY_DESCRIPTOR:
            with self._named_errors(()):
                self._root = os.open(path, _FOLDER)

    def close(self) -> None:
        """Close it."""
        if self._root is not None:
            os.close(self._root)

    def shown(self, name: str) -> str:
        """Return how a file in it is named to the user."""
        return f"{posix_name(self.path)}/{name}"

    def ignore_file(self) -> bytes | None:
        """Return the content of the ignore file; None where there is none.

        Raises:
            ConfigurationError: it is no text file.
        """
        path = self.path / IGNORE_FILE
        if not os.path.lexists(path):
            return None
        try:
            return read_bytes(path, MOST_IGNORE_BYTES)
        except UnreadableFileError as error:
            reason = error.reason.partition(":")[0]
            raise ConfigurationError(
                f"{posix_name(path)}: {reason}; it must be a text file"
            ) from None

    def entries(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield what is in it, without what is left out.

        Raises:
            UnreadableFileError: a folder in it cannot be read.
        """
        todo: list[_Parts] = [()]
        while todo:
            here = todo.pop()
            for own_name, status in self._listed(here):
                parts = (*here, own_name)
                name = "/".join(parts)
                is_folder = stat.S_ISDIR(status.st_mode) and not _is_link(status)
                if reason := ignoring.reason(name, is_folder=is_folder):
                    left_out.append(reason)
                elif is_folder and _is_utf8(name):
                    todo.append(parts)
                else:
                    key = identity(status)
                    read = partial(self._read, parts, key)
                    problems = tuple(_problems(name, status))
                    yield SiteEntry(name, status.st_size, key, read, problems)

    def _listed(self, parts: _Parts) -> list[tuple[str, os.stat_result]]:
        with (
            self._named_errors(parts),
            self._within(parts) as here,
            os.scandir(self.path.joinpath(*parts) if here is None else here) as entries,
        ):
            return [(each.name, each.stat(follow_symlinks=False)) for each in entries]

    def _read(self, parts: _Parts, key: tuple[int, ...]) -> Iterator[bytes]:
        with self._opened(parts) as file:
            status = os.fstat(file.fileno())
            left = status.st_size if identity(status) == key else -1
            while left >= 0 and (chunk := file.read(CHUNK)):
                left -= len(chunk)
                yield chunk
        if left:
            raise UnreadableFileError(self.shown("/".join(parts)), CHANGED)

    def _opened(self, parts: _Parts) -> BinaryIO:
        path = self.path.joinpath(*parts)
        with self._named_errors(parts), self._within(parts[:-1]) as here:
            name = path if here is None else parts[-1]
            descriptor = os.open(name, _FILE, dir_fd=here)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnreadableFileError(posix_name(path), _REPLACED)
        return open(descriptor, "rb")  # noqa: PTH123 - a descriptor, not a path

    @contextmanager
    def _named_errors(self, parts: _Parts) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"cannot be packed: {reason_of(error)}"
            if error.errno in _LINKS and parts:
                reason = _REPLACED
            raise UnreadableFileError(posix_name(self.path.joinpath(*parts)), reason) from None

    @contextmanager
    def _within(self, parts: _Parts) -> Iterator[int | None]:
        """Yield the descriptor of a folder in this one; None where the system has none."""
        if self._root is None:
            yield None
            return
        here = os.dup(self._root)
        try:
            for part in parts:
                inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=here)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


def _is_link(status: os.stat_result) -> bool:
    """Return whether something is a link, or what Windows has in place of links to folders."""
    is_junction = _JUNCTION is not None and getattr(status, "st_reparse_tag", 0) == _JUNCTION
    return stat.S_ISLNK(status.st_mode) or is_junction


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _problems(name: str, status: os.stat_result) -> Iterator[str]:
    if not _is_utf8(name):
        yield "has a name that is not UTF-8; rename it"
    if _is_link(status):
        yield f"is a link; replace it by a file, or list it in {IGNORE_FILE}"
    elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        yield f"is not a regular file; remove it, or list it in {IGNORE_FILE}"
