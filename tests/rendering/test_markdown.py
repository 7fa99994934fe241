"""The Markdown form is a comment that one would like to receive."""

from __future__ import annotations

import json

import manifestkit
from manifestkit import Report, UnreadableFileError
from readers import check, rendered
from report_cases import GOOD, GOOD_TEXT, made_up, report_on


def test_a_clean_run_says_so_in_two_lines() -> None:
    assert rendered(report_on(GOOD_TEXT), "markdown") == (
        "<!-- manifestkit -->\n### ✅ Manifests: no problems found\n\n1 file checked.\n"
    )


def test_a_finding_shows_place_message_help_and_rule() -> None:
    report = report_on('{"permissions": ["profile.basik"]}')
    text = rendered(report, "markdown")
    (finding,) = (each for each in report.findings if each.rule == "unknown-permission")
    assert (
        f"- ❌ **1:18** {finding.message} <sub>`unknown-permission`</sub>\\\n  → {finding.help}\n"
    ) in text
    assert text.startswith("<!-- manifestkit -->\n### ❌ Manifests: 6 errors\n")


def test_findings_stand_under_their_file() -> None:
    both = Report.of([manifestkit.lint("{}", name=name) for name in ("a.json", "b/c.json")])
    text = rendered(both, "markdown")
    assert text.index("#### `a.json`") < text.index("#### `b/c.json`")
    assert text.count("####") == 2


def test_what_could_not_be_read_comes_first() -> None:
    gone = UnreadableFileError("gone.json", "no such file")
    text = rendered(Report(report_on("{}").results, (gone,)), "markdown")
    assert "1 file not checked" in text.splitlines()[1]
    assert "- ❌ `gone.json`: no such file\n" in text
    assert text.index("gone.json") < text.index("manifest.json")


def test_a_comment_is_bounded_and_keeps_the_most_severe() -> None:
    advice = ["host.timer"] * 200
    manifest = {**GOOD, "permissions": [*advice, "wrong"]}
    report = report_on(json.dumps(manifest))
    assert len(report.findings) == 200
    text = check(report, "markdown")
    assert text.count("\n- ") == 50
    assert "`wrong`" in text
    assert "… and 150 more" in text


def test_long_names_and_texts_do_not_break_the_bound() -> None:
    long = "`<&*" * 300
    results = [
        manifestkit.lint(json.dumps({"permissions": [long] * 30}), name=f"{number}/{long}.json")
        for number in range(30)
    ]
    unreadable = [UnreadableFileError(f"{number}{long}", long) for number in range(100)]
    everything = Report.of([*results, *list(made_up(long).results) * 60], unreadable)
    text = check(everything, "markdown")
    assert "- … and 80 more\n" in text
    assert " more: `manifest lint` shows them all." in text
