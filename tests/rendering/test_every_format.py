"""Every format is whole and harmless, whatever is in the report."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from manifestkit import Report
from manifestkit.rendering import FORMATS
from readers import NOT_ONLY_ASCII, READERS, check, forged_commands, rendered
from report_cases import GOOD_TEXT, REPORTS, hostile, of_examples, of_rules, report_on

pytestmark = pytest.mark.slow


def test_every_format_has_a_reader_of_its_own() -> None:
    assert READERS.keys() == FORMATS.keys()


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found_is_a_whole_document_too(form: str) -> None:
    assert report_on(GOOD_TEXT).findings == ()
    check(report_on(GOOD_TEXT), form)
    check(Report(()), form)


@pytest.mark.parametrize("form", FORMATS)
def test_every_rule_can_be_told(form: str) -> None:
    for rule, report in of_rules().items():
        assert report.findings, rule
        check(report, form)


@pytest.mark.parametrize("form", FORMATS)
def test_every_example_can_be_told(form: str) -> None:
    assert any(report.findings for report in of_examples().values())
    for report in of_examples().values():
        check(report, form)


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_profile_requires_is_told_with_its_name(form: str) -> None:
    (found,) = report_on(GOOD_TEXT.replace('"1.0"', "1.0", 1)).findings
    (result,) = report_on(GOOD_TEXT.replace('"1.0"', "1.0", 1)).results
    of_host = result._replace(findings=(found._replace(profile="host.schema.json"),))
    assert "host.schema.json" in rendered(Report((of_host,)), form)


@pytest.mark.parametrize("form", FORMATS)
def test_no_name_key_or_value_acts_on_a_reader(form: str) -> None:
    for report in hostile().values():
        check(report, form)


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=settings().max_examples // 2)
@given(report=REPORTS)
def test_no_text_at_all_acts_on_a_reader(form: str, report: Report) -> None:
    check(report, form)


@pytest.mark.parametrize("line", ["::error ::x", " \t::error::x", "a ##[error]x", "a##vso[x]y"])
def test_a_forged_command_would_be_noticed(line: str) -> None:
    assert forged_commands(f"harmless\r{line}\n")


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"junit"}))
def test_a_report_reads_the_same_each_time(form: str) -> None:
    report = hostile()["all names at once"]
    assert rendered(report, form) == rendered(report, form)


def test_machines_get_ascii() -> None:
    assert NOT_ONLY_ASCII.isdisjoint({"json", "sarif", "gitlab", "junit"})
