"""`manifest fleet` from files to results, on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import EXAMPLES, MANIFEST, Outcome, environment
from generate import many, write
from in_process import manifest_here
from manifestkit.fleet import SCHEMA

pytestmark = pytest.mark.slow

HOST = EXAMPLES / "profiles" / "host-catalogue.schema.json"


def fleet(*arguments: str | Path, cwd: Path) -> Outcome:
    """Run `manifest fleet` in a folder."""
    with chdir(cwd):
        return manifest_here("fleet", *map(str, arguments))


def uncounted(said: str) -> str:
    """What a run said, without how many manifests fail."""
    return re.sub(r", [0-9,]+ failing", "", said)


def contents(folder: Path) -> dict[str, str]:
    """The files in a folder and below, with their digests."""
    return {
        each.relative_to(folder).as_posix(): sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


def rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of results, in order of their files."""
    return [
        row for each in sorted(folder.glob("*.parquet")) for row in pq.read_table(each).to_pylist()
    ]


def _lines(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for each in many(30):
            content = None if each.content is None else each.content.decode(errors="replace")
            file.write(json.dumps({"uri": each.uri, "content": content}) + "\n")
        file.write('not JSON\n\n{"uri": "x", "content": {}}\n')


def _folder(path: Path) -> None:
    for each in many(30):
        (path / each.uri).parent.mkdir(parents=True, exist_ok=True)
        (path / each.uri).write_bytes(each.content or b"")
    (path / "README.md").write_text("no manifest", "utf-8")
    (path / ".hidden.json").write_text("{}", "utf-8")


@pytest.mark.parametrize(
    ("name", "make", "uris"),
    [
        ("in.parquet", lambda path: write(path, 30), [each.uri for each in many(30)]),
        ("in.jsonl", _lines, [*(each.uri for each in many(30)), "in.jsonl@", "x"]),
        ("in", _folder, [each.uri for each in many(30)]),
    ],
)
def test_every_kind_of_input_gives_a_row_for_each_manifest(
    name: str, make: Callable[[Path], object], uris: list[str], tmp_path: Path
) -> None:
    make(tmp_path / name)
    done = fleet("lint", name, "--output", "out", cwd=tmp_path)
    assert (done.code, uncounted(done.err)) == (0, f"{len(uris)} manifests checked\n")
    found = rows(tmp_path / "out")
    assert sorted(row["uri"].rstrip("0123456789") if "@" in row["uri"] else row["uri"]
                  for row in found) == sorted(uris)  # fmt: skip
    assert sum(row["fails"] for row in found) == len(uris) - 27
    (schema,) = {pq.read_schema(each).remove_metadata() for each in (tmp_path / "out").glob("*.p*")}
    assert schema.equals(SCHEMA)


def test_lines_are_units_of_their_bytes_and_none_is_lost(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    with (tmp_path / "in.jsonl").open("w", encoding="utf-8") as file:
        for number in range(40):
            file.write(json.dumps({"uri": str(number), "content": f'"{long}"'}) + "\n")
    done = fleet("lint", "in.jsonl", "--output", "out", "--workers", "1", cwd=tmp_path)
    assert done.code == 0
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 3
    assert [row["uri"] for row in rows(tmp_path / "out")] == [str(number) for number in range(40)]


def test_what_is_done_is_skipped_and_what_is_not_is_the_same_to_the_byte(tmp_path: Path) -> None:
    write(tmp_path / "in", 300, group=50)
    assert (
        uncounted(fleet("lint", "in", "--output", "out", cwd=tmp_path).err)
        == "300 manifests checked\n"
    )
    first = contents(tmp_path / "out")
    assert len(first) == 7
    again = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    assert again.err == "note: 6 units of 6 already had results\n0 manifests checked\n"

    files = sorted((tmp_path / "out").glob("*.parquet"))
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:1_000])
    data = files[2].read_bytes()
    files[2].write_bytes(data[:-200] + b"\xff" * 192 + data[-8:])
    (tmp_path / "out" / "_aside").mkdir()
    (tmp_path / "out" / "_aside" / f"half.{'0' * 32}").write_bytes(b"PAR1")
    resumed = fleet("lint", "in", "--output", "out", "--workers", "2", cwd=tmp_path)
    assert (
        uncounted(resumed.err) == "note: 3 units of 6 already had results\n150 manifests checked\n"
    )
    assert contents(tmp_path / "out") == first


