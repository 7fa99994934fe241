"""An archive as a site: a zip file, read by its list of entries, as Python's `zipfile` has it."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from manifestkit.files import open_regular, posix_name
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.entry import CHUNK, SiteEntry, identity
from manifestkit.publish.ignoring import IGNORE_FILE, MOST_IGNORE_BYTES, Ignoring, LeftOut
from manifestkit.publish.names import utf8_name

_UTF8 = 0x0800
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # classic, strong, masked headers
_REPARSE_POINT = 0x0400  # how Windows marks a link
_UNICODE_NAME = 0x7075
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


class DamagedArchiveError(UnreadableFileError):
    """An archive, or a file in it, that cannot be read as its list of entries says."""


class Archive:
    """A zip file; of two files with one name the later one counts."""

    def __init__(self, path: Path, most_entries: int) -> None:
        self.path = path
        self._bytes = _Reader(open_regular(path, "copy it into a file"))  # type: ignore[arg-type]  # it is one
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
        """Return the content of the ignore file, or so much that it is too long; None without one.

        Raises:
            ConfigurationError: it is no text file.
        """
        found = [info for info in self._archive.infolist() if _name(info)[0] == IGNORE_FILE]
        if not found:
            return None
        if any(_kind_problems(found[-1], IGNORE_FILE)):
            raise ConfigurationError(f"{self.shown(IGNORE_FILE)}: it must be a text file")
        content = b""
        for chunk in self._read(found[-1], IGNORE_FILE):
            content += chunk
            if len(content) > MOST_IGNORE_BYTES:
                break
        return content

    def entries(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[SiteEntry]:
        """Yield what is in it, without what is left out."""
        key = identity(os.fstat(self._bytes.fileno())), identity(self.path.stat())
        decided: dict[tuple[str, bool], LeftOut | None] = {}

        def reason(name: str, *, is_folder: bool) -> LeftOut | None:
            if (name, is_folder) not in decided:
                found = ignoring.reason(name, is_folder=is_folder)
                decided[name, is_folder] = found
                left_out.extend(filter(None, [found]))
            return decided[name, is_folder]

        for info in self._archive.infolist():
            name, problem = _name(info)
            parts = name.removesuffix("/").split("/")
            paths = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            is_plain = not {"", ".", ".."} & set(parts)
            if is_plain and any(
                reason(path, is_folder=name.endswith("/") or path != paths[-1]) for path in paths
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
