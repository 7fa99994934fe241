"""Zips as no usual tool writes them, and as some do: any field of any header, drawn at random."""

from __future__ import annotations

import random
import string
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MANIFEST, FORGED = b'{"schema_version": "1.0"}', b'{"schema_version": "forged"}'
STORED, DEFLATED = 0, 8
DESCRIPTOR, UTF8 = 0x0008, 0x0800
FULL = 0xFFFFFFFF
MARKS = tuple(b"PK" + each for each in (b"\1\2", b"\3\4", b"\5\6", b"\6\6", b"\6\7", b"\7\x08"))


def extra(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def unicode_path(name: bytes, other: bytes) -> bytes:
    return extra(0x7075, struct.pack("<BL", 1, zlib.crc32(name)) + other)


@dataclass
class Header:
    """What one of an entry's two headers says."""

    name: bytes
    needs: int = 20
    flags: int = 0
    method: int = DEFLATED
    time: int = 0
    date: int = 33
    crc: int = 0
    packed: int = 0
    size: int = 0
    extra: bytes = b""

    def tail(self) -> tuple[int, ...]:
        return (self.flags, self.method, self.time, self.date, self.crc, self.packed, self.size)


@dataclass
class Odd:
    """One entry."""

    local: Header
    listed: Header
    raw: bytes
    behind: bytes = b""
    made_by: int = 0x0314
    comment: bytes = b""
    disk: int = 0
    internal: int = 0
    attributes: int = 0o100644 << 16
    shift: int = 0  # of its offset in the list

    @property
    def both(self) -> tuple[Header, Header]:
        return self.local, self.listed


@dataclass
class Zip:
    """A whole archive."""

    entries: list[Odd] = field(default_factory=list)
    before: bytes = b""
    gap: bytes = b""
    after: bytes = b""
    comment: bytes = b""
    disks: tuple[int, int] = (0, 0)
    counts: tuple[int, int] = (0, 0)  # added to what is true
    size: int = 0
    offset: int = 0
    wide: str = ""  # a second end in 64 bits: "right", "full", "wrong", "lost"
    full: Sequence[int] = ()  # what the first end leaves to it
    second: dict[str, int] = field(default_factory=dict)  # what it and its locator say instead

    def bytes(self) -> bytes:
        data = bytearray(self.before)
        listing = bytearray()
        for entry in self.entries:
            at = len(data) + entry.shift
            local, listed = entry.both
            data += struct.pack("<4s5H3L", b"PK\3\4", local.needs, *local.tail())
            data += struct.pack("<2H", len(local.name), len(local.extra))
            data += local.name + local.extra + entry.raw + entry.behind
            made = entry.made_by, listed.needs
            listing += struct.pack("<4s6H3L", b"PK\1\2", *made, *listed.tail())
            lengths = len(listed.name), len(listed.extra), len(entry.comment)
            listing += struct.pack("<5H", *lengths, entry.disk, entry.internal)
            listing += struct.pack("<2L", entry.attributes, at & FULL)
            listing += listed.name + listed.extra + entry.comment
        data += self.gap
        count, size, offset = len(self.entries), len(listing) + self.size, len(data) + self.offset
        data += listing
        end = [*self.disks, count + self.counts[0], count + self.counts[1], size, offset]
        if self.wide:
            at = len(data)
            told = size + (self.wide == "wrong")
            second = {
                "length": 44,
                "made by": 45,
                "needs": 45,
                "disk": 0,
                "first disk": 0,
                "here": count,
                "count": count,
                "size": told,
                "offset": offset,
                "locator's disk": 0,
                "place": at,
                "disks": 1,
                **self.second,
            }
            *record, disk, place, disks = second.values()
            data += struct.pack("<4sQ2H2L4Q", b"PK\6\6", *record)
            if self.wide != "lost":
                data += struct.pack("<4sLQL", b"PK\6\7", disk, place, disks)
            for index in (2, 3, 4, 5) if self.wide == "full" else self.full:
                end[index] = FULL
        clipped = [value & (0xFFFF if index < 4 else FULL) for index, value in enumerate(end)]
        data += struct.pack("<4s4H2LH", b"PK\5\6", *clipped, len(self.comment))
        return bytes(data + self.comment + self.after)


def deflated(content: bytes, level: int = 9) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def entry(
    name: bytes,
    content: bytes,
    *,
    method: int = DEFLATED,
    flags: int = 0,
    wide: bool = False,
    level: int = 9,
) -> Odd:
    """An entry as it should be: `wide` has sizes in 64 bits at its own place."""
    raw = deflated(content, level) if method == DEFLATED else content
    sizes = (zlib.crc32(content), len(raw), len(content))
    listed = Header(name, 20, flags, method, 0, 33, *sizes)
    told = (0, 0, 0) if flags & DESCRIPTOR else sizes
    local = Header(name, 20, flags, method, 0, 33, *told)
    if wide:
        local.extra = extra(1, struct.pack("<QQ", local.size, local.packed))
        local.packed = local.size = FULL
    made = Odd(local, listed, raw)
    if flags & DESCRIPTOR:
        made.behind = struct.pack("<4sLQQ" if wide else "<4sLLL", b"PK\7\x08", *sizes)
    if name.endswith(b"/"):
        made.attributes = 0o040755 << 16 | 0x10
    return made


def forgery(length: int) -> bytes:
    """What ends an entry of so many bytes, and begins another manifest."""
    inner = Zip([entry(b"manifest.json", FORGED, method=STORED)]).bytes()
    end = struct.pack("<4sLLL", b"PK\7\x08", 0, length, length)
    return end + inner


# -- what is drawn -----------------------------------------------------------------------------

_Draw = random.Random
_Change = Callable[[_Draw, Zip], None]

NAMES = [
    *(b"index.html", b"app/main.js", b"app/", b"a b.txt", b"a/b/c/d/e.css", b"-", b"~", b"x" * 255),
    *("é.txt".encode(), "日本.html".encode(), b"[id].js", b"@x/y.js", b"a+b=c&d.txt", b"a'b.txt"),
]
ODD_NAMES = [
    *(b"", b"/", b"/etc/x", b"../x", b"a/../x", b"a//b", b"./a", b"a\\b", b"C:x", b"a\0b", b"."),
    *(b"manifest.json", b"MANIFEST.JSON", b"manifest.json/x", b"manifest.json ", b"manifest.json."),
    *(b"manifest.json;1", b"index.html;", b"a;1/b", b";1", b"#U00e9.txt"),
    *(b"manifest.json::$DATA", b"con", b"con.txt", b"a/NUL.tar.gz", b"COM1", "COM¹".encode()),
    *(b"CONOUT$", b"aux ", b"a./b", b" a", b"a ", b"...", b"x" * 256, b"a/" * 600 + b"b"),
    *(b"manife~1.jso", b"a?b", b"a*b", b"a|b", b"<a>", b'a"b', b"a\nb", b"a\x7fb", b"a\x1b[m"),
    *("ﬁ".encode(), b"fi", "e\u0301.txt".encode(), "a／b".encode(), "‥/x".encode(), "Ω".encode()),
    *("é.txt".encode("latin-1"), "é.txt".encode("cp437"), b"\xff\xfe", b"\xed\xa0\x80", b"PK\5\6"),
]
CONTENTS = [b"", b"x", b"content\n" * 20, bytes(range(256)) * 4, b"\0" * 3000, b"<h1>" * 9000]
SYSTEMS = [0, 3, 10, 11, 14, 19]
NUMBERS = [0, 1, 7, 0xFFFF, FULL, *(struct.unpack("<L", mark)[0] for mark in MARKS)]

_UT = struct.pack("<L", 1_700_000_000)
_OWNER = bytes.fromhex("0104e803000004e8030000")
_NTFS = bytes(4) + struct.pack("<HH", 1, 24) + b"t" * 24
_LINK = struct.pack("<LHLHH", 0, 0o120777, 0, 0, 0) + b"../../../etc/passwd"

FIELDS: list[bytes] = [
    *(extra(0x5455, b"\1" + _UT), extra(0x5455, b"\3" + 2 * _UT), extra(0x5455, b"\7" + 3 * _UT)),
    *(
        extra(0x5455, b"\3" + _UT),
        extra(0x5455),
        extra(0x5455, b"\1"),
        extra(0x5455, b"\xff" + _UT),
    ),
    *(extra(0x7875, _OWNER), extra(0x7875), extra(0x7875, _OWNER[:-1]), extra(0x7875, b"\2")),
    *(extra(0x000A, _NTFS), extra(0x000A, _NTFS[:-1]), extra(0x000A, bytes(32)), extra(0xCAFE)),
    *(extra(0x5855, _UT * 2), extra(0x5855, _UT * 3), extra(0x5855, _UT), extra(0x9999, bytes(16))),
    *(extra(0x7855, b"\1\0\1\0"), extra(0x7855), extra(0x7855, b"\1"), extra(0x9999, b"x" * 16)),
    *(extra(0x6C78, b"\1\0\xff\xa1\0\0\0\0"), extra(0x6C78, b"\4\xff\xa1\0\0"), extra(0x6C78, b"")),
    *(extra(0x756E, _LINK), extra(0x000D, bytes(12) + b"../x"), extra(0x9901, b"\2\0AE\3\x08\0")),
    *(extra(0x0017, bytes(8)), extra(0xD935, b"\4\0"), extra(0x0007, b""), extra(0x4453, bytes(9))),
    *(extra(0x7075, b"\1\0\0\0\0forged"), extra(0x6375, b"\1\0\0\0\0note"), extra(0x6375, b"\1")),
    *(b"\0", b"\0\0\0", b"\x55\x54", extra(0x5455, b"\1" + _UT)[:-1], b"\1\0\xff\xff", bytes(4)),
]


def _flags(draw: _Draw) -> int:
    return 1 << draw.randrange(16)


def _header(draw: _Draw, made: Zip) -> Header:
    return draw.choice(draw.choice(made.entries).both)


def _one_flag(draw: _Draw, made: Zip) -> None:
    _header(draw, made).flags ^= _flags(draw)


def _flag(draw: _Draw, made: Zip) -> None:
    bit = _flags(draw)
    for header in draw.choice(made.entries).both:
        header.flags ^= bit


def _method(draw: _Draw, made: Zip) -> None:
    _header(draw, made).method = draw.choice([0, 8, 9, 12, 14, 93, 99, draw.randrange(1 << 16)])


def _needs(draw: _Draw, made: Zip) -> None:
    _header(draw, made).needs = draw.choice([0, 10, 45, 46, 51, 63, 64, 255, 0x0314, 0x0A2D])


def _moment(draw: _Draw, made: Zip) -> None:
    header = _header(draw, made)
    header.time, header.date = draw.choice([(0, 0), (0xFFFF, 0xFFFF), (0x4B50, 0x0605), (9, 99)])


def _number(draw: _Draw, made: Zip) -> None:
    header, which = _header(draw, made), draw.choice(["crc", "packed", "size"])
    old: int = getattr(header, which)
    setattr(header, which, draw.choice([(old + 1) & FULL, max(0, old - 1), draw.choice(NUMBERS)]))


def _sizes_told(draw: _Draw, made: Zip) -> None:
    """With a descriptor, some of the sizes are known before, as with Info-ZIP and bsdtar."""
    each = draw.choice(made.entries)
    if each.local.flags & DESCRIPTOR and each.local.size != FULL:
        for which in draw.choice(
            [("size",), ("packed", "size"), ("crc",), ("crc", "packed", "size")]
        ):
            setattr(each.local, which, getattr(each.listed, which))


def _name(draw: _Draw, made: Zip) -> None:
    _header(draw, made).name = draw.choice([*ODD_NAMES, *NAMES])


def _with_end(draw: _Draw, name: bytes) -> bytes:
    """The same name with a mark at its end, and what may follow one: a version, a type, a host."""
    mark = draw.choice(string.punctuation.replace("/", " ")).encode()
    return name + mark + draw.choice([b"", b"", b"1", b"12", b"a", mark])


def _names(draw: _Draw, made: Zip) -> None:
    name = draw.choice([*ODD_NAMES, *NAMES])
    if draw.random() < 0.5:
        name = _with_end(draw, draw.choice(NAMES))
    each = draw.choice(made.entries[1:] or made.entries)
    each.local.name = each.listed.name = name
    if not name.isascii() and draw.random() < 0.6:
        each.local.flags |= UTF8
        each.listed.flags |= UTF8


def _field(draw: _Draw, made: Zip) -> None:
    header = _header(draw, made)
    header.extra += draw.choice(
        [*FIELDS, _path_field(draw, header.name), _wide_field(draw, header)]
    )


def _field_twice(draw: _Draw, made: Zip) -> None:
    each = draw.choice(made.entries)
    added = draw.choice([*FIELDS, _path_field(draw, each.local.name), extra(0xCAFE), extra(0x7875)])
    each.local.extra += added
    each.listed.extra += added


def _field_of_one_kind(draw: _Draw, made: Zip) -> None:
    """A field in both places, which may be damaged in one of them."""
    each, one = draw.choice(made.entries), draw.choice(FIELDS)
    each.local.extra += one
    each.listed.extra += draw.choice([other for other in FIELDS if other[:2] == one[:2]])


def _usual_fields(draw: _Draw, made: Zip) -> None:
    """As writers write them: more times at an entry's own place than in the list."""
    for each in made.entries:
        times = extra(0x5455, b"\3" + 2 * _UT), extra(0x5455, b"\3" + _UT)
        owner = extra(0x7875, _OWNER)
        local, listed = draw.choice(
            [
                (times[0] + owner, times[1] + owner),
                (b"", extra(0x000A, _NTFS)),
                (b"", times[1]),
                (extra(0x5855, _UT * 3), extra(0x5855, _UT * 2)),
                (times[0] + extra(0x7855, b"\1\0\1\0"), times[1] + extra(0x7855)),
                (extra(0x9999, bytes(16)), b""),
            ]
        )
        each.local.extra += local
        each.listed.extra += listed


def _other_times(draw: _Draw, made: Zip) -> None:
    each = draw.choice(made.entries)
    each.local.extra += extra(0x5455, b"\1" + _UT)
    each.listed.extra += extra(0x5455, b"\1" + draw.choice([_UT, bytes(4)]))


def _path_field(draw: _Draw, name: bytes) -> bytes:
    return unicode_path(draw.choice([name, b"x"]), draw.choice([name, b"forged", b"../forged"]))


def _wide_field(draw: _Draw, header: Header) -> bytes:
    sizes = struct.pack("<QQ", header.size, header.packed)
    return extra(1, draw.choice([sizes, sizes[:8], b"", sizes + bytes(8), sizes + bytes(12)]))


def _wide_listed(draw: _Draw, made: Zip) -> None:
    """Sizes in 64 bits in the list: right, or with one value too many or too few."""
    each = draw.choice(made.entries)
    values = b""
    for which in ("size", "packed"):
        if draw.random() < 0.7:
            made.wide = made.wide or draw.choice(["", "right", "full"])
            values += struct.pack("<Q", getattr(each.listed, which))
            setattr(each.listed, which, FULL)
    if values or draw.random() < 0.3:
        each.listed.needs = 45
        each.listed.extra += extra(1, values + draw.choice([b"", b"", b"", bytes(8), bytes(4)]))


def _descriptor(draw: _Draw, made: Zip) -> None:
    each = draw.choice(made.entries)
    numbers = each.listed.crc & FULL, each.listed.packed & FULL, each.listed.size & FULL
    plain, wide = struct.pack("<LLL", *numbers), struct.pack("<LQQ", *numbers)
    mark = b"PK\7\x08"
    forms = [b"", plain, wide, mark + plain, mark + wide, mark + bytes(12), mark, mark * 2 + plain]
    each.behind = draw.choice([*forms, b"x", mark + plain + b"PK\3\4", bytes(4)])


def _unmarked_sizes(draw: _Draw, made: Zip) -> None:
    each = draw.choice(made.entries)
    each.behind = each.behind.removeprefix(b"PK\7\x08")


def _content(draw: _Draw, made: Zip) -> None:
    """Content that holds another archive, in the open or within a deflated block."""
    length = draw.choice([0, 1, 10])
    inner = draw.choice([forgery(length), forgery(length)[:16], forgery(length)[16:], *MARKS])
    content = b"x" * length + inner + b"x" * draw.choice([0, 0, 30])
    at = draw.randrange(len(made.entries))
    old = made.entries[at]
    if old.local.name.endswith(b"/"):
        return
    flags = (old.local.flags | draw.choice([0, DESCRIPTOR])) & (DESCRIPTOR | UTF8)
    method = draw.choice([STORED, STORED, DEFLATED])
    name = old.listed.name if at else b"manifest.json"
    made.entries[at] = entry(
        name, content, method=method, flags=flags, level=0, wide=draw.random() < 0.2
    )


def _raw(draw: _Draw, made: Zip) -> None:
    """Packed bytes that end too early or too late, with sizes that say so."""
    each = draw.choice(made.entries)
    each.raw = draw.choice([each.raw[:-1], each.raw + b"\0", each.raw + b"hidden", b"", b"\3\0"])
    each.listed.packed = len(each.raw)
    if not each.local.flags & DESCRIPTOR:
        each.local.packed = len(each.raw)


def _list_field(draw: _Draw, made: Zip) -> None:
    each = draw.choice(made.entries)
    match draw.randrange(4):
        case 0:
            each.comment = draw.choice([b"note", b"x" * 300, *MARKS, Zip().bytes(), "é".encode()])
        case 1:
            each.disk = draw.choice([1, 0xFFFF])
        case 2:
            each.internal = draw.choice([1 << draw.randrange(16), 0xFFFF])
        case _:
            each.shift = draw.choice([1, -1, 30, -30, 1000])


def _attributes(draw: _Draw, made: Zip) -> None:
    """What an entry is, as some system says it: what one calls a file may be none to another."""
    each = draw.choice(made.entries)
    system = draw.choice([draw.choice(SYSTEMS), draw.choice(SYSTEMS), draw.randrange(256)])
    each.made_by = system << 8 | draw.choice([0, 20, 30, 50, 63])
    kind = draw.choice([0, 0o100000, draw.randrange(16) << 12])
    mode = kind | draw.choice([0o644, 0o755, 0o000, 0o7777])
    low = draw.choice([0, 1 << draw.randrange(16), 1 << draw.randrange(8), draw.randrange(1 << 16)])
    each.attributes = mode << 16 | low


def _end(draw: _Draw, made: Zip) -> None:
    match draw.randrange(9):
        case 0:
            whole = made.bytes()
            notes = [b"note", b"x" * 100, b"x" * 0xFFFF, *MARKS, whole[-22:], Zip().bytes()]
            made.comment = draw.choice(notes)
        case 1:
            made.disks = draw.choice([(1, 0), (0, 1), (1, 1), (0xFFFF, 0xFFFF)])
        case 2:
            made.counts = draw.choice([(1, 1), (-1, -1), (0, 1), (1, 0)])
        case 3:
            made.size = draw.choice([1, -1, 46])
        case 4:
            made.offset = draw.choice([1, -1, -30])
        case 5:
            made.before = draw.choice([b"#!/bin/sh\n", b"PK\3\4", bytes(30), b"PK\7\x08"])
            made.offset = draw.choice([0, -len(made.before)])
        case 6:
            made.after = draw.choice([b"x", bytes(100), bytes(9000), made.bytes()])
        case 7:
            made.gap = draw.choice([b"x", bytes(12), forgery(0)[16:], b"PK\6\x08\0\0\0\0"])
        case _:
            made.wide = draw.choice(["right", "full", "full", "wrong", "lost"])
            made.full = draw.sample(range(6), draw.randint(0, 6))


def _second_end(draw: _Draw, made: Zip) -> None:
    """One field of the second end or of its locator, as some reader may refuse it."""
    made.wide = "right"
    made.full = draw.sample(range(2, 6), draw.randint(0, 2))
    places = "length", "here", "count", "size", "offset", "place"
    which = draw.choice(["made by", "needs", "disk", "first disk", "locator's disk", "disks"])
    made.second[draw.choice([which, which, which, draw.choice(places)])] = draw.choice(
        [0, 0, 1, 2, 45, 46, 63, 0xFFFF]
    )


def _twin(draw: _Draw, made: Zip) -> None:
    """Two entries of one name, or an entry that the list or its place does not know."""
    made.entries.append(draw.choice(made.entries))


CHANGES: list[_Change] = [
    *(_one_flag, _flag, _method, _needs, _moment, _number, _sizes_told, _name, _names, _field),
    *(
        _field_of_one_kind,
        _field_twice,
        _usual_fields,
        _other_times,
        _wide_listed,
        _descriptor,
        _unmarked_sizes,
    ),
    *(_content, _raw, _list_field, _list_field, _attributes, _attributes, _end, _end, _twin),
    *(_second_end, _second_end),
]
HARMLESS: list[_Change] = [_usual_fields, _sizes_told, _moment, _names, _content, _attributes]


def strange_zip(seed: int) -> bytes:
    """One archive; the same for the same seed."""
    draw = random.Random(seed)
    flags = draw.choice([0, 0, DESCRIPTOR]) | draw.choice([0, UTF8])
    made = Zip()
    names = draw.sample(NAMES, draw.randint(0, 4))
    for name in [b"manifest.json", *names]:
        is_folder = name.endswith(b"/")
        content = b"" if is_folder else draw.choice(CONTENTS)
        made.entries.append(
            entry(
                name,
                MANIFEST if name == b"manifest.json" else content,
                method=STORED if is_folder else draw.choice([STORED, DEFLATED]),
                flags=(flags & UTF8 if is_folder else flags) | (0 if name.isascii() else UTF8),
                wide=not is_folder and draw.random() < 0.15,
                level=draw.choice([0, 1, 9]),
            )
        )
    draw.shuffle(made.entries)
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3])):
        draw.choice(CHANGES if draw.random() < 0.8 else HARMLESS)(draw, made)
    return made.bytes()
