"""A folder as an archive: which of its files, and which line leaves out the others."""

from __future__ import annotations

import os
import re
import stat
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from manifestkit.config.exclude import Ignore, lines_of
from manifestkit.files import is_there, read_bytes, reason_of, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.printable import printable
from manifestkit.publish.archive import ArchiveProblem
from manifestkit.publish.folder import Folder, Parts, is_link, open_folder
from manifestkit.publish.names import collisions, name_problems
from manifestkit.publish.upload import Progress, Snapshot, private_file, snapshot_of

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


class IgnoreList(NamedTuple):
    """Patterns of what is left out of an archive.

    Attributes:
        patterns: the patterns.
        file: where they are, as it is named to the user; empty for `LEFT_OUT`.
        line: the line there; None where each pattern has its own.
    """

    patterns: Ignore
    file: str = ""
    line: int | None = None


class LeftOut(NamedTuple):
    """A file or folder that is left out, and the pattern that says so.

    Attributes:
        name: its name in the folder, with `/` at the end for a folder.
        pattern: the pattern as it is written.
        file: the file with the pattern; empty for `LEFT_OUT`.
        line: the line of that file.
    """

    name: str
    pattern: str
    file: str
    line: int


class Packing(NamedTuple):
    """What is packed of a folder.

    Attributes:
        files: the files, by name, with their sizes in bytes.
        left_out: what is left out, by name.
        problems: what is neither a file nor a folder, or has a name that no archive should have.
    """

    files: list[tuple[str, int]]
    left_out: list[LeftOut]
    problems: list[ArchiveProblem]


class Packed(NamedTuple):
    """A folder that was packed: the archive, and what is in it."""

    snapshot: Snapshot
    packing: Packing


def list_files(folder: Path, configured: IgnoreList | None = None) -> Packing:
    """What would be packed of a folder, and what would not.

    Raises:
        UnreadableFileError: something in the folder cannot be packed.
        ConfigurationError: the ignore file cannot be used.
    """
    with open_folder(folder) as opened:
        packing = _packing(opened, _ignore_lists(folder, configured))
    names = [name for name, _ in packing.files]
    packing.problems.extend(ArchiveProblem(names[at], message) for at, message in collisions(names))
    return packing


def pack(
    folder: Path, configured: IgnoreList | None = None, progress: Progress | None = None
) -> Packed:
    """The files of a folder, in an archive.

    Names are sorted, times are `SOURCE_DATE_EPOCH` or 1980, modes are 0644; nothing of the machine
    gets in. What the ignore file, the configuration or `LEFT_OUT` names stays out.

    Args:
        folder: the folder.
        configured: the patterns of the configuration, counted from the folder.
        progress: is called for each piece that is packed.

    Raises:
        UnreadableFileError: something in the folder cannot be packed.
        ConfigurationError: the ignore file or SOURCE_DATE_EPOCH cannot be used.
    """
    ignore_lists = _ignore_lists(folder, configured)
    moment = _moment()
    archive = private_file(folder)
    try:
        with open_folder(folder) as opened:
            packing = _packing(opened, ignore_lists)
            total = sum(size for _, size in packing.files)
            done = 0
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as writer:
                for name, _ in packing.files:
                    for count in _add(writer, name, opened.open(tuple(name.split("/"))), moment):
                        done += count
                        if progress:
                            progress(done, total)
        return Packed(snapshot_of(archive), packing)
    except OSError as error:
        archive.close()
        raise UnreadableFileError(shown(folder), f"cannot be packed: {reason_of(error)}") from None
    except BaseException:
        archive.close()
        raise


def _packing(folder: Folder, ignore_lists: Sequence[IgnoreList]) -> Packing:
    packing = Packing([], [], [])
    todo: list[Parts] = [()]
    while todo:
        here = todo.pop()
        for own_name, status in folder.listed(here):
            parts = (*here, own_name)
            path = folder.path.joinpath(*parts)
            is_folder = stat.S_ISDIR(status.st_mode) and not is_link(status)
            found = _left_out(path, "/".join(parts), ignore_lists, is_folder=is_folder)
            if found:
                packing.left_out.append(found)
                continue
            name = _name(path, parts)
            wrong = [*(f"{each}; rename it" for each in name_problems(name)), *_kind(status)]
            packing.problems.extend(
                ArchiveProblem(name, f"{each}, or list it in {IGNORE_FILE}") for each in wrong
            )
            if wrong:
                continue
            if is_folder:
                todo.append(parts)
            else:
                packing.files.append((name, status.st_size))
    packing.files.sort()
    packing.left_out.sort()
    packing.problems.sort(key=lambda each: each.member or "")
    return packing


def _left_out(
    path: Path, name: str, ignore_lists: Sequence[IgnoreList], *, is_folder: bool
) -> LeftOut | None:
    """Why a path is left out; the last list with a pattern for it decides."""
    for each in reversed(ignore_lists):
        pattern = each.patterns.deciding(path, is_folder=is_folder)
        if pattern is not None:
            line = pattern.line if each.line is None else each.line
            shown_name = f"{name}/" if is_folder else name
            text = pattern.text if each.file else LEFT_OUT[pattern.line - 1]
            return LeftOut(shown_name, text, each.file, line) if pattern.excludes else None
    return None


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


def _add(
    writer: zipfile.ZipFile, name: str, file: BinaryIO, moment: tuple[int, ...]
) -> Iterator[int]:
    """Add a file to the archive; the size of each piece, when it is in there."""
    info = zipfile.ZipInfo(name, moment)  # type: ignore[arg-type]  # six numbers
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = _FILE_MODE << 16
    with file as source:
        is_large = os.fstat(source.fileno()).st_size > _LARGE
        with writer.open(info, "w", force_zip64=is_large) as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)
                yield len(chunk)


def _ignore_lists(folder: Path, configured: IgnoreList | None) -> list[IgnoreList]:
    path = folder / IGNORE_FILE
    lists = [IgnoreList(Ignore.of(folder, map(_in_any_case, LEFT_OUT)))]
    if configured is not None:
        lists.append(configured)
    if is_there(path):
        lines = lines_of(read_bytes(path, _MOST_IGNORE_BYTES))
        try:
            lists.append(IgnoreList(Ignore.of(folder, lines), shown(path)))
        except ValueError as error:
            raise ConfigurationError(
                f"{shown(path)}: not a valid .gitignore pattern: {error}"
            ) from None
    return lists


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
