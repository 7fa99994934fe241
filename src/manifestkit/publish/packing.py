"""A folder or an archive as the one canonical archive that is checked and sent.

What is sent is written here, so no reader can see in it what was not seen before: sorted names,
marked as UTF-8 where they are not ASCII, one time and one mode, deflate, no extra fields. The same
content is the same bytes, whether it came as a folder or as an archive of whatever packer.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
import tempfile
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from manifestkit.files import is_folder, open_regular, read_bytes, reason_of, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.folder import Folder, Parts, is_link
from manifestkit.publish.ignoring import IGNORE_FILE, MOST_IGNORE_BYTES, Ignoring, LeftOut
from manifestkit.publish.names import Problem, collisions, name_problems, utf8_name

CHUNK = 256 * 1024
MOST_ENTRIES = 20_000
MOST_BYTES = 2 * 1024**3

Progress = Callable[[int, int], None]
"""Gets how many bytes are done, and of how many."""

_CHANGED = "changed while it was packed: try again when nothing changes it"
_MOST_PROBLEMS = 1_000
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3
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


@dataclass(frozen=True, slots=True)
class PackingOptions:
    """What may be packed.

    Attributes:
        ignoring: what is left out.
        most_entries: how many entries there may be.
        most_bytes: how many bytes they may have, unpacked.
        portable_names: whether names that some systems cannot write are refused.
    """

    ignoring: Ignoring = field(default_factory=Ignoring.of)
    most_entries: int = MOST_ENTRIES
    most_bytes: int = MOST_BYTES
    portable_names: bool = False


class Listing(NamedTuple):
    """What would be packed.

    Attributes:
        files: the files and their sizes in bytes, in the order of the archive.
        left_out: what is left out, by name.
        problems: what is wrong with the names, kinds and number of all others.
    """

    files: tuple[tuple[str, int], ...]
    left_out: tuple[LeftOut, ...]
    problems: tuple[Problem, ...]

    @property
    def is_refused(self) -> bool:
        """Whether it may not be sent."""
        return not all(each.is_warning for each in self.problems)

    @property
    def size(self) -> int:
        """How many bytes the files have."""
        return sum(size for _, size in self.files)


@dataclass(frozen=True, slots=True)
class Packed:
    """The archive that is checked and sent: a file without a name, which nobody else can open.

    Attributes:
        file: the file.
        size: its bytes.
        sha256: their digest, in hex.
    """

    file: BinaryIO
    size: int
    sha256: str

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, piece by piece."""
        self.file.seek(0)
        while chunk := self.file.read(CHUNK):
            yield chunk

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open a file in the archive."""
        with zipfile.ZipFile(self.file) as archive, archive.open(name) as file:
            yield file  # type: ignore[misc]  # it reads bytes

    def digests(self) -> dict[str, str]:
        """Return the digest of each file in the archive, in hex."""
        with zipfile.ZipFile(self.file) as archive:
            digests = {}
            for name in archive.namelist():
                with archive.open(name) as file:
                    digests[name] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it reads bytes
            return digests

    def write(self, path: Path) -> None:
        """Write the archive to a file, whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:64]}.")
        made = Path(name)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
                file.writelines(self.chunks())
            made.replace(path)
        except BaseException:  # an interrupt too leaves nothing behind
            made.unlink()
            raise


class _Found(NamedTuple):
    """A file or folder of a source; `key` changes when its content may have changed."""

    name: str
    size: int
    key: object
    is_folder: bool = False
    problems: tuple[str, ...] = ()


