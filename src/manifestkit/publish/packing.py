"""A folder as an archive: the same bytes for the same files, and nothing that is a secret."""

from __future__ import annotations

import os
import stat
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manifestkit.engine.ignoring import Ignore, ignored
from manifestkit.errors import ConfigurationError, UnreadableFileError
from manifestkit.files import is_there, open_regular, read_bytes, reason_of, shown
from manifestkit.printable import printable
from manifestkit.publish.archive import ArchiveProblem
from manifestkit.publish.snapshot import Snapshot, private_file, snapshot_of

IGNORE_FILE = ".manifestignore"
LEFT_OUT = (
    ".git",
    ".hg",
    ".svn",
    ".env*",
    "node_modules/",
    "*.key",
    "*.pem",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".npmrc",
    ".pypirc",
    ".netrc",
    ".DS_Store",
    "Thumbs.db",
    IGNORE_FILE,
)
"""Patterns that come before those of the ignore file, which may take something back with `!`."""

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
    files = sorted(_files(folder, ignore, left_out, problems))
    archive = private_file(folder)
    try:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
            for name, path in files:
                _add(writer, name, path, moment)
        told = sorted(problems, key=lambda each: each.member or "")
        return Packed(snapshot_of(archive), len(left_out), tuple(told))
    except OSError as error:
        archive.close()
        raise UnreadableFileError(shown(folder), f"cannot be packed: {reason_of(error)}") from None
    except BaseException:
        archive.close()
        raise


def _files(
    folder: Path, ignore: Ignore, left_out: list[Path], problems: list[ArchiveProblem]
) -> Iterator[tuple[str, Path]]:
    """The files to pack: the name in the archive, and the path."""
    todo = [folder]
    while todo:
        here = todo.pop()
        try:
            entries = list(here.iterdir())
            modes = [entry.lstat().st_mode for entry in entries]
        except OSError as error:
            raise UnreadableFileError(
                shown(here), f"cannot be packed: {reason_of(error)}"
            ) from None
        for entry, mode in zip(entries, modes, strict=True):
            is_folder = stat.S_ISDIR(mode)
            if ignored(entry, (ignore,), is_folder=is_folder):
                left_out.append(entry)
            elif is_folder:
                todo.append(entry)
            elif stat.S_ISREG(mode):
                yield _name(entry, folder), entry
            else:
                kind = "a link" if stat.S_ISLNK(mode) else "no regular file"
                message = f"is {kind}: replace it by a file, or name it in {IGNORE_FILE}"
                problems.append(ArchiveProblem(_name(entry, folder), message))


def _name(path: Path, folder: Path) -> str:
    name = path.relative_to(folder).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        reason = "has a name that is not UTF-8: rename it"
        raise UnreadableFileError(printable(shown(path)), reason) from None
    return name


def _add(writer: zipfile.ZipFile, name: str, path: Path, moment: tuple[int, ...]) -> None:
    info = zipfile.ZipInfo(name, moment)  # type: ignore[arg-type]  # six numbers
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _FILE_MODE << 16
    with open_regular(path) as source:
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
        return Ignore.of(folder, [*LEFT_OUT, *lines])
    except ValueError as error:
        raise ConfigurationError(f"{shown(path)}: no pattern of a .gitignore: {error}") from None


def _moment() -> tuple[int, ...]:
    """The time of every entry, from `SOURCE_DATE_EPOCH` as reproducible builds have it."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return _EARLIEST
    try:
        moment = tuple(time.gmtime(int(given)))[:6]
    except (ValueError, OverflowError, OSError):
        raise ConfigurationError(
            f"SOURCE_DATE_EPOCH is a number of seconds, not `{printable(given)}`"
        ) from None
    return max(_EARLIEST, moment) if moment[0] <= _LATEST_YEAR else (_LATEST_YEAR, *_EARLIEST[1:])
