"""A fault after 😀 and é stands where each format's reader counts it."""

from __future__ import annotations

import json

import pytest

from manifestkit import Report
from readers import parsed_xml, rendered, workflow_command
from report_cases import report_on

BEFORE = '{"😀é": "😀é", "permissions": ["'
WRONG = "host.camera"
LINE = f'{BEFORE}{WRONG}"], '
TEXT = '\n\n{"a": "😀",\n"b": 1,\n' + LINE[1:] + '\n"capabilities": []}\n'
COLUMN = LINE[1:].index(f'"{WRONG}') + 1
END_COLUMN = COLUMN + len(WRONG) + 2
RULE = "unknown-permission"


@pytest.fixture
def report() -> Report:
    return report_on(TEXT)


def test_the_line_has_what_makes_the_counts_differ() -> None:
    utf16 = len(LINE[1:COLUMN].encode("utf-16-le")) // 2 + 1
    utf8 = len(LINE[1:COLUMN].encode()) + 1
    assert len({COLUMN, utf8, utf16}) == 3


def test_json_counts_code_points(report: Report) -> None:
    findings = json.loads(rendered(report, "json"))["findings"]
    (wrong,) = [each for each in findings if each["rule"] == RULE]
    assert (wrong["line"], wrong["column"], wrong["end_column"]) == (5, COLUMN, END_COLUMN)


def test_sarif_counts_code_points_and_says_so(report: Report) -> None:
    (run,) = json.loads(rendered(report, "sarif"))["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    (wrong,) = [each for each in run["results"] if each["ruleId"] == RULE]
    assert wrong["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 5,
        "startColumn": COLUMN,
        "endLine": 5,
        "endColumn": END_COLUMN,
    }
    assert wrong["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "/permissions/0"}]


def test_github_counts_code_points(report: Report) -> None:
    commands = [workflow_command(line) for line in rendered(report, "github").splitlines()]
    (wrong,) = [each for each in commands if each and each.properties["title"] == RULE]
    assert wrong.properties == {
        "file": "manifest.json",
        "line": "5",
        "endLine": "5",
        "col": str(COLUMN),
        "endColumn": str(END_COLUMN),
        "title": RULE,
    }


def test_github_gets_no_columns_of_a_span_over_several_lines() -> None:
    commands = [
        workflow_command(line)
        for line in rendered(report_on('{"provider": [\n1\n]}'), "github").splitlines()
    ]
    (wrong,) = [each for each in commands if each and each.properties["title"] == "wrong-type"]
    assert wrong.properties.keys() == {"file", "line", "endLine", "title"}
    assert (wrong.properties["line"], wrong.properties["endLine"]) == ("1", "3")


def test_junit_counts_code_points(report: Report) -> None:
    (failure,) = parsed_xml(rendered(report, "junit")).iter("failure")
    assert f"5:{COLUMN}: error {RULE} " in (failure.text or "")


def test_gitlab_gets_the_line(report: Report) -> None:
    issues = json.loads(rendered(report, "gitlab"))
    (wrong,) = [each for each in issues if each["check_name"] == RULE]
    assert wrong["location"] == {"path": "manifest.json", "lines": {"begin": 5, "end": 5}}


def test_sarif_fixes_replace_the_very_characters(report: Report) -> None:
    corrected = report_on(TEXT.replace(WRONG, "profile.basik"))
    (run,) = json.loads(rendered(corrected, "sarif"))["runs"]
    (wrong,) = [each for each in run["results"] if each["ruleId"] == RULE]
    (fix,) = wrong["fixes"]
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    line = TEXT.replace(WRONG, "profile.basik").split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == '"profile.basik"'
    assert replacement["insertedContent"] == {"text": '"profile.basic"'}
    assert report.findings
