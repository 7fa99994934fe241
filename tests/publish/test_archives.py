"""Archives from strangers are refused before a byte is sent; those of usual tools pass."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkout import make_repository
from hostile_zips import KINDS, Entry, archive, extra, zip64
from manifestkit.engine import Options
from manifestkit.publish.archive import ArchiveLimits, inspect_archive
from manifestkit.publish.gate import check
from rehearsal import MANIFEST, REFUSED, Sandbox, User, relay
from strange_zips import Zip, entry, strange_zip
from unpackers import seen_by_command, seen_by_gate, seen_by_python


def problems(data: bytes) -> list[str]:
    return [each.message for each in inspect_archive(BytesIO(data), len(data)).problems]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_archive_is_refused_and_it_is_said_why(tmp_path: Path, kind: str) -> None:
    make, told = KINDS[kind]
    path = tmp_path / "site.zip"
    path.write_bytes(make())
    with check(path, Options(isolated=True)) as checked:
        assert not checked.passes
        assert any(told in each.message for each in checked.problems), checked.problems


def test_of_a_hostile_archive_no_byte_is_sent(tmp_path: Path, running: Sandbox, user: User) -> None:
    path = tmp_path / "site.zip"
    path.write_bytes(KINDS["escape sequence"][0]())
    with relay(running.port) as wire:
        ended = user.deploy(path, "--base-url", wire.url, env={"MANIFESTKIT_TOKEN": "any"})
    assert ended.code == REFUSED
    assert r"`a\u001b[31m` has a character in its name that cannot be shown" in ended.err
    assert wire.requests == []
    assert user.receipts[0]["ending"] == "refused"


def test_all_that_is_wrong_is_told_at_once() -> None:
    names = ["../a", "/b", "c\\d"]
    assert len(problems(archive(Entry(name.encode()) for name in names))) == 3


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


_DAMAGED = pytest.mark.skipif(
    sys.version_info < (3, 11, 4), reason="its zipfile writes 64-bit sizes that no reader needs"
)


@pytest.mark.parametrize(
    "how",
    [
        *("deflated", "stored", "streamed", "with a comment", "with folders"),
        pytest.param("64-bit sizes", marks=_DAMAGED),
    ],
)
def test_what_usual_tools_write_is_sound(how: str) -> None:
    assert problems(written(how)) == []


def test_what_git_archives_is_sound(tmp_path: Path) -> None:
    (tmp_path / "tree" / "app").mkdir(parents=True)
    (tmp_path / "tree" / "manifest.json").write_bytes(MANIFEST)
    (tmp_path / "tree" / "app" / "index.js").write_text("//\n" * 1000)
    make_repository(tmp_path / "tree")
    done = subprocess.run(
        ["git", "archive", "--format=zip", "HEAD"],
        cwd=tmp_path / "tree",
        capture_output=True,
        check=True,
    )
    assert problems(done.stdout) == []


@pytest.mark.parametrize("tool", ["zip", "7z", "jar", "bsdtar"])
def test_what_other_tools_write_is_sound(tmp_path: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    (tmp_path / "app").mkdir()
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    (tmp_path / "app" / "index.js").write_text("//\n" * 1000)
    arguments = {
        "zip": ["-qr", "site.zip", "."],
        "7z": ["a", "-tzip", "site.zip", "app", "manifest.json"],
        "jar": ["-cMf", "site.zip", "app", "manifest.json"],
        "bsdtar": ["--format", "zip", "-cf", "site.zip", "app", "manifest.json"],
    }
    subprocess.run(
        [tool, *arguments[tool]], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, timeout=60
    )
    assert problems((tmp_path / "site.zip").read_bytes()) == []


@pytest.mark.skipif(shutil.which("bsdtar") is None, reason="no bsdtar here")
def test_what_bsdtar_pads_in_a_pipe_is_refused_and_it_is_said_how_to_pack(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    done = subprocess.run(
        ["bsdtar", "--format", "zip", "-c", "manifest.json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    (message,) = problems(done.stdout)
    assert "write to a file (bsdtar -acf site.zip FILES)" in message


def test_who_reads_a_strange_archive_that_passes_reads_what_the_gate_has_read() -> None:
    passed = 0
    for number in range(600):
        data = strange_zip(number)
        contents = seen_by_gate(data)
        if contents is not None:
            passed += 1
            assert contents.disagrees(seen_by_python(data)) is None, number
    assert passed > 150  # else it proves nothing


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_no_attribute_of_any_system_keeps_a_file_that_passes_from_being_unpacked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "site.zip"
    passed = set()
    for system in range(21):
        for attributes in (0, *(1 << bit for bit in range(16)), 0x0F, 0x28, 0xFF, 0xFFFF):
            made = entry(b"a", b"content")
            made.made_by = system << 8 | 20
            made.attributes |= attributes
            path.write_bytes(Zip([made]).bytes())
            contents = seen_by_gate(path.read_bytes())
            if contents is not None:
                seen = seen_by_command("unzip", path, tmp_path / "unpacked")
                assert contents.disagrees(seen) is None, (system, attributes)
                passed.add(system)
    assert passed == {0, 3, 10, 11, 14, 19}


def test_a_second_end_in_64_bits_that_agrees_is_sound() -> None:
    assert problems(zip64()) == []


def test_an_archive_of_archives_is_sound() -> None:
    inner = archive([])
    assert problems(archive([Entry(b"inner.zip", inner, method=0)])) == []


def test_the_bounds_are_the_callers() -> None:
    data = written("stored")
    for limits in (ArchiveLimits(entries=2), ArchiveLimits(size=9), ArchiveLimits(directory=9)):
        assert inspect_archive(BytesIO(data), len(data), limits).problems


SOUND = [written("deflated"), written("streamed"), zip64(), archive([Entry(b"a"), Entry(b"b/c")])]


@given(st.data())
def test_of_a_changed_archive_there_is_a_verdict_and_who_passes_reads_alike_elsewhere(
    data: st.DataObject,
) -> None:
    changed = bytearray(data.draw(st.sampled_from(SOUND)))
    for _ in range(data.draw(st.integers(1, 4))):
        tail = st.integers(max(0, len(changed) - 400), len(changed) - 1)
        at = data.draw(st.integers(0, len(changed) - 1) | tail)
        how = data.draw(st.sampled_from(["change", "insert", "delete"]))
        piece = data.draw(st.binary(min_size=1, max_size=8) | st.sampled_from(MARKS))
        end = at if how == "insert" else at + len(piece)
        changed[at:end] = b"" if how == "delete" else piece
    found = inspect_archive(BytesIO(bytes(changed)), len(changed))
    if not found.problems and found.entries:
        with zipfile.ZipFile(BytesIO(bytes(changed))) as other:
            assert [each.filename for each in other.infolist()] == [
                each.name for each in found.entries
            ]
            assert other.testzip() is None


EXTRA = st.binary(max_size=40) | st.lists(
    st.builds(
        extra,
        st.sampled_from([1, 0x000A, 0x5455, 0x5855, 0x6375, 0x7075, 0x7855, 0x7875, 0x9999, 0xCAFE])
        | st.integers(0, 0xFFFF),
        st.binary(max_size=40) | st.integers(0, 40).map(bytes),
    ),
    max_size=3,
).map(b"".join)


@given(EXTRA, EXTRA)
def test_of_any_extra_fields_in_both_places_there_is_a_verdict(local: bytes, listed: bytes) -> None:
    problems(archive([Entry(b"a", extra=listed, local={"extra": local})]))


@pytest.mark.parametrize("kind", [0x000A, 0x5455, 0x5855, 0x6375, 0x7855, 0x7875, 0x9999, 0xCAFE])
@pytest.mark.parametrize("damaged", [b"", b"\1", b"x" * 4, b"\1\0\0\0\0\xff", b"x" * 33])
def test_a_field_that_is_sound_in_one_place_only_is_damaged(kind: int, damaged: bytes) -> None:
    bad = extra(kind, damaged)
    is_sound = not problems(archive([Entry(b"a", extra=bad)]))
    for sound in SOUND_FIELDS[kind]:
        good = extra(kind, sound)
        assert problems(archive([Entry(b"a", extra=good)])) == []
        for one, other in ((good, bad), (bad, good)):
            told = problems(archive([Entry(b"a", extra=one, local={"extra": other})]))
            assert is_sound or f"has an extra field 0x{kind:04x} that is damaged" in told


SOUND_FIELDS = {
    0x000A: [bytes(4) + b"\1\0\x18\0" + bytes(24)],
    0x5455: [b"\1\0\0\0\0", b"\0"],
    0x5855: [bytes(8), bytes(12)],
    0x6375: [b"\1\0\0\0\0note"],
    0x7855: [b"", bytes(4)],
    0x7875: [b"", bytes.fromhex("0104e803000004e8030000")],
    0x9999: [b"", bytes(4)],
    0xCAFE: [b""],
}
MARKS = [b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\7\x08", b"\xff" * 8, b"\0" * 8]
