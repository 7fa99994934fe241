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
from manifestkit.fleet import FleetPolicy, lint_batches
from test_runs import HOST, contents, fleet, rows

GOOD = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
_OF_FILES = "`missing-file` needs the files next to the manifest, which a fleet does not have; "
_OF_CHANGES = "`permission-added` is about what changes between two manifests; use `manifest diff`"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
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
            FleetPolicy(options)
        assert said in str(told.value)
    off = ("--ignore", rule, "--severity", f"{rule}=off")
    assert fleet("lint", "in", "--output", "out", *off, cwd=tmp_path).code == 0


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


_BATCH = pa.RecordBatch.from_pydict({"uri": ["a.json"], "content": [GOOD]})


@pytest.mark.parametrize(
    ("batches", "policy", "said"),
    [
        ([_BATCH], Options(), "policy: a FleetPolicy, not Options; FleetPolicy(options) is one"),
        ([_BATCH], None, "policy: a FleetPolicy, not NoneType"),
        (pa.Table.from_batches([_BATCH]), None, "batches: record batches, not Table; its to_bat"),
        (_BATCH, None, "batches: record batches, not RecordBatch; [batch] is a list of one"),
        (7, None, "batches: record batches, not int"),
        ("in.parquet", None, "batches: record batches, not str"),
        ([{"uri": "a", "content": "{}"}], None, "batches: record batches, not dict"),
        ([pa.Table.from_batches([_BATCH])], None, "batches: record batches, not Table; its to_b"),
    ],
)
def test_an_argument_of_a_wrong_type_is_told(batches: Any, policy: Any, said: str) -> None:
    used = policy if said.startswith("policy") else FleetPolicy()
    with pytest.raises(TypeError) as told:
        list(lint_batches(batches, used))
    assert str(told.value).startswith(said)


def test_a_policy_of_wrong_types_is_told_when_it_is_made(tmp_path: Path) -> None:
    wrong: Any
    for wrong, said in (
        (lambda: FleetPolicy({"profiles": []}), "options: an Options, not dict"),  # type: ignore[arg-type]
        (lambda: FleetPolicy(HOST), "options: an Options, not PosixPath"),  # type: ignore[arg-type]
        (lambda: FleetPolicy(Options(select=1)), "select: the id of a rule or several, not int"),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError) as told:
            wrong()
        assert str(told.value) == said
    with chdir(tmp_path), pytest.raises(manifestkit.SchemaError) as refused:
        FleetPolicy(Options(profiles=("nope.yaml",)))  # type: ignore[arg-type]
    assert str(refused.value) == "nope.yaml: no such file"


