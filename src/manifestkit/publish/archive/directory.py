"""The list of entries at a zip's end (PKWARE's APPNOTE, sections 4.3.12 to 4.3.16)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\5\6"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_MARK = b"PK\6\7"
_END64 = struct.Struct("<4sQ2H2L4Q")
_END64_MARK = b"PK\6\6"
_END64_BEFORE = 12  # the mark and the size, which the size does not count
_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_MARK = b"PK\1\2"
_LOCAL_MARK = b"PK\3\4"
_EXTRA = struct.Struct("<HH")
_ZIP64_EXTRA, _UNICODE_PATH_EXTRA = 0x0001, 0x7075
_UNICODE_PATH_HEAD = 5
_LONGEST_COMMENT = 0xFFFF
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
_UTF8 = 0x0800


class MalformedArchiveError(Exception):
    """A file that cannot be followed as a zip, with why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the list.

    Attributes:
        name: its name as text.
        raw_name: its name as it is written.
        needs: the version of the format that a reader must know, times ten.
        flags: the general purpose bits.
        method: how it is packed.
        crc: the checksum of its content.
        packed: its bytes in the archive.
        size: its bytes unpacked.
        offset: where its local header stands.
        attributes: the external attributes: a Unix mode in the upper half.
        other_name: another name that some readers would take instead; None where there is none.
        is_named_well: whether its name is text in UTF-8.
    """

    name: str
    raw_name: bytes
    needs: int
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    attributes: int
    other_name: str | None
    is_named_well: bool

    @property
    def is_folder(self) -> bool:
        """Whether its name is a folder's."""
        return self.raw_name.endswith(b"/")


