"""Zips as strangers make them: every byte of each is under control."""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

MANIFEST_ENTRY = b'{"schema_version": "1.0"}'
FILE_MODE = 0o100644


@dataclass(frozen=True)
class Entry:
    """One entry; what is None is as it should be."""

    name: bytes
    data: bytes = b"content"
    method: int = 8
    flags: int = 0x0800
    mode: int = FILE_MODE
    dos_attributes: int = 0
    raw: bytes | None = None  # the packed data
    crc: int | None = None
    packed: int | None = None
    size: int | None = None
    offset: int | None = None
    extra: bytes = b""
    local: dict[str, object] = field(default_factory=dict)  # what the local header says instead
    behind: bytes = b""  # what stands behind the data

    def content(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.method != 8:
            return self.data
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.data) + packer.flush()

    def sizes(self) -> tuple[int, int, int]:
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        packed = len(self.content()) if self.packed is None else self.packed
        return crc, packed, len(self.data) if self.size is None else self.size

    def local_header(self) -> bytes:
        said = replace(self, **self.local) if self.local else self  # type: ignore[arg-type]
        head = struct.pack(
            "<4s5H3L2H",
            *(b"PK\3\4", 20, said.flags, said.method, 0, 33, *said.sizes()),
            *(len(said.name), len(said.extra)),
        )
        return head + said.name + said.extra

    def listed(self, offset: int) -> bytes:
        head = struct.pack(
            "<4s6H3L5H2L",
            *(b"PK\1\2", 0x0314, 20, self.flags, self.method, 0, 33, *self.sizes()),
            *(len(self.name), len(self.extra), 0, 0, 0),
            *(self.mode << 16 | self.dos_attributes, offset),
        )
        return head + self.name + self.extra


def archive(
    entries: Iterable[Entry],
    *,
    before: bytes = b"",
    between: bytes = b"",
    after: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
    listed_at: int | None = None,
    disk: int = 0,
) -> bytes:
    """An archive of entries, with a manifest at first."""
    data = bytearray(before)
    listing = bytearray()
    wanted = [Entry(b"manifest.json", MANIFEST_ENTRY), *entries]
    for entry in wanted:
        at = len(data)
        if entry.offset is None:
            data += entry.local_header() + entry.content() + entry.behind
        listing += entry.listed(at if entry.offset is None else entry.offset)
    data += between
    said = len(wanted) if count is None else count
    offset = len(data) if listed_at is None else listed_at
    end = struct.pack(
        "<4s4H2LH", b"PK\5\6", disk, disk, said, said, len(listing), offset, len(comment)
    )
    return bytes(data) + listing + end + comment + after


def named(*names: str) -> bytes:
    return archive(
        Entry(name.encode(), b"" if name.endswith("/") else b"content") for name in names
    )


