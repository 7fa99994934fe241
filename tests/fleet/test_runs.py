"""`manifest fleet` from files to results, on this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import EXAMPLES, MANIFEST, Outcome, environment
from generate import many, write
from in_process import manifest_here
from manifestkit.fleet import SCHEMA

pytestmark = pytest.mark.slow

HOST = EXAMPLES / "profiles" / "host-catalogue.schema.json"
LINT = ("lint", "in", "--output", "out")


def fleet(*arguments: str | Path, cwd: Path) -> Outcome:
    """Run `manifest fleet` in a folder."""
    with chdir(cwd):
        return manifest_here("fleet", *map(str, arguments))


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
            file.write(json.dumps({"uri": each.uri, "content": content or ""}) + "\n")


def _folder(path: Path) -> None:
    for each in many(30):
        (path / each.uri).parent.mkdir(parents=True, exist_ok=True)
        (path / each.uri).write_bytes(each.content or b"")
    (path / "README.md").write_text("no manifest", "utf-8")
    (path / ".hidden.json").write_text("{}", "utf-8")


@pytest.mark.parametrize(
    ("name", "make"),
    [("in.parquet", lambda path: write(path, 30)), ("in.jsonl", _lines), ("in", _folder)],
)
def test_every_kind_of_input_gives_a_row_for_each_manifest(
    name: str, make: Callable[[Path], object], tmp_path: Path
) -> None:
    make(tmp_path / name)
    done = fleet("lint", name, "--output", "out", cwd=tmp_path)
    passed_over = "note: skipped 2 names: .hidden.json and README.md\n"
    assert done.err.startswith(passed_over * (name == "in") + "30 manifests checked, 3 failing\n")
    assert done.code == 0
    found = rows(tmp_path / "out")
    assert [row["uri"] for row in found] == [each.uri for each in many(30)]
    assert sum(row["fails"] for row in found) == 3
    (file,) = (tmp_path / "out").iterdir()
    assert pq.read_schema(file).remove_metadata().equals(SCHEMA)
    assert pq.read_schema(file).metadata[b"manifestkit.fleet.columns"] == b"1"


def test_what_is_done_is_skipped_and_what_is_not_is_the_same_to_the_byte(tmp_path: Path) -> None:
    write(tmp_path / "in", 300, group=50)
    whole = fleet(*LINT, cwd=tmp_path).err
    assert whole.startswith("300 manifests checked, 23 failing\n")
    first = contents(tmp_path / "out")
    assert len(first) == 6
    again = fleet(*LINT, cwd=tmp_path)
    assert again.err == f"note: 6 units of 6 already had results\n{whole}"
    min((tmp_path / "out").glob("*.parquet")).unlink()
    (tmp_path / "out" / "_incomplete").mkdir()
    (tmp_path / "out" / "_incomplete" / "half").write_bytes(b"PAR1")
    resumed = fleet(*LINT, "--workers", "2", cwd=tmp_path)
    assert resumed.err == f"note: 5 units of 6 already had results\n{whole}"
    assert contents(tmp_path / "out") == first


@pytest.mark.parametrize("name", ["mine.parquet", "notes.txt"])
def test_a_file_of_somebody_is_neither_replaced_nor_deleted(tmp_path: Path, name: str) -> None:
    _folder(tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    done = fleet(*LINT, cwd=tmp_path)
    assert (done.code, (tmp_path / "out" / name).read_text()) == (2, "mine")
    assert f"out: {name} in it was not made with this profile" in done.err


def test_results_of_another_policy_are_not_replaced(tmp_path: Path) -> None:
    write(tmp_path / "in", 20)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    before = contents(tmp_path / "out")
    refused = fleet(*LINT, "--profile", HOST, cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert " in it was not made with this profile, these options and this version" in refused.err
    assert contents(tmp_path / "out") == before


def test_another_content_is_linted_again(tmp_path: Path) -> None:
    write(tmp_path / "in", 200, group=100)
    assert "200 manifests checked" in fleet(*LINT, cwd=tmp_path).err
    write(tmp_path / "in", 100)
    assert "100 manifests checked" in fleet(*LINT, cwd=tmp_path).err
    assert len(rows(tmp_path / "out")) == 100, "the second unit is gone"


def test_a_run_that_is_killed_is_completed_by_the_next_and_leaves_no_process(
    tmp_path: Path,
) -> None:
    write(tmp_path / "in", 1_600, group=100)
    assert fleet("lint", "in", "--output", "whole", cwd=tmp_path).code == 0
    process, group = _begun(tmp_path)
    process.kill()
    process.communicate()
    _until(lambda: not _lives(group), "a worker has outlived the run")
    half = fleet("impact", "out", "whole", cwd=tmp_path)
    assert (half.code, "not complete" in half.err) == (2, True)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert "1,600 manifests checked" in fleet(*LINT, cwd=tmp_path).err


def test_an_interrupt_ends_a_run_and_its_workers(tmp_path: Path) -> None:
    write(tmp_path / "in", 1_600, group=100)
    process, group = _begun(tmp_path)
    os.killpg(group, signal.SIGINT)
    _, told = process.communicate()
    assert (process.returncode, told.strip()) == (130, b"")
    _until(lambda: not _lives(group), "a worker has outlived the run")


def _begun(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A run with four units done, and its process group."""
    process = subprocess.Popen(
        [*MANIFEST, "fleet", *LINT, "--workers", "2"],
        cwd=folder,
        env=environment(),
        start_new_session=True,
        stderr=subprocess.PIPE,
    )
    _until(lambda: len(list((folder / "out").glob("*.parquet"))) >= 4, "no units are done")
    assert process.poll() is None
    return process, os.getpgid(process.pid)


