"""Sources of a site: a folder, or a zip archive; both are listed and read as entries.

A folder is read without following a link, whatever is put in its place meanwhile. An archive is
read by its list of entries, as Python's `zipfile` has it.
"""

from __future__ import annotations

import errno
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
from typing import BinaryIO, NamedTuple

from manifestkit.files import open_regular, posix_name, read_bytes, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.ignoring import IGNORE_FILE, MOST_IGNORE_BYTES, Ignoring, LeftOut
from manifestkit.publish.names import utf8_name

CHUNK = 256 * 1024
CHANGED = "changed while it was packed: try again when nothing changes it"
_Parts = tuple[str, ...]  # the names from the folder down to something in it
_REPLACED = "was replaced while it was packed: try again when nothing changes it"
_LINKS = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})  # as systems say it
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _NO_LINK
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
_UTF8 = 0x0800
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # classic, strong, masked headers
_REPARSE_POINT = 0x0400  # how Windows marks a link
_UNICODE_NAME = 0x7075
_MOST_DIRECTORY = 512  # bytes for each entry that is allowed
_MOST_COMPARED = 500_000_000  # characters of names, with each pattern: some seconds
_EACH_NAME = 40  # characters take as long as any other step of a comparison
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


class Folder:
    """A folder, where each name is looked up in a folder that is open: no link can come between.

    A link to the folder itself is followed. Windows opens nothing by its folder: there, only the
    identity of what is opened tells whether it is what was listed.
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
            shown, reason = posix_name(path), error.reason.partition(":")[0]
            raise ConfigurationError(f"{shown}: {reason}; it must be a text file") from None

    def entries(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield what is in it, without what is left out."""
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
        """Yield the descriptor of a folder in it; None where the system has none."""
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
    # Windows has junctions in place of links to folders.
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


class DamagedArchiveError(UnreadableFileError):
    """An archive, or a file in it, that cannot be read as its list of entries says."""


class Archive:
    """A zip file; of two files with one name the later one counts."""

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
        found = [info for info in self._archive.infolist() if _name(info)[0] == IGNORE_FILE]
        if not found:
            return None
        if any(_kind_problems(found[-1], IGNORE_FILE)):
            raise ConfigurationError(f"{self.shown(IGNORE_FILE)}: it must be a text file")
        chunks = self._read(found[-1], IGNORE_FILE)
        return b"".join(islice(chunks, MOST_IGNORE_BYTES // CHUNK + 1))

    def entries(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield what is in it, without what is left out."""
        key = identity(os.fstat(self._bytes.fileno())), identity(self.path.stat())

        left = _MOST_COMPARED // ignoring.count

        @cache
        def is_left_out(name: str, *, is_folder: bool) -> bool:
            nonlocal left
            left -= len(name) + _EACH_NAME
            if left < 0:
                raise DamagedArchiveError(
                    posix_name(self.path),
                    f"it has too many files and folders to compare with {ignoring.count:,} "
                    "patterns: use fewer of them",
                )
            reason = ignoring.reason(name, is_folder=is_folder)
            left_out.extend(filter(None, [reason]))
            return reason is not None

        for info in self._archive.infolist():
            name, problem = _name(info)
            parts = name.removesuffix("/").split("/")
            paths = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            is_plain = not {"", ".", ".."} & set(parts)
            if is_plain and any(
                is_left_out(path, is_folder=name.endswith("/") or path != paths[-1])
                for path in paths
            ):
                continue
            problems = (*([problem] if problem else ()), *_kind_problems(info, name))
            yield SiteEntry(name, info.file_size, key, partial(self._read, info, name), problems)

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
                f"it has more than {self.most_entries:,} entries: raise --max-entries, or "
                "`max-entries` under [publish]",
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


def _name(info: zipfile.ZipInfo) -> tuple[str, str | None]:
    """Return the name of an entry, and what is wrong with how it is written."""
    is_marked = bool(info.flag_bits & _UTF8)
    name = utf8_name(info)
    second = _unicode_name(info.extra, info.orig_filename.encode("utf-8" if is_marked else "cp437"))
    if name is not None:
        is_other = second not in {None, name}
        return name, f"has a second name, `{printable(str(second))}`" if is_other else None
    if second is not None:
        return second, None
    problem = "has a name that is not UTF-8; pack it with a tool that writes UTF-8 names"
    return info.orig_filename, problem


def _unicode_name(extra: bytes, raw: bytes) -> str | None:
    """Return the name in Info-ZIP's extra field, if that is about the name in the entry."""
    while len(extra) >= struct.calcsize("<HH"):
        kind, size = struct.unpack_from("<HH", extra)
        data, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_NAME and data[:5] == struct.pack("<BL", 1, zlib.crc32(raw)):
            try:
                return data[5:].decode()
            except UnicodeDecodeError:
                return None
    return None


def _kind_problems(info: zipfile.ZipInfo, name: str) -> Iterator[str]:
    kind = stat.S_IFMT(info.external_attr >> 16)
    is_folder = name.endswith("/")
    if kind == stat.S_IFLNK or info.external_attr & _REPARSE_POINT:
        yield "is a link; replace it by a file"
    elif kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        yield "is not a regular file; remove it"
    elif (kind == stat.S_IFDIR and not is_folder) or (is_folder and info.file_size):
        yield "is a folder and a file"
    if info.flag_bits & _ENCRYPTED:
        yield "is encrypted; pack it without a password"
    elif info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        yield f"is compressed by method {info.compress_type}; pack it with deflate"
