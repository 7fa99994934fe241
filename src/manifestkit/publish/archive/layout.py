"""Where entries stand: each behind the other, from the first byte to the list at the end."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from manifestkit.publish.archive.directory import (
    Directory,
    Entry,
    MalformedArchiveError,
    extra_fields,
)
from manifestkit.publish.archive.names import Found

_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_MARK = b"PK\3\4"
_DESCRIPTOR_MARK = b"PK\7\x08"
_HAS_DESCRIPTOR = 0x0008
_MEANINGFUL = 0x0001 | 0x0020 | 0x0040 | 0x0800 | 0x2000  # the others are hints to packers
_FULL32 = 0xFFFFFFFF
_ZIP64_EXTRA = 0x0001


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
    if local.name != entry.raw_name:
        yield "has another name at its own place than in the list of entries"
    if local.method != entry.method or (local.flags ^ entry.flags) & _MEANINGFUL:
        yield "is packed otherwise at its own place than in the list of entries"
    known = (entry.crc, entry.size, entry.packed)
    later = bool(local.flags & _HAS_DESCRIPTOR)
    agree = (
        told in {true, 0} if later else told == true
        for told, true in zip(local.told, known, strict=True)
    )
    if not all(agree):
        yield "has other sizes at its own place than in the list of entries"
    behind = local.content + entry.packed
    gap = end - behind
    if later:
        file.seek(behind)
        if gap not in _DESCRIPTORS or file.read(gap) not in _descriptors(entry):
            yield "is followed by bytes that belong to no entry"
    elif gap:
        yield f"is followed by {gap:,} bytes that belong to no entry"


@dataclass(frozen=True, slots=True)
class _Local:
    """A local header: what it says, and where the content behind it begins."""

    name: bytes
    flags: int
    method: int
    told: tuple[int, int, int]
    content: int


def _local(file: BinaryIO, entry: Entry, end: int) -> _Local | str:
    """The local header of an entry; or why there is none."""
    file.seek(entry.offset)
    header = file.read(_LOCAL.size)
    if entry.offset + _LOCAL.size + len(entry.raw_name) + entry.packed > end:
        return "overlaps with what follows it"
    if len(header) < _LOCAL.size:  # what follows it says that it is beyond the last byte, too
        return "does not stand where the list of entries says"
    mark, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack(
        header
    )
    if mark != _LOCAL_MARK:
        return "does not stand where the list of entries says"
    content = entry.offset + _LOCAL.size + name_length + extra_length
    if content + entry.packed > end:
        return "overlaps with what follows it"
    rest = file.read(name_length + extra_length)
    try:
        extra = dict(extra_fields(rest[name_length:]))
    except MalformedArchiveError:
        return "has damaged extra fields"
    told = (crc, *_sizes(extra.get(_ZIP64_EXTRA, b""), size, packed))
    return _Local(rest[:name_length], flags, method, told, content)


def _sizes(wide: bytes, size: int, packed: int) -> tuple[int, int]:
    """The sizes of a local header; those in 64 bits, where it points there."""
    if _FULL32 in {size, packed} and len(wide) >= 16:  # noqa: PLR2004 - two values of 64 bits
        wide_size, wide_packed = struct.unpack_from("<QQ", wide)
        return (
            wide_size if size == _FULL32 else size,
            wide_packed if packed == _FULL32 else packed,
        )
    return size, packed


_DESCRIPTORS = frozenset({12, 16, 20, 24})


def _descriptors(entry: Entry) -> Iterator[bytes]:
    """The ways in which sizes may follow an entry: in 32 or 64 bits, with a mark or without."""
    for form in ("<LLL", "<LQQ"):
        if form == "<LQQ" or max(entry.packed, entry.size) <= _FULL32:
            plain = struct.pack(form, entry.crc, entry.packed, entry.size)
            yield plain
            yield _DESCRIPTOR_MARK + plain
