"""The list of entries at a zip's end (PKWARE's APPNOTE, sections 4.3.12 to 4.3.16)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from manifestkit.publish.archive.extra import WIDE_SIZES, Extra, MalformedExtraError, read_extra
from manifestkit.publish.names import decoded_name

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
_LONGEST_COMMENT = 0xFFFF
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
NEWEST = 45
"""The version, times ten, that 64-bit sizes need; some readers leave out what needs a later one."""
_DESCRIPTOR, _UTF8 = 0x0008, 0x0800
_MARK = re.compile(rb"PK(?:\x01\x02|\x03\x04|\x05\x06|\x06\x06|\x06\x07|\x07\x08)")


def holds_mark(data: bytes, start: int = 0) -> bool:
    """Whether there is, from a place on, what a reader may take for the begin of a header."""
    return _MARK.search(data, start) is not None


class MalformedArchiveError(Exception):
    """A file that cannot be followed as a zip, with why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the list.

    Attributes:
        name: its name as text.
        raw_name: its name as it is written.
        name_problem: what is wrong with how its name is written; None where nothing is.
        system: which kind of system its attributes are of.
        needs: the version of the format that a reader must know, times ten.
        flags: the general purpose bits.
        method: how it is packed.
        crc: the checksum of its content.
        packed: its bytes in the archive.
        size: its bytes unpacked.
        offset: where its local header stands.
        attributes: the external attributes: a Unix mode in the upper half.
        extra: its extra fields.
    """

    name: str
    raw_name: bytes
    name_problem: str | None
    system: int
    needs: int
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    offset: int
    attributes: int
    extra: Extra

    @property
    def is_folder(self) -> bool:
        """Whether its name is a folder's."""
        return self.raw_name.endswith(b"/")

    @property
    def is_marked(self) -> bool:
        """Whether it says that its name is UTF-8."""
        return bool(self.flags & _UTF8)

    @property
    def has_descriptor(self) -> bool:
        """Whether its checksum and sizes stand behind its content."""
        return bool(self.flags & _DESCRIPTOR)


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
    is_wide: bool  # whether there is a second end in 64 bits


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
            f"its list of entries has {end.size:,} bytes; at most {most_bytes:,} are allowed"
        )
    if end.offset + end.size != end.position:
        raise MalformedArchiveError(
            "its list of entries is not where it should be: there are bytes before the archive, "
            "or between its parts"
        )
    data = _read(file, end.offset, end.size)
    entries = tuple(_entries(data, may_be_wide=end.is_wide))
    if len(entries) != end.count:
        raise MalformedArchiveError(f"it declares {end.count:,} entries and lists {len(entries):,}")
    return Directory(entries, end.offset)


def _read_end(file: BinaryIO, size: int) -> _End:
    start = max(0, size - _END.size - _LONGEST_COMMENT)
    tail = _read(file, start, size - start)
    at = tail.rfind(_END_MARK)
    if at < 0:
        known = _read(file, 0, min(size, 4)) == _LOCAL_MARK
        raise MalformedArchiveError("it is truncated" if known else "it is not a zip archive")
    if len(tail) - at < _END.size:
        raise MalformedArchiveError("it is truncated")
    _, disk, first_disk, here, count, length, offset, comment = _END.unpack_from(tail, at)
    after = len(tail) - at - _END.size - comment
    if after > 0:
        raise MalformedArchiveError(_trailing(tail[-after:]))
    if after < 0:
        raise MalformedArchiveError("its comment is cut off")
    if holds_mark(tail, at + 1) or _has_other_end(tail, at):
        raise MalformedArchiveError("its comment looks like the end of another archive")
    end = _End(count, length, offset, start + at, is_wide=False)
    locator = _locator(file, end.position)
    if disk or first_disk or here != count:
        raise MalformedArchiveError("it is one part of several")
    if locator is None:
        if count == _FULL16 or _FULL32 in {length, offset}:
            raise MalformedArchiveError("its end refers to a second end that does not exist")
        return end
    return _read_end64(file, end, locator)


