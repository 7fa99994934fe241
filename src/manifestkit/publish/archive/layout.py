"""Where the parts of an archive lie, and what its entries hold."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from manifestkit.publish.archive.directory import NEWEST, Directory, Entry, holds_mark
from manifestkit.publish.archive.extra import (
    WIDE_SIZES,
    Extra,
    MalformedExtraError,
    disagree,
    extra_problems,
    read_extra,
)

_CHUNK = 256 * 1024
_DEFLATED = 8
_LOCAL_SIZE = 30
_LENGTHS_AT = 26
_RAW = -zlib.MAX_WBITS
_MARK_LENGTH = 4
_MARK = re.compile(rb"PK(?:\x01\x02|\x03\x04|\x07\x08)")
_FORGED = (
    "has its sizes after its data, and contains what looks like its end or like another entry: "
    "readers of streams would find other files; deploy the folder itself, or pack it with 7z or "
    "Python"
)


class _DamagedError(Exception):
    """Content that is not what its entry says."""


class _ForgedError(Exception):
    """Content that reads like the headers around it."""


def content_problem(file: BinaryIO, entry: Entry) -> str | None:
    """What is wrong with the content of an entry; None when it is as it says."""
    crc = 0
    size = 0
    try:
        for chunk in _unpacked(file, entry):
            crc = zlib.crc32(chunk, crc)
            size += len(chunk)
            if size > entry.size:
                return f"unpacks to more than its declared {entry.size:,} bytes"
    except _ForgedError:
        return _FORGED
    except (_DamagedError, zlib.error):
        return "is damaged: it cannot be unpacked"
    if size != entry.size:
        return f"unpacks to {size:,} bytes, but declares {entry.size:,}"
    if crc != entry.crc:
        return "is damaged: its checksum does not match"
    return None


def read_content(file: BinaryIO, entry: Entry, at_most: int) -> bytes:
    """The content of a sound entry, or its first `at_most` + 1 bytes."""
    content = bytearray()
    for chunk in _unpacked(file, entry):
        content += chunk
        if len(content) > at_most:
            break
    return bytes(content[: at_most + 1])


def _unpacked(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    packed = _packed(file, entry)
    if entry.has_descriptor:
        packed = _without_marks(packed)
    if entry.method != _DEFLATED:
        yield from packed
        return
    unpacker = zlib.decompressobj(_RAW)
    for chunk in packed:
        if unpacker.eof:
            raise _DamagedError
        yield unpacker.decompress(chunk, _CHUNK)
        while unpacker.unconsumed_tail:
            yield unpacker.decompress(unpacker.unconsumed_tail, _CHUNK)
    while not unpacker.eof:
        rest = unpacker.decompress(b"", _CHUNK)
        if not rest:
            break
        yield rest
    if not unpacker.eof or unpacker.unused_data:
        raise _DamagedError


def _without_marks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same; readers of a stream, who do not know the length, look for its end by a mark."""
    end = b""
    for chunk in chunks:
        if _MARK.search(end + chunk):
            raise _ForgedError
        end = chunk[-_MARK_LENGTH + 1 :]
        yield chunk


