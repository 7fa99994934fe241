"""A folder or an archive as the one canonical archive that is checked and sent.

What is sent is written here, so no reader can see in it what was not seen before: sorted names,
marked as UTF-8 where they are not ASCII, one time and one mode, deflate, no extra fields. The same
content is the same bytes, whether it came as a folder or as an archive of whatever packer.
"""

from __future__ import annotations

import hashlib
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from manifestkit.config.configuration import Publishing
from manifestkit.files import is_folder, posix_name, reason_of
from manifestkit.model.errors import UnreadableFileError
from manifestkit.publish.leaving_out import IGNORE_FILE, LeavingOut, LeftOut
from manifestkit.publish.names import Problem, collisions, name_problem
from manifestkit.publish.sources import (
    CHANGED,
    CHUNK,
    Archive,
    DamagedArchiveError,
    Folder,
    SiteEntry,
)

_MOST_ENTRIES = 20_000
_MOST_BYTES = 2 * 1024**3
_MOST_PROBLEMS = 1_000
_LIMIT = "it has {:,} {}; at most {:,} are allowed: raise `{}` under [publish]"
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16
_UNIX = 3

Progress = Callable[[int, int], None]
"""Gets how many bytes are done, and of how many."""


class Listing(NamedTuple):
    """Files that would be packed, with their sizes, and what is left out or wrong."""

    files: tuple[tuple[str, int], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Return whether it may not be sent."""
        return not all(each.is_warning for each in self.problems)

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
        while chunk := self.file.read(CHUNK):
            yield chunk

    def read(self, name: str, most: int) -> bytes:
        """Return the content of a file in the archive, of a longer one the start."""
        with zipfile.ZipFile(self.file) as archive, archive.open(name) as file:
            return file.read(most)


def pack(
    path: Path, settings: Publishing, progress: Progress | None = None, *, only_list: bool = False
) -> tuple[Listing, Packed | None]:
    """List a folder or an archive, and write its canonical archive; none of what is refused.

    Raises:
        ConfigurationError: an ignore file or a pattern is wrong.
        UnreadableFileError: something cannot be read, or has changed meanwhile.
    """
    listing = Listing()
    try:
        opened = (
            Folder(path)
            if is_folder(path)
            else Archive(path, settings.max_entries or _MOST_ENTRIES)
        )
        with closing(opened), ExitStack() as undo:
            listing, files = _listed(opened, settings)
            if listing.is_refused or only_list:
                return listing, None
            target = undo.enter_context(tempfile.TemporaryFile(prefix="manifestkit-"))
            _write(target, files, listing.size, progress)
            again, files_again = _listed(opened, settings)
            if again != listing or [each.key for each in files_again] != [
                each.key for each in files
            ]:
                raise UnreadableFileError(posix_name(path), CHANGED)
            target.seek(0)
            digest = hashlib.file_digest(target, "sha256").hexdigest()
            packed = Packed(target, target.tell(), digest)
            undo.pop_all()
            return listing, packed
    except DamagedArchiveError as error:
        return listing.with_problem(Problem(error.member, error.reason)), None
    except OSError as error:
        place = posix_name(error.filename or path)
        raise UnreadableFileError(place, f"cannot be packed: {reason_of(error)}") from None


def _listed(opened: Folder | Archive, settings: Publishing) -> tuple[Listing, list[SiteEntry]]:
    ignore_file = opened.ignore_file()
    named = None if ignore_file is None else (f"{opened.prefix}{IGNORE_FILE}", ignore_file)
    leaving_out = LeavingOut(settings.ignore, settings.include, named)
    entries = sorted(opened.entries(leaving_out), key=lambda each: each.name)
    files = [each for each in entries if not each.is_folder]
    listing = Listing(
        tuple((each.name, each.size) for each in files), tuple(sorted(leaving_out.left_out))
    )
    problems = (*_exceeded_limits(listing, settings), *_problems(entries))
    return listing._replace(problems=problems), files


def _exceeded_limits(listing: Listing, settings: Publishing) -> Iterator[Problem]:
    if not listing.files:
        yield Problem(None, "it has no file to publish; see --list for what is left out")
    count, most = len(listing.files), settings.max_entries or _MOST_ENTRIES
    if count > most:
        yield Problem(None, _LIMIT.format(count, "files", most, "max-entries"))
    if listing.size > (most := settings.max_size or _MOST_BYTES):
        yield Problem(None, _LIMIT.format(listing.size, "bytes, unpacked", most, "max-size"))


def _problems(entries: list[SiteEntry]) -> Sequence[Problem]:
    names = [each.name for each in entries]
    problems = [Problem(each.name, each.problem) for each in entries if each.problem]
    problems += filter(None, (name_problem(name.removesuffix("/")) for name in names))
    problems += collisions(names)
    return sorted(problems, key=lambda each: each.is_warning)[:_MOST_PROBLEMS]


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