def _until(condition: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, otherwise


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
    told = json.loads(done.out)

    failing, passing = list[str](), 0
    failing_by: dict[str, set[str]] = {}
    new, gone, newly_failing = Counter[str](), Counter[str](), Counter[str]()
    for one, two in zip(rows(tmp_path / "before"), rows(tmp_path / "after"), strict=True):
        was = {each["rule"] for each in one["findings"]}
        now = {each["rule"] for each in two["findings"]}
        failing += [two["uri"]] if two["fails"] and not one["fails"] else []
        passing += one["fails"] and not two["fails"]
        new.update(now - was)
        gone.update(was - now)
        errors = {each["rule"] for each in two["findings"] if each["severity"] == "error"}
        for rule in errors if two["uri"] in failing else ():
            newly_failing[rule] += 1
            failing_by.setdefault(rule, set()).add(two["uri"])
    assert len(failing) > 0 < passing
    assert (told["newly_failing"], told["newly_passing"]) == (len(failing), passing)
    assert told["newly_failing_uris"] == sorted(failing)
    for each in told["rules"]:
        assert not each["newly_failing"] or each["example"] in failing_by[each["rule"]]
    text = fleet("impact", "before", "after", cwd=tmp_path).out
    assert "\n`--output-format json` lists all that newly fail\n" in text
    assert {
        each["rule"]: (each["new"], each["gone"], each["newly_failing"]) for each in told["rules"]
    } == {rule: (new[rule], gone[rule], newly_failing[rule]) for rule in new | gone}


def test_impact_names_a_rule_that_fails_manifests_since_it_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "in", 200)
    for out, level in (("before", "warning"), ("after", "error")):
        fleet("lint", "in", "--output", out, "--severity", f"missing-field={level}", cwd=tmp_path)
    told = fleet("impact", "before", "after", "--output-format", "json", cwd=tmp_path)
    (rule,) = json.loads(told.out)["rules"]
    assert (rule["rule"], rule["new"], rule["gone"]) == ("missing-field", 0, 0)
    assert rule["newly_failing"] == json.loads(told.out)["newly_failing"] > 0


_LEVELS = ["error", "warning", "info"]
_FOUND = st.dictionaries(st.sampled_from("abc"), st.sampled_from(_LEVELS))
_RUNS = st.integers(1, 4).flatmap(
    lambda size: st.tuples(*[st.tuples(st.sampled_from(_LEVELS), _runs_of(size))] * 2)
)


def _runs_of(size: int) -> st.SearchStrategy[list[dict[str, str]]]:
    return st.lists(_FOUND, min_size=size, max_size=size)


