"""Sources of a site: a folder, or a zip archive; both are listed and read as entries.

A folder is read without following a link, whatever is put in its place meanwhile. An archive is
read by its list of entries, as Python's `zipfile` has it.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from manifestkit.files import open_regular, posix_name, read_bytes, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.leaving_out import IGNORE_FILE, MOST_IGNORE_BYTES, LeavingOut, LeftOut
from manifestkit.publish.names import entry_name

CHUNK = 256 * 1024
CHANGED = "changed while it was packed: try again when nothing changes it"
_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_BINARY", "O_NOFOLLOW"):
    _FLAGS |= getattr(os, _flag, 0)
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # classic, strong, masked headers
_REPARSE_POINT = 0x0400  # how Windows marks a link
_MOST_DIRECTORY = 512  # bytes for each entry that is allowed
_SIGNATURE = b"PK\1\2"
_DAMAGED = (  # what zipfile raises for bytes that are no archive
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class SiteEntry(NamedTuple):
    """A file or folder of a site.

    Attributes:
        name: its name in the site; that of a folder ends in a slash.
        size: its size in bytes.
        key: changes when its content may have changed.
        read: yields its content, piece by piece.
        problem: why it cannot be packed; None if it can.
    """

    name: str
    size: int
    key: object
    read: Callable[[], Iterator[bytes]]
    problem: str | None = None

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return self.name.endswith("/")


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file may have changed."""
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


