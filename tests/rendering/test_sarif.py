"""SARIF results can be followed, and what was decided about them is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import manifestkit
from manifestkit import Report, UnreadableFileError
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.rules.catalogue import catalogue
from readers import rendered
from report_cases import EXAMPLES, GOLDEN, GOOD, GOOD_TEXT, report_on

FAULTY: dict[str, Any] = {
    **GOOD,
    "activities": [
        {"id": "a", "name": "A", "duration_minutes": "5"},
        {"id": "b", "name": 7},
        {"id": "c"},
    ],
    "permissions": ["host.camera", "profile.basik"],
    "capabilities": ["nope", "host.timer"],
    "presentation": {"banner": "x"},
}


def sarif_run(report: Report) -> Any:
    (run,) = json.loads(rendered(report, "sarif"))["runs"]
    return run


def fingerprints(text: str) -> set[tuple[str, str]]:
    results = sarif_run(report_on(text))["results"]
    prints = [each["partialFingerprints"]["manifestkit/v1"] for each in results]
    assert len(set(prints)) == len(prints)
    return {(each["ruleId"], print_) for each, print_ in zip(results, prints, strict=True)}


@settings(max_examples=settings().max_examples // 2)
@given(
    indent=st.none() | st.integers(0, 4) | st.just("\t"),
    shuffle=st.randoms(),
    before=st.text(" \n\t\r", max_size=5),
    ascii_only=st.booleans(),
)
def test_fingerprints_survive_reformatting_and_reordering(
    indent: int | str | None, shuffle: Any, before: str, *, ascii_only: bool
) -> None:
    known = fingerprints(json.dumps(FAULTY))
    assert len(known) >= 7
    members = list(FAULTY.items())
    shuffle.shuffle(members)
    moved = dict(members)
    for name in ("activities", "permissions", "capabilities"):
        moved[name] = shuffle.sample(FAULTY[name], len(FAULTY[name]))
    text = before + json.dumps(moved, indent=indent, ensure_ascii=ascii_only)
    assert fingerprints(text) == known


def test_a_mended_finding_takes_only_its_own_fingerprint_away() -> None:
    corrected = {**FAULTY, "presentation": {}}
    gone = fingerprints(json.dumps(FAULTY)) - fingerprints(json.dumps(corrected))
    assert [rule for rule, _ in gone] == ["unknown-member"]


def test_github_follows_an_alert_by_our_fingerprint() -> None:
    for result in sarif_run(report_on(json.dumps(FAULTY)))["results"]:
        prints = result["partialFingerprints"]
        assert prints["primaryLocationLineHash"] == f"{prints['manifestkit/v1']}:1"


def test_a_configured_suppression_is_external_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({**GOOD, "permissions": ["host.camera"]}))
    (tmp_path / "manifestkit.toml").write_text(
        '[[suppress]]\nrule = "unknown-permission"\nreason = "the host grants it"\n'
    )
    run = sarif_run(manifestkit.lint_paths([tmp_path]))
    (result,) = run["results"]
    assert result["ruleId"] == "unknown-permission"
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "the host grants it"}
    ]


def test_suppressions_tell_where_they_were_made() -> None:
    result = manifestkit.lint(json.dumps({**GOOD, "permissions": ["host.camera"]}))
    kinds = {}
    for by in ("configuration", "baseline"):
        hidden = (Suppressed(result.findings[0], by),)
        report = Report.of([FileResult("manifest.json", text=GOOD_TEXT, suppressed=hidden)])
        ((suppression,),) = [each["suppressions"] for each in sarif_run(report)["results"]]
        kinds[by] = suppression["kind"]
    assert kinds == {"configuration": "external", "baseline": "external"}


def test_what_is_not_suppressed_says_so_beside_what_is() -> None:
    result = manifestkit.lint(json.dumps(FAULTY))
    shown, hidden = result.findings[:-1], (Suppressed(result.findings[-1], "baseline"),)
    report = Report.of([FileResult("m.json", shown, json.dumps(FAULTY), hidden)])
    given_ = [each["suppressions"] for each in sarif_run(report)["results"]]
    assert [bool(each) for each in given_] == [False] * len(shown) + [True]


def test_every_rule_with_a_finding_is_described_from_its_declaration() -> None:
    report = report_on(json.dumps(FAULTY))
    described = {rule["id"]: rule for rule in sarif_run(report)["tool"]["driver"]["rules"]}
    assert described.keys() == {each.rule for each in report.findings}
    for rule_id, rule in described.items():
        declared = catalogue()[rule_id]
        assert rule["shortDescription"]["text"] == declared.title
        assert rule["fullDescription"]["text"] == declared.description
        assert declared.help in rule["help"]["text"]
    assert sarif_run(Report(()))["tool"]["driver"]["rules"] == []


def test_a_profiles_own_rules_are_described_too() -> None:
    report = manifestkit.lint_paths(
        [GOLDEN / "valid" / "physio.activity-provider.json"],
        manifestkit.Options(
            profiles=(EXAMPLES / "profiles" / "host-catalogue.schema.json",), isolated=True
        ),
    )
    run = sarif_run(report)
    own = {each["ruleId"] for each in run["results"]} - catalogue().keys()
    assert own
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    for rule_id in own:
        assert rules[rule_id]["help"]["text"]


def test_a_file_that_cannot_be_read_is_told() -> None:
    run = sarif_run(Report((), (UnreadableFileError("a b.json", "permission denied"),)))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert "permission denied" in told["message"]["text"]
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.json"


def test_a_related_place_is_told() -> None:
    text = '{"schema_version": "1.0",\n"schema_version": "1.0"}'
    results = sarif_run(report_on(text))["results"]
    (twice,) = [each for each in results if each["ruleId"] == "duplicate-key"]
    (related,) = twice["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 1
    assert twice["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
