"""What each platform makes of a report: how much a finding weighs, and what could not be read."""

from __future__ import annotations

import json

import manifestkit
from manifestkit import Options, Report, Severity
from manifestkit.config.policy import Policy
from manifestkit.engine.lint import lint_text
from manifestkit.model.report import FileResult
from manifestkit.rendering import FORMATS
from readers import NOT_ONLY_ASCII, parsed_xml, rendered, workflow_command
from report_cases import GOLDEN, GOOD, GOOD_TEXT, report_on

# An info, a warning and an error, in this order of place.
MIXED = json.dumps(
    {
        **GOOD,
        "schema_version": "first",
        "permissions": ["host.timer", "host.timer"],
        "capabilities": [1],
    }
)


def test_the_case_has_every_severity() -> None:
    severities = [finding.severity for finding in report_on(MIXED).findings]
    assert severities == [Severity.INFO, Severity.WARNING, Severity.ERROR]


def test_github_shows_the_most_severe_first() -> None:
    commands = [workflow_command(line) for line in rendered(report_on(MIXED), "github").split("\n")]
    assert [each.name for each in commands if each] == ["error", "warning", "notice"]


def test_github_gets_message_and_help_in_one_annotation() -> None:
    report = report_on(MIXED)
    first = workflow_command(rendered(report, "github").split("\n")[0])
    assert first
    assert first.data == f"{report.findings[-1].message}\n{report.findings[-1].help}"


def test_gitlab_gets_message_and_help_in_one_line() -> None:
    report = report_on(MIXED)
    told = [f"{each.message}; {each.help}" for each in report.findings]
    assert all(each.help for each in report.findings)
    issues = json.loads(rendered(report, "gitlab"))
    assert [each["description"].partition(": ")[2] for each in issues] == told
    helpless = FileResult("m.json", tuple(each._replace(help=None) for each in report.findings))
    (first, *_) = json.loads(rendered(Report.of([helpless]), "gitlab"))
    assert first["description"].endswith(report.findings[0].message)


def test_gitlab_weighs_by_its_own_names() -> None:
    issues = json.loads(rendered(report_on(MIXED), "gitlab"))
    assert [each["severity"] for each in issues] == ["info", "minor", "major"]


def test_gitlab_gets_a_fingerprint_of_its_own_for_each_file() -> None:
    both = Report.of(
        [manifestkit.lint('{"permissions": []}', name=name) for name in ("a.json", "b.json")]
    )
    issues = json.loads(rendered(both, "gitlab"))
    assert len({each["fingerprint"] for each in issues}) == len(issues) > 2
    alone = json.loads(rendered(report_on('\n{\n"permissions": []}', "b.json"), "gitlab"))
    known = {each["fingerprint"] for each in issues if each["location"]["path"] == "b.json"}
    assert {each["fingerprint"] for each in alone} == known, "and it is the same in another run"


def test_junit_fails_what_fails_the_run_and_nothing_else() -> None:
    advice = json.dumps({**GOOD, "permissions": ["host.timer", "host.timer"]})
    for fail_on, fails in ((Severity.ERROR, 0), (Severity.WARNING, 1)):
        result = lint_text(advice, "manifest.json", policy=Policy(fail_on=fail_on))
        (suite,) = parsed_xml(rendered(Report.of([result]), "junit"))
        assert len(suite.findall("testcase/failure")) == fails == int(result.fails)
        said = suite.findtext(f"testcase/{'failure' if fails else 'system-out'}")
        assert said
        assert "duplicate-item" in said, "advice is told all the same"


def test_junit_passes_a_clean_file_and_skips_a_foreign_one() -> None:
    report = Report.of(
        [manifestkit.lint(GOOD_TEXT, "a.json"), FileResult("b.json", skipped="a web app's")]
    )
    clean, foreign = parsed_xml(rendered(report, "junit"))
    assert list(clean.iter("testcase"))
    assert [each.tag for each in clean.iter() if each.tag in {"failure", "error", "skipped"}] == []
    assert foreign.find("testcase/skipped") is not None


def test_every_rule_id_reaches_every_machine() -> None:
    report = manifestkit.lint_paths([GOLDEN / "broken"], Options(isolated=True))
    rules = {finding.rule for finding in report.findings}
    assert len(rules) > 5
    for form in FORMATS.keys() - (NOT_ONLY_ASCII - {"github"}):
        text = rendered(report, form)
        assert [rule for rule in rules if rule not in text] == []