@pytest.mark.parametrize("name", ["_aside/mine.txt", "manifests-00000.parquet", "notes.txt"])
def test_a_file_of_somebody_is_neither_replaced_nor_deleted(tmp_path: Path, name: str) -> None:
    _folder(tmp_path / "in")
    file = tmp_path / "out" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    done = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    assert (done.code, file.read_text()) == (2, "mine")
    assert f"out: holds {name}, no result of `manifest fleet lint`" in done.err
    file.unlink()
    assert fleet("lint", "in", "--output", "out", cwd=tmp_path).code == 0
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    before = contents(tmp_path / "out")
    target = f"json={tmp_path / 'out' / '_fleet.json'}"
    refused = fleet("impact", "out", "out", "--output-format", target, cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "is among the results and cannot be an output" in refused.err
    assert contents(tmp_path / "out") == before


def test_a_file_that_cannot_be_read_leaves_the_others_to_be_done(tmp_path: Path) -> None:
    write(tmp_path / "in", 100, group=50)
    (tmp_path / "in" / "cut.parquet").write_bytes(b"PAR1 cut")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "in" / "other.parquet")
    (tmp_path / "in" / "up").symlink_to("..")
    done = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    assert done.code == 2
    assert "cut.parquet" in done.err
    assert "other.parquet: a column `uri` is missing" in done.err
    assert "100 manifests checked; 2 units not done" in uncounted(done.err)
    assert len(rows(tmp_path / "out")) == 100


def test_another_content_is_linted_again(tmp_path: Path) -> None:
    write(tmp_path / "in", 200, group=100)
    lint = ("lint", "in", "--output", "out")
    assert "200 manifests checked" in fleet(*lint, cwd=tmp_path).err
    write(tmp_path / "in", 100)
    assert "100 manifests checked" in fleet(*lint, cwd=tmp_path).err
    assert len(rows(tmp_path / "out")) == 100, "the second unit is gone"


def test_a_run_that_is_killed_is_completed_by_the_next_and_leaves_no_process(
    tmp_path: Path,
) -> None:
    write(tmp_path / "in", 1_600, group=100)
    lint = ("fleet", "lint", "in", "--workers", "2", "--output")
    assert fleet(*lint[1:], "whole", cwd=tmp_path).code == 0
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*MANIFEST, *lint, "out"], cwd=tmp_path, env=environment(), start_new_session=True
    )
    until = time.monotonic() + 60
    while len(list(out.glob("*.parquet"))) < 4 and process.poll() is None:
        assert time.monotonic() < until
    group = os.getpgid(process.pid)
    process.kill()
    process.wait()
    while _lives(group):
        assert time.monotonic() < until, "a worker has outlived the run"
    half = fleet("impact", "out", "out", cwd=tmp_path)
    assert (half.code, "not complete" in half.err) == (2, True)
    assert fleet(*lint[1:], "out", cwd=tmp_path).code == 0
    assert contents(out) == contents(tmp_path / "whole")
    assert "0 manifests checked" in fleet(*lint[1:], "out", cwd=tmp_path).err


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_impact_is_what_a_plain_loop_finds(tmp_path: Path) -> None:
    write(tmp_path / "in", 200, group=50)
    for out, more in (("before", ()), ("after", ("--profile", HOST, "--ignore", "wrong-type"))):
        assert fleet("lint", "in", "--output", out, *more, cwd=tmp_path).code == 0
    done = fleet("impact", "before", "after", "--output-format", "json", cwd=tmp_path)
    assert done.code == 1, "some newly fail"
    assert '"failing": true' not in done.out
    told = json.loads(done.out)

    failing, passing = Counter[Any](), Counter[Any]()
    new, gone = Counter[str](), Counter[str]()
    providers: dict[Any, tuple[set[str], set[str]]] = {}
    for one, two in zip(rows(tmp_path / "before"), rows(tmp_path / "after"), strict=True):
        was = {each["rule"] for each in one["findings"]}
        now = {each["rule"] for each in two["findings"]}
        if was == now and one["fails"] == two["fails"]:
            continue
        new.update(now - was)
        gone.update(was - now)
        failing[two["provider_id"]] += two["fails"] and not one["fails"]
        passing[two["provider_id"]] += one["fails"] and not two["fails"]
        rules = providers.setdefault(two["provider_id"], (set(), set()))
        rules[0].update(now - was)
        rules[1].update(was - now)
    assert passing.total() > 0 < failing.total()
    assert (told["newly_failing"], told["newly_passing"]) == (failing.total(), passing.total())
    assert {each["rule"]: (each["new"], each["gone"]) for each in told["rules"]} == {
        rule: (new[rule], gone[rule]) for rule in new | gone
    }
    assert {each["provider"]: (each["newly_failing"], each["newly_passing"], each["new"],
                               each["gone"])
            for each in told["providers"]} == {
        provider: (failing[provider], passing[provider], sorted(added), sorted(lost))
        for provider, (added, lost) in providers.items()
    }  # fmt: skip