class Source(ABC):
    """A folder or an archive that is open; a context that closes it."""

    def __init__(self, path: Path, options: PackingOptions) -> None:
        self.path = path
        self.options = options
        self._keys: list[object] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close it."""

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Open one of the files that are packed."""

    @abstractmethod
    def _ignore_file(self) -> bytes | None:
        """The content of the ignore file; None where there is none."""

    @abstractmethod
    def _found(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[_Found]:
        """All that is there and is not left out."""

    def listing(self) -> Listing:
        """Return what would be packed.

        Raises:
            UnreadableFileError: the source cannot be read.
            ConfigurationError: the ignore file cannot be used.
        """
        ignoring = self.options.ignoring
        ignore_file = self._ignore_file()
        if ignore_file is not None:
            ignoring = ignoring.with_file(self._shown(IGNORE_FILE), ignore_file)
        left_out: list[LeftOut] = []
        found = sorted(self._found(ignoring, left_out))
        files = [each for each in found if not each.is_folder]
        self._keys = [each.key for each in files]
        return Listing(
            tuple((each.name, each.size) for each in files),
            tuple(sorted(left_out, key=lambda each: each.name)),
            tuple(self._problems(found, files)),
        )

    def pack(self, listing: Listing, progress: Progress | None = None) -> Packed:
        """Write the canonical archive of what was listed.

        Raises:
            UnreadableFileError: something in the source cannot be read, or has changed.
        """
        before = self._keys
        target = _private_file(self.path)
        try:
            self._write(target, listing, progress)
            self._refuse_change(listing, before)
            target.seek(0)
            digest = hashlib.file_digest(target, "sha256")  # type: ignore[arg-type]  # it reads bytes
            return Packed(target, target.tell(), digest.hexdigest())
        except OSError as error:
            target.close()
            reason = f"cannot be packed: {reason_of(error)}"
            raise UnreadableFileError(shown(self.path), reason) from None
        except BaseException:
            target.close()
            raise

    def _refuse_change(self, listing: Listing, keys: list[object]) -> None:
        if (self.listing(), self._keys) != (listing, keys):
            raise UnreadableFileError(shown(self.path), _CHANGED)

    def _write(self, target: BinaryIO, listing: Listing, progress: Progress | None) -> None:
        total, done = listing.size, 0
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
            for name, size in listing.files:
                info = zipfile.ZipInfo(name, _TIME)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.create_system = _UNIX
                info.external_attr = _MODE
                info.file_size = size
                left = size
                with self.open(name) as source, writer.open(info, "w") as into:
                    while chunk := source.read(CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            break
                        into.write(chunk)
                        done += len(chunk)
                        if progress:
                            progress(done, total)
                if left:
                    raise UnreadableFileError(self._shown(name), _CHANGED)

    def _shown(self, name: str) -> str:
        return f"{shown(self.path)}/{name}"

    def _problems(self, found: list[_Found], files: list[_Found]) -> Iterator[Problem]:
        most = self.options.most_entries
        if len(files) > most:
            yield Problem(
                None,
                f"it has {len(files):,} files; at most {most:,} are allowed: raise --max-entries, "
                "or `max-entries` under [publish]",
            )
        total, most = sum(each.size for each in files), self.options.most_bytes
        if total > most:
            yield Problem(
                None,
                f"it has {total:,} bytes, unpacked; at most {most:,} are allowed: raise "
                "--max-size, or `max-size` under [publish]",
            )
        problems = [each for entry in found for each in name_problems(entry.name.removesuffix("/"))]
        problems += (Problem(entry.name, each) for entry in found for each in entry.problems)
        problems += collisions([entry.name for entry in found])
        for each in sorted(problems, key=lambda each: each.is_warning)[:_MOST_PROBLEMS]:
            is_warning = each.is_warning and not self.options.portable_names
            yield each._replace(is_warning=is_warning)


class _FolderSource(Source):
    """A folder; what is in it is never read through a link."""

    def __init__(self, path: Path, options: PackingOptions) -> None:
        super().__init__(path, options)
        self._folder = Folder(path)
        self._known: dict[str, object] = {}

    def close(self) -> None:
        self._folder.close()

    def open(self, name: str) -> BinaryIO:
        file = self._folder.open(tuple(name.split("/")))
        if _identity(os.fstat(file.fileno())) != self._known[name]:
            file.close()
            raise UnreadableFileError(self._shown(name), _CHANGED)
        return file

    def _ignore_file(self) -> bytes | None:
        path = self.path / IGNORE_FILE
        if not os.path.lexists(path):
            return None
        try:
            return read_bytes(path, MOST_IGNORE_BYTES)
        except UnreadableFileError as error:
            reason = error.reason.partition(":")[0]
            raise ConfigurationError(f"{shown(path)}: {reason}; it must be a text file") from None

    def _found(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[_Found]:
        todo: list[Parts] = [()]
        self._known = {}
        while todo:
            here = todo.pop()
            for own_name, status in self._folder.listed(here):
                parts = (*here, own_name)
                name = "/".join(parts)
                is_folder = stat.S_ISDIR(status.st_mode) and not is_link(status)
                if reason := ignoring.reason(name, is_folder=is_folder):
                    left_out.append(reason)
                elif is_folder and _is_utf8(name):
                    todo.append(parts)
                else:
                    self._known[name] = _identity(status)
                    problems = tuple(_kind(name, status))
                    yield _Found(name, status.st_size, _identity(status), problems=problems)


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """What changes when a file may have changed."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(name: str, status: os.stat_result) -> Iterator[str]:
    if not _is_utf8(name):
        yield "has a name that is not UTF-8; rename it"
    if is_link(status):
        yield f"is a link; replace it by a file, or list it in {IGNORE_FILE}"
    elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        yield f"is not a regular file; remove it, or list it in {IGNORE_FILE}"


class DamagedArchiveError(UnreadableFileError):
    """An archive, or a file in it, that cannot be read as its list of entries says."""


class _ArchiveSource(Source):
    """A zip file, read by its list of entries at the end, as Python's `zipfile` has it."""

    def __init__(self, path: Path, options: PackingOptions) -> None:
        super().__init__(path, options)
        self._bytes = _Reader(open_regular(path, "copy it into a file"))  # type: ignore[arg-type]  # it is one
        self._bytes.most_entries = max(options.most_entries, 0)
        try:
            self._archive = zipfile.ZipFile(self._bytes)
        except (*_DAMAGED, DamagedArchiveError) as error:
            self._bytes.close()
            raise DamagedArchiveError(shown(path), _damage(error)) from None
        self._bytes.most_entries = None
        self._entries = {_name(info)[0]: info for info in self._archive.infolist()}

    def close(self) -> None:
        self._archive.close()
        self._bytes.close()

    def open(self, name: str) -> BinaryIO:
        return io.BufferedReader(_Content(self._archive, self._entries[name], self._shown(name)))

    def _shown(self, name: str) -> str:
        return f"{shown(self.path)}!/{name}"

    def _ignore_file(self) -> bytes | None:
        info = self._entries.get(IGNORE_FILE)
        if info is None:
            return None
        if any(_archived_kind(info, IGNORE_FILE)):
            raise ConfigurationError(f"{self._shown(IGNORE_FILE)}: it must be a text file")
        with self.open(IGNORE_FILE) as file:
            return file.read(MOST_IGNORE_BYTES + 1)

    def _found(self, ignoring: Ignoring, left_out: list[LeftOut]) -> Iterator[_Found]:
        key = _identity(os.fstat(self._bytes.fileno())), _identity(self.path.stat())
        decided: dict[tuple[str, bool], LeftOut | None] = {}

        def reason(name: str, *, is_folder: bool) -> LeftOut | None:
            if (name, is_folder) not in decided:
                found = ignoring.reason(name, is_folder=is_folder)
                decided[name, is_folder] = found
                left_out.extend(filter(None, [found]))
            return decided[name, is_folder]

        for info in self._archive.infolist():
            name, problem = _name(info)
            is_folder = name.endswith("/")
            parts = name.removesuffix("/").split("/")
            paths = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            is_plain = not {"", ".", ".."} & set(parts)
            if is_plain and any(
                reason(path, is_folder=is_folder or path != paths[-1]) for path in paths
            ):
                continue
            problems = (*([problem] if problem else ()), *_archived_kind(info, name))
            yield _Found(name, info.file_size, key, is_folder, problems)


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


class _Content(io.RawIOBase):
    """A file in an archive, which has the size and the checksum that the archive says."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> None:
        self._name = name
        self._left = info.file_size
        try:
            self._file = archive.open(info)
        except _DAMAGED as error:
            raise DamagedArchiveError(name, _damage(error)) from None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._file.read(len(buffer))
        except _DAMAGED as error:
            raise DamagedArchiveError(self._name, _damage(error)) from None
        self._left -= len(data)
        if not data and self._left:
            raise DamagedArchiveError(self._name, "does not have the size that the archive says")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


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
    """The name of an entry, and what is wrong with how it is written."""
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
    """The name in Info-ZIP's extra field, if that is about the name in the entry."""
    while len(extra) >= struct.calcsize("<HH"):
        kind, size = struct.unpack_from("<HH", extra)
        data, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_NAME and data[:5] == struct.pack("<BL", 1, zlib.crc32(raw)):
            try:
                return data[5:].decode()
            except UnicodeDecodeError:
                return None
    return None


def _archived_kind(info: zipfile.ZipInfo, name: str) -> Iterator[str]:
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


def open_source(path: Path, options: PackingOptions) -> Source:
    """Open a folder or an archive.

    Raises:
        UnreadableFileError: it cannot be read, or is no archive.
    """
    return (_FolderSource if is_folder(path) else _ArchiveSource)(path, options)


def _private_file(source: Path) -> BinaryIO:
    try:
        return tempfile.TemporaryFile(prefix="manifestkit-")
    except OSError as error:
        raise UnreadableFileError(shown(source), f"cannot be packed: {reason_of(error)}") from None