def _trailing(data: bytes) -> str:
    trailing = f"there are {len(data):,} bytes after its end"
    if data.strip(b"\0"):
        return trailing
    return (
        f"{trailing}, all of them zero, as bsdtar writes them to a pipe; write to a file "
        "(bsdtar -acf site.zip FILES), or deploy the folder itself"
    )


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
    if not disks:  # bsdtar then goes by the first end, and looks for the list where it is not
        raise MalformedArchiveError("its second end does not say that it is one part of one")
    return int(offset)


def _read_end64(file: BinaryIO, end: _End, at: int) -> _End:
    if at + _END64.size + _LOCATOR.size > end.position:
        raise MalformedArchiveError("its second end is not where it should be")
    data = _read(file, at, _END64.size + _LOCATOR.size)
    record = _END64.unpack_from(data)
    mark, length, _, needs, disk, first_disk, here, count, size, offset = record
    if mark != _END64_MARK or at + _END64.size != end.position - _LOCATOR.size:
        raise MalformedArchiveError("its second end is not where it should be")
    if length != _END64.size - _END64_BEFORE:
        raise MalformedArchiveError("its second end is not where it should be")
    if needs > NEWEST:
        raise MalformedArchiveError(
            f"its second end needs version {needs / 10:g} of the format, "
            "which readers do not support"
        )
    if disk or first_disk or here != count:
        raise MalformedArchiveError("it is one part of several")
    pairs = ((end.count, count, _FULL16), (end.size, size, _FULL32), (end.offset, offset, _FULL32))
    if any(short not in {long, full} for short, long, full in pairs):
        raise MalformedArchiveError("its two ends disagree")
    if holds_mark(data[1 : _END64.size]) or holds_mark(data, _END64.size + 1):
        raise MalformedArchiveError("its second end contains what looks like another header")
    return _End(count, size, offset, at, is_wide=True)


def _entries(data: bytes, *, may_be_wide: bool) -> Iterator[Entry]:
    at = 0
    while at < len(data):
        if len(data) - at < _ENTRY.size or data[at : at + 4] != _ENTRY_MARK:
            raise MalformedArchiveError("its list of entries is damaged")
        _, made_by, needs, flags, method, _, _, *rest = _ENTRY.unpack_from(data, at)
        crc, packed, size, name_length, extra_length, comment_length, disk, *rest = rest
        _, attributes, offset = rest
        start = at + _ENTRY.size
        extra_at = start + name_length
        comment_at = extra_at + extra_length
        end = comment_at + comment_length
        if end > len(data):
            raise MalformedArchiveError("its list of entries is damaged")
        if holds_mark(data[at + 1 : end]):
            raise MalformedArchiveError(
                "an entry of its list contains what looks like another entry"
            )
        try:
            extra = read_extra(data[extra_at:comment_at])
        except MalformedExtraError:
            raise MalformedArchiveError("an entry's extra fields are damaged") from None
        if WIDE_SIZES in extra and not may_be_wide:
            raise MalformedArchiveError("it has 64-bit sizes, but no second end for them")
        size, packed, offset = _widened(extra.get(WIDE_SIZES), (size, packed, offset))
        if disk:
            raise MalformedArchiveError("it is one part of several")
        raw_name = data[start:extra_at]
        name, name_problem = decoded_name(raw_name, is_marked=bool(flags & _UTF8))
        yield Entry(
            *(name, raw_name, name_problem, made_by >> 8, needs, flags, method),
            *(crc, packed, size, offset, attributes, extra),
        )
        at = end


def _widened(wide: bytes | None, values: tuple[int, ...]) -> tuple[int, ...]:
    """Values of 32 bits, those that are full replaced from the extra field, in order."""
    full = [index for index, value in enumerate(values) if value == _FULL32]
    if len(wide or b"") != 8 * len(full) or (wide is not None and not full):
        raise MalformedArchiveError("an entry's sizes are damaged")
    widened = list(values)
    for index, value in zip(full, struct.iter_unpack("<Q", wide or b""), strict=True):
        widened[index] = value[0]
    return tuple(widened)


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    data = file.read(size)
    if len(data) < size:
        raise MalformedArchiveError("it is truncated")
    return data
