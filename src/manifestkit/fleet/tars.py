"""The files of a tar archive that is whole; of a damaged one, an error and no silence.

`tarfile` takes a damaged header for the end, and reads whatever a header says is its length.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import re
import tarfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from manifestkit.model.links import followed

_MOST_HEADER = 1_000_000  # bytes of the headers of a member, with its long name and attributes
_BLOCK = tarfile.BLOCKSIZE
_COMPRESSED: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\0", lzma.LZMAFile),
)
_ODD = {
    tarfile.FIFOTYPE: "is a pipe",
    tarfile.CHRTYPE: "is a device",
    tarfile.BLKTYPE: "is a device",
}
_MOST_LINKS = 64 * 1024 * 1024  # bytes that the links of an archive take in memory
_LINK = 400  # of them, beside its names
_OF_ONE_MEMBER = re.compile(r"(?:path|linkpath|size)\Z|GNU\.sparse\.")


ArchivedFile = tuple[str, bytes | None, str | None]
"""The name of a file, its content, and why it has none."""


class _Link(NamedTuple):
    """A link in an archive.

    Attributes:
        number: of its member.
        name: its name, as it is written.
        linkname: what it stands for, as it is written.
        is_hard: whether it is to what had that name before it.
        is_meant: whether it is one of the files that are read.
    """

    number: int
    name: str
    linkname: str
    is_hard: bool
    is_meant: bool

    @property
    def target(self) -> str:
        """What it stands for, a path from the root of the archive."""
        if self.is_hard:
            return self.linkname
        is_outside = self.linkname.startswith("/")
        return ".." if is_outside else f"{posixpath.dirname(self.name)}/{self.linkname}"


def files_of(
    file: io.BufferedReader, is_meant: Callable[[str], bool], at_most: int
) -> Iterator[ArchivedFile]:
    """The files of an archive with their first `at_most` bytes; after them, those that are links.

    A link has the content of its target, if that is in the archive.

    Raises:
        tarfile.TarError: the archive is damaged or cut.
        OSError: it cannot be read, or its compression is damaged.
    """
    links: list[_Link] = []
    held = 0
    for number, (member, read) in enumerate(_members(file)):
        name, meant = member.name, is_meant(member.name)
        if member.isfile():
            if meant:
                yield name, read(at_most), None
        elif member.islnk() or member.issym():
            held += len(name) + len(member.linkname) + _LINK
            if held <= _MOST_LINKS:
                links.append(_Link(number, name, member.linkname, member.islnk(), meant))
            elif meant:
                yield name, None, "is one of too many links"
        elif meant and not member.isdir():
            yield name, None, _ODD.get(member.type, "is not a file")
    if any(each.is_meant for each in links):
        yield from _linked(file, links, at_most)


def _plain(name: str) -> str:
    return posixpath.normpath(name).lstrip("/")


def _linked(file: io.BufferedReader, links: list[_Link], at_most: int) -> Iterator[ArchivedFile]:
    """The files that are links: first those with no content, the others in order of targets."""
    links = _hard_to_symbolic(links)
    found = _targets(file, links)
    names: dict[int, list[str]] = defaultdict(list)
    for link in links:
        if link in found:
            names[found[link]].append(link.name)
        elif link.is_meant:
            yield link.name, None, "is a link to no file in the archive"
    for number, (_, read) in enumerate(_members(file) if names else ()):
        if number in names:
            content = read(at_most)
            for name in names[number]:
                yield name, content, None


def _hard_to_symbolic(links: list[_Link]) -> list[_Link]:
    """The links, where a hard link to a symbolic one is another symbolic link like it."""
    made: dict[str, str] = {}
    found = []
    for each in links:
        like = made.get(_plain(each.linkname)) if each.is_hard else each.linkname
        if like is not None:
            made[_plain(each.name)] = like
        found.append(each if like is None else each._replace(linkname=like, is_hard=False))
    return found


def _targets(file: io.BufferedReader, links: list[_Link]) -> dict[_Link, int]:
    """The number of the member that each link stands for, if it is in the archive."""
    targets = {_plain(each.name): each.target for each in links}
    waiting: dict[str, list[_Link]] = defaultdict(list)
    for link in links:
        if link.is_meant:
            waiting[followed(link.target, targets.get) or ""].append(link)
    found: dict[_Link, int] = {}
    for number, (member, _) in enumerate(_members(file)):
        for link in waiting.get(_plain(member.name), ()) if member.isfile() else ():
            if not link.is_hard or number < link.number or link not in found:
                found[link] = number
    return found


Members = Iterator[tuple[tarfile.TarInfo, Callable[[int], bytes]]]


def _members(file: io.BufferedReader) -> Members:
    """What is in an archive, and what reads it as long as it is the last."""
    file.seek(0)
    begins = file.peek(6)
    stream = next((made(file) for magic, made in _COMPRESSED if begins.startswith(magic)), file)
    with _telling():
        yield from _walked(_Forward(stream))


@contextmanager
def _telling() -> Iterator[None]:
    """Say in plain words what `tarfile` and the decompressors raise beside their own errors."""
    try:
        yield
    except RecursionError:
        raise tarfile.ReadError("a member with too many headers") from None
    except (IndexError, OverflowError, ValueError):
        raise tarfile.ReadError("a header that cannot be read") from None
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise tarfile.ReadError(str(error) or type(error).__name__) from None


def _walked(stream: _Forward) -> Members:
    archive = tarfile.TarFile(fileobj=stream, tarinfo=_Header)  # type: ignore[arg-type]

    def read(member: tarfile.TarInfo, at_most: int) -> bytes:
        stream.left = None
        with _telling():
            held = archive.extractfile(member)
            assert held is not None  # noqa: S101 - it is a file
            return held.read(at_most)

    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
        shared = archive.pax_headers
        if sum(map(len, (*shared, *shared.values()))) > _MOST_HEADER:
            raise tarfile.ReadError(_TOO_LARGE)
        if strange := next((each for each in shared if _OF_ONE_MEMBER.match(each)), None):
            raise tarfile.ReadError(f"a global header with `{strange}`, which some readers ignore")
        if "\0" in member.name:
            raise tarfile.ReadError("a name with a NUL, where some readers end it")
        yield member, partial(read, member)
        stream.left = _MOST_HEADER
    stream.left = None
    rest = 0
    while piece := stream.read(1 << 20):  # a compressed one has its checksum at its end
        rest += len(piece)
        if piece.count(0) != len(piece):
            raise tarfile.ReadError("it goes on after its end")
    if rest < _BLOCK:
        raise tarfile.ReadError(_NO_END)


_NO_END = "it ends without an end-of-archive marker"
_TOO_LARGE = f"a header, a long name or attributes of more than {_MOST_HEADER:,} bytes"


class _Header(tarfile.TarInfo):
    """The header of a member, which is no end of the archive when it is damaged."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str | None) -> _Header:
        try:
            header = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        except tarfile.HeaderError as error:
            if len(buf) < _BLOCK:
                raise tarfile.ReadError(_NO_END) from None
            if any(buf):
                raise tarfile.ReadError(str(error)) from None
            raise
        if header.size < 0:
            raise tarfile.ReadError("a member with a negative size")
        return header


class _Forward:
    """What is read of an archive: only forward, and of headers not more than is left."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.left: int | None = _MOST_HEADER

    def read(self, size: int) -> bytes:
        """Some bytes, fewer at the end."""
        if self.left is not None:
            if size > self.left:
                raise tarfile.ReadError(_TOO_LARGE)
            self.left -= size
        return self._stream.read(size)

    def tell(self) -> int:
        """The position."""
        return self._stream.tell()

    def seek(self, position: int) -> int:
        """Go to a position, which may be beyond the end."""
        if position < self.tell():
            raise tarfile.ReadError("a member that ends before it begins")
        return self._stream.seek(position)
