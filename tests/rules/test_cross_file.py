"""Rules about all manifests of a run: rule files with `scope: run`."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import Outcome, manifest
from judging import BASE, with_members, written
from manifestkit import Options
from manifestkit.model.report import Report

_RULE = "duplicate-provider-id"
_ON = ("--severity", f"{_RULE}=error")
_UNIQUE = Options(select=(_RULE,))


def lint(*arguments: str, cwd: Path) -> Outcome:
    return manifest("lint", *arguments, cwd=cwd)


def of_provider(provider_id: object, **members: Any) -> dict[str, Any]:
    return with_members(provider={**BASE["provider"], "id": provider_id}, **members)


def files_told(report: Report) -> list[str]:
    return [Path(each.path).name for each in report.findings]


def test_manifests_that_share_a_provider_id_are_reported_each_with_the_others(
    tmp_path: Path,
) -> None:
    for name in ("a", "b", "c"):
        written(tmp_path / f"{name}.manifest.json", of_provider("com.example.box"))
    written(tmp_path / "d.manifest.json", of_provider("com.example.walk"))
    (tmp_path / "e.manifest.yaml").write_text(json.dumps(of_provider("com.example.walk"), indent=1))
    done = lint(*_ON, "--output-format", "concise", cwd=tmp_path)
    also, advice = "is also in another manifest:", "give each provider its own id"
    assert done.out.splitlines() == [
        f"{name}: error {_RULE} `provider.id` `com.example.{provider}` {also} {other}; {advice}"
        for name, provider, other in (
            ("a.manifest.json:4:11", "box", "b.manifest.json"),
            ("b.manifest.json:4:11", "box", "a.manifest.json"),
            ("c.manifest.json:4:11", "box", "a.manifest.json"),
            ("d.manifest.json:4:11", "walk", "e.manifest.yaml"),
            ("e.manifest.yaml:4:9", "walk", "d.manifest.json"),
        )
    ]
    assert done.code == 1
    first = json.loads(lint(*_ON, "--output-format", "json", cwd=tmp_path).out)["findings"][0]
    assert [each["path"] for each in first["related"]] == ["b.manifest.json", "c.manifest.json"]


def test_the_rule_is_off_by_default(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / f"{name}.manifest.json", of_provider("com.example.box"))
    assert lint(cwd=tmp_path).code == 0
    written(tmp_path / "manifestkit.toml", f'severity = {{ {_RULE} = "warning" }}\n')
    done = lint(cwd=tmp_path)
    assert (done.code, done.err) == (0, "2 files checked: 2 warnings\n")


def test_a_file_is_not_compared_with_itself(tmp_path: Path) -> None:
    written(tmp_path / "a.manifest.json", of_provider("com.example.box"))
    done = lint(*_ON, "a.manifest.json", "./a.manifest.json", ".", cwd=tmp_path)
    assert done.code == 0


def test_a_file_that_cannot_be_judged_is_compared_with_none(tmp_path: Path) -> None:
    text = json.dumps(of_provider("com.example.box"))
    (tmp_path / "cut.manifest.json").write_text(text[:-1])
    (tmp_path / "gone.manifest.json").symlink_to("nowhere")
    (tmp_path / "manifest.json").write_text(json.dumps({"manifest_version": 3, "provider": {}}))
    written(tmp_path / "good.manifest.json", json.loads(text))
    report = manifestkit.lint_paths(tmp_path, _UNIQUE)
    assert [each.rule for each in report.findings] == ["syntax-error"]


def test_other_findings_stay_and_all_are_in_order(tmp_path: Path) -> None:
    broken = of_provider("com.example.box", permissions=["host.camera"], schema_version=1)
    written(tmp_path / "a.manifest.json", broken)
    written(tmp_path / "b.manifest.json", of_provider("com.example.box"))
    found = json.loads(lint(*_ON, "--output-format", "json", cwd=tmp_path).out)["findings"]
    assert [(each["path"][0], each["rule"]) for each in found] == [
        ("a", "wrong-type"), ("a", _RULE), ("a", "unknown-permission"), ("b", _RULE)
    ]  # fmt: skip


def test_it_can_be_suppressed_in_configuration_comment_and_baseline(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / f"{name}.manifest.json", of_provider("com.example.box"))
    text = json.dumps(of_provider("com.example.box"), indent=1)
    line = '"id": "com.example.box",'
    commented = text.replace(line, f"{line} # manifest: ignore[{_RULE}] a copy", 1)
    written(tmp_path / "c.manifest.yaml", commented)
    entry = f'[[suppress]]\nrule = "{_RULE}"\npath = "a.*"\nreason = "a copy"\n'
    written(tmp_path / "manifestkit.toml", f'severity = {{ {_RULE} = "error" }}\n{entry}')
    report = manifestkit.lint_paths(tmp_path)
    assert files_told(report) == ["b.manifest.json"]
    assert report.summary.suppressed == 2
    alone = manifestkit.lint_paths(tmp_path / "c.manifest.yaml", Options())
    assert alone.findings == ()  # not `unused-suppression`: nothing was there to compare it with
    lint(".", "--write-baseline", "baseline.json", cwd=tmp_path)
    assert lint(".", "--baseline", "baseline.json", cwd=tmp_path).code == 0


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_a_run_with_fixes_reports_it_too(tmp_path: Path, option: str) -> None:
    for name in ("a", "b"):
        value = of_provider("com.example.box", schema_version=1.5)
        written(tmp_path / f"{name}.manifest.json", value)
    done = lint(*_ON, option, ".", cwd=tmp_path)
    assert done.code == 1
    assert (done.out + done.err).count(f"error[{_RULE}]") + (done.out + done.err).count(
        f"error {_RULE}"
    ) == 2
    assert re.search("2 files checked(, 2 fixed|: 2 fixes available)", done.err)


def test_a_file_is_no_duplicate_of_itself_by_another_name(tmp_path: Path) -> None:
    file = written(tmp_path / "a.manifest.json", of_provider("com.example.box"))
    (tmp_path / "linked.manifest.json").symlink_to(file)
    (tmp_path / "hard.manifest.json").hardlink_to(file)
    assert lint(*_ON, ".", cwd=tmp_path).code == 0
    written(tmp_path / "b.manifest.json", of_provider("com.example.box"))
    report = manifestkit.lint_paths(tmp_path, _UNIQUE)
    of_rule = [each for each in report.findings if each.rule == _RULE]
    assert {Path(each.path).name for each in of_rule} == {
        *("a.manifest.json", "b.manifest.json", "hard.manifest.json", "linked.manifest.json")
    }
    assert "b.manifest.json" in of_rule[0].message


def test_long_and_odd_ids_are_compared_whole(tmp_path: Path) -> None:
    long = "n" * 100_000
    ids = [f"{long}a", f"{long}b", f"{long}a", "\ud83d", "\ud83d", "é\n", "é\n", 7, 7, None, None]
    for index, each in enumerate(ids):
        text = json.dumps(of_provider(each))
        (tmp_path / f"{index:02}.manifest.json").write_text(text)
    report = manifestkit.lint_paths(tmp_path, _UNIQUE)
    of_rule = [each for each in report.findings if each.rule == _RULE]
    assert [Path(each.path).name[:2] for each in of_rule] == ["00", "02", "03", "04", "05", "06"]
    assert max(len(each.message) for each in of_rule) < 400


@given(st.lists(st.sampled_from("abcdefgh"), max_size=12), st.booleans())
def test_exactly_the_manifests_that_share_an_id_are_reported(ids: list[str], clean: bool) -> None:
    extra = {} if clean else {"permissions": ["host.camera"]}
    with tempfile.TemporaryDirectory() as name:
        for index, each in enumerate(ids):
            written(Path(name, f"{index:02}.manifest.json"), of_provider(each, **extra))
        told = files_told(manifestkit.lint_paths(name, _UNIQUE))
    counts = Counter(ids)
    assert told == [
        f"{index:02}.manifest.json" for index, each in enumerate(ids) if counts[each] > 1
    ]


def test_many_files_are_compared_whichever_process_judges_them(tmp_path: Path) -> None:
    for index in range(1_500):
        text = json.dumps(of_provider(f"com.example.n{index % 1_400}"))
        (tmp_path / f"{index:04}.manifest.json").write_text(text)
    done = lint(*_ON, "--output-format", "concise", cwd=tmp_path)
    assert done.err == "1,500 files checked: 200 errors\n"
    assert [line[:4] for line in done.out.splitlines()] == [
        f"{index:04}" for index in (*range(100), *range(1_400, 1_500))
    ]


# -- a published list --------------------------------------------------------------------------


def published(folder: Path, contents: str, settings: str = "") -> Path:
    (folder / "ids.yaml").write_text(contents, "utf-8")
    configured = f'published-ids = "ids.yaml"\n{settings}'
    (folder / "manifestkit.toml").write_text(configured, "utf-8")
    return written(folder / "manifest.json", of_provider("com.example.box"))


def test_an_id_that_another_owner_has_published_is_reported_with_the_place_in_the_list(
    tmp_path: Path,
) -> None:
    entries = "- {id: com.example.walk, owner: Walks}\n- {id: com.example.box, owner: Calm Labs}\n"
    published(tmp_path, entries)
    ended = lint("--output-format=json", cwd=tmp_path)
    (finding,) = json.loads(ended.out)["findings"]
    assert (ended.code, finding["rule"], finding["severity"]) == (0, _RULE, "warning")
    assert "Calm Labs" in finding["message"]
    (place,) = finding["related"]
    assert (place["path"], place["pointer"], place["line"]) == ("ids.yaml", "/1/id", 2)
    published(tmp_path, entries, f'severity = {{ {_RULE} = "error" }}\n')
    assert lint(cwd=tmp_path).code == 1
    other = written(tmp_path / "other.manifest.json", of_provider("com.example.box"))
    found = json.loads(lint("--output-format=json", cwd=tmp_path).out)["findings"]
    told = [[each["path"] for each in finding["related"]] for finding in found]
    assert told == [["ids.yaml", other.name], ["ids.yaml", "manifest.json"]]


@pytest.mark.parametrize(
    "entries",
    ["[]", "- {id: com.example.box, owner: Us}\n", "- {id: com.example.boxes, owner: Calm Labs}\n"],
)
def test_an_id_that_is_ours_or_not_in_the_list_is_not_reported(
    tmp_path: Path, entries: str
) -> None:
    published(tmp_path, entries, 'published-owner = "Us"\n')
    assert lint("--output-format=concise", cwd=tmp_path).out == ""


@pytest.mark.parametrize(
    ("contents", "place"),
    [
        ("com.example.box", "ids.yaml:1:1"),
        ("- com.example.box\n", "ids.yaml:1:3"),
        ("- {id: a, owner: b}\n- {id: c}\n", "ids.yaml:2:3"),
        ("- {id: a, owner: 1}\n", "ids.yaml:1:18"),
        ("- {id: a", "ids.yaml:1:"),
        ("", "ids.yaml:1:1"),
        (None, "manifestkit.toml:1:1"),
    ],
)
def test_a_list_that_is_no_list_of_ids_and_owners_is_told_with_its_place(
    tmp_path: Path, contents: str | None, place: str
) -> None:
    published(tmp_path, contents or "")
    if contents is None:
        (tmp_path / "ids.yaml").unlink()
    ended = lint(cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert f"error: {place}" in ended.err
