"""A folder that is read without following a link, whatever is put in its place meanwhile."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from manifestkit.config.exclude import Ignore, ignored
from manifestkit.files import is_there, read_bytes, reason_of, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.archive import ArchiveProblem
from manifestkit.publish.names import name_problems
from manifestkit.publish.upload import Snapshot, private_file, snapshot_of

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


IGNORE_FILE = ".manifestignore"
LEFT_OUT = (
    ".git",
    ".hg",
    ".svn",
    ".env*",
    "node_modules/",
    ".aws/",
    ".gnupg/",
    ".ssh/",
    "*.key",
    "*.pem",
    "*.p8",
    "*.p12",
    "*.pfx",
    "*.ppk",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".npmrc",
    ".pypirc",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".DS_Store",
    "Thumbs.db",
    IGNORE_FILE,
)
"""Patterns, in upper or lower case, that come before those of the ignore file.

That file may take something back with `!`.
"""

_MOST_IGNORE_BYTES = 1024 * 1024
_CHUNK = 256 * 1024
_FILE_MODE = stat.S_IFREG | 0o644
_UNIX = 3
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_LATEST_YEAR = 2107
_LARGE = 1024**3


@dataclass(frozen=True, slots=True)
class Packed:
    """A folder that was packed.

    Attributes:
        snapshot: the archive.
        left_out: how many files and folders were left out.
        problems: what is neither a file nor a folder, and so not in the archive.
    """

    snapshot: Snapshot
    left_out: int
    problems: tuple[ArchiveProblem, ...]


def pack(folder: Path) -> Packed:
    """The files of a folder, in an archive.

    Names are sorted, times are `SOURCE_DATE_EPOCH` or 1980, modes are 0644; nothing of the machine
    gets in. What the ignore file or `LEFT_OUT` names stays out.

    Raises:
        UnreadableFileError: something in the folder cannot be packed.
        ConfigurationError: the ignore file or SOURCE_DATE_EPOCH cannot be used.
    """
    ignore = _ignore(folder)
    moment = _moment()
    left_out: list[Path] = []
    problems: list[ArchiveProblem] = []
    archive = private_file(folder)
    try:
        with open_folder(folder) as opened:
            files = sorted(_files(opened, ignore, left_out, problems))
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
                for name, parts in files:
                    _add(writer, name, opened.open(parts), moment)
        found = sorted(problems, key=lambda each: each.member or "")
        return Packed(snapshot_of(archive), len(left_out), tuple(found))
    except OSError as error:
        archive.close()
        raise UnreadableFileError(shown(folder), f"cannot be packed: {reason_of(error)}") from None
    except BaseException:
        archive.close()
        raise


def _files(
    folder: Folder, ignore: Ignore, left_out: list[Path], problems: list[ArchiveProblem]
) -> Iterator[tuple[str, Parts]]:
    """The files to pack: the name in the archive, and the way to it."""
    todo: list[Parts] = [()]
    while todo:
        here = todo.pop()
        for own_name, status in folder.listed(here):
            parts = (*here, own_name)
            path = folder.path.joinpath(*parts)
            is_folder = stat.S_ISDIR(status.st_mode) and not is_link(status)
            if ignored(path, (ignore,), is_folder=is_folder):
                left_out.append(path)
                continue
            name = _name(path, parts)
            wrong = [*(f"{each}; rename it" for each in name_problems(name)), *_kind(status)]
            problems += (
                ArchiveProblem(name, f"{each}, or list it in {IGNORE_FILE}") for each in wrong
            )
            if wrong:
                continue
            if is_folder:
                todo.append(parts)
            else:
                yield name, parts


def _kind(status: os.stat_result) -> Iterator[str]:
    if is_link(status):
        yield "is a link: replace it by a file"
    elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        yield "is not a regular file: replace it by a file"


def _name(path: Path, parts: Parts) -> str:
    name = "/".join(parts)
    try:
        name.encode()
    except UnicodeEncodeError:
        reason = "has a name that is not UTF-8: rename it"
        raise UnreadableFileError(printable(shown(path)), reason) from None
    return name


def _add(writer: zipfile.ZipFile, name: str, file: BinaryIO, moment: tuple[int, ...]) -> None:
    info = zipfile.ZipInfo(name, moment)  # type: ignore[arg-type]  # six numbers
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _FILE_MODE << 16
    with file as source:
        is_large = os.fstat(source.fileno()).st_size > _LARGE
        with writer.open(info, "w", force_zip64=is_large) as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)


def _ignore(folder: Path) -> Ignore:
    path = folder / IGNORE_FILE
    lines: list[str] = []
    if is_there(path):
        text = read_bytes(path, _MOST_IGNORE_BYTES).decode(errors="replace")
        lines = text.splitlines()
    try:
        return Ignore.of(folder, [*map(_in_any_case, LEFT_OUT), *lines])
    except ValueError as error:
        raise ConfigurationError(
            f"{shown(path)}: not a valid .gitignore pattern: {error}"
        ) from None


def _in_any_case(pattern: str) -> str:
    return re.sub("[A-Za-z]", lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", pattern)


def _moment() -> tuple[int, ...]:
    """The time of every entry, from `SOURCE_DATE_EPOCH` as reproducible builds have it."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return _EARLIEST
    try:
        moment = tuple(time.gmtime(int(given)))[:6]
    except (ValueError, OverflowError, OSError):
        raise ConfigurationError(
            f"SOURCE_DATE_EPOCH must be a number of seconds, not `{printable(given)}`"
        ) from None
    return max(_EARLIEST, moment) if moment[0] <= _LATEST_YEAR else (_LATEST_YEAR, *_EARLIEST[1:])
