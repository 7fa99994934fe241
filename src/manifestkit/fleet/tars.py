"""The files of a tar archive that is whole; of a damaged one, an error and no silence.

`tarfile` takes a damaged header for the end, and reads whatever a header says is its length.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

_MOST_HEADER = 1_000_000  # bytes of the headers of a member, with its long name and attributes
_BLOCK = tarfile.BLOCKSIZE
_COMPRESSED: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\0", lzma.LZMAFile),
)
_LINK = "is a link, which is not followed; put a copy of the file in the archive"
_ODD = {
    tarfile.LNKTYPE: _LINK,
    tarfile.SYMTYPE: _LINK,
    tarfile.FIFOTYPE: "is a pipe",
    tarfile.CHRTYPE: "is a device",
    tarfile.BLKTYPE: "is a device",
}
_OF_ONE_MEMBER = re.compile(r"(?:path|linkpath|size)\Z|GNU\.sparse\.")
_NO_END = "it ends without an end-of-archive marker"
_TOO_LARGE = f"a header, a long name or attributes of more than {_MOST_HEADER:,} bytes"

ArchivedFile = tuple[str, bytes | None, str | None]
"""The name of a file, its content, and why it has none."""


def files_of(
    file: io.BufferedReader, is_meant: Callable[[str], bool], at_most: int
) -> Iterator[ArchivedFile]:
    """Read the files of an archive that are meant, of each its first `at_most` bytes.

    A link, a pipe or a device has no content, but the reason.

    Raises:
        tarfile.TarError: the archive is damaged or cut.
        OSError: it cannot be read, or its compression is damaged.
    """
    begins = file.peek(6)
    stream = next((made(file) for magic, made in _COMPRESSED if begins.startswith(magic)), file)
    try:
        yield from _files(_Forward(stream), is_meant, at_most)
    except RecursionError:
        raise tarfile.ReadError("a member with too many headers") from None
    except (IndexError, OverflowError, ValueError):
        raise tarfile.ReadError("a header that cannot be read") from None
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise tarfile.ReadError(str(error) or type(error).__name__) from None


def _files(
    stream: _Forward, is_meant: Callable[[str], bool], at_most: int
) -> Iterator[ArchivedFile]:
    archive = tarfile.TarFile(fileobj=stream, tarinfo=_Header)  # type: ignore[arg-type]
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
        shared = archive.pax_headers
        if sum(map(len, (*shared, *shared.values()))) > _MOST_HEADER:
            raise tarfile.ReadError(_TOO_LARGE)
        if strange := next((each for each in shared if _OF_ONE_MEMBER.match(each)), None):
            raise tarfile.ReadError(f"a global header with `{strange}`, which some readers ignore")
        if "\0" in member.name:
            raise tarfile.ReadError("a name with a NUL, where some readers end it")
        if is_meant(member.name) and not member.isdir():
            stream.left = None
            if held := archive.extractfile(member) if member.isfile() else None:
                yield member.name, held.read(at_most), None
            else:
                yield member.name, None, _ODD.get(member.type, "is not a file")
        stream.left = _MOST_HEADER
    stream.left = None
    rest = 0
    while piece := stream.read(1 << 20):  # a compressed one has its checksum at its end
        rest += len(piece)
        if piece.count(0) != len(piece):
            raise tarfile.ReadError("it goes on after its end")
    if rest < _BLOCK:
        raise tarfile.ReadError(_NO_END)


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
    """Reader of an archive that goes only forward, and reads no more of headers than is left."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.left: int | None = _MOST_HEADER

    def read(self, size: int) -> bytes:
        if self.left is not None:
            if size > self.left:
                raise tarfile.ReadError(_TOO_LARGE)
            self.left -= size
        return self._stream.read(size)

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, position: int) -> int:
        if position < self.tell():
            raise tarfile.ReadError("a member that ends before it begins")
        return self._stream.seek(position)
