"""What is in an entry: exactly what its sizes and its checksum say."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from manifestkit.publish.archive.directory import Entry

_CHUNK = 256 * 1024
_DEFLATED = 8
_LOCAL_SIZE = 30
_LENGTHS_AT = 26
_RAW = -zlib.MAX_WBITS
_MARK_LENGTH = 4
_MARK = re.compile(rb"PK(?:\x01\x02|\x03\x04|\x07\x08)")
_FORGED = (
    "has its sizes behind it, and holds what reads like its end or like another entry: who reads "
    "it as a stream finds other files; deploy the folder itself, or pack it with 7z or Python"
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
                return f"unpacks to more than the {entry.size:,} bytes that it says"
    except _ForgedError:
        return _FORGED
    except (_DamagedError, zlib.error):
        return "is damaged: it cannot be unpacked"
    if size != entry.size:
        return f"unpacks to {size:,} bytes, and says {entry.size:,}"
    if crc != entry.crc:
        return "is damaged: its checksum is another"
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