class Folder:
    """A folder; a link to the folder itself is followed, and none within.

    A file is read only if it is the very one that was listed: what a link put in its place leads
    to, or in that of a folder above it, has another identity.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def close(self) -> None:
        """Close it; nothing is open."""

    def shown(self, name: str) -> str:
        """Return how a file in it is named to the user."""
        return f"{posix_name(self.path)}/{name}"

    def ignore_file(self) -> bytes | None:
        """Return the content of the ignore file; None where there is none."""
        path = self.path / IGNORE_FILE
        return read_bytes(path, MOST_IGNORE_BYTES) if os.path.lexists(path) else None

    def entries(self, leaving_out: LeavingOut, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield the files in it, without what is left out.

        Raises:
            UnreadableFileError: a folder cannot be read.
        """
        root = os.path.realpath(self.path)
        for folder, folders, files, descriptor in _walk(root):
            above = Path(folder).relative_to(root).parts
            names, folders[:] = (*folders, *files), []
            for own_name in names:
                name, path = "/".join((*above, own_name)), Path(folder, own_name)
                with self._unchanged(name):
                    status = path.lstat()
                    if descriptor is not None:  # no link can have come between
                        status = os.stat(own_name, dir_fd=descriptor, follow_symlinks=False)
                is_folder = stat.S_ISDIR(status.st_mode) and not _is_link(status)
                if reason := leaving_out.reason(name, is_folder=is_folder):
                    left_out.append(reason)
                    continue
                problem = _problem(name, status)
                if is_folder and problem is None:
                    folders.append(own_name)
                    continue
                key = _identity(status)
                read = partial(self._read, name, path, key)
                yield SiteEntry(name, status.st_size, key, read, problem)

    def _read(self, name: str, path: Path, key: tuple[int, ...]) -> Iterator[bytes]:
        with self._unchanged(name):
            descriptor = os.open(path, _FLAGS)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
                is_same = _identity(os.fstat(descriptor)) == key
                left = os.fstat(descriptor).st_size
                while is_same and left >= 0 and (chunk := file.read(CHUNK)):
                    left -= len(chunk)
                    yield chunk
                if left or _identity(os.fstat(descriptor)) != key:
                    raise UnreadableFileError(self.shown(name), CHANGED)

    @contextmanager
    def _unchanged(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"{CHANGED} ({reason_of(error)})"
            raise UnreadableFileError(self.shown(name), reason) from None


def _walk(root: str) -> Iterator[tuple[str, list[str], list[str], int | None]]:
    """Walk a tree from its root down; by descriptors, so that no link can come between."""

    def fail(error: OSError) -> None:
        reason = f"cannot be packed: {reason_of(error)}"
        raise UnreadableFileError(posix_name(error.filename or root), reason) from None

    if hasattr(os, "fwalk"):
        yield from os.fwalk(root, onerror=fail)
    else:  # Windows opens nothing by its folder
        yield from ((*each, None) for each in os.walk(root, onerror=fail))


def _is_link(status: os.stat_result) -> bool:
    # Windows has junctions in place of links to folders.
    is_junction = _JUNCTION is not None and getattr(status, "st_reparse_tag", 0) == _JUNCTION
    return stat.S_ISLNK(status.st_mode) or is_junction


def _problem(name: str, status: os.stat_result) -> str | None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return "has a name that is not UTF-8; rename it"
    if _is_link(status):
        return f"is a link; replace it by a file, or list it in {IGNORE_FILE}"
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return f"is not a regular file; remove it, or list it in {IGNORE_FILE}"
    return None


class DamagedArchiveError(UnreadableFileError):
    """An archive, or a file in it, that cannot be read as its list of entries says."""


class Archive:
    """A zip file."""

    def __init__(self, path: Path, most_entries: int) -> None:
        self.path = path
        self._bytes = _Reader(open_regular(path))  # type: ignore[arg-type]  # it is one
        self._bytes.most_entries = most_entries
        try:
            self._archive = zipfile.ZipFile(self._bytes)
        except (*_DAMAGED, DamagedArchiveError) as error:
            self._bytes.close()
            raise DamagedArchiveError(posix_name(path), _damage(error)) from None
        self._bytes.most_entries = None

    def close(self) -> None:
        """Close it."""
        self._archive.close()
        self._bytes.close()

    def shown(self, name: str) -> str:
        """Return how a file in it is named to the user."""
        return f"{posix_name(self.path)}!/{name}"

    def ignore_file(self) -> bytes | None:
        """Return the content of the ignore file, or so much that it is too long; None without.

        Raises:
            ConfigurationError: it is no text file.
        """
        found = [info for info in self._archive.infolist() if entry_name(info) == IGNORE_FILE]
        if not found:
            return None
        if _entry_problem(found[-1]):
            raise ConfigurationError(f"{self.shown(IGNORE_FILE)}: it must be a text file")
        chunks = self._read(found[-1], IGNORE_FILE)
        return b"".join(islice(chunks, MOST_IGNORE_BYTES // CHUNK + 1))

    def entries(self, leaving_out: LeavingOut, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield the files and folders in it, without what is left out."""
        status = os.fstat(self._bytes.fileno()), self.path.stat()
        key = tuple(map(_identity, status))

        @cache
        def is_left_out(name: str, *, is_folder: bool) -> bool:
            reason = leaving_out.reason(name, is_folder=is_folder)
            left_out.extend(filter(None, [reason]))
            return reason is not None

        for info in self._archive.infolist():
            known = entry_name(info)
            name = info.orig_filename if known is None else known
            parts = name.removesuffix("/").split("/")
            paths = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            is_plain = not {"", ".", ".."} & set(parts)
            if is_plain and any(
                is_left_out(path, is_folder=name.endswith("/") or path != paths[-1])
                for path in paths
            ):
                continue
            problem = _entry_problem(info)
            yield SiteEntry(name, info.file_size, key, partial(self._read, info, name), problem)

    def _read(self, info: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
        left = info.file_size
        try:
            with self._archive.open(info) as file:
                while chunk := file.read(CHUNK):
                    left -= len(chunk)
                    yield chunk
        except _DAMAGED as error:
            raise DamagedArchiveError(self.shown(name), _damage(error)) from None
        if left:
            reason = "does not have the size that the archive says"
            raise DamagedArchiveError(self.shown(name), reason)


class _Reader(io.BufferedReader):
    """The bytes of an archive; `most_entries` bounds the list that zipfile reads as a whole."""

    most_entries: int | None = None

    def read(self, size: int | None = -1) -> bytes:
        if self.most_entries is None or size is None:
            return super().read(size)
        is_long = size > max(_MOST_DIRECTORY * self.most_entries, 1 << 20)
        data = b"" if is_long else super().read(size)
        if is_long or data.count(_SIGNATURE) > self.most_entries:
            raise DamagedArchiveError(
                "",
                f"it has more than {self.most_entries:,} entries: raise `max-entries` under "
                "[publish]",
            )
        return data


def _damage(error: Exception) -> str:
    if isinstance(error, DamagedArchiveError):
        return error.reason
    if isinstance(error, UnicodeDecodeError):
        return "has a name that is marked as UTF-8 and is not"
    if isinstance(error, zipfile.BadZipFile | NotImplementedError):
        text = printable(str(error))
        return f"cannot be unpacked: {text[:1].lower()}{text[1:]}"
    return f"cannot be unpacked ({type(error).__name__})"


def _entry_problem(info: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    name = entry_name(info)
    if name is None:
        return "has a name that is not UTF-8; pack it with a tool that writes UTF-8 names"
    is_folder = name.endswith("/")
    if kind == stat.S_IFLNK or info.external_attr & _REPARSE_POINT:
        return "is a link; replace it by a file"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "is not a regular file; remove it"
    if (kind == stat.S_IFDIR and not is_folder) or (is_folder and info.file_size):
        return "is a folder and a file"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it without a password"
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"is compressed by method {info.compress_type}; pack it with deflate"
    return None
