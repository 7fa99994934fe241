"""A folder that is read without following a link, whatever is put in its place meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from manifestkit.files import reason_of, shown
from manifestkit.model.errors import UnreadableFileError

Parts = tuple[str, ...]
"""The names from the folder down to something in it."""

_REPLACED = "was replaced while it was packed: try again when nothing changes it"
_LINKS = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})  # as systems say it
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _NO_LINK
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


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

    def listed(self, parts: Parts) -> list[tuple[str, os.stat_result]]:
        """Return what is in a folder of it: the names, and what each is.

        Raises:
            UnreadableFileError: it is no folder any more, or cannot be read.
        """
        with (
            self._named_errors(parts),
            self._within(parts) as here,
            os.scandir(self.path.joinpath(*parts) if here is None else here) as entries,
        ):
            return [(each.name, each.stat(follow_symlinks=False)) for each in entries]

    def open(self, parts: Parts) -> BinaryIO:
        """Open a regular file of it for reading.

        Raises:
            UnreadableFileError: it is no regular file any more, or cannot be read.
        """
        path = self.path.joinpath(*parts)
        with self._named_errors(parts), self._within(parts[:-1]) as here:
            name = path if here is None else parts[-1]
            descriptor = os.open(name, _FILE, dir_fd=here)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnreadableFileError(shown(path), _REPLACED)
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

    @contextmanager
    def _within(self, parts: Parts) -> Iterator[int | None]:
        """The descriptor of a folder in this one; None where the system has none."""
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


def is_link(status: os.stat_result) -> bool:
    """Whether something is a link, or what Windows has in place of links to folders."""
    junction = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(status.st_mode) or (
        junction is not None and getattr(status, "st_reparse_tag", 0) == junction
    )
