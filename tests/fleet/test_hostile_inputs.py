"""`manifest fleet` on input that is damaged, hostile or no file at all."""

from __future__ import annotations

import json
import os
import pickle
import socket
from contextlib import chdir
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command import CLEAN, EXAMPLES, USAGE, Outcome, manifest
from generate import write
from in_process import manifest_here
from manifestkit import ConfigurationError, Options
from manifestkit.fleet import FleetPolicy
from test_runs import HOST, LINT, fleet, rows

pytestmark = pytest.mark.slow

MINIMAL = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()


def _lint(tmp_path: Path) -> Outcome:
    return fleet(*LINT, cwd=tmp_path)


def test_what_stands_where_a_manifest_is_meant_is_an_unreadable_row(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    (folder / "gone.json").symlink_to("nowhere")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "device.yml").symlink_to("/dev/zero")
    (folder / os.fsdecode(b"bad\xff.json")).write_bytes(MINIMAL)
    os.mkfifo(folder / "pipe.json")
    with socket.socket(socket.AF_UNIX) as listener, chdir(folder):
        listener.bind("socket.json")
    (folder / "README").symlink_to("nowhere")
    (folder / "folder").symlink_to(".")
    done = _lint(tmp_path)
    passed_over = "note: skipped 2 names: README and folder"
    assert done.err.startswith(f"{passed_over}\n7 manifests checked, 5 failing\n")
    assert done.code == 0
    found = {
        row["uri"]: [each["rule"] for each in row["findings"]] for row in rows(tmp_path / "out")
    }
    unreadable = ("device.yml", "gone.json", "loop.yaml", "pipe.json", "socket.json")
    assert found == {
        "a.json": [],
        "bad\\xff.json": [],
        **{name: ["unreadable-file"] for name in unreadable},
    }
    (folder / "gone.json").unlink()
    (folder / "gone.json").write_bytes(MINIMAL)
    assert _lint(tmp_path).err.startswith(f"{passed_over}\n7 manifests checked, 4 failing\n")