def _packed(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    file.seek(entry.offset + _LENGTHS_AT)
    name_length, extra_length = struct.unpack("<HH", file.read(4))
    at = entry.offset + _LOCAL_SIZE + name_length + extra_length
    left = entry.packed
    while left:
        file.seek(at)
        chunk = file.read(min(_CHUNK, left))
        if not chunk:
            raise _DamagedError
        at += len(chunk)
        left -= len(chunk)
        yield chunk


_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MARK = b"PK\3\4"
_DESCRIPTOR_MARK = b"PK\7\x08"
_HINTS = 0x0002 | 0x0004  # how hard a packer has tried
_FULL32 = 0xFFFFFFFF

Found = Iterator[tuple[Entry | None, str]]


def layout_problems(file: BinaryIO, directory: Directory) -> Found:
    """What is wrong with the places of entries, and with their local headers."""
    ordered = sorted(directory.entries, key=lambda entry: entry.offset)
    begins = [*(entry.offset for entry in ordered), directory.offset]
    if begins[0]:
        yield None, f"there are {begins[0]:,} bytes before its first entry"
    for entry, end in zip(ordered, begins[1:], strict=True):
        for message in _problems(file, entry, end):
            yield entry, message


def _problems(file: BinaryIO, entry: Entry, end: int) -> Iterator[str]:
    local = _local(file, entry, end)
    if isinstance(local, str):
        yield local
        return
    yield from _differences(local, entry)
    behind = local.content + entry.packed
    unused = end - behind
    if entry.has_descriptor:
        file.seek(behind)
        wanted = _descriptor(entry, is_wide=WIDE_SIZES in local.extra)
        if unused != len(wanted) or file.read(unused) != wanted:
            yield "is followed by bytes that belong to no entry"
        if holds_mark(wanted, 1):
            yield "has a checksum or sizes that look like the header of another entry"
    elif unused:
        yield f"is followed by {unused:,} bytes that belong to no entry"


@dataclass(frozen=True, slots=True)
class _Local:
    """A local header: what it says, and where the content behind it begins."""

    name: bytes
    needs: int
    flags: int
    method: int
    sizes: tuple[int, int, int]
    content: int
    extra: Extra


def _differences(local: _Local, entry: Entry) -> Iterator[str]:
    if local.name != entry.raw_name:
        yield "has a different name in its header than in the list of entries"
    if local.method != entry.method or (local.flags ^ entry.flags) & ~_HINTS:
        yield "has a different method in its header than in the list of entries"
    if local.needs > NEWEST:
        yield f"needs version {local.needs / 10:g} of the format in its header"
    wrong = tuple(extra_problems(local.extra, entry.raw_name, is_marked=entry.is_marked))
    yield from wrong
    if not wrong and disagree(local.extra, entry.extra):
        yield "has different extra fields in its header than in the list of entries"
    known = (entry.crc, entry.packed, entry.size)
    agree = (
        sizes in {true, 0} if entry.has_descriptor else sizes == true
        for sizes, true in zip(local.sizes, known, strict=True)
    )
    if not all(agree):
        yield "has different sizes in its header than in the list of entries"


def _local(file: BinaryIO, entry: Entry, end: int) -> _Local | str:
    """The local header of an entry; or why there is none."""
    file.seek(entry.offset)
    header = file.read(_LOCAL.size)
    if entry.offset + _LOCAL.size + len(entry.raw_name) + entry.packed > end:
        return "overlaps with what follows it"
    if len(header) < _LOCAL.size:  # what follows it says that it is beyond the last byte, too
        return "is not where the list of entries says"
    mark, needs, flags, method, _, _, *lengths = _LOCAL.unpack(header)
    crc, packed, size, name_length, extra_length = lengths
    if mark != _LOCAL_MARK:
        return "is not where the list of entries says"
    content = entry.offset + _LOCAL.size + name_length + extra_length
    if content + entry.packed > end:
        return "overlaps with what follows it"
    rest = file.read(name_length + extra_length)
    if holds_mark(header + rest, 1):
        return "has a header that contains what looks like another one"
    try:
        extra = read_extra(rest[name_length:])
        packed, size = _sizes(extra.get(WIDE_SIZES), packed, size)
    except MalformedExtraError:
        return "has damaged extra fields"
    sizes = (crc, packed, size)
    return _Local(rest[:name_length], needs, flags, method, sizes, content, extra)


def _sizes(wide: bytes | None, packed: int, size: int) -> tuple[int, int]:
    """The sizes of a local header: both in 64 bits, or none.

    Raises:
        MalformedExtraError: they are neither.
    """
    if wide is None:
        return packed, size
    if len(wide) != _WIDE.size or not packed == size == _FULL32:
        raise MalformedExtraError
    size, packed = _WIDE.unpack(wide)
    return packed, size


_WIDE = struct.Struct("<QQ")


def _descriptor(entry: Entry, *, is_wide: bool) -> bytes:
    """Checksum and sizes as they follow an entry."""
    form = "<4sLQQ" if is_wide else "<4sLLL"
    return struct.pack(form, _DESCRIPTOR_MARK, entry.crc, entry.packed, entry.size)
