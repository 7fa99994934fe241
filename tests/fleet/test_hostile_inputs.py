"""`manifest fleet` on input that is damaged, hostile or no file at all."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
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
LINT = ("lint", "in", "--output", "out")


def _lint(tmp_path: Path) -> Outcome:
    return fleet(*LINT, cwd=tmp_path)


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


def test_what_stands_where_many_manifests_are_meant_is_an_error_and_the_others_are_done(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    for name in ("p.jsonl", "p.parquet"):
        os.mkfifo(folder / name)
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "loop.ndjson").symlink_to("loop.ndjson")
    done = _lint(tmp_path)
    assert done.code == 2
    for said in ("p.jsonl: is a pipe", "p.parquet: is a pipe"):
        assert f"{folder}/{said}\n" in done.err
    assert f"{folder}/gone.jsonl: no such file\n" in done.err
    assert f"{folder}/loop.ndjson: too many levels of symbolic links\n" in done.err
    assert done.err.endswith("1 manifest checked; 4 units not done\n")


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
    for name in (b"bad\xff.json", b"bad\xff.jsonl", b"bad\xff.parquet"):
        (folder / os.fsdecode(name)).write_bytes(MINIMAL)
    done = _lint(tmp_path)
    assert done.code == 2
    for suffix in ("jsonl", "parquet"):
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
