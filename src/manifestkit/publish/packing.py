"""A folder as an archive: the same bytes for the same files, and nothing that is a secret."""

from __future__ import annotations

import os
import re
import stat
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from manifestkit.config.exclude import Ignore, ignored
from manifestkit.files import is_there, read_bytes, reason_of, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.archive import ArchiveProblem
from manifestkit.publish.folder import Folder, Parts, is_link, open_folder
from manifestkit.publish.names import name_problems
from manifestkit.publish.upload import Snapshot, private_file, snapshot_of

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
                ArchiveProblem(name, f"{each}, or name it in {IGNORE_FILE}") for each in wrong
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
        yield "is no regular file: replace it by a file"


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
        raise ConfigurationError(f"{shown(path)}: no pattern of a .gitignore: {error}") from None


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
            f"SOURCE_DATE_EPOCH is a number of seconds, not `{printable(given)}`"
        ) from None
    return max(_EARLIEST, moment) if moment[0] <= _LATEST_YEAR else (_LATEST_YEAR, *_EARLIEST[1:])
