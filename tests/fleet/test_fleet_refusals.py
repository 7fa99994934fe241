"""What `manifest fleet` says of settings, inputs and results that it cannot use."""

from __future__ import annotations

import json
import pickle
from contextlib import chdir
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import manifestkit
from command import EXAMPLES
from generate import many, write
from manifestkit import ConfigurationError, Options, Severity
from manifestkit.fleet import Policy
from test_runs import HOST, fleet

GOOD = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
_OF_A_RUN = (
    "`duplicate-provider-id` compares the manifests of a run, which a fleet does not; "
    "use `manifest lint`"
)
_OF_FILES = "`missing-file` needs the files beside the manifest, which a fleet does not have; "
_OF_CHANGES = "`permission-added` is about what changes between two manifests; use `manifest diff`"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("duplicate-provider-id", _OF_A_RUN),
        ("missing-file", _OF_FILES),
        ("permission-added", _OF_CHANGES),
    ],
)
def test_a_rule_that_a_fleet_cannot_check_is_refused(rule: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text(GOOD, "utf-8")
    for option in (("--select", rule), ("--severity", f"{rule}=error")):
        done = fleet("lint", "in", "--output", "out", *option, cwd=tmp_path)
        assert (done.code, said in done.err) == (2, True), done
    for options in (
        Options(select=(rule,)),
        Options(severity={rule: Severity.ERROR}),
        Options(turned_on=(rule,)),
    ):
        with pytest.raises(ConfigurationError) as told:
            Policy(options)
        assert said in str(told.value)
    off = ("--ignore", rule, "--severity", f"{rule}=off")
    assert fleet("lint", "in", "--output", "out", *off, cwd=tmp_path).code == 0


_BATCH = pa.RecordBatch.from_pydict({"uri": ["a.json"], "content": [GOOD]})


def test_a_policy_of_wrong_types_is_told_when_it_is_made(tmp_path: Path) -> None:
    wrong: Any
    for wrong, said in (
        (lambda: Policy({"profiles": []}), "options: an Options, not dict"),  # type: ignore[arg-type]
        (lambda: Policy(HOST), "options: an Options, not PosixPath"),  # type: ignore[arg-type]
        (lambda: Policy(detail=1), "detail: text, not int"),  # type: ignore[arg-type]
        (lambda: Policy(Options(select=1)), "select: the id of a rule or several, not int"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError) as told:
            wrong()
        assert str(told.value) == said
    with chdir(tmp_path), pytest.raises(manifestkit.SchemaError) as refused:
        Policy(Options(profiles=("nope.yaml",)))  # type: ignore[arg-type]
    assert str(refused.value) == "nope.yaml: no such file"


def test_a_policy_is_used_where_its_relative_profile_is_not(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_bytes(HOST.read_bytes())
    (tmp_path / "else").mkdir()
    with chdir(tmp_path):
        policy = Policy(Options(profiles=("host.json",)))  # type: ignore[arg-type]
    with chdir(tmp_path / "else"):
        again = pickle.loads(pickle.dumps(policy))  # noqa: S301 - our own
        assert again.linter.profiles[0].contents == policy.linter.profiles[0].contents
        assert again.digest == policy.digest


def _lint(name: str, out: str, cwd: Path, *more: str | Path) -> None:
    assert fleet("lint", name, "--output", out, *more, cwd=cwd).code == 0


def test_an_impact_of_other_manifests_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "one.parquet", 20)
    write(tmp_path / "some.parquet", 10)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "other.json").write_text("{}", "utf-8")
    (tmp_path / "none.jsonl").touch()
    for name in ("one.parquet", "two", "none.jsonl", "some.parquet"):
        _lint(name, f"{name}-out", tmp_path)
    done = fleet("impact", "one.parquet-out", "two-out", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no manifest is in both one.parquet-out and two-out" in done.err
    assert "compare results of the same input" in done.err
    for other in ("none.jsonl-out", "some.parquet-out"):
        assert fleet("impact", "one.parquet-out", other, cwd=tmp_path).code == 0


def test_an_added_manifest_that_fails_is_told(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_text(GOOD, "utf-8")
    _lint("in", "before", tmp_path)
    (tmp_path / "in" / "b.json").write_text(GOOD, "utf-8")
    (tmp_path / "in" / "c.json").write_text("{}", "utf-8")
    _lint("in", "after", tmp_path)
    done = fleet("impact", "before", "after", cwd=tmp_path)
    assert done.code == 0, "it does not newly fail"
    assert "2 added (1 of them failing)" in done.out
    told = json.loads(
        fleet("impact", "before", "after", "--output-format", "json", cwd=tmp_path).out
    )
    assert (told["added"], told["added_failing"], told["newly_failing"]) == (2, 1, 0)
    page = fleet("impact", "before", "after", "--output-format", "html", cwd=tmp_path).out
    assert "added and failing" in page


def test_json_says_newly_failing_where_it_means_that(tmp_path: Path) -> None:
    write(tmp_path / "in", 60)
    _lint("in", "before", tmp_path)
    _lint("in", "after", tmp_path, "--profile", HOST)
    told = json.loads(
        fleet("impact", "before", "after", "--output-format", "json", cwd=tmp_path).out
    )
    assert told["newly_failing"] > 0
    rule, provider = told["rules"][0], told["providers"][0]
    assert list(rule) == ["rule", "new", "gone", "newly_failing", "example"]
    assert list(provider) == ["provider", "newly_failing", "newly_passing", "new", "gone"]
    assert not {"failing", "passing"} & {*told}


def _manifests(folder: Path, count: int) -> None:
    for each in many(count):
        path = folder / each.uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.content or b"")