def test_a_policy_is_used_where_its_relative_profile_is_not(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_bytes(HOST.read_bytes())
    (tmp_path / "else").mkdir()
    with chdir(tmp_path):
        policy = FleetPolicy(Options(profiles=("host.json",)))  # type: ignore[arg-type]
    with chdir(tmp_path / "else"):
        again = pickle.loads(pickle.dumps(policy))  # noqa: S301 - our own
        assert again.policy.profiles[0].contents == policy.policy.profiles[0].contents
        assert again.digest == policy.digest


def test_a_line_that_has_no_content_says_why_and_keeps_its_uri(tmp_path: Path) -> None:
    told = {
        '{"uri": "a", "content": {"x": 1}}': ("a", "`content` is an object, not text"),
        '{"uri": "b", "content": 7}': ("b", "`content` is the number `7`, not text"),
        '{"id": "c", "json": "{}"}': (None, "there is no member `content`; there is: id, json"),
        '{"uri": "d", "json": "{}"}': ("d", "there is no member `content`; there is: uri, json"),
        '{"uri": "e", "content": "{}", "name": []}': ("e", "`name` is an array, not text"),
        '{"uri": 5, "content": "{}"}': (None, "`uri` is the number `5`, not text"),
        '{"uri": "f", "content": null}': ("f", "`content` is null, not text"),
        '{"uri": "\\ud800", "content": 7}': ("\\ud800", "`content` is the number `7`, not text"),
        "{}": (None, "there is no member `content`; there is: none"),
        '["uri", "content"]': (None, "the line is an array, not an object"),
        "not JSON": (None, "the line cannot be read as JSON"),
        "[" * 100_000: (None, "the line is nested too deeply"),
    }
    (tmp_path / "in.jsonl").write_text("\n".join(told) + "\n", "utf-8")
    assert fleet("lint", "in.jsonl", "--output", "out", cwd=tmp_path).code == 0
    found = rows(tmp_path / "out")
    assert [each["findings"][0]["rule"] for each in found] == ["unreadable"] * len(told)
    uris = [None if each["uri"].startswith("in.jsonl@") else each["uri"] for each in found]
    messages = [each["findings"][0]["message"] for each in found]
    assert list(zip(uris, messages, strict=True)) == list(told.values())


def test_a_line_with_a_member_twice_is_an_unreadable_row(tmp_path: Path) -> None:
    lines = [
        '{"uri": "a.json", "content": "{}", "content": "[]"}',
        '{"uri": "b.json", "uri": "c.json", "content": "{}"}',
        '{"uri": "d.json", "content": "{}", "more": {"content": 1, "content": 2}, "m": 1, "m": 1}',
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    fleet("lint", "in.jsonl", "--output", "out", cwd=tmp_path)
    found = [
        (row["uri"], [each["message"] for each in row["findings"] if each["rule"] == "unreadable"])
        for row in rows(tmp_path / "out")
    ]
    assert found == [
        ("a.json", ["`content` is there more than once"]),
        ("c.json", ["`uri` is there more than once"]),
        ("d.json", []),
    ]


def test_a_line_without_a_uri_is_checked_and_named_by_its_place(tmp_path: Path) -> None:
    lines = (
        {"content": HOST.read_text("utf-8")},
        {"uri": None, "content": "{"},
        {"content": "schema_version: 1.0 # x", "name": "a.yaml"},
        {"uri": "", "content": "{}"},
    )
    texts = [json.dumps(each) + "\n" for each in lines]
    (tmp_path / "in.jsonl").write_text("".join(texts), "utf-8")
    assert fleet("lint", "in.jsonl", "--output", "out", cwd=tmp_path).code == 0
    found = rows(tmp_path / "out")
    starts = [sum(map(len, texts[:index])) for index in range(3)]
    assert [each["uri"] for each in found] == [*(f"in.jsonl@{start}" for start in starts), ""]
    assert found[1]["findings"][0]["rule"] == "syntax-error"
    rules = {finding["rule"] for each in found for finding in each["findings"]}
    assert "unreadable" not in rules


def test_a_line_names_a_few_members_in_a_few_visible_characters(tmp_path: Path) -> None:
    names = [f"\u202e\n{'x' * 500}{number}" for number in range(1_000)]
    line = json.dumps({"uri": "a", **dict.fromkeys(names, 1)})
    (tmp_path / "in.jsonl").write_text(line, "utf-8")
    fleet("lint", "in.jsonl", "--output", "out", cwd=tmp_path)
    (row,) = rows(tmp_path / "out")
    message = row["findings"][0]["message"]
    assert message.startswith("there is no member `content`; there is: uri, ")
    assert len(message) < 1_000
    assert not {"\u202e", "\n"} & {*message}


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


def test_what_has_no_effect_in_a_profile_is_told(tmp_path: Path) -> None:
    write(tmp_path / "in.parquet", 1)
    (tmp_path / "host.json").write_text('{"then": {"required": ["author"]}}', "utf-8")
    done = fleet("lint", "in.parquet", "--output", "out", "--profile", "host.json", cwd=tmp_path)
    assert "note: host.json:1:2: `then` is ignored without `if`\n" in done.err


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


@pytest.mark.parametrize("out", ["in/out", "in"])
def test_an_output_in_the_input_is_told_to_be_elsewhere(out: str, tmp_path: Path) -> None:
    write(tmp_path / "in", 20)
    done = fleet("lint", "in", "--output", out, cwd=tmp_path)
    said = f"{out}: choose a folder outside of in: its results would be read the next time"
    assert (done.code, said in done.err) == (2, True), done


def test_errors_name_files_as_they_were_given(tmp_path: Path) -> None:
    write(tmp_path / "in", 100, group=50)
    (tmp_path / "in" / "sub").mkdir()
    whole = next((tmp_path / "in").glob("*.parquet")).read_bytes()
    (tmp_path / "in" / "sub" / "cut.parquet").write_bytes(whole[:-100])
    (tmp_path / "in" / "bad.parquet").write_bytes(whole[:200] + b"\0" * 3_000 + whole[3_200:])
    (tmp_path / "cut.parquet").write_bytes(whole[:-100])
    done = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    assert (done.code, str(tmp_path) in done.err) == (2, False), done.err
    assert "in/sub/cut.parquet: not a whole Parquet file" in done.err
    assert "in/bad.parquet: not a whole Parquet file" in done.err
    alone = fleet("lint", "cut.parquet", "--output", "new", cwd=tmp_path)
    assert alone.err == "error: cut.parquet: not a whole Parquet file\n"
    profile = fleet("lint", "in", "--output", "out", "--profile", "nope.yaml", cwd=tmp_path)
    assert profile.err == "error: nope.yaml: no such file\n"
    (tmp_path / "file").touch()
    unwritable = fleet("lint", "in", "--output", "file/out", cwd=tmp_path)
    assert (unwritable.code, str(tmp_path) in unwritable.err) == (2, False), unwritable.err


def test_a_result_with_a_damaged_footer_is_made_again(tmp_path: Path) -> None:
    write(tmp_path / "in", 20)
    _lint("in", "out", tmp_path)
    (file,) = (tmp_path / "out").glob("*.parquet")
    whole = file.read_bytes()
    schema = whole.index(b"ARROW:schema") + 20
    for damaged in (whole[:-100], whole[:schema] + b"A" * 200 + whole[schema + 200 :]):
        file.write_bytes(damaged)
        _lint("in", "out", tmp_path)
        assert file.read_bytes() == whole


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("lint", [0, 2, 70, 130, 141]),
        ("impact", [0, 1, 2, 70, 130, 141]),
    ],
)
def test_help_lists_the_exit_codes_that_a_command_has(
    command: str, codes: list[int], tmp_path: Path
) -> None:
    text = fleet(command, "--help", cwd=tmp_path).out
    listed = text[text.index("Exit codes:") :].splitlines()[1:]
    assert [int(line.split()[0]) for line in listed if line.strip()] == codes


def test_results_of_another_policy_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    _manifests(tmp_path / "in", 3)
    assert fleet("lint", "in", "--output", "out", cwd=tmp_path).code == 0
    before = contents(tmp_path / "out")
    refused = fleet("lint", "in", "--output", "out", "--profile", HOST, cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "error: out: has results of another profile, other options or another version of "
        "manifestkit; give another folder, or delete this one\n"
    )
    assert contents(tmp_path / "out") == before


def _manifests(folder: Path, count: int) -> None:
    for each in many(count):
        path = folder / each.uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.content or b"")


def test_a_run_says_how_many_fail(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for index in range(25):
        members = {"provider": {"id": f"com.example.p{index}"}}
        (tmp_path / "in" / f"{index}.json").write_text(json.dumps(members))
    done = fleet("lint", "in", "--output", "out", cwd=tmp_path)
    said = "25 manifests checked, 25 failing\n"
    assert (done.code, done.err) == (0, said)
    _lint("in", "all", tmp_path, "--ignore", "missing-field")
    impact = fleet("impact", "all", "out", cwd=tmp_path).out
    assert "25 providers with at most 1 newly failing or passing manifest each" in impact
