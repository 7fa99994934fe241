"""A folder or an archive as the one canonical archive that is checked and sent.

What is sent is written here, so no reader can see in it what was not seen before: sorted names,
marked as UTF-8 where they are not ASCII, one time and one mode, deflate, no extra fields. The same
content is the same bytes, whether it came as a folder or as an archive of whatever packer.

A folder is read without following a link, whatever is put in its place meanwhile. An archive is
read by its list of entries, as Python's `zipfile` has it. Patterns say what is left out of both.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple
from unicodedata import normalize

from manifestkit.config.configuration import Publishing
from manifestkit.config.exclude import Pattern
from manifestkit.files import (
    create,
    is_folder,
    open_regular,
    other_tools,
    posix_name,
    read_bytes,
    reason_of,
)
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.names import LONGEST_PATH, Problem, name_problems

_MOST_PROBLEMS = 1_000
_MOST_IGNORE_BYTES = 1024 * 1024
_NOTHING, _BUILD = "it has no file to publish", "build the site first, or name another folder"
_LIMIT = "it has {:,} {}; at most {:,} are allowed"
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3
_CHUNK = 256 * 1024
_CHANGED = "changed while it was packed: try again when nothing changes it"
_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_BINARY", "O_NOFOLLOW"):
    _FLAGS |= getattr(os, _flag, 0)
_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: Windows' links to folders
_REPARSE_POINT = 0x0400  # how Windows marks a link in an archive
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # classic, strong, masked headers
_MOST_DIRECTORY = LONGEST_PATH + 46  # bytes for each entry that is allowed
_SIGNATURE = b"PK\1\2"

_IGNORE_FILE = ".manifestignore"
_MOST_LINES = 250
_DEFAULTS = "the defaults"
_SETTING = "[publish]"
_UNMATCHED = (
    "`{}` under [publish] names `{}`, but outside left-out folders, the site has no such file"
)

_DEFAULT_PATTERNS = (
    *(pattern for each in other_tools("secrets") for pattern in (each, f"!{each}/")),
    *(".*", "icon[\r]", ".*/", "!.well-known/"),
    *("node_modules/", "bower_components/", "venv/", "virtualenv/", "__pycache__/"),
)
_PARTS = re.compile("[^/]*/|[^/]+")


class LeftOut(NamedTuple):
    """A file or folder that is left out."""

    name: str  # with `/` at the end for a folder
    pattern: str  # that says so, as it is written
    place: str  # where that is written: the defaults, `[publish]`, or a line of the ignore file

    def __str__(self) -> str:
        return f"is left out by `{self.pattern}`, of {self.place}"

    @property
    def is_by_default(self) -> bool:
        """Return whether nobody asked for it."""
        return self.place == _DEFAULTS and self.name != _IGNORE_FILE


class Listing(NamedTuple):
    """Files that would be packed, with their sizes, and what is left out or wrong."""

    files: tuple[tuple[str, int], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()  # what to know about patterns

    @property
    def is_refused(self) -> bool:
        """Return whether it may not be sent."""
        return not all(each.is_warning for each in self.problems)

    def left_out_by(self, path: str) -> LeftOut | None:
        """Return what is left out with a file: itself, or a folder that it is in."""
        names = [*accumulate(_PARTS.findall(path))]
        return next((each for each in self.left_out if each.name in names), None)

    def with_problem(self, problem: Problem) -> Listing:
        """Return the listing with one more problem."""
        return self._replace(problems=(*self.problems, problem))

    def contents(self) -> dict[str, list[str]]:
        """Return what is wrong as members of a JSON object."""
        warnings = [str(each) for each in self.problems if each.is_warning]
        errors = [str(each) for each in self.problems if not each.is_warning]
        return {"problems": errors, "warnings": warnings}

    @property
    def size(self) -> int:
        """The size of the files in bytes."""
        return sum(size for _, size in self.files)


@dataclass(frozen=True, slots=True)
class Packed:
    """The archive that is checked and sent: a file without a name, which nobody else can open."""

    file: BinaryIO
    size: int
    sha256: str

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, piece by piece."""
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK):
            yield chunk

    def keep(self, path: Path) -> bool:
        """Write it to a file; return False if that has the same bytes, of a killed deploy."""
        if path.is_file() and path.stat().st_size == self.size:
            with path.open("rb") as there:
                if hashlib.file_digest(there, "sha256").hexdigest() == self.sha256:
                    return False
        create(path, self.chunks())
        return True

    def read(self, name: str, most: int) -> bytes:
        """Return the content of a file in the archive, of a longer one the start."""
        with zipfile.ZipFile(self.file) as archive, archive.open(name) as file:
            return file.read(most)


