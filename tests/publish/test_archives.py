"""Archives from strangers are refused, or come out clean; those of usual tools pass."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import warnings
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_zips import CLEAN, KINDS, Entry, archive, extra, many, mutated
from manifestkit.config.configuration import Publishing
from manifestkit.publish.archive import pack
from rehearsal import MANIFEST, REFUSED, User, http, stub
from rows import rows
from unpackers import ALL, WRITERS, canonical, seen_by_python


def verdict(data: bytes, folder: Path, settings: Publishing | None = None) -> str | None:
    """Why an archive is refused; None where it comes out with exactly what Python reads in it."""
    made, problem = canonical(data, folder, settings or ALL)
    if made is None:
        assert problem
        return problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = seen_by_python(data), seen_by_python(made)
    assert expected.error is None
    assert found.error is None
    assert found.files == expected.files
    assert not found.folders
    return None


@rows("kind", KINDS)
def test_a_hostile_archive_is_refused_and_it_is_said_why_or_comes_out_clean(
    tmp_path: Path, kind: str
) -> None:
    make, told = KINDS[kind]
    problem = verdict(make(), tmp_path)
    assert (problem is None) == (told == CLEAN)
    assert told in (problem or "")


def test_of_a_hostile_archive_no_byte_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "site.zip"
    path.write_bytes(KINDS["escape sequence"][0]())
    with stub(http(200)) as service:
        user = User(tmp_path / "home", service.url, {"MANIFESTKIT_TOKEN": "any"})
        ended = user.deploy(path)
    assert ended.code == REFUSED
    assert r"`a\u001b[31m` has a control character in its name" in ended.err
    assert "nothing was sent" in ended.err
    assert service.requests == []


def test_a_changed_archive_is_refused_or_holds_what_python_reads(tmp_path: Path) -> None:
    passed = sum(verdict(mutated(number), tmp_path) is None for number in range(150))
    assert passed > 20  # else it proves nothing


@rows("names", [["\xe9.txt"], ["caf\xe9/\xfcber.html", "a.html"]])
@rows("flags", [0, 0x0800])
def test_names_in_utf8_are_read_marked_or_not(tmp_path: Path, names: list[str], flags: int) -> None:
    data = archive(Entry(each.encode(), flags=flags) for each in names)
    made, _ = canonical(data, tmp_path)
    assert made is not None
    assert seen_by_python(made).files.keys() == {"manifest.json", *names}


def test_a_name_of_a_code_page_is_refused(tmp_path: Path) -> None:
    problem = canonical(archive([Entry("\xe9.txt".encode("cp437"), flags=0)]), tmp_path)[1]
    assert "a name in it is not UTF-8" in str(problem)


def test_the_list_of_entries_is_bounded_before_it_is_read(tmp_path: Path) -> None:
    """With an extra field of 60 kB each it would be 600 MB of objects for nothing."""
    padded = Entry(b"a", extra=extra(0x4242, bytes(60_000)))
    data = archive(padded for _ in range(200))
    told = "or a list of them that is longer than 1,048,576 bytes; raise `max-entries`"
    assert told in str(verdict(data, tmp_path, Publishing(max_entries=20)))
    long = archive(
        Entry(b"%04d" % number, extra=extra(0x4242, bytes(900))) for number in range(1_999)
    )
    assert verdict(long, tmp_path, Publishing(max_entries=2_000)) is None
    assert verdict(many(19), tmp_path, Publishing(max_entries=20)) is None
    assert "more than 20 entries" in str(verdict(many(20), tmp_path, Publishing(max_entries=20)))


# -- usual tools -----------------------------------------------------------------------------


class Unseekable(BytesIO):
    """Where sizes must follow the data."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise OSError


def written(how: str) -> bytes:
    """An archive as Python's library writes it."""
    target = Unseekable() if how == "streamed" else BytesIO()
    packing = zipfile.ZIP_STORED if how == "stored" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(target, "w", packing) as file:
        if how == "with a comment":
            file.comment = b"made on a Monday"
        if how == "with folders":
            file.mkdir("app")
        file.writestr("app/index.html", b"<h1>" * 1000)
        file.writestr("\xe9l\xe8ve.txt", b"")
        with file.open("large.bin", "w", force_zip64=how == "64-bit sizes") as large:
            large.write(bytes(range(256)) * 5000)
    return target.getvalue()


HOWS = ["deflated", "stored", "streamed", "with a comment", "with folders", "64-bit sizes"]


def without_signatures(data: bytes) -> bytes:
    """The archive of a streaming packer that leaves out the signature of its descriptors."""
    with zipfile.ZipFile(BytesIO(data)) as file:
        assert all(each.flag_bits & 8 for each in file.infolist())
        ends = []
        for each in file.infolist():
            name, more = struct.unpack_from("<2H", data, each.header_offset + 26)
            ends.append(each.header_offset + 30 + name + more + each.compress_size)
        assert all(data[end : end + 4] == b"PK\7\x08" for end in ends)
        contents = [(each.filename, file.read(each)) for each in file.infolist()]
    made, listing = bytearray(), bytearray()
    for name, content in contents:
        raw = name.encode()
        entry = Entry(raw, content, flags=0x0808, local={"crc": 0, "packed": 0, "size": 0})
        listing += entry.listed(len(made))
        made += entry.local_header() + entry.content() + struct.pack("<LLL", *entry.sizes())
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[len(contents)] * 2, len(listing), len(made), 0)
    return bytes(made) + bytes(listing) + end


def test_what_pythons_library_writes_comes_out_the_same(tmp_path: Path) -> None:
    made = {canonical(written(how), tmp_path)[0] for how in HOWS}
    made.add(canonical(without_signatures(written("streamed")), tmp_path)[0])
    assert None not in made
    assert len(made) == 1


@pytest.mark.parametrize(
    "tool", ["zip", "zip to a pipe", "7z", "jar", "bsdtar", "bsdtar of a folder", "git"]
)
def test_what_other_tools_write_comes_out_the_same(tmp_path: Path, tool: str) -> None:
    if shutil.which(tool.split(maxsplit=1)[0]) is None:
        pytest.skip(f"no {tool} here")
    tree = tmp_path / "tree"
    (tree / "app").mkdir(parents=True)
    (tree / "manifest.json").write_bytes(MANIFEST)
    (tree / "app" / "index.js").write_text("//\n" * 1000)
    (tree / "caf\xe9.html").write_text("")
    made = tmp_path / "site.zip"
    env = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "TARGET": str(made)}
    subprocess.run(["sh", "-euc", WRITERS[tool]], cwd=tree, check=True, env=env, timeout=60)
    packed = pack(tree, Publishing())[1]
    assert packed is not None
    with packed.file:
        own = b"".join(packed.chunks())
    assert canonical(made.read_bytes(), tmp_path)[0] == own


EXTRA = st.binary(max_size=40) | st.lists(
    st.builds(extra, st.sampled_from([1, 0x7075]) | st.integers(0, 0xFFFF), st.binary(max_size=40)),
    max_size=3,
).map(b"".join)


@given(EXTRA, EXTRA)
def test_of_any_extra_fields_there_is_a_verdict(
    tmp_path_factory: pytest.TempPathFactory, local: bytes, listed: bytes
) -> None:
    data = archive([Entry(b"a", extra=listed, local={"extra": local})])
    verdict(data, tmp_path_factory.getbasetemp())
