"""Extra fields (APPNOTE, section 4.5): which an entry may have, and what each must hold.

An extra field can give an entry another name, another size, a target to link to. So only those are
allowed that usual writers write, and only in the form in which they say nothing more than times,
owners and what the headers say themselves.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping

WIDE_SIZES = 0x0001
_FIELD = struct.Struct("<HH")
_UNICODE_PATH = 0x7075

Extra = Mapping[int, bytes]
"""The extra fields of a header, by their ids."""


class MalformedExtraError(Exception):
    """Extra fields that cannot be followed."""


def read_extra(data: bytes) -> Extra:
    """The extra fields of a header.

    Raises:
        MalformedExtraError: they run over, leave bytes behind, or one appears twice.
    """
    extra: dict[int, bytes] = {}
    at = 0
    while at < len(data):
        if at + _FIELD.size > len(data):
            raise MalformedExtraError
        kind, length = _FIELD.unpack_from(data, at)
        at += _FIELD.size
        if at + length > len(data) or kind in extra:
            raise MalformedExtraError
        extra[kind] = data[at : at + length]
        at += length
    return extra


def extra_problems(extra: Extra, raw_name: bytes, *, is_marked: bool) -> Iterator[str]:
    """What is wrong with the extra fields of one header, but for those of its sizes.

    Args:
        extra: the fields.
        raw_name: the name in that header.
        is_marked: whether it says that its names are UTF-8.
    """
    for kind, content in extra.items():
        if kind == _UNICODE_PATH:
            own = b"\1" + struct.pack("<L", zlib.crc32(raw_name)) + raw_name
            if content != own or not is_marked:
                yield "has another name in an extra field"
        elif kind not in _MEANINGS:
            if kind != WIDE_SIZES:
                yield f"has an extra field 0x{kind:04x}, which readers interpret differently"
        elif _meaning(kind, content) is None:
            yield f"has an extra field 0x{kind:04x} that is damaged"


def disagree(one: Extra, other: Extra) -> bool:
    """Whether two headers of an entry differ in what their extra fields mean.

    Times and owners may be in one of them only, and with less of them in the list. What is damaged
    says nothing here; `extra_problems` finds it.
    """
    meanings = (
        (_meaning(kind, one[kind]), _meaning(kind, other[kind]))
        for kind in one.keys() & other.keys() & _MEANINGS.keys()
    )
    return any(first != second for first, second in meanings if first and second)


def _meaning(kind: int, content: bytes) -> bytes | None:
    """What a field says; None where it is damaged."""
    try:
        return _MEANINGS[kind](content)
    except (ValueError, IndexError, struct.error):
        return None


def _times(content: bytes) -> bytes:
    """Extended times: a byte of flags, and as many times as it has bits, or fewer in the list."""
    flags, times = content[0], content[1:]
    if flags & ~7 or len(times) % 4 or len(times) > 4 * flags.bit_count():
        raise ValueError
    return times[:4] if flags & 1 else b""


def _ntfs_times(content: bytes) -> bytes:
    _, tag, size, _ = struct.unpack("<LHH24s", content)
    if (tag, size) != (1, 24):
        raise ValueError
    return content


def _owner(content: bytes) -> bytes:
    """User and group, each behind its length; empty in the list of some writers."""
    if not content:
        return b""
    groups_at = 2 + content[1]
    if content[0] != 1 or groups_at + 1 + content[groups_at] != len(content):
        raise ValueError
    return content


def _old_owner(content: bytes) -> bytes:
    return _of_length(content, 0, 4)


def _old_times(content: bytes) -> bytes:
    """Two times, and behind them user and group, which the list does without."""
    return _of_length(content, 8, 12)[:8]


def _comment(content: bytes) -> bytes:
    struct.unpack_from("<BL", content)
    content[5:].decode()
    return content


def _java(content: bytes) -> bytes:
    return _of_length(content, 0)


def _room(content: bytes) -> bytes:
    """Room that was kept for sizes in 64 bits."""
    return _of_length(content.strip(b"\0"), 0)


def _of_length(content: bytes, *lengths: int) -> bytes:
    if len(content) not in lengths:
        raise ValueError
    return content


_MEANINGS: Mapping[int, Callable[[bytes], bytes]] = {
    0x000A: _ntfs_times,  # 7-Zip
    0x5455: _times,  # Info-ZIP, bsdtar, git, Go, yazl
    0x5855: _old_times,  # macOS
    0x6375: _comment,  # jszip
    0x7855: _old_owner,  # Info-ZIP 2
    0x7875: _owner,  # Info-ZIP 3, bsdtar
    0x9999: _room,  # rubyzip
    0xCAFE: _java,  # jar
}
"""Allowed, besides sizes and the same name once more: what each means; they raise on any other."""
