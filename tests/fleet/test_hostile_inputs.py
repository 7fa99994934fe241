"""`manifest fleet` on input that is damaged, hostile or no file at all."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import time
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import EXAMPLES, MANIFEST, Outcome, environment, manifest
from generate import write
from test_runs import fleet, rows, uncounted

pytestmark = pytest.mark.slow

MINIMAL = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
MEMBER = 512 + -(-len(MINIMAL) // 512) * 512
LINT = ("lint", "in", "--output", "out")


def _lint(tmp_path: Path) -> Outcome:
    return fleet(*LINT, cwd=tmp_path)


def _archive(names: tuple[str, ...] = ("a.json", "b.json", "c.json")) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(MINIMAL)
            archive.addfile(member, io.BytesIO(MINIMAL))
    return held.getvalue()


def _summed(header: bytearray) -> bytes:
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def _negative(data: bytes) -> bytes:
    header = bytearray(data[MEMBER : MEMBER + 512])
    header[124:136] = b"\xff" * 12
    return data[:MEMBER] + _summed(header) + data[MEMBER + 512 :]


def _moved_back(data: bytes) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("d.json")
        member.pax_headers = {"size": "-2048"}
        archive.addfile(member)
    return held.getvalue().rstrip(b"\0").ljust(512 * 4, b"\0") + data


def _sparse(data: bytes) -> bytes:
    header = bytearray(data[:512])
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[482] = 1
    return data[:MEMBER] + _summed(header)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut-in-header": lambda data: data[: MEMBER + 200],
    "cut-between": lambda data: data[:MEMBER],
    "cut-in-member": lambda data: data[: MEMBER + 700],
    "cut-in-marker": lambda data: data[: 3 * MEMBER + 512],
    "bad-checksum": lambda data: data[: MEMBER + 3] + b"x" + data[MEMBER + 4 :],
    "bad-number": lambda data: data[: MEMBER + 148] + b"zzzzzz" + data[MEMBER + 154 :],
    "lost-block": lambda data: data[:512] + data[1024:],
    "negative": _negative,
    "back": _moved_back,
    "sparse": _sparse,
    "two-in-one": lambda data: data + data,
    "empty": lambda _: b"",
    "garbage": lambda _: b"no archive" * 200,
    "long-chain": lambda data: _header(tarfile.GNUTYPE_LONGNAME, 0) * 1_900 + data,
    "longer-chain": lambda data: _header(tarfile.GNUTYPE_LONGNAME, 0) * 5_000 + data,
}


def _header(kind: bytes, size: int) -> bytes:
    member = tarfile.TarInfo("x")
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_archive_is_an_error_and_the_others_are_done(damage: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.tar").write_bytes(_archive())
    bad = DAMAGE[damage](_archive())
    (tmp_path / "in" / "bad.tar").write_bytes(bad)
    (tmp_path / "in" / "bad.tgz").write_bytes(gzip.compress(bad))
    done = _lint(tmp_path)
    assert done.code == 2
    assert "bad.tar: not a whole tar archive: " in done.err
    assert "bad.tgz: not a whole tar archive: " in done.err
    words = ("recursion", "int()", "index out of range", "bytearray", "NoneType", "Errno")
    assert not [each for each in words if each in done.err]
    assert done.err.endswith("3 manifests checked; 2 units not done\n")
    assert {row["uri"] for row in rows(tmp_path / "out")} == {
        f"good.tar:{name}.json" for name in "abc"
    }


def test_a_compressed_archive_whose_content_is_not_that_of_its_checksum_is_an_error(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    data = bytearray(gzip.compress(_archive(), 0))
    at = data.index(b'"') + 3
    data[at] ^= 1
    (tmp_path / "in" / "bad.tgz").write_bytes(data)
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    done = _lint(tmp_path)
    assert done.code == 2
    assert "bad.tgz: " in done.err
    assert "1 manifest checked; 1 unit not done" in done.err


@pytest.mark.parametrize("writer", ["tar", "bsdtar", "busybox tar"])
def test_an_archive_of_a_real_writer_is_read(writer: str, tmp_path: Path) -> None:
    if shutil.which(writer.split(maxsplit=1)[0]) is None:
        pytest.skip(f"no {writer}")
    (tmp_path / "packed" / ("long" * 40)).mkdir(parents=True)
    for name in ("a.json", f"{'long' * 40}/{'name' * 20}.json", "e\u0301.json"):
        (tmp_path / "packed" / name).write_bytes(MINIMAL)
    (tmp_path / "in").mkdir()
    subprocess.run([*writer.split(), "cf", "in/x.tar", "packed"], cwd=tmp_path, check=True)
    data = (tmp_path / "in" / "x.tar").read_bytes()
    for name, packed in (
        ("gz", gzip.compress(data)),
        ("two", gzip.compress(data[:700]) + gzip.compress(data[700:])),
        ("bz2", bz2.compress(data)),
        ("xz", lzma.compress(data)),
    ):
        (tmp_path / "in" / f"{name}.tgz").write_bytes(packed)
    done = _lint(tmp_path)
    assert (done.code, done.err) == (0, "15 manifests checked\n")
    assert not any(row["fails"] for row in rows(tmp_path / "out"))


@pytest.mark.parametrize("writer", ["tar", "bsdtar", "busybox tar"])
def test_what_is_no_file_in_an_archive_is_a_row_that_says_what_it_is(
    writer: str, tmp_path: Path
) -> None:
    if shutil.which(writer.split(maxsplit=1)[0]) is None:
        pytest.skip(f"no {writer}")
    folder = tmp_path / "packed"
    (folder / "folder.json").mkdir(parents=True)
    (folder / "a.json").write_bytes(MINIMAL)
    (folder / "b.json").symlink_to("a.json")
    (folder / "c.json").symlink_to("/etc/passwd")
    (folder / "linked").symlink_to("folder.json")
    os.mkfifo(folder / "pipe.json")
    names = [f"packed/{name}" for name in os.listdir(folder)]  # noqa: PTH208 - names
    (tmp_path / "packed" / "hard.json").hardlink_to(folder / "a.json")
    command = [*writer.split(), "cf", "in.tar", *names, "packed/hard.json"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = fleet("lint", "in.tar", "--output", "out", cwd=tmp_path)
    assert (done.code, uncounted(done.err)) == (0, "5 manifests checked\n")
    link = "is a link, which is not followed; put a copy of the file in the archive"
    assert {
        row["uri"]: [(each["rule"], each["message"]) for each in row["findings"]]
        for row in rows(tmp_path / "out")
    } == {
        "packed/a.json": [],
        **{f"packed/{name}.json": [("unreadable", link)] for name in ("b", "c", "hard")},
        "packed/pipe.json": [("unreadable", "is a pipe")],
    }


def test_a_device_in_an_archive_is_a_row_that_says_so(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "in.tar", "w") as archive:
        for name, kind in (("a.json", tarfile.CHRTYPE), ("b.yaml", tarfile.BLKTYPE)):
            member = tarfile.TarInfo(name)
            member.type = kind
            archive.addfile(member)
    fleet("lint", "in.tar", "--output", "out", cwd=tmp_path)
    found = [(row["fails"], row["findings"][0]["message"]) for row in rows(tmp_path / "out")]
    assert found == [(True, "is a device")] * 2


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g", b"many", b"sparse"])
def test_a_header_that_is_huge_is_refused_before_it_is_read(kind: bytes, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    with gzip.open(tmp_path / "in" / "bomb.tgz", "wb", 1) as bomb:
        if kind == b"many":
            for number in range(3):
                record = b"999990 k%06d=%s\n" % (number, b"v" * (999_990 - 16))
                bomb.write(_header(b"g", len(record)) + record.ljust(999_936 + 512, b"\0"))
                bomb.write(_archive(("a.json",))[:MEMBER])
        elif kind == b"sparse":
            header = bytearray(_header(b"S", 0))
            header[482] = 1
            bomb.write(_summed(header))
            bomb.write((b"00000000001\0" * 42 + b"\1" + b"\0" * 7) * 5_000)
        else:
            bomb.write(_header(kind, 16 << 20) + bytes(16 << 20))
    done = _lint(tmp_path)
    assert done.code == 2
    assert "bomb.tgz: not a whole tar archive: a header, a long name or attributes of more" in (
        done.err
    )
    assert done.err.endswith("1 manifest checked; 1 unit not done\n")


def test_what_stands_where_a_manifest_is_meant_is_an_unreadable_row(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    (folder / "gone.json").symlink_to("nowhere")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "device.yml").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.json")
    with socket.socket(socket.AF_UNIX) as listener, chdir(folder):
        listener.bind("socket.json")
    (folder / "README").symlink_to("nowhere")
    done = fleet(*LINT, cwd=tmp_path)
    assert (done.code, uncounted(done.err)) == (0, "6 manifests checked\n")
    found = {
        row["uri"]: [each["rule"] for each in row["findings"]] for row in rows(tmp_path / "out")
    }
    unreadable = ("device.yml", "gone.json", "loop.yaml", "pipe.json", "socket.json")
    assert found == {"a.json": [], **{name: ["unreadable"] for name in unreadable}}
    (folder / "gone.json").unlink()
    (folder / "gone.json").write_bytes(MINIMAL)
    assert uncounted(fleet(*LINT, cwd=tmp_path).err) == "6 manifests checked\n"


def test_a_link_to_a_folder_is_not_followed_and_noted(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.json").write_bytes(MINIMAL)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "linked").symlink_to("../elsewhere")
    said = "links to folders are not followed: "
    done = _lint(tmp_path)
    assert (done.code, done.err.count(said)) == (2, 1)
    assert f"error: in: no manifests; {said}linked" in done.err

    (folder / "shop").mkdir()
    (folder / "shop" / "a.json").write_bytes(MINIMAL)
    (folder / "shop" / "loop.json").symlink_to(".")
    (folder / "shop" / "up\n").symlink_to("..")
    (folder / ".git").symlink_to("../elsewhere")
    done = _lint(tmp_path)
    told = f"note: {said}linked, shop/loop.json, shop/up\\n\n1 manifest checked\n"
    assert (done.code, done.err) == (0, told)
    assert [row["uri"] for row in rows(tmp_path / "out")] == ["shop/a.json"]
    for index in range(10):
        (folder / f"l{index}").symlink_to("shop")
    told = f"note: {said}l0, l1, l2, l3, l4 and 8 more\n"
    assert told in _lint(tmp_path).err
    assert fleet("lint", "in/linked", "--output", "other", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"path": "evil.txt"}, "a global header with `path`"),
        ({"linkpath": "a.json", "comment": "x"}, "a global header with `linkpath`"),
        ({"size": "512"}, "a global header with `size`"),
        ({"GNU.sparse.name": "evil.txt"}, "a global header with `GNU.sparse.name`"),
    ],
)
def test_a_header_that_names_all_files_of_an_archive_is_an_error(
    headers: dict[str, str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "c.json").write_bytes(MINIMAL)
    path = tmp_path / "in" / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, pax_headers=headers) as archive:
        for name in ("a.json", "b.json"):
            member = tarfile.TarInfo(name)
            member.size = len(MINIMAL)
            archive.addfile(member, io.BytesIO(MINIMAL))
    done = _lint(tmp_path)
    assert done.code == 2
    assert f"error: in/a.tar: not a whole tar archive: {said}, which some readers" in done.err
    assert done.err.endswith("1 manifest checked; 1 unit not done\n")


def test_a_name_that_readers_end_elsewhere_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "in.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a.json")
        member.pax_headers = {"path": "a.json\0.txt"}
        archive.addfile(member)
    done = fleet("lint", "in.tar", "--output", "out", cwd=tmp_path)
    said = "error: in.tar: not a whole tar archive: a name with a NUL, where some readers"
    assert (done.code, done.err.startswith(said)) == (2, True)


def test_a_comment_for_all_files_of_an_archive_is_fine(tmp_path: Path) -> None:
    headers = {"comment": "as `git archive` writes it", "mtime": "1"}
    path = tmp_path / "in.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, pax_headers=headers) as archive:
        member = tarfile.TarInfo("a.json")
        member.size = len(MINIMAL)
        archive.addfile(member, io.BytesIO(MINIMAL))
    done = fleet("lint", "in.tar", "--output", "out", cwd=tmp_path)
    assert (done.code, done.err) == (0, "1 manifest checked\n")


def test_what_stands_where_many_manifests_are_meant_is_an_error_and_the_others_are_done(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    for name in ("p.jsonl", "p.parquet", "p.tar"):
        os.mkfifo(folder / name)
    (folder / "gone.tgz").symlink_to("nowhere")
    (folder / "loop.ndjson").symlink_to("loop.ndjson")
    done = _lint(tmp_path)
    assert done.code == 2
    for said in ("p.jsonl: is a pipe", "p.parquet: is a pipe", "p.tar: is a pipe"):
        assert f"{folder}/{said}\n" in done.err
    assert f"{folder}/gone.tgz: no such file\n" in done.err
    assert f"{folder}/loop.ndjson: too many levels of symbolic links\n" in done.err
    assert done.err.endswith("1 manifest checked; 5 units not done\n")


def test_an_input_that_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.json")
    (tmp_path / "gone.json").symlink_to("nowhere")
    for name, said in (
        ("p.json", "p.json: is a pipe"),
        ("/dev/zero", "/dev/zero: is a device"),
        ("gone.json", "gone.json: no such file"),
    ):
        done = fleet("lint", name, "--output", "out", cwd=tmp_path)
        assert (done.code, done.err) == (2, f"error: {said}\n")


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    with chdir(tmp_path / "in"):
        for _ in range(17):  # a path of more than 4,096 bytes
            Path("d" * 250).mkdir()
            os.chdir("d" * 250)
    done = _lint(tmp_path)
    assert done.code == 2
    assert "/: file name too long\n" in done.err
    assert done.err.endswith("1 manifest checked; 1 unit not done\n")


def test_a_name_that_is_not_utf_8_is_a_row_or_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    for name in (b"bad\xff.json", b"bad\xff.jsonl", b"bad\xff.tar", b"bad\xff.parquet"):
        (folder / os.fsdecode(name)).write_bytes(MINIMAL)
    done = _lint(tmp_path)
    assert done.code == 2
    for suffix in ("jsonl", "tar", "parquet"):
        assert f"{folder}/bad\\xff.{suffix}: its name is not UTF-8; rename it\n" in done.err
    assert done.err.endswith("2 manifests checked; 3 units not done\n")
    found = {row["uri"]: row["fails"] for row in rows(tmp_path / "out")}
    assert found == {"a.json": False, "bad\\xff.json": False}


def test_a_folder_whose_name_is_not_utf_8_is_an_input_and_no_output(tmp_path: Path) -> None:
    name = os.fsdecode(b"in\xff")
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.json").write_bytes(MINIMAL)
    done = fleet("lint", name, "--output", "out", cwd=tmp_path)
    assert (done.code, done.err) == (0, "1 manifest checked\n")
    refused = fleet("lint", name, "--output", os.fsdecode(b"out\xff"), cwd=tmp_path)
    assert (refused.code, "not UTF-8" in refused.err) == (2, True)
    refused = fleet("impact", os.fsdecode(b"out\xff"), "out", cwd=tmp_path)
    assert (refused.code, "not UTF-8" in refused.err) == (2, True)
    (tmp_path / "out" / os.fsdecode(b"mine\xff")).touch()
    assert "holds mine\\xff, no result of" in _lint_again(name, tmp_path).err


def _lint_again(source: str, tmp_path: Path) -> Outcome:
    return fleet("lint", source, "--output", "out", cwd=tmp_path)


def test_a_second_run_into_a_folder_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "in", 800, group=100)
    other = (*LINT, "--ignore", "wrong-type")
    process = subprocess.Popen(
        [*MANIFEST, "fleet", *LINT, "--workers", "1"],
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while not list((tmp_path / "out").glob("*.parquet")) and process.poll() is None:
        assert time.monotonic() < until
    os.kill(process.pid, signal.SIGSTOP)
    refused = [fleet(*each, cwd=tmp_path) for each in (LINT, other)]
    os.kill(process.pid, signal.SIGCONT)
    _, told = process.communicate(timeout=60)
    said = "error: out: another run writes here; wait for its end, or give another folder\n"
    assert [(each.code, each.err) for each in refused] == [(2, said)] * 2
    assert (process.returncode, uncounted(told)) == (0, "800 manifests checked\n")
    assert len(rows(tmp_path / "out")) == 800
    assert fleet(*LINT, cwd=tmp_path).code == 0, "it is over"


def test_an_output_in_the_input_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    (tmp_path / "link").symlink_to("in")
    for source, out in (("in", "link/out"), ("link", "in/out"), ("in", "link")):
        done = fleet("lint", source, "--output", out, cwd=tmp_path)
        assert done.code == 2
        assert done.err.startswith(
            f"error: {out}: choose a folder outside of {source}: its results"
        )
    assert [each.name for each in (tmp_path / "in").iterdir()] == ["a.json"]
    refused = fleet("lint", "/", "--output", "out", cwd=tmp_path)
    assert "out: choose a folder outside of /: its results" in refused.err


@pytest.mark.parametrize("name", ["uri", "content", "name"])
def test_a_column_that_is_there_twice_is_told(name: str, tmp_path: Path) -> None:
    names = ["uri", "content", "name", name]
    table = pa.Table.from_arrays([pa.array(["x"])] * 4, names=names)
    pq.write_table(table, tmp_path / "in.parquet")
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    said = f"error: in.parquet: 2 columns have the name `{name}`\n"
    assert (done.code, done.err) == (2, said)


@pytest.mark.parametrize(
    "changed",
    [
        "[" * 100_000,
        '{"columns": ' + "[" * 100_000,
        "[]",
        "null",
        *({"policy": [1]}, {"units": []}, {"units": [["a", "b"]]}),
        *({"units": {"a.parquet": 1}}, {"units": None}, {"units": "ab"}),
    ],
)
def test_a_plan_that_is_not_ours_is_told(changed: str | dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    assert _lint(tmp_path).code == 0
    file = tmp_path / "out" / "_fleet.json"
    old = json.loads(file.read_text())
    file.write_text(changed if isinstance(changed, str) else json.dumps({**old, **changed}))
    for command in (("impact", "out", "out"), LINT):
        done = fleet(*command, cwd=tmp_path)
        assert done.code == 2
        assert "out: _fleet.json in it is not that of `manifest fleet lint`" in done.err


@pytest.mark.parametrize("name", ["_fleet.json", "manifests-00000.parquet"])
def test_results_that_are_pipes_are_not_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    assert _lint(tmp_path).code == 0
    (tmp_path / "out" / name).unlink()
    os.mkfifo(tmp_path / "out" / name)
    command = [*MANIFEST, "fleet", "impact", "out", "out"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 2


def test_units_that_a_full_disk_leaves_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a", 10)
    write(tmp_path / "in" / "b", 4_000, group=1_000)
    (tmp_path / "in" / "cut.parquet").write_bytes(b"PAR1 cut")
    full = ("sh", "-c", 'ulimit -f 32; exec "$@"', "sh")
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"}  # half of a file of bytecode would stay
    done = manifest("fleet", *LINT, "--workers", "1", cwd=tmp_path, by=full, env=unwritten)
    assert done.code == 2
    assert "cannot be written: " in done.err
    assert uncounted(done.err).endswith("10 manifests checked; 5 units not done\n")