def test_what_stands_where_many_manifests_are_meant_is_an_error_and_the_others_are_done(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_bytes(MINIMAL)
    for name in ("p.jsonl", "p.parquet"):
        os.mkfifo(folder / name)
    (folder / "gone.jsonl").symlink_to("nowhere")
    (folder / "cut.parquet").write_bytes(b"PAR1 cut")
    done = _lint(tmp_path)
    assert done.code == 2
    for said in ("in/p.jsonl: is a pipe", "in/p.parquet: is a pipe", "in/gone.jsonl: no such file"):
        assert f"error: {said}" in done.err
    assert "error: in/cut.parquet: Parquet" in done.err
    assert done.err.endswith("1 manifest checked; 4 units not done\n")


def test_a_line_that_is_wrong_is_an_unreadable_row(tmp_path: Path) -> None:
    good = json.dumps({"uri": "good", "content": MINIMAL.decode(), "name": "a.json"})
    lines = (
        *("not JSON", "[]", "[" * 100_000, '{"uri": "a"}', '{"uri": "b", "content": {}}', "", good),
        *(
            '{"content": "{}"}',
            '{"uri": 7, "content": "{}"}',
            '{"uri": "\\ud800", "content": "{}"}',
        ),
    )
    (tmp_path / "in.jsonl").write_text("\n".join(lines), "utf-8")
    done = fleet("lint", "in.jsonl", "--output", "out", cwd=tmp_path)
    assert (done.code, done.err.splitlines()[0]) == (0, "9 manifests checked, 8 failing")
    found = rows(tmp_path / "out")
    assert [row["uri"] for row in found] == [
        *("in.jsonl@1", "in.jsonl@2", "in.jsonl@3", "a", "b", "good"),
        *("in.jsonl@8", "in.jsonl@9", "\\ud800"),
    ]
    rules = [row["findings"][0]["rule"] for row in found if row["findings"]]
    for each in rules:
        assert manifest_here("explain", each).code == CLEAN
    unreadable = [each == "unreadable-file" for each in rules]
    assert unreadable == [True] * 5 + [False, True, False]
    told = [found[number]["findings"][0]["message"] for number in (0, 3, 4, 7)]
    start = "the line must be a JSON object with the texts `uri` and `content`"
    assert told[0].startswith(start)
    assert told[1:] == ["no `content`", "`content` must be a text", "`uri` must be a text"]


def test_a_row_without_a_uri_is_unreadable(tmp_path: Path) -> None:
    table = pa.table({"uri": ["a", None, ""], "content": [MINIMAL] * 3})
    pq.write_table(table, tmp_path / "in.parquet")
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    assert (done.code, done.err.splitlines()[0]) == (0, "3 manifests checked, 2 failing")
    found = rows(tmp_path / "out")
    assert [row["uri"] for row in found] == ["a", None, ""]
    assert [each["message"] for row in found for each in row["findings"]] == ["no `uri`"] * 2


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    for folder in ("in/b", "in/_skipped", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "in" / "b" / "real.json").write_bytes(MINIMAL)
    (tmp_path / "out" / "secret.json").write_bytes(MINIMAL)
    write(tmp_path / "out" / "many.parquet", 3)
    (tmp_path / "in" / "a.json").symlink_to("../out/secret.json")
    (tmp_path / "in" / "within.json").symlink_to("b/real.json")
    (tmp_path / "in" / "many.parquet").symlink_to("../out/many.parquet")
    for folder, target in (("b", "inside"), ("_skipped", "x"), ("b", "outside")):
        leads_to = "../../in/b" if target == "inside" else "../../out"
        (tmp_path / "in" / folder / target).symlink_to(leads_to)
    results = tmp_path / "results"
    done = fleet("lint", "in", "--output", "results", cwd=tmp_path)
    told = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 2
    said = "a link leads out of the folder and is not followed"
    assert len(told) == 1
    assert told[0].startswith(f"error: in/many.parquet: {said}")
    assert "skipped 2 names: _skipped and b/inside\n" in done.err
    assert "the rows say why a manifest is unreadable\n" in done.err  # nothing about JSON lines
    found = {row["uri"]: [each["message"] for each in row["findings"]] for row in rows(results)}
    assert {*found} == {"a.json", "b/outside", "b/real.json", "within.json"}
    assert said in found["b/outside"][0]
    assert (found["b/real.json"], found["within.json"]) == ([], [])
    assert said in found["a.json"][0]


def test_an_input_that_is_a_link_out_of_the_working_folder_is_not_followed(tmp_path: Path) -> None:
    here, out = tmp_path / "here", tmp_path / "out"
    for folder in (here / "within", out):
        folder.mkdir(parents=True)
        (folder / "a.json").write_bytes(MINIMAL)
        write(folder / "many.parquet", 3)
    for name, target in (("in", "../out"), ("in.parquet", "../out/many.parquet"), ("w", "within")):
        (here / name).symlink_to(target)
    for name in ("in", "in/a.json", "in.parquet"):
        done = fleet("lint", name, "--output", "../results", cwd=here)
        assert done.code == USAGE
        assert f"error: {name}: a link leads out of the folder and is not followed" in done.err
    assert fleet("lint", "w", "--output", "../results", cwd=here).code == CLEAN
    (tmp_path / "link").symlink_to("out")  # how one comes there
    assert fleet("lint", "../link/many.parquet", "--output", "../more", cwd=here).code == CLEAN


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(MINIMAL)
    with chdir(tmp_path / "in"):
        for _ in range(17):  # a path of more than 4,096 bytes
            Path("d" * 250).mkdir()
            os.chdir("d" * 250)
    done = _lint(tmp_path)
    assert done.code == 2
    assert ": file name too long\n" in done.err
    assert done.err.endswith("1 manifest checked; 1 unit not done\n")


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
    assert (done.code, done.err.startswith("error: in.parquet: ")) == (2, True)


@pytest.mark.parametrize("name", ["uri", "content", "name"])
def test_a_column_that_is_there_twice_is_told(name: str, tmp_path: Path) -> None:
    names = ["uri", "content", "name", name]
    table = pa.Table.from_arrays([pa.array(["x"])] * 4, names=names)
    pq.write_table(table, tmp_path / "in.parquet")
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    assert done.code == 2
    assert f"error: in.parquet: there must be one column `{name}`, not 2\n" in done.err


def test_a_column_of_an_extension_type_is_what_it_is_stored_as(tmp_path: Path) -> None:
    contents = pa.array([MINIMAL.decode(), None, "{"], pa.json_())
    pq.write_table(pa.table({"uri": ["a", "b", "c"], "content": contents}), tmp_path / "in.parquet")
    done = fleet("lint", "in.parquet", "--output", "out", cwd=tmp_path)
    assert (done.code, done.err.splitlines()[0]) == (0, "3 manifests checked, 2 failing")
    assert [[each["rule"] for each in row["findings"]] for row in rows(tmp_path / "out")] == [
        [],
        ["unreadable-file"],
        ["syntax-error"],
    ]


def test_units_that_a_full_disk_leaves_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a", 10)
    write(tmp_path / "in" / "b", 4_000, group=1_000)
    full = ("sh", "-c", 'ulimit -f 32; exec "$@"', "sh")
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"}  # half of a file of bytecode would stay
    done = manifest("fleet", *LINT, "--workers", "1", cwd=tmp_path, by=full, env=unwritten)
    assert done.code == 2
    assert "cannot be written: " in done.err
    assert "10 manifests checked, 1 failing; 4 units not done\n" in done.err


@pytest.mark.parametrize(
    "options",
    [
        Options(baseline=Path("known.json")),
        Options(config=Path("manifestkit.toml")),
        Options(change_profiles=(HOST,)),
        Options(force_exclude=True),
    ],
)
def test_an_option_that_a_fleet_does_not_use_is_refused(options: Options) -> None:
    (name,) = (
        each for each in options._fields if getattr(options, each) != getattr(Options(), each)
    )
    with pytest.raises(ConfigurationError, match=f"^{name}: a fleet does not use it$"):
        FleetPolicy(options)


def test_a_policy_is_used_where_its_relative_profile_is_not(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_bytes(HOST.read_bytes())
    (tmp_path / "else").mkdir()
    with chdir(tmp_path):
        policy = FleetPolicy(Options(profiles=("host.json",)))  # type: ignore[arg-type]
    with chdir(tmp_path / "else"):
        again = pickle.loads(pickle.dumps(policy))  # noqa: S301 - our own
        assert again.policy.profiles[0].contents == policy.policy.profiles[0].contents
        assert again.digest == policy.digest