@settings(max_examples=100)
@given(_RUNS)
def test_impact_explains_every_manifest_that_newly_fails(
    runs: tuple[tuple[str, list[dict[str, str]]], ...],
) -> None:
    """Fails in AFTER only: by a rule with at least the severity of `--fail-on`."""
    fails, causes = [], []
    with TemporaryDirectory() as folder:
        for name, (fail_on, manifests) in zip(("before", "after"), runs, strict=True):
            levels = _LEVELS[: _LEVELS.index(fail_on) + 1]
            causes = [{rule for rule in each if each[rule] in levels} for each in manifests]
            fails.append([bool(each) for each in causes])
            made = [
                {
                    "uri": f"{number}.json",
                    "policy": name,
                    "fails": bool(causes[number]),
                    "findings": [{"rule": rule, "severity": each[rule]} for rule in each],
                }
                for number, each in enumerate(manifests)
            ]
            Path(folder, name).mkdir()
            pq.write_table(pa.Table.from_pylist(made, SCHEMA), Path(folder, name, "0.parquet"))
        done = fleet("impact", "before", "after", "--output-format=json", cwd=Path(folder))
    newly = [rules for rules, was, now in zip(causes, *fails, strict=True) if now and not was]
    told = json.loads(done.out)
    by_rule = {each["rule"]: each["newly_failing"] for each in told["rules"]}
    assert (done.code, told["newly_failing"]) == (bool(newly), len(newly))
    assert all(any(by_rule.get(rule) for rule in rules) for rules in newly)
    assert sum(by_rule.values()) >= len(newly)
    for rule, count in by_rule.items():
        assert count <= sum(rule in rules for rules in newly)


def test_impact_finds_manifests_by_their_uri_when_the_input_is_another(tmp_path: Path) -> None:
    write(tmp_path / "old", 200, group=100)
    _put(tmp_path / "new", list(many(150, start=50))[::-1] + list(many(1, start=60)))
    for name in ("old", "new"):
        assert fleet("lint", name, "--output", f"{name}-out", cwd=tmp_path).code == 0
    done = fleet("impact", "old-out", "new-out", "--output-format", "json", cwd=tmp_path)
    told = json.loads(done.out)
    assert (done.code, told["manifests"], told["added"], told["removed"]) == (0, 150, 0, 50)
    assert (told["rules"], told["edited"]) == ([], 0)
    _put(tmp_path / "other", list(many(5, start=900)))
    assert fleet("lint", "other", "--output", "other-out", cwd=tmp_path).code == 0
    done = fleet("impact", "old-out", "other-out", cwd=tmp_path)
    assert "no manifest is in both old-out and other-out, by its `uri`" in done.err


def test_impact_says_that_a_result_is_not_there(tmp_path: Path) -> None:
    done = fleet("impact", "before", "after", cwd=tmp_path)
    assert (done.code, done.err) == (2, "error: before: no such file or folder\n")


def test_impact_names_no_character_that_acts(tmp_path: Path) -> None:
    content = b'{"provider": {"id": "p"}}'
    _put(tmp_path / "in", [*many(20), ("a|\u202e`.json", content)])
    for out, more in (("before", ("--select", "limit-exceeded")), ("after", ())):
        assert fleet("lint", "in", "--output", out, *more, cwd=tmp_path).code == 0
    text = fleet("impact", "before", "after", cwd=tmp_path)
    assert (text.code, text.err) == (1, "")
    assert text.out.startswith("21 manifests compared: 3 newly failing, 0 newly passing\n")
    markdown = fleet("impact", "before", "after", "--output-format", "markdown", cwd=tmp_path).out
    assert "**3 newly failing**" in markdown
    assert "| `missing-field` | " in markdown
    assert "``a\\|\\u202e`.json``" in markdown
    assert "\u202e" not in text.out + markdown


def test_an_added_manifest_that_fails_is_told(tmp_path: Path) -> None:
    good = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text(good, "utf-8")
    assert fleet("lint", "in", "--output", "before", cwd=tmp_path).code == 0
    (tmp_path / "in" / "b.json").write_text(good, "utf-8")
    (tmp_path / "in" / "c.json").write_text("{}", "utf-8")
    assert fleet("lint", "in", "--output", "after", cwd=tmp_path).code == 0
    done = fleet("impact", "before", "after", cwd=tmp_path)
    assert done.code == 0, "it does not newly fail"
    assert "2 added (1 of them failing)" in done.out


def _put(folder: Path, made: list[Any]) -> None:
    folder.mkdir()
    columns = [list(each) for each in zip(*made, strict=True)]
    schema = pa.schema([("uri", pa.string()), ("content", pa.binary())])
    pq.write_table(pa.table(columns, schema=schema), folder / "part.parquet")


