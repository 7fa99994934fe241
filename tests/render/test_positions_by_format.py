"""A fault after 😀 and é stands where each format's reader counts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifestkit import Report
from readers import parsed_xml, rendered, workflow_command
from report_cases import report_on

BEFORE = '{"😀é": "😀é", "permissions": ["'
WRONG = "host.camera"
LINE = f'{BEFORE}{WRONG}"], '
TEXT = '\n\n{"a": "😀",\n"b": 1,\n' + LINE[1:] + '\n"capabilities": []}\n'
COLUMN = LINE[1:].index(f'"{WRONG}') + 1
END_COLUMN = COLUMN + len(WRONG) + 2
BYTE_COLUMN = len(LINE[1:COLUMN].encode()) + 1
RULE = "unknown-permission"


@pytest.fixture
def report() -> Report:
    return report_on(TEXT)


def test_the_line_has_what_makes_the_counts_differ() -> None:
    utf16 = len(LINE[1:COLUMN].encode("utf-16-le")) // 2 + 1
    assert len({COLUMN, BYTE_COLUMN, utf16}) == 3
    assert BYTE_COLUMN - COLUMN == 2 * (3 + 1)


def test_json_and_jsonl_count_code_points(report: Report) -> None:
    lines = [json.loads(line) for line in rendered(report, "jsonl").splitlines()]
    for findings in (json.loads(rendered(report, "json"))["findings"], lines):
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


def test_checkstyle_and_junit_count_code_points(report: Report) -> None:
    (error,) = [
        each
        for each in parsed_xml(rendered(report, "checkstyle")).iter("error")
        if each.get("source") == f"manifestkit.{RULE}"
    ]
    assert (error.get("line"), error.get("column")) == ("5", str(COLUMN))
    (failure,) = parsed_xml(rendered(report, "junit")).iter("failure")
    assert f"5:{COLUMN}: error {RULE} " in (failure.text or "")


def test_gitlab_gets_the_line(report: Report) -> None:
    issues = json.loads(rendered(report, "gitlab"))
    (wrong,) = [each for each in issues if each["check_name"] == RULE]
    assert wrong["location"] == {"path": "manifest.json", "lines": {"begin": 5, "end": 5}}


def _marked(diagnostic: dict[str, Any], source: bytes) -> bytes:
    """The bytes of a range, found as reviewdog finds them: by line feeds and bytes."""
    return _between(diagnostic["location"]["range"], source)


def _between(place: dict[str, Any], source: bytes) -> bytes:
    starts = [0]
    for line in source.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    start, end = (starts[at["line"] - 1] + at["column"] - 1 for at in place.values())
    return source[start:end]


def test_rdjson_counts_bytes(report: Report) -> None:
    diagnostics = json.loads(rendered(report, "rdjson"))["diagnostics"]
    (wrong,) = [each for each in diagnostics if each["code"]["value"] == RULE]
    assert wrong["location"]["range"]["start"] == {"line": 5, "column": BYTE_COLUMN}
    assert _marked(wrong, TEXT.encode()) == f'"{WRONG}"'.encode()


def test_rdjson_counts_the_bytes_of_a_byte_order_mark() -> None:
    text = '\ufeff{"é": 1, "permissions": ["host.camera"]}'
    diagnostics = json.loads(rendered(report_on(text), "rdjson"))["diagnostics"]
    (wrong,) = [each for each in diagnostics if each["code"]["value"] == RULE]
    assert _marked(wrong, text.encode()) == b'"host.camera"'


@given(
    before=st.text(st.sampled_from("aé😀\u0301 \ufeff"), max_size=3_000),
    mark=st.sampled_from(["", "\ufeff"]),
    line_end=st.sampled_from(["\n", " "]),
)
def test_rdjson_marks_the_very_bytes_and_its_suggestions_mend_them(
    before: str, mark: str, line_end: str
) -> None:
    member = json.dumps(before, ensure_ascii=False)
    text = f'{mark}{{"x": {member},{line_end}"permissions": ["profile.basik"], "é": {member}}}'
    diagnostics = json.loads(rendered(report_on(text), "rdjson"))["diagnostics"]
    (wrong,) = [each for each in diagnostics if each["code"]["value"] == RULE]
    assert _marked(wrong, text.encode()) == b'"profile.basik"'
    (suggestion,) = wrong["suggestions"]
    assert _between(suggestion["range"], text.encode()) == b'"profile.basik"'
    assert suggestion["text"] == '"profile.basic"'


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
