"""A hostile file name names its file, and does nothing else, in every format."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from checkout import make_repository
from manifestkit import Report
from manifestkit.rendering.escape import visible
from readers import forged_commands, parsed_xml, rendered, workflow_command
from report_cases import report_on
from rows import rows

PERCENT = "a%0A::error ::x,y:z.json"
NEWLINE = "b\n::error file=x::forged.json"
ESCAPE = "c\x1b[31m.json"
NAMES = (PERCENT, NEWLINE, ESCAPE)
# Without a member: five findings or more, in each file.
FAULTY = "{}"


def uris(report: Report) -> set[str]:
    (run,) = json.loads(rendered(report, "sarif"))["runs"]
    return {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    }


@rows("name", NAMES, ids=["percent", "newline", "escape"])
def test_github_gets_a_name_back_from_its_own_escapes(name: str) -> None:
    commands = [
        workflow_command(line) for line in rendered(report_on(FAULTY, name), "github").splitlines()
    ]
    assert {each and each.name for each in commands} == {"error"}
    shown = {each and each.properties["file"] for each in commands}
    # A line end survives the way through GitHub's own escapes; ESC has none.
    assert shown == {name if name != ESCAPE else visible(name)}


def test_github_escapes_a_name_by_its_rules() -> None:
    line = rendered(report_on(FAULTY, PERCENT), "github").splitlines()[0]
    assert line.startswith("::error file=a%250A%3A%3Aerror %3A%3Ax%2Cy%3Az.json,line=1,")


@rows(
    ("name", "uri"),
    [
        (PERCENT, "./a%250A%3A%3Aerror%20%3A%3Ax%2Cy%3Az.json"),
        (NEWLINE, "./b%0A%3A%3Aerror%20file%3Dx%3A%3Aforged.json"),
        (ESCAPE, "c%1B%5B31m.json"),
        ("a b/é😀.json", "a%20b/%C3%A9%F0%9F%98%80.json"),
        ("c:/d.json", "./c%3A/d.json"),
        ("a/c:d.json", "a/c%3Ad.json"),
        ("raw\udcff.json", "raw%FF.json"),
        ("../up.json", "../up.json"),
        ("<stdin>", "%3Cstdin%3E"),
        ("/no such root/a#?.json", "file:///no%20such%20root/a%23%3F.json"),
    ],
)
def test_sarif_names_a_file_by_a_uri(name: str, uri: str) -> None:
    assert uris(report_on(FAULTY, name)) == {uri}
    path = uri.removeprefix("file://").removeprefix("./")
    assert os.fsdecode(unquote_to_bytes(path)) == name


@rows("form", ["github", "gitlab", "sarif"])
def test_platforms_get_an_absolute_name_from_the_repository_root(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = rendered(report_on(FAULTY, str(tmp_path / "app" / "manifest.json")), form)
    assert "app/manifest.json" in text
    assert str(tmp_path) not in text


@rows("form", ["github", "gitlab"])
@rows(
    ("name", "shown"),
    [
        ("manifest.json", "apps/calm/manifest.json"),
        ("../manifest.json", "apps/manifest.json"),
        ("<stdin>", "<stdin>"),
        ("/no such root/manifest.json", "/no such root/manifest.json"),
    ],
)
def test_platforms_get_a_name_from_the_root_in_a_subfolder_too(
    form: str, name: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(tmp_path)
    (tmp_path / "apps" / "calm").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "apps" / "calm")
    text = rendered(report_on(FAULTY, name), form)
    assert f'"path": "{shown}"' in text or f"::error file={shown}," in text


@rows("name", NAMES, ids=["percent", "newline", "escape"])
def test_the_others_show_what_cannot_stand_there_as_escapes(name: str) -> None:
    report = report_on(FAULTY, name)
    issues = json.loads(rendered(report, "gitlab"))
    assert {issue["location"]["path"] for issue in issues} == {visible(name)}
    suites = parsed_xml(rendered(report, "junit")).iter("testsuite")
    assert {each.get("name") for each in suites} == {visible(name)}
    findings = json.loads(rendered(report, "json"))["findings"]
    assert {each["path"] for each in findings} == {name}, "the JSON form names it as it is"


@rows("form", ["json", "gitlab", "sarif", "junit", "github", "markdown", "html"])
def test_a_name_that_is_no_text_is_told_in_utf_8(form: str) -> None:
    """A byte of a name that is no character is half of a surrogate pair in Python."""
    text = rendered(report_on(FAULTY, "raw\udcff.json"), form)
    told = json.loads(text) if form in ("json", "gitlab", "sarif") else text
    assert json.dumps(told, ensure_ascii=False).encode()


def test_a_name_that_looks_like_a_command_does_not_open_a_line() -> None:
    for name in ("::error ::x.json", "  ::error ::x.json", "##[error]x.json"):
        assert forged_commands(name)
        assert forged_commands(rendered(report_on(FAULTY, name), "concise")) == []


def test_a_command_in_the_shown_source_is_none() -> None:
    source = '{"a": 1,\n##[error]forged\n##vso[task.setvariable variable=a]b\n}'
    assert forged_commands(source)
    assert forged_commands(rendered(report_on(source), "full")) == []