def test_an_output_does_not_replace_a_result(tmp_path: Path) -> None:
    write(tmp_path / "in", 5)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    (file,) = (tmp_path / "out").iterdir()
    refused = fleet("impact", "out", "out", "--output-format", f"json={file}", cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "is among the results and cannot be an output" in refused.err


@pytest.mark.parametrize("name", ["none.jsonl", "none.parquet"])
def test_an_empty_file_is_a_fleet_of_no_manifests(name: str, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    pq.write_table(
        pa.table({"uri": ["a"], "content": ["{}"]}).slice(0, 0), tmp_path / "none.parquet"
    )
    done = fleet("lint", name, "--output", "out", cwd=tmp_path)
    assert (done.code, done.err) == (0, "0 manifests checked\n")


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    write(tmp_path / "in", 20)
    (tmp_path / "empty").mkdir()
    (tmp_path / "in.csv").write_text("uri,content", "utf-8")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    pq.write_table(pa.table({"id": [1]}), tmp_path / "other.parquet")
    (tmp_path / "host.json").write_text("{]", "utf-8")
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "manifest.json").write_text("{}", "utf-8")
    (tmp_path / "deep" / "a").mkdir(parents=True)
    (tmp_path / "deep" / "a" / "manifest.json").write_text("{}", "utf-8")
    for arguments, said in (
        (("lint", "gone", "--output", "out"), "gone: no such file or"),
        (("lint", "empty", "--output", "out"), "empty: no manifests"),
        (("lint", "bad.parquet", "--output", "out"), "bad.parquet: "),
        (("lint", "in.csv", "--output", "out"), "in.csv: no manifests; only Parquet"),
        (("lint", "in", "--output", "in/out"), "in/out: choose a folder outside of in"),
        ((*LINT, "--profile", "host.json"), "host.json:1:2"),
        ((*LINT, "--ignore", "wrong-tpye"), "did you mean `wrong-type`"),
        (("lint", "s3://a:b@c/d", "--output", "out"), "s3://…@c/d: credentials are read from the"),
        (("lint", "what://c/d", "--output", "out"), "what://c/d: "),
        (("impact", "in", "in"), "in: no results of `manifest fleet lint` here"),
        (("impact", "mixed", "in"), "mixed: no results of `manifest fleet lint` here"),
        (("impact", "deep", "in"), "deep: no results of `manifest fleet lint` here"),
        (("impact", "gone", "in"), "gone: "),
    ):
        done = fleet(*arguments, cwd=tmp_path)
        assert (done.code, said in done.err) == (2, True), done
        assert "b@c" not in done.err
    assert not (tmp_path / "out").exists()
    done = fleet("lint", "other.parquet", "--output", "out", cwd=tmp_path)
    assert "other.parquet: there must be one column `uri`, not 0\n" in done.err


@pytest.mark.parametrize(("command", "codes"), [("lint", "0 2 70"), ("impact", "0 1 2 70")])
def test_help_lists_the_exit_codes_that_a_command_has(
    command: str, codes: str, tmp_path: Path
) -> None:
    text = fleet(command, "--help", cwd=tmp_path).out
    listed = text[text.index("Exit codes:") :].splitlines()[1:]
    shown = [line.split()[0] for line in listed if line.strip()]
    assert shown == [*codes.split(), "130", "141"]


# Run by a process of its own: a child's peak counts what its parent held when it was made.
_MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    write(tmp_path / "in", 20_000, "json", group=20_000)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *MANIFEST, "fleet", *LINT, "--workers", "1"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, peak = map(int, done.stdout.split())
    assert code == 0
    assert peak < 250_000


def test_an_input_that_breaks_is_told_and_the_others_are_done(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / "in" / f"{number}", 100)
    broken = tmp_path / "in" / "1" / "part-0000.parquet"
    data = broken.read_bytes()
    broken.write_bytes(data[:100] + b"\0" * 2_000 + data[2_100:])
    done = fleet(*LINT, cwd=tmp_path)
    assert done.code == 2
    assert "error: in/1/part-0000.parquet: " in done.err
    assert "200 manifests checked, 16 failing; 1 unit not done" in done.err
    assert len(list((tmp_path / "out").glob("*.parquet"))) == 2
    assert "not complete" in fleet("impact", "out", "out", cwd=tmp_path).err
    shutil.rmtree(broken.parent)
    assert fleet(*LINT, cwd=tmp_path).code == 0
    assert fleet("impact", "out", "out", cwd=tmp_path).code == 0
