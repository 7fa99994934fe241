"""Files of a site, wherever they are: what folders and archives are listed and read as."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

CHUNK = 256 * 1024
CHANGED = "changed while it was packed: try again when nothing changes it"


class SiteEntry(NamedTuple):
    """A file or folder of a site.

    Attributes:
        name: its name in the site; that of a folder ends in a slash.
        size: its size in bytes.
        key: changes when its content may have changed.
        read: yields its content, piece by piece.
        problems: why it cannot be packed.
    """

    name: str
    size: int
    key: object
    read: Callable[[], Iterator[bytes]]
    problems: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return self.name.endswith("/")


def identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file may have changed."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