def pack(
    path: Path, settings: Publishing, *, only_list: bool = False
) -> tuple[Listing, Packed | None]:
    """List a folder or an archive, and write its canonical archive; none of what is refused.

    Raises:
        ConfigurationError: an ignore file or a pattern is wrong.
        UnreadableFileError: something cannot be read, or has changed meanwhile.
    """
    listing = Listing()
    try:
        opened = _Folder(path) if is_folder(path) else _Archive(path, settings.max_entries)
        with closing(opened), ExitStack() as undo:
            listing, files = _listed(opened, settings)
            if listing.is_refused or only_list:
                return listing, None
            target = undo.enter_context(tempfile.TemporaryFile(prefix="manifestkit-"))
            _write(target, files)
            if _listed(opened, settings) != (listing, files):
                raise UnreadableFileError(posix_name(path), _CHANGED)
            target.seek(0)
            digest = hashlib.file_digest(target, "sha256").hexdigest()
            packed = Packed(target, target.tell(), digest)
            undo.pop_all()
            return listing, packed
    except _DamagedArchiveError as error:
        return listing.with_problem(error.problem), None
    except OSError as error:
        place = posix_name(error.filename or path)
        raise UnreadableFileError(place, f"cannot be packed: {reason_of(error)}") from None


def _listed(opened: _Folder | _Archive, settings: Publishing) -> tuple[Listing, list[_SiteEntry]]:
    ignore_file = opened.ignore_file()
    named = None if ignore_file is None else (f"{opened.prefix}{_IGNORE_FILE}", ignore_file)
    if named and len(named[1]) > _MOST_IGNORE_BYTES:
        raise ConfigurationError(f"{named[0]}: it has more than {_MOST_IGNORE_BYTES:,} bytes")
    leaving_out = _LeavingOut(settings, named)
    entries = sorted(opened.entries(leaving_out), key=lambda each: each.name)
    files = [each for each in entries if not each.is_folder]
    left_out = tuple(sorted(leaving_out.left_out))
    listing = Listing(tuple((x.name, x.size) for x in files), left_out, (), leaving_out.notes)
    see = "see `manifest deploy --list`" if left_out else _BUILD
    found = [] if files else [Problem(None, _NOTHING, help=see)]
    for count, what, most, setting in (
        (len(files), "files", settings.max_entries, "max-entries"),
        (listing.size, "bytes, unpacked", settings.max_size, "max-size"),
    ):
        if count > most:
            largest = max(listing.files, key=lambda each: each[1])[0]
            do = f"raise `{setting}` under [publish], or leave out by `ignore` what "
            do += f"does not belong to the site; its largest file is `{printable(largest)}`"
            found.append(Problem(None, _LIMIT.format(count, what, most), help=do))
    told = ((each.name, each.problem.partition("; ")) for each in entries if each.problem)
    problems = [Problem(name, what, help=do or None) for name, (what, _, do) in told]
    problems += name_problems([each.name for each in entries])
    problems.sort(key=lambda each: each.is_warning)
    refused = {each.member for each in problems if not each.is_warning}
    kept = tuple(each for each in listing.files if each[0] not in refused)
    return listing._replace(files=kept, problems=(*found, *problems[:_MOST_PROBLEMS])), files


