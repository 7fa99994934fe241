"""A folder or an archive as the one canonical archive that is checked and sent.

What is sent is written here, so no reader can see in it what was not seen before: sorted names,
marked as UTF-8 where they are not ASCII, one time and one mode, deflate, no extra fields. The same
content is the same bytes, whether it came as a folder or as an archive of whatever packer.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from manifestkit.config.configuration import Configuration
from manifestkit.files import is_folder, is_there, posix_name, reason_of
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.publish.ignoring import IGNORE_FILE, IgnoreList, Ignoring, LeftOut
from manifestkit.publish.names import Problem, collisions, name_problems
from manifestkit.publish.private import write_private
from manifestkit.publish.sources import CHANGED, CHUNK, Archive, Folder, SiteEntry

MOST_ENTRIES = 20_000
MOST_BYTES = 2 * 1024**3

Progress = Callable[[int, int], None]
"""Gets how many bytes are done, and of how many."""

_MOST_PROBLEMS = 1_000
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3


@dataclass(frozen=True, slots=True)
class PackingOptions:
    """Limits and exceptions for packing; with `portable_names`, warnings of names are refused.

    No file of `own_files`, each with what it is, may be published.
    """

    ignoring: Ignoring = field(default_factory=Ignoring.of)
    most_entries: int = MOST_ENTRIES
    most_bytes: int = MOST_BYTES
    portable_names: bool = False
    own_files: tuple[tuple[str, Path], ...] = ()

    @classmethod
    def of(
        cls,
        configured: Configuration,
        *,
        include: tuple[str, ...] = (),
        most_entries: int | None = None,
        most_bytes: int | None = None,
        portable_names: bool = False,
        own_files: tuple[tuple[str, Path], ...] = (),
    ) -> PackingOptions:
        """Return what is configured under `[publish]`, where nothing else is given."""
        publish = configured.publish
        ignored = None
        if publish.ignore is not None:
            file = configured.file_of("publish", "ignore")
            ignored = IgnoreList(publish.ignore, file, has_lines=False)
        return cls(
            Ignoring.of(ignored, (*publish.include, *include)),
            most_entries or publish.max_entries or MOST_ENTRIES,
            most_bytes or publish.max_size or MOST_BYTES,
            portable_names,
            own_files,
        )


class Listing(NamedTuple):
    """Files that would be packed, with their sizes, and what is left out or wrong."""

    files: tuple[tuple[str, int], ...]
    left_out: tuple[LeftOut, ...]
    problems: tuple[Problem, ...]

    @property
    def is_refused(self) -> bool:
        """Return whether it may not be sent."""
        return not all(each.is_warning for each in self.problems)

    def with_problem(self, problem: Problem) -> Listing:
        """Return the listing with one more problem."""
        return self._replace(problems=(*self.problems, problem))

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
        while chunk := self.file.read(CHUNK):
            yield chunk

    def read(self, name: str, most: int) -> bytes:
        """Return the content of a file in the archive, of a longer one the start."""
        with zipfile.ZipFile(self.file) as archive, archive.open(name) as file:
            return file.read(most)

    def digests(self) -> dict[str, str]:
        """Return the digest of each file in the archive, in hex."""
        with zipfile.ZipFile(self.file) as archive:
            digests = {}
            for name in archive.namelist():
                with archive.open(name) as file:
                    digests[name] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]  # it reads bytes
            return digests

    def write(self, path: Path) -> None:
        """Write the archive to a file, whole or not at all."""
        write_private(path, self.chunks())


class SiteSource:
    """A folder or an archive that is open; a context that closes it."""

    def __init__(self, path: Path, options: PackingOptions) -> None:
        self.path = path
        self.options = options
        self._files: list[SiteEntry] = []
        self._opened: Folder | Archive
        self._opened = Folder(path) if is_folder(path) else Archive(path, options.most_entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def listing(self) -> Listing:
        """Return what would be packed.

        Raises:
            ConfigurationError: a file of the user would be published, or an ignore file is wrong.
        """
        ignoring = self.options.ignoring
        ignore_file = self._opened.ignore_file()
        if ignore_file is not None:
            ignoring = ignoring.with_file(self._opened.shown(IGNORE_FILE), ignore_file)
        self._refuse_own_files(ignoring)
        left_out: list[LeftOut] = []
        entries = sorted(self._opened.entries(ignoring, left_out), key=lambda each: each.name)
        self._files = [each for each in entries if not each.is_folder]
        return Listing(
            tuple((each.name, each.size) for each in self._files),
            tuple(sorted(left_out, key=lambda each: each.name)),
            tuple(self._problems(entries)),
        )

    def pack(self, listing: Listing, progress: Progress | None = None) -> Packed:
        """Write the canonical archive of what was listed.

        Raises:
            UnreadableFileError: something in the source cannot be read, or has changed.
        """
        files = self._files
        try:
            with ExitStack() as undo:
                target = undo.enter_context(tempfile.TemporaryFile(prefix="manifestkit-"))
                _write(target, files, listing.size, progress)
                if self.listing() != listing or _keys(self._files) != _keys(files):
                    raise UnreadableFileError(posix_name(self.path), CHANGED)
                target.seek(0)
                digest = hashlib.file_digest(target, "sha256")
                undo.pop_all()
        except OSError as error:
            reason = f"cannot be packed: {reason_of(error)}"
            raise UnreadableFileError(posix_name(self.path), reason) from None
        return Packed(target, target.tell(), digest.hexdigest())

    def _refuse_own_files(self, ignoring: Ignoring) -> None:
        site = Path(os.path.realpath(self.path))
        for what, path in self.options.own_files:
            place = Path(os.path.realpath(path))
            if not place.is_relative_to(site):
                continue
            parts = place.relative_to(site).parts
            names = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            is_file = is_there(place) and not is_folder(place)
            if any(ignoring.reason(name, is_folder=True) for name in names[:-1]) or (
                names and ignoring.reason(names[-1], is_folder=not is_file)
            ):
                continue
            raise ConfigurationError(
                f"{what}: {posix_name(path)} is inside {posix_name(self.path)}, and would be "
                "published with it or replace it; choose a place outside"
            )

    def _problems(self, entries: list[SiteEntry]) -> Iterator[Problem]:
        count, most = len(self._files), self.options.most_entries
        if not count:
            yield Problem(None, "it has no file to publish; see --list for what is left out")
        if count > most:
            yield Problem(
                None,
                f"it has {count:,} files; at most {most:,} are allowed: raise --max-entries, "
                "or `max-entries` under [publish]",
            )
        total, most = sum(each.size for each in self._files), self.options.most_bytes
        if total > most:
            yield Problem(
                None,
                f"it has {total:,} bytes, unpacked; at most {most:,} are allowed: raise "
                "--max-size, or `max-size` under [publish]",
            )
        names = [each.name for each in entries]
        problems = [each for name in names for each in name_problems(name.removesuffix("/"))]
        problems += (Problem(entry.name, each) for entry in entries for each in entry.problems)
        problems += collisions(names)
        for each in sorted(problems, key=lambda each: each.is_warning)[:_MOST_PROBLEMS]:
            is_warning = each.is_warning and not self.options.portable_names
            yield each._replace(is_warning=is_warning)


def _keys(files: list[SiteEntry]) -> list[object]:
    return [each.key for each in files]


def _write(target: BinaryIO, files: list[SiteEntry], total: int, progress: Progress | None) -> None:
    done = 0
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
                    done += len(chunk)
                    if progress:
                        progress(done, total)