def test_impact_finds_manifests_by_their_uri_when_the_input_is_another(tmp_path: Path) -> None:
    write(tmp_path / "old", 200, group=100)
    _put(tmp_path / "new", list(many(150, start=50))[::-1] + list(many(1, start=60)))
    for name in ("old", "new"):
        assert fleet("lint", name, "--output", f"{name}-out", cwd=tmp_path).code == 0
    done = fleet("impact", "old-out", "new-out", "--output-format", "json", cwd=tmp_path)
    told = json.loads(done.out)
    assert (done.code, told["manifests"], told["added"], told["removed"]) == (0, 150, 1, 50)
    assert (told["rules"], told["providers"], told["edited"]) == ([], [], 0)


def _put(folder: Path, made: list[Any]) -> None:
    folder.mkdir()
    columns = [list(each) for each in zip(*made, strict=True)]
    schema = pa.schema([("uri", pa.string()), ("content", pa.binary())])
    pq.write_table(pa.table(columns, schema=schema), folder / "part.parquet")


@pytest.mark.parametrize("name", ["none.jsonl", "none.parquet"])
def test_an_empty_file_is_a_fleet_of_no_manifests(name: str, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    pq.write_table(
        pa.table({"uri": ["a"], "content": ["{}"]}).slice(0, 0), tmp_path / "none.parquet"
    )
    done = fleet("lint", name, "--output", "out", cwd=tmp_path)
    assert (done.code, done.err.splitlines()[-1]) == (0, "0 manifests checked")


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    write(tmp_path / "in", 20)
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", "utf-8")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "other.parquet")
    (tmp_path / "host.json").write_text("{]", "utf-8")
    for arguments, said in (
        (("lint", "gone", "--output", "out"), "gone: no such file or folder"),
        (("lint", "empty", "--output", "out"), "empty: no manifests"),
        (("lint", "bad.parquet", "--output", "out"), "bad.parquet: "),
        (("lint", "other.parquet", "--output", "out"), "a column `uri` is missing; there is: id"),
        (("lint", "in", "--output", "mine"), "mine: holds letter.txt, no result of"),
        (("lint", "in", "--output", "in/out"), "in/out: choose a folder outside of in"),
        (("lint", "in", "--output", "out", "--profile", "host.json"), "host.json:1:2"),
        (("lint", "in", "--output", "out", "--ignore", "wrong-tpye"), "did you mean `wrong-type`"),
        (("lint", "s3://a:b@c/d", "--output", "out"), "s3://…@c/d: credentials are read from the"),
        (("lint", "what://c/d", "--output", "out"), "what://c/d: "),
        (("impact", "in", "gone"), "in: no results of `manifest fleet lint` here"),
    ):
        done = fleet(*arguments, cwd=tmp_path)
        assert (done.code, said in done.err) == (2, True), done
        assert "b@c" not in done.err
    assert not (tmp_path / "out").exists()
    assert contents(tmp_path / "mine").keys() == {"letter.txt"}


def test_an_input_that_vanishes_or_breaks_is_told_and_the_others_are_done(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / "in" / f"{number}", 100)
    broken = tmp_path / "in" / "1" / "part-0000.parquet"
    data = broken.read_bytes()
    broken.write_bytes(data[:100] + b"\0" * 2_000 + data[2_100:])
    done = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    assert done.code == 2
    assert "error: in/1/part-0000.parquet: not a whole Parquet file" in done.err
    assert "200 manifests checked; 1 unit not done" in uncounted(done.err)
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 2
    assert not (tmp_path / "out" / "_aside").exists()
    shutil.rmtree(broken.parent)
    assert fleet("lint", "in", "--output", "out", cwd=tmp_path).code == 0


def test_a_page_with_fewer_rows_than_the_footer_says_is_an_error(tmp_path: Path) -> None:
    texts = [str(number) for number in range(100)]
    table = pa.table({"uri": texts, "content": texts})
    pq.write_table(table, tmp_path / "in.parquet", use_dictionary=False, compression="none")
    pages = pq.read_metadata(tmp_path / "in.parquet").row_group(0)
    data = bytearray((tmp_path / "in.parquet").read_bytes())
    for column in range(2):
        at = data.index(b"\x15\xc8\x01", pages.column(column).data_page_offset)
        data[at + 1] = 0xA0  # 80 values, and not 100
    (tmp_path / "in.parquet").write_bytes(data)
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    assert done.code == 2
    assert "error: in.parquet: not a whole Parquet file\n" in done.err


def test_an_interrupt_ends_a_run_and_its_workers(tmp_path: Path) -> None:
    write(tmp_path / "in", 1_600, group=100)
    process = subprocess.Popen(
        [*MANIFEST, "fleet", "lint", "in", "--workers", "2", "--output", "out"],
        cwd=tmp_path,
        env=environment(),
        start_new_session=True,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while len(list((tmp_path / "out").glob("*.parquet"))) < 4 and process.poll() is None:
        assert time.monotonic() < until
    group = os.getpgid(process.pid)
    os.killpg(group, signal.SIGINT)
    _, told = process.communicate()
    assert (process.returncode, told.strip()) == (130, b"")
    while _lives(group):
        assert time.monotonic() < until
