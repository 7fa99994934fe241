"""Each row that goes into `lint_batches` is one row that comes out, whatever it holds."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import manifestkit
from command import EXAMPLES, REPOSITORY, environment
from in_process import manifest_here
from manifestkit import Options
from manifestkit.fleet import SCHEMA, FleetPolicy, lint_batches
from odd_manifests import odd_text
from rows import rows

HOST = EXAMPLES / "profiles" / "host-catalogue.schema.json"
_COLUMNS = (
    *("uri", "sha256", "policy", "fails", "errors", "warnings", "provider_id", "version"),
    "findings",
)
_OF_FINDINGS = (
    *("rule", "severity", "pointer", "stable_pointer", "fingerprint", "line", "column", "message"),
)


def linted(rows: list[tuple[Any, ...]], policy: FleetPolicy | None = None) -> list[dict[str, Any]]:
    """The rows that come out for rows of `uri`, `content` and maybe `name`."""
    names = ["uri", "content", "name"][: len(rows[0])]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    batch = pa.RecordBatch.from_arrays(columns, names)
    out = list(lint_batches(iter([batch]), policy or FleetPolicy()))
    assert all(each.schema.equals(SCHEMA, check_metadata=True) for each in out)
    for each in out:
        each.validate(full=True)
    return [row for each in out for row in each.to_pylist()]


def test_the_columns_are_those_that_are_promised() -> None:
    assert SCHEMA.names == list(_COLUMNS)
    assert [each.name for each in SCHEMA.field("findings").type.value_type] == list(_OF_FINDINGS)
    assert SCHEMA.metadata == {b"manifestkit.fleet.columns": b"1"}


def test_a_row_says_what_lint_finds() -> None:
    text = (EXAMPLES / "broken" / "wrong-types.manifest.json").read_text("utf-8")
    (row,) = linted([("wrong.json", text)])
    result = manifestkit.lint(text, "wrong.json")
    assert row["sha256"] == sha256(text.encode()).hexdigest()
    assert (row["fails"], row["errors"]) == (result.fails, len(result.findings))
    assert [tuple(each.values()) for each in row["findings"]] == [
        (
            each.rule,
            each.severity.value,
            each.pointer,
            each.identity and each.identity.pointer,
            each.identity and each.identity.fingerprint,
            each.location.line,
            each.location.column,
            each.message,
        )
        for each in result.findings
    ]


def test_a_clean_row_names_its_provider_and_version() -> None:
    text = (EXAMPLES / "valid" / "minimal.activity-provider.yaml").read_bytes()
    json_text = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
    provider = json.loads(json_text)["provider"]
    for row in linted([("a.yaml", text, None), ("a.json", json_text, None), ("b", text, "m.yml")]):
        assert not row["findings"]
        assert (row["provider_id"], row["version"]) == (provider["id"], provider["version"])


_HOSTILE: list[tuple[str, Any]] = [
    ("null", None),
    ("empty", b""),
    ("latin", b'{"a": "\xe9"}'),
    ("utf-16", "{}".encode("utf-16")),
    ("deep", b"[" * 100_000),
    ("surrogate", b'{"provider": {"id": "\\ud800", "\\udc00": 1}}'),
    ("nul", b"\0" * 100),
    ("digits", b"9" * 5_000),
]


def test_what_cannot_be_read_is_a_row_with_a_finding() -> None:
    rows = linted(_HOSTILE)
    assert [row["uri"] for row in rows] == [name for name, _ in _HOSTILE]
    assert all(row["fails"] and row["findings"] for row in rows)
    assert [row["findings"][0]["rule"] for row in rows[:2]] == ["unreadable-file", "syntax-error"]


def test_a_huge_row_is_a_row_with_a_finding_and_its_neighbours_are_themselves() -> None:
    policy = FleetPolicy(Options(limits={"bytes": 1_000_000}))
    good = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_bytes()
    rows = linted([("a.json", good), ("b.json", b" " * 1_000_001), ("c.json", good)], policy)
    assert [[each["rule"] for each in row["findings"]] for row in rows] == [
        [],
        ["limit-exceeded"],
        [],
    ]
    assert [row["sha256"] is None for row in rows] == [False, True, False]


def test_a_large_batch_comes_out_in_small_ones() -> None:
    batch = pa.RecordBatch.from_pydict({"uri": list(map(str, range(250))), "content": ["{}"] * 250})
    out = list(lint_batches([batch], FleetPolicy()))
    assert max(each.num_rows for each in out) == 100
    assert [uri for each in out for uri in each["uri"].to_pylist()] == batch["uri"].to_pylist()


def test_odd_texts_are_rows() -> None:
    suffixes = ("yaml", "json")
    cases = [
        (f"{seed}.{suffixes[seed % 2]}", odd_text(Random(seed)).encode()) for seed in range(300)
    ]
    assert [row["uri"] for row in linted(cases)] == [name for name, _ in cases]


@given(st.lists(st.tuples(st.none() | st.text(), st.none() | st.binary(max_size=60)), min_size=1))
def test_rows_in_are_rows_out(rows: list[tuple[str | None, bytes | None]]) -> None:
    given_rows = [
        (uri if uri is None else uri.encode(errors="replace").decode(), content)
        for uri, content in rows
    ]
    batch = pa.table(
        {
            "uri": pa.array([uri for uri, _ in given_rows], pa.string()),
            "content": pa.array([content for _, content in given_rows], pa.binary()),
        }
    ).to_batches()
    out = [row for each in lint_batches(batch, FleetPolicy()) for row in each.to_pylist()]
    assert [row["uri"] for row in out] == [uri for uri, _ in given_rows]


_KINDS = [
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()),
    *(pa.binary_view(), pa.dictionary(pa.int32(), pa.string())),
]


@rows("kind", _KINDS, ids=str)
def test_a_column_may_be_any_text_or_binary(kind: pa.DataType) -> None:
    columns = [pa.array(["a.json"]).cast(kind), pa.array(["{}"]).cast(kind)]
    batch = pa.RecordBatch.from_arrays(columns, ["uri", "content"])
    (out,) = lint_batches([batch], FleetPolicy())
    assert (out["uri"].to_pylist(), out["fails"].to_pylist()) == (["a.json"], [True])


def test_text_that_is_not_utf_8_is_a_row() -> None:
    column = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff\xfe{}"], pa.binary()).buffers())
    batch = pa.RecordBatch.from_arrays([column, column], ["uri", "content"])
    (out,) = lint_batches([batch], FleetPolicy())
    assert out["uri"].to_pylist() == ["\\xff\\xfe{}"]
    assert out["fails"].to_pylist() == [True]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"uri": ["a"]}, "there must be one column `content`, not 0"),
        ({"uri": [1], "content": ["{}"]}, "a column is int64, not text or binary"),
    ],
)
def test_a_column_that_is_missing_or_no_text_is_told(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(manifestkit.ConfigurationError) as told:
        list(lint_batches([pa.RecordBatch.from_pydict(columns)], FleetPolicy()))
    assert str(told.value) == said


_NOTES = st.fixed_dictionaries(
    {},
    optional={
        "rule": st.sampled_from(["one", "two"]),
        "severity": st.sampled_from(["off", "info", "warning", "error"]),
    },
)


@given(st.lists(_NOTES, min_size=4, max_size=4))
@example([{"rule": "one", "severity": "off"}, {}, {"rule": "two"}, {"severity": "info"}])
@example([{"rule": "one", "severity": "info"}, {"severity": "error"}, {}, {"rule": "two"}])
@example([{"severity": "off"}, {"rule": "one"}, {"severity": "off"}, {"rule": "one"}])
def test_a_rule_of_a_profile_has_the_severity_that_explain_tells(
    notes: list[dict[str, str]],
) -> None:
    root, around, item, inner = ({"x-manifestkit": each} for each in notes)
    category = {"maxLength": 0, **inner}
    items = {"allOf": [{"maxProperties": 1, "properties": {"category": category}, **item}]}
    activities = {"maxItems": 0, "items": items, **around}
    profile = {"maxProperties": 1, "properties": {"activities": activities}, **root}
    text = (EXAMPLES / "valid" / "minimal.activity-provider.json").read_text("utf-8")
    manifest = json.loads(text)
    manifest["activities"][0]["category"] = "zen"
    text = json.dumps(manifest)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "host.json"
        file.write_text(json.dumps(profile), "utf-8")
        listed = manifest_here("explain", "--profile", file, "--output-format", "json")
        options = Options(profiles=(file,))
        result = manifestkit.lint(text, "it.json", profile=file)
        (row,) = linted([("it.json", text)], FleetPolicy(options))
    found = [(each.rule, each.severity.value) for each in result.findings]
    assert [(each["rule"], each["severity"]) for each in row["findings"]] == found
    told = {each["rule"]: each["severity"] for each in json.loads(listed.out)}
    for rule in ("one", "two"):
        levels = [severity for name, severity in found if name == rule]
        worst = min(levels, key=["error", "warning", "info"].index, default="off")
        assert told.get(rule, "off") == worst


def test_a_policy_is_told_apart_by_what_it_may_find(tmp_path: Path) -> None:
    copy = tmp_path / "host.json"
    copy.write_bytes(HOST.read_bytes())
    policies = [
        FleetPolicy(),
        FleetPolicy(Options(profiles=(HOST,))),
        FleetPolicy(Options(profiles=(copy,))),
        FleetPolicy(Options(ignore=("wrong-type",))),
        FleetPolicy(Options(severity={"wrong-type": manifestkit.Severity.WARNING})),
        FleetPolicy(Options(fail_on=manifestkit.Severity.WARNING)),
        FleetPolicy(Options(limits={"depth": 10})),
    ]
    digests = [each.digest for each in policies]
    assert digests[1] == digests[2], "the same profile, wherever it is"
    assert len(set(digests)) == len(digests) - 1
    copy.write_text(HOST.read_text("utf-8").replace("tablet", "tablets"), "utf-8")
    assert FleetPolicy(Options(profiles=(copy,))).digest not in digests


def test_a_policy_that_means_something_else_in_another_process_is_refused(tmp_path: Path) -> None:
    profile = tmp_path / "host.json"
    profile.write_bytes(HOST.read_bytes())
    sent = pickle.dumps(FleetPolicy(Options(profiles=(profile,))))
    assert pickle.loads(sent).policy  # noqa: S301 - our own
    profile.write_text(HOST.read_text("utf-8").replace("tablet", "tablets"), "utf-8")
    code = f"import pickle; pickle.loads({sent!r}).policy"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False
    )
    assert "the schema, a profile or the version of manifestkit is another one" in done.stderr


def test_without_the_extra_the_import_says_what_to_install() -> None:
    code = (
        "import sys; sys.path = [each for each in sys.path if 'site-packages' not in each];"
        f"sys.path.append({str(REPOSITORY / 'src')!r}); import manifestkit.fleet"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False
    )
    assert "manifestkit.fleet needs the extra `fleet`" in done.stderr