@dataclass(frozen=True, slots=True)
class Directory:
    """The list.

    Attributes:
        entries: what is in it.
        offset: where it begins.
    """

    entries: tuple[Entry, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class _End:
    count: int
    size: int
    offset: int
    position: int


def read_directory(file: BinaryIO, size: int, most_entries: int, most_bytes: int) -> Directory:
    """The list of entries of an archive.

    Raises:
        MalformedArchiveError: there is none that every reader would agree on, or it is too long.
    """
    end = _read_end(file, size)
    if end.count > most_entries:
        raise MalformedArchiveError(
            f"it has {end.count:,} entries; at most {most_entries:,} are allowed"
        )
    if end.size > most_bytes:
        raise MalformedArchiveError(
            f"its list of entries takes {end.size:,} bytes; at most {most_bytes:,} are allowed"
        )
    if end.offset + end.size != end.position:
        raise MalformedArchiveError(
            "its list of entries does not stand where it says: there are bytes before the archive, "
            "or between its parts"
        )
    data = _read(file, end.offset, end.size)
    entries = tuple(_entries(data))
    if len(entries) != end.count:
        raise MalformedArchiveError(f"it counts {end.count:,} entries and lists {len(entries):,}")
    return Directory(entries, end.offset)


def _read_end(file: BinaryIO, size: int) -> _End:
    start = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = _read(file, start, size - start)
    at = tail.rfind(_END_MARK)
    if at < 0:
        known = _read(file, 0, min(size, 4)) == _LOCAL_MARK
        raise MalformedArchiveError("it is cut off" if known else "it is no zip archive")
    if len(tail) - at < _END.size:
        raise MalformedArchiveError("it is cut off")
    _, disk, first_disk, here, count, length, offset, comment = _END.unpack_from(tail, at)
    after = len(tail) - at - _END.size - comment
    if after > 0:
        raise MalformedArchiveError(f"there are {after:,} bytes after its end")
    if after < 0:
        raise MalformedArchiveError("it is cut off in its comment")
    if _has_other_end(tail, at):
        raise MalformedArchiveError("its comment reads like the end of another archive")
    end = _End(count, length, offset, start + at)
    locator = _locator(file, end.position)
    if locator is None:
        if disk or first_disk or here != count:
            raise MalformedArchiveError("it is one part of several")
        if count == _FULL16 or _FULL32 in {length, offset}:
            raise MalformedArchiveError("its end points to a second end that is not there")
        return end
    return _read_end64(file, end, locator)


def _has_other_end(tail: bytes, at: int) -> bool:
    """Whether an earlier end, too, would reach to the last byte with its comment."""
    before = tail.rfind(_END_MARK, 0, at)
    while before >= 0:
        comment = _END.unpack_from(tail, before)[-1]
        if before + _END.size + comment == len(tail):
            return True
        before = tail.rfind(_END_MARK, 0, before)
    return False


def _locator(file: BinaryIO, end: int) -> int | None:
    """Where the end in 64 bits stands, if there is one."""
    if end < _LOCATOR.size:
        return None
    mark, disk, offset, disks = _LOCATOR.unpack(_read(file, end - _LOCATOR.size, _LOCATOR.size))
    if mark != _LOCATOR_MARK:
        return None
    if disk or disks > 1:
        raise MalformedArchiveError("it is one part of several")
    return int(offset)


def _read_end64(file: BinaryIO, end: _End, at: int) -> _End:
    if at + _END64.size + _LOCATOR.size > end.position:
        raise MalformedArchiveError("its second end does not stand where it says")
    record = _END64.unpack(_read(file, at, _END64.size))
    mark, length, _, _, disk, first_disk, here, count, size, offset = record
    if mark != _END64_MARK or at + _END64_BEFORE + length != end.position - _LOCATOR.size:
        raise MalformedArchiveError("its second end does not stand where it says")
    if disk or first_disk or here != count:
        raise MalformedArchiveError("it is one part of several")
    told = ((end.count, count, _FULL16), (end.size, size, _FULL32), (end.offset, offset, _FULL32))
    if any(short not in {long, full} for short, long, full in told):
        raise MalformedArchiveError("its two ends disagree")
    return _End(count, size, offset, at)


def _entries(data: bytes) -> Iterator[Entry]:
    at = 0
    while at < len(data):
        if len(data) - at < _ENTRY.size or data[at : at + 4] != _ENTRY_MARK:
            raise MalformedArchiveError("its list of entries is damaged")
        fields = _ENTRY.unpack_from(data, at)
        (
            _,
            _,
            needs,
            flags,
            method,
            _,
            _,
            crc,
            packed,
            size,
            *lengths,
            disk,
            _,
            attributes,
            offset,
        ) = fields
        name_length, extra_length, comment_length = lengths
        start = at + _ENTRY.size
        at = start + name_length + extra_length + comment_length
        if at > len(data):
            raise MalformedArchiveError("its list of entries is damaged")
        raw_name = data[start : start + name_length]
        extra = dict(extra_fields(data[start + name_length : at - comment_length]))
        wide = extra.get(_ZIP64_EXTRA, b"")
        size, packed, offset = _widened(wide, (size, packed, offset))
        if disk not in {0, _FULL16}:
            raise MalformedArchiveError("it is one part of several")
        name, is_named_well = _decoded(raw_name, is_utf8=bool(flags & _UTF8))
        yield Entry(
            name,
            raw_name,
            needs & 0xFF,
            flags,
            method,
            crc,
            packed,
            size,
            offset,
            attributes,
            _other_name(raw_name, name, extra.get(_UNICODE_PATH_EXTRA)),
            is_named_well,
        )


def extra_fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The extra fields of an entry, by their ids.

    Raises:
        MalformedArchiveError: they run over, or one that matters here is there twice.
    """
    at = 0
    seen = set()
    while len(data) - at >= _EXTRA.size:
        kind, length = _EXTRA.unpack_from(data, at)
        at += _EXTRA.size
        if at + length > len(data) or (
            kind in seen and kind in {_ZIP64_EXTRA, _UNICODE_PATH_EXTRA}
        ):
            raise MalformedArchiveError("an entry's extra fields are damaged")
        seen.add(kind)
        yield kind, data[at : at + length]
        at += length


def _widened(wide: bytes, values: tuple[int, ...]) -> tuple[int, ...]:
    """Values of 32 bits, those that are full replaced from the extra field, in order."""
    full = [index for index, value in enumerate(values) if value == _FULL32]
    if len(wide) < 8 * len(full):
        raise MalformedArchiveError("an entry's sizes are damaged")
    widened = list(values)
    for index, value in zip(full, struct.iter_unpack("<Q", wide[: 8 * len(full)]), strict=True):
        widened[index] = value[0]
    return tuple(widened)


def _decoded(raw: bytes, *, is_utf8: bool) -> tuple[str, bool]:
    try:
        return raw.decode(), True
    except UnicodeDecodeError:
        return (raw.decode(errors="replace") if is_utf8 else raw.decode("cp437")), False


def _other_name(raw: bytes, name: str, extra: bytes | None) -> str | None:
    if extra is None or len(extra) < _UNICODE_PATH_HEAD or extra[0] != 1:
        return None
    if int.from_bytes(extra[1:_UNICODE_PATH_HEAD], "little") != zlib.crc32(raw):
        return None  # made for another name: readers pass over it
    other = extra[_UNICODE_PATH_HEAD:].decode(errors="replace")
    return other if other != name else None


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    data = file.read(size)
    if len(data) < size:
        raise MalformedArchiveError("it is cut off")
    return data