def bomb(size: int) -> Entry:
    """A file of zeros that is small while it is packed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = bytes(1_000_000)
    raw = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    return Entry(b"zeros.bin", b"", raw=raw, size=size, crc=0)


def overlapping() -> bytes:
    """Many files that share one kernel of data, each quoting the header of the next."""
    kernel = bomb(4_000_000)
    return archive([kernel, *(replace(kernel, name=b"%d" % n, offset=53) for n in range(500))])


def many(count: int) -> bytes:
    return archive(Entry(b"%07d" % number, b"", method=0) for number in range(count))


def cascade() -> bytes:
    """Within the ratio each, and beyond all bounds together."""
    one = bomb(4_000_000)
    return archive(replace(one, name=b"%d" % number) for number in range(600))


def zip64(count: int = 1, *, size: int | None = None, **changed: int) -> bytes:
    """An archive with a second end in 64 bits."""
    plain = archive([])
    at = plain.rindex(b"PK\5\6")
    listing = plain.index(b"PK\1\2")
    fields = {
        "made_by": 45,
        "needs": 45,
        "disk": 0,
        "first_disk": 0,
        "here": count,
        "count": count,
        "size": at - listing if size is None else size,
        "offset": listing,
        "locator_disk": 0,
        "place": at,
        "disks": 1,
        **changed,
    }
    *record, locator_disk, place, disks = fields.values()
    second = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, *record)
    locator = struct.pack("<4sLQL", b"PK\6\7", locator_disk, place, disks)
    return plain[:at] + second + locator + plain[at:]


def extra(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def unicode_path(name: bytes, other: bytes) -> bytes:
    return extra(0x7075, struct.pack("<BL", 1, zlib.crc32(name)) + other)


def described(data: bytes, method: int = 0, form: str = "<4sLLL") -> Entry:
    """An entry whose sizes follow it, deflated without getting smaller."""
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    raw = packer.compress(data) + packer.flush() if method else data
    mark = (b"PK\7\x08",) if "s" in form else ()
    behind = struct.pack(form, *mark, zlib.crc32(data), len(raw), len(data))
    told: dict[str, object] = {"crc": 0, "packed": 0, "size": 0}
    return Entry(b"a", data, method, 0x0808, raw=raw, local=told, behind=behind)


def packed_on(system: int, *entries: Entry) -> bytes:
    return archive(entries).replace(b"PK\1\2\x14\3", bytes((*b"PK\1\2\x14", system)))


def _two_ends() -> bytes:
    inner = archive([Entry(b"other.html")])
    return archive([], comment=inner)


CLEAN = ""
"""It is repacked, and nothing of what is odd is left."""

_NAMES: dict[str, tuple[list[str], str]] = {
    "absolute name": (["/etc/passwd"], "has an absolute name"),
    "parent folder": (["../x"], "could leave the archive"),
    "parent folder inside": (["a/../../x"], "could leave the archive"),
    "backslash": (["a\\..\\x"], "has a backslash"),
    "drive": (["C:x"], "starts with a drive"),
    "version of VMS": (["lib;1"], CLEAN),
    "NUL": (["a.html\0.txt"], "has a control character"),
    "dot of tar": (["./a"], CLEAN),
    "dot": (["././a"], "or only dots"),
    "dot inside": (["a/./b"], "or only dots"),
    "dot before an absolute name": ([".//etc/passwd"], "has an absolute name"),
    "dot before a parent folder": (["./../x"], "could leave the archive"),
    "dot and the same without": (["./a", "a"], "appears twice"),
    "dot before the manifest": (["./manifest.json"], "appears twice"),
    "empty folder name": (["a//b"], "that is empty"),
    "empty name": ([""], "that is empty"),
    "escape sequence": (["a\x1b[31m"], "has a control character"),
    "bidi": (["a\u202etxt.exe"], "has a control character"),
    "long name": (["x" * 256], "more than 255 bytes"),
    "escape of unzip": (["a#U0041b.js"], CLEAN),
    "short name": (["MANIFE~1.JSO"], CLEAN),
    "deep path": (["/".join(["x" * 200] * 6)], "more than 1,024 bytes"),
    "duplicate": (["a", "a"], "appears twice"),
    "second manifest": (["manifest.json"], "appears twice"),
    "case": (["Index.html", "index.html"], "are one name"),
    "composition": (["\xe9", "e\u0301"], "are one name"),
    "folded letter": (["stra\xdfe", "STRASSE"], "are one name"),
    "case of a folder": (["App/a", "app/b"], CLEAN),
    "file and folder": (["a", "a/b"], "needs a folder where"),
    "file and folder by case": (["A", "a/b"], "needs a folder where"),
    "name of another folder of Windows": (["\\\\host\\share\\x"], "has a backslash"),
    "absolute Windows name": (["C:/x"], "starts with a drive"),
    "parent folder at the end": (["a/.."], "could leave the archive"),
}

_ENTRIES: dict[str, tuple[list[Entry], str]] = {
    "not UTF-8": ([Entry(b"\xff\xfe")], "cannot be unpacked"),
    "two names": ([Entry(b"a", extra=unicode_path(b"a", b"b"))], CLEAN),
    "link": ([Entry(b"l", b"/etc", mode=0o120777)], "is a link"),
    "Windows link": ([Entry(b"l", dos_attributes=0x400)], "is a link"),
    "pipe": ([Entry(b"p", b"", mode=0o010644)], "is a link or not a regular file"),
    "device": ([Entry(b"d", b"", mode=0o020644)], "is a link or not a regular file"),
    "folder by its mode": ([Entry(b"d", b"", mode=0o040755)], "is a folder and a file"),
    "file by its mode": ([Entry(b"d/", b"")], CLEAN),
    "folder with content": ([Entry(b"d/", b"x", mode=0o040755)], "is a folder and a file"),
    "encrypted": ([Entry(b"e", flags=0x0801)], "is encrypted or"),
    "strongly encrypted": ([Entry(b"e", flags=0x0841)], "is encrypted or"),
    "masked headers": ([Entry(b"e", flags=0x2800)], "is encrypted or"),
    "patch": ([Entry(b"e", flags=0x0820)], "cannot be unpacked"),
    "bzip2": ([Entry(b"b", method=12)], "is encrypted or"),
    "LZMA": ([Entry(b"b", method=14)], "is encrypted or"),
    "AES": ([Entry(b"b", method=99)], "is encrypted or"),
    "file and folder entry": (
        [Entry(b"a"), Entry(b"a/", b"", mode=0o040755)],
        "are a file and a folder",
    ),
    "overlap": ([Entry(b"a"), Entry(b"b", offset=0)], "cannot be unpacked"),
    "data between entries": ([Entry(b"a", behind=b"hidden"), Entry(b"b")], CLEAN),
    "other local name": ([Entry(b"a.html", local={"name": b"b.html"})], "cannot be unpacked"),
    "other local method": ([Entry(b"a", method=0, local={"method": 8, "packed": 7})], CLEAN),
    "other local size": ([Entry(b"a", local={"size": 1})], CLEAN),
    "no local header": ([Entry(b"a", offset=3)], "cannot be unpacked"),
    "size that promises": ([Entry(b"a", size=9)], "not of the size"),
    "wrong checksum": ([Entry(b"a", crc=1)], "cannot be unpacked"),
    "damaged data": ([Entry(b"a", raw=b"\xff" * 9)], "cannot be unpacked"),
    "data behind the data": ([replace(Entry(b"a"), raw=Entry(b"a").content() + b"hidden")], CLEAN),
    "socket": ([Entry(b"s", b"", mode=0o140644)], "is a link or not a regular file"),
    "block device": ([Entry(b"d", b"", mode=0o060644)], "is a link or not a regular file"),
    "offsets beyond the end": (
        [Entry(b"a", offset=10**6), Entry(b"b", offset=2 * 10**6)],
        "cannot be unpacked",
    ),
    "extra field that runs over": ([Entry(b"a", extra=b"\x01\0\xff\0")], "cannot be unpacked"),
    "wide sizes that are missing": ([Entry(b"a", size=0xFFFFFFFF)], "raise `max-size`"),
    "link by an extra field": (
        [Entry(b"a", local={"extra": extra(0x6C78, b"\4\0\0\xff\xa1")})],
        CLEAN,
    ),
    "unknown extra field": ([Entry(b"a", extra=extra(0x4242))], CLEAN),
    "sizes in 64 bits that nothing asks for": (
        [Entry(b"a", method=0, local={"extra": extra(1, bytes(16))})],
        CLEAN,
    ),
    "forged descriptor": ([described(b"PK\7\x08" + bytes(12) + archive([]))], CLEAN),
    "forged entry in a stream": ([described(b"x" * 300_000 + b"PK\3\4")], CLEAN),
    "checksum that is a mark": ([Entry(b"a", crc=0x06054B50)], "cannot be unpacked"),
    "folder to DOS": ([Entry(b"a", mode=0, dos_attributes=0x10)], CLEAN),
    "not marked as UTF-8": ([Entry("\xe9.txt".encode(), flags=0)], CLEAN),
}

_ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "bomb": (lambda: archive([bomb(40_000_000)]), "cannot be unpacked"),
    "size that lies": (
        lambda: archive([replace(bomb(40_000_000), size=4_000_000)]),
        "cannot be unpacked",
    ),
    "overlapping bomb": (overlapping, "cannot be unpacked"),
    "leading data": (lambda: archive([], before=b"#!/bin/sh\n"), CLEAN),
    "trailing data": (lambda: archive([], after=b"x"), CLEAN),
    "trailing archive": (lambda: archive([]) + archive([]), CLEAN),
    "end in a comment": (_two_ends, CLEAN),
    "data before the list": (lambda: archive([], between=b"hidden"), CLEAN),
    "too many entries": (lambda: many(20_001), "raise `max-entries`"),
    "lying count": (lambda: archive([], count=2), CLEAN),
    "many small bombs": (cascade, "raise `max-size`"),
    "truncated": (lambda: named("a")[:-1], "cannot be unpacked"),
    "cut in the list": (lambda: named("a")[:-30], "cannot be unpacked"),
    "list elsewhere": (lambda: archive([], listed_at=7), "cannot be unpacked"),
    "second end that lies": (lambda: zip64(2), CLEAN),
    "second end that overflows": (lambda: zip64(size=2**63), "cannot be unpacked"),
    "second end of no part": (lambda: zip64(disks=0), CLEAN),
    "second end of two parts": (lambda: zip64(disks=2), "cannot be unpacked"),
    "second end in another part": (lambda: zip64(locator_disk=1), "cannot be unpacked"),
    "version of tomorrow": (
        lambda: archive([]).replace(b"PK\1\2\x14\3\x14", b"PK\1\2\x14\3\x94"),
        "cannot be unpacked",
    ),
    "packed on a Mac of old": (lambda: packed_on(7), CLEAN),
    "padding of a pipe": (lambda: archive([], after=bytes(8192)), CLEAN),
    "no zip": (lambda: b"no zip", "cannot be unpacked"),
    "nothing": (lambda: b"", "cannot be unpacked"),
    "an empty zip": (lambda: b"PK\5\6" + bytes(18), "it has no file"),
}

KINDS: dict[str, tuple[Callable[[], bytes], str]] = {
    **{kind: (partial(named, *names), told) for kind, (names, told) in _NAMES.items()},
    **{kind: (partial(archive, entries), told) for kind, (entries, told) in _ENTRIES.items()},
    **_ARCHIVES,
}
"""What makes an archive hostile, and what is said of it, or CLEAN."""


def mutated(seed: int) -> bytes:
    """One of them, or a usual one, with a few bytes changed, mostly in what is no content."""
    draw = random.Random(seed)
    makes = [make for name, (make, _) in KINDS.items() if name not in _LARGE]
    hostile, usual = draw.choice(makes)(), _usual(draw)
    data = bytearray(draw.choice([hostile, usual]))
    for _ in range(draw.choice([0, 1, 1, 2])):
        marks = [found.start() for found in re.finditer(rb"PK[\1\3\5]", data)] or [0]
        at = min(draw.choice(marks) + draw.randrange(50), len(data))
        piece = draw.choice([draw.randbytes(draw.randint(1, 4)), b"\0\0", b"\xff\xff", b"/", b"a"])
        data[at : at + draw.choice([0, len(piece)])] = draw.choice([piece, piece, b""])
    return bytes(data)


def _usual(draw: random.Random) -> bytes:
    """An archive of a few files with names and contents drawn at random."""
    names = draw.sample(["app.js", "index.html", "img/a.png", "\xe9t\xe9.css", "a b/c.txt"], 3)
    sizes = [draw.choice([0, 1, 100, 70_000]) for _ in names]
    contents = [draw.randbytes(size) for size in sizes]
    methods = [draw.choice([0, 8]) for _ in names]
    each = zip(names, contents, methods, strict=True)
    return archive([Entry(name.encode(), content, method) for name, content, method in each])


_LARGE = {"bomb", "many small bombs", "size that lies", "too many entries", "overlapping bomb"}