def _write(target: BinaryIO, files: list[_SiteEntry]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
        for each in files:
            info = zipfile.ZipInfo(each.name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = _UNIX
            info.external_attr = _MODE
            info.file_size = each.size
            with writer.open(info, "w") as into:
                for chunk in each.read():
                    into.write(chunk)


@dataclass(frozen=True, slots=True)
class _SiteEntry:
    """A file or folder of a site."""

    name: str  # in the site; that of a folder ends in a slash
    size: int  # in bytes
    key: object  # changes when its content may have changed
    read: Callable[[], Iterator[bytes]] = field(compare=False)  # yields it, piece by piece
    problem: str | None = None  # why it cannot be packed

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return self.name.endswith("/")


class _Folder:
    """A folder; a link to the folder itself is followed, and none within.

    A file is read only if it is the very one that was listed: what a link put in its place leads
    to, or in that of a folder above it, has another identity.
    """

    def __init__(self, path: Path) -> None:
        self.prefix = f"{posix_name(path)}/"
        self._root = Path(os.path.realpath(path))

    def close(self) -> None:
        """Close it; nothing is open."""

    def ignore_file(self) -> bytes | None:
        """Return the content of the ignore file; None where there is none."""
        path = self._root / _IGNORE_FILE
        if path.is_symlink():  # patterns are shown, and it may lead to what nobody may see
            raise ConfigurationError(
                f"{self.prefix}{_IGNORE_FILE}: is a link, and no link is followed; copy the file, "
                "or list its patterns in `ignore` under [publish]"
            )
        return read_bytes(path, _MOST_IGNORE_BYTES) if os.path.lexists(path) else None

    def entries(self, leaving_out: _LeavingOut) -> Iterator[_SiteEntry]:
        """Yield the files in it, without what is left out."""
        folders = [("", self._root.stat())]
        while folders:
            folder, seen = folders.pop()
            for own_name, status in self._members(folder, seen):
                is_junction = getattr(status, "st_reparse_tag", 0) == _JUNCTION
                problem = _kind_problem(status.st_mode, is_link=is_junction)
                is_folder = stat.S_ISDIR(status.st_mode) and not is_junction
                name = f"{folder}{own_name}{'/' if is_folder else ''}"
                if leaving_out.leaves_out(name):
                    continue
                if is_folder and len(os.fsencode(name)) <= LONGEST_PATH:  # else it is a problem
                    folders.append((name, status))
                    continue
                key = _identity(status)
                read = partial(self._read, name, self._root / name, key)
                yield _SiteEntry(name, status.st_size, key, read, problem)

    def _members(self, folder: str, seen: os.stat_result) -> Iterator[tuple[str, os.stat_result]]:
        """Yield what is in a folder, if it is the very one that was seen."""
        path = self._root / folder
        if os.scandir not in os.supports_fd:  # Windows opens no folder
            yield from ((each.name, each.lstat()) for each in path.iterdir())
            return
        descriptor = os.open(path, _FLAGS | os.O_DIRECTORY)  # lets no link come between
        try:
            if not os.path.samestat(os.fstat(descriptor), seen):
                raise UnreadableFileError(f"{self.prefix}{folder}", _CHANGED)
            with os.scandir(descriptor) as found:
                yield from ((each.name, each.stat(follow_symlinks=False)) for each in found)
        finally:
            os.close(descriptor)

    def _read(self, name: str, path: Path, key: tuple[int, ...]) -> Iterator[bytes]:
        with open(os.open(path, _FLAGS), "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            status = os.fstat(file.fileno())
            left = status.st_size if _identity(status) == key else -1
            while left >= 0 and (chunk := file.read(_CHUNK)):
                left -= len(chunk)
                yield chunk
            if left or _identity(os.fstat(file.fileno())) != key:
                raise UnreadableFileError(f"{self.prefix}{name}", _CHANGED)


class _DamagedArchiveError(Exception):
    """An archive, or a file in it, that cannot be read as its list of entries says."""

    def __init__(self, member: str | None, error: Exception) -> None:
        super().__init__(member, error)
        why = printable(str(error)) or type(error).__name__
        if isinstance(error, UnicodeDecodeError):
            why = "a name in it is not UTF-8"
        if member is None and isinstance(error, zipfile.BadZipFile):
            why = f"a zip archive is needed ({why[:1].lower()}{why[1:]})"
        self.problem = Problem(member, f"cannot be unpacked: {why}", help="pack it again")


class _Archive:
    """A zip file, with at most so many entries."""

    def __init__(self, path: Path, most_entries: int) -> None:
        self.prefix = f"{posix_name(path)}!/"
        self._path = path
        self._bytes = _Reader(open_regular(path))  # type: ignore[arg-type]  # it is one
        self._bytes.most_entries = most_entries
        try:
            self._archive = zipfile.ZipFile(self._bytes, metadata_encoding="utf-8")
        except Exception as error:  # noqa: BLE001 - whatever zipfile raises for bytes of a stranger
            self._bytes.close()
            raise _DamagedArchiveError(None, error) from None
        self._bytes.most_entries = None

    def close(self) -> None:
        """Close it."""
        self._archive.close()
        self._bytes.close()

    def ignore_file(self) -> bytes | None:
        """Return the content of the ignore file, or so much that it is too long; None without."""
        found = [info for name, info in self._named() if name == _IGNORE_FILE]
        if not found:
            return None
        if problem := _entry_problem(found[-1]):
            raise ConfigurationError(f"{self.prefix}{_IGNORE_FILE}: {problem}")
        chunks = self._read(found[-1], _IGNORE_FILE)
        return b"".join(islice(chunks, _MOST_IGNORE_BYTES // _CHUNK + 1))

    def entries(self, leaving_out: _LeavingOut) -> Iterator[_SiteEntry]:
        """Yield the files and folders in it, without what is left out."""
        key = _identity(os.fstat(self._bytes.fileno())), _identity(self._path.stat())
        for name, info in self._named():
            if not leaving_out.leaves_out(name):
                read, problem = partial(self._read, info, name), _entry_problem(info)
                yield _SiteEntry(name, info.file_size, key, read, problem)

    def _named(self) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        """Yield the entries, with their names without the `./` of `tar -acf site.zip .`."""
        for info in self._archive.infolist():
            if info.orig_filename != "./":
                yield info.orig_filename.removeprefix("./"), info

    def _read(self, info: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
        left = info.file_size
        try:
            with self._archive.open(info) as file:
                while chunk := file.read(_CHUNK):
                    left -= len(chunk)
                    yield chunk
        except Exception as error:  # noqa: BLE001 - as above
            raise _DamagedArchiveError(name, error) from None
        if left:
            raise _DamagedArchiveError(name, ValueError("not of the size that the archive says"))


class _Reader(io.BufferedReader):
    """The bytes of an archive; `most_entries` bounds the list that zipfile reads as a whole."""

    most_entries: int | None = None

    def read(self, size: int | None = -1) -> bytes:
        if self.most_entries is None or size is None:
            return super().read(size)
        most = max(_MOST_DIRECTORY * self.most_entries, 1 << 20)
        if size > most or (data := super().read(size)).count(_SIGNATURE) > self.most_entries:
            raise zipfile.BadZipFile(
                f"it has more than {self.most_entries:,} entries, or a list of them that is longer "
                f"than {most:,} bytes; raise `max-entries` under [publish]"
            )
        return data


def _entry_problem(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16
    is_folder = info.orig_filename.endswith("/")
    if problem := _kind_problem(mode, is_link=bool(info.external_attr & _REPARSE_POINT)):
        return problem
    if (stat.S_ISDIR(mode) and not is_folder) or (is_folder and info.file_size):
        return "is a folder and a file"
    is_plain = info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    if info.flag_bits & _ENCRYPTED or not is_plain:
        return "is encrypted or not compressed by deflate; pack it again"
    return None


def _kind_problem(mode: int, *, is_link: bool) -> str | None:
    if is_link or stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        do = f"deploy a copy of the folder, as `cp -RL` makes it, or list it in {_IGNORE_FILE}"
        return f"is a link or not a regular file, which is not sent; {do}"
    return None


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file may have changed."""
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


class _LeavingOut:
    """Patterns as in a `.gitignore`: of those of the site, and of the defaults, the last decides.

    What is included is left out by neither.
    """

    def __init__(self, settings: Publishing, ignore_file: tuple[str, bytes] | None) -> None:
        lines = _lines_of(*ignore_file) if ignore_file else []
        self._included = _compiled(tuple((each, _SETTING) for each in settings.include))
        ways = (accumulate(_PARTS.findall(x.lstrip("/")[:LONGEST_PATH])) for x in settings.include)
        self._ways = {normalize(form, x) for way in ways for x in way for form in ("NFC", "NFD")}
        self._own = _compiled((*((each, _SETTING) for each in settings.ignore), *lines))
        self._defaults = _compiled(tuple((each, _DEFAULTS) for each in _DEFAULT_PATTERNS))
        self._verdicts: dict[str, LeftOut | None] = {}

    @property
    def left_out(self) -> list[LeftOut]:
        """The files and folders that were left out; nothing that is in one of these folders."""
        return [x for x in self._verdicts.values() if x is not None and x.name not in self._ways]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the patterns of the settings that match nothing of what was seen."""
        seen = [(normalize("NFC", x.removesuffix("/")), x.endswith("/")) for x in self._verdicts]
        return tuple(
            _UNMATCHED.format(setting, line)
            for setting, patterns in (("ignore", self._own), ("include", self._included))
            for each, line, place in patterns
            if place == _SETTING and not any(each.matches(x, is_folder=is_so) for x, is_so in seen)
        )

    def leaves_out(self, name: str) -> bool:
        """Return whether a file is left out, or a folder, whose name ends in a slash.

        What is in a folder that is left out is left out, too, unless it is included.
        """
        if len(name) > LONGEST_PATH or {"", ".", ".."} & set(name.removesuffix("/").split("/")):
            return False
        above = None
        for path in accumulate(_PARTS.findall(name)):
            if path not in self._verdicts:
                self._verdicts[path] = self._reason(path, above)
            above = self._verdicts[path]
            if above is not None and path not in self._ways:
                return True
        return False

    def _reason(self, path: str, above: LeftOut | None) -> LeftOut | None:
        name, is_folder = normalize("NFC", path.removesuffix("/")), path.endswith("/")
        if any(each.matches(name, is_folder=is_folder) for each, *_ in self._included):
            return None
        if above is not None:
            return above._replace(name=path)
        for lines, seen in ((self._own, name), (self._defaults, name.lower())):
            matching = (each for each in lines if each[0].matches(seen, is_folder=is_folder))
            last = next(matching, None)  # the first that matches is the last that is given
            if last and last[0].excludes:
                return LeftOut(path, *last[1:])
        return None


def _lines_of(name: str, data: bytes) -> list[tuple[str, str]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ConfigurationError(f"{name}: it is not UTF-8 text; save it as UTF-8")
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > _MOST_LINES:
        raise ConfigurationError(f"{name}: it has more than {_MOST_LINES:,} lines")
    return [(line, f"{name}:{number}") for number, line in enumerate(lines, 1)]


@lru_cache(maxsize=8)  # each packing lists twice
def _compiled(lines: tuple[tuple[str, str], ...]) -> list[tuple[Pattern, str, str]]:
    """Return the patterns of some lines, each with its line and place; the last comes first."""
    compiled = []
    for line, place in lines:
        try:
            pattern = Pattern.of(normalize("NFC", line))
        except ValueError as error:
            raise ConfigurationError(f"{place}: {error}") from None
        if pattern is not None:
            compiled.append((pattern, line, place))
    return compiled[::-1]
