"""Whether an archive is what every reader takes it for, and safe to unpack.

A zip says most things twice, and readers differ in which they believe. So nothing here depends on
Python's `zipfile`: an archive passes only when all it says agrees, when its entries fill it from
the first byte to the last, and when unpacking it stays inside one folder and within bounds.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from manifestkit.model.printable import printable
from manifestkit.publish.archive.directory import (
    NEWEST,
    Entry,
    MalformedArchiveError,
    read_directory,
)
from manifestkit.publish.archive.extra import extra_problems
from manifestkit.publish.archive.layout import content_problem, layout_problems
from manifestkit.publish.names import collisions, name_problems

_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000  # classic, strong, masked headers
_PATCH = 0x0020
_KNOWN_FLAGS = 0x0002 | 0x0004 | 0x0008 | 0x0800  # hints, a descriptor, UTF-8
_SYSTEMS = frozenset({0, 3, 10, 11, 14, 19})  # DOS, Unix, Windows (by three numbers), macOS
_WITH_CODE_PAGE = frozenset({0, 11})
_VOLUME_LABEL = 0x0008  # what unzip leaves out
_DOS_FOLDER = 0x0010
_DOS_DEVICE = 0x0040
_REPARSE_POINT = 0x0400  # how Windows marks a link
_MOST_PROBLEMS = 1_000


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Bounds beyond which an archive is refused; the API document names none (section 8).

    Attributes:
        entries: how many entries.
        directory: bytes of the list of entries.
        size: bytes of all entries, unpacked.
        ratio: how many times larger an entry of more than `slack` bytes may be unpacked.
        slack: see there.
    """

    entries: int = 20_000
    directory: int = 8 * 1024 * 1024
    size: int = 2 * 1024**3
    ratio: int = 100
    slack: int = 4 * 1024 * 1024


DEFAULT_ARCHIVE_LIMITS = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class ArchiveProblem:
    """Why an archive is refused.

    Attributes:
        member: the entry in question; None for the archive as a whole.
        message: what is wrong with it.
    """

    member: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that was looked through.

    Attributes:
        entries: what is in it, in the order of the archive; empty when that cannot be known.
        problems: why it is refused; empty when it is sound.
    """

    entries: tuple[Entry, ...]
    problems: tuple[ArchiveProblem, ...]


def inspect_archive(
    file: BinaryIO, size: int, limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS
) -> Archive:
    """Look through an archive; nothing is unpacked anywhere.

    Args:
        file: the archive.
        size: its bytes.
        limits: bounds on it.
    """
    try:
        directory = read_directory(file, size, limits.entries, limits.directory)
    except MalformedArchiveError as error:
        return Archive((), (ArchiveProblem(None, str(error)),))
    entries = directory.entries
    problems = [*_entry_problems(entries), *_bounds(entries, limits)]
    names = [entry.name for entry in entries]
    problems += (ArchiveProblem(names[at], message) for at, message in collisions(names))
    problems += (
        ArchiveProblem(entry.name if entry else None, message)
        for entry, message in layout_problems(file, directory)
    )
    if not problems:  # only then are the places and sizes worth following
        problems = [
            ArchiveProblem(entry.name, message)
            for entry in entries
            if (message := content_problem(file, entry))
        ]
    return Archive(entries, tuple(problems[:_MOST_PROBLEMS]))


def _entry_problems(entries: tuple[Entry, ...]) -> Iterator[ArchiveProblem]:
    for entry in entries:
        messages = [
            *([entry.name_problem] if entry.name_problem else ()),
            *name_problems(entry.name),
            *extra_problems(entry.extra, entry.raw_name, is_marked=entry.is_marked),
            *_packing_problems(entry),
            *_kind_problems(entry),
        ]
        yield from (ArchiveProblem(entry.name, message) for message in messages)


def _packing_problems(entry: Entry) -> Iterator[str]:
    if entry.flags & _ENCRYPTED:
        yield "is encrypted; the service could not read it"
    if entry.flags & _PATCH:
        yield "is a patch, not a file"
    if entry.flags & ~(_KNOWN_FLAGS | _ENCRYPTED | _PATCH):
        yield "has flags that readers interpret differently"
    if entry.needs > NEWEST:
        yield f"needs version {entry.needs / 10:g} of the format, which readers do not support"
    if entry.method not in {_STORED, _DEFLATED}:
        yield f"is compressed with method {entry.method}; only stored and deflated work everywhere"


def _kind_problems(entry: Entry) -> Iterator[str]:
    if entry.system not in _SYSTEMS:
        yield "was packed on a system whose attributes readers interpret differently"
    if entry.system in _WITH_CODE_PAGE and not entry.extra and not entry.name.isascii():
        # Info-ZIP's unzip asks whether a name is UTF-8 only where there are extra fields.
        yield (
            "has a name outside ASCII and is marked as from DOS, so readers see different names; "
            "deploy the folder itself, or pack it with 7z, bsdtar or Python"
        )
    kind = stat.S_IFMT(entry.attributes >> 16)
    if kind == stat.S_IFLNK or entry.attributes & _REPARSE_POINT:
        yield "is a link; replace it by what it points to"
    elif entry.attributes & _VOLUME_LABEL:
        yield "is a volume label to DOS and Windows, not a file"
    elif kind not in {0, stat.S_IFREG, stat.S_IFDIR} or entry.attributes & _DOS_DEVICE:
        yield "is a device, a pipe or a socket, not a file"
    elif (kind and (kind == stat.S_IFDIR) != entry.is_folder) or (
        entry.attributes & _DOS_FOLDER and not entry.is_folder
    ):
        yield "is a folder by its name and a file by its mode, or the reverse"
    if entry.is_folder and entry.size:
        yield "is a folder with content"


def _bounds(entries: tuple[Entry, ...], limits: ArchiveLimits) -> Iterator[ArchiveProblem]:
    total = sum(entry.size for entry in entries)
    if total > limits.size:
        message = f"it would be {total:,} bytes unpacked; at most {limits.size:,} are allowed"
        yield ArchiveProblem(None, message)
    for entry in entries:
        if entry.size > max(limits.slack, entry.packed * limits.ratio):
            yield ArchiveProblem(
                entry.name,
                f"{entry.packed:,} bytes would unpack to {entry.size:,}, "
                f"more than {limits.ratio} times as many",
            )


def shown_problem(problem: ArchiveProblem) -> str:
    """A problem in one line."""
    if problem.member is None:
        return problem.message
    return f"`{printable(problem.member)}` {problem.message}"
