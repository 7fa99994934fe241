"""`html`: a page to look at, which shows each finding in its lines and loads nothing."""

from __future__ import annotations

import html
import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import manifestkit
from command import EXAMPLES, modules_after
from in_process import manifest_here
from manifestkit import Edit, Finding, Fix, Related, Report, Severity
from manifestkit.model.location import LineIndex, Span
from manifestkit.model.report import FileResult
from readers import check, read_html, rendered
from report_cases import GOOD, REPOSITORY, report_on
from rows import rows

_MARK = re.compile(r'<mark class="([ab ]+)">(.*?)</mark>', re.DOTALL)
_LINE = re.compile(r'<span class="l" data-n="([^"]*)">(.*?)\n</span>', re.DOTALL)
_MARKUP = re.compile(r"<[^>]*>")


def _reported(source: str, spans: list[Span], fixes: tuple[Fix, ...] = ()) -> str:
    """The page of one finding: the first span is its own, the others belong to it."""
    lines = LineIndex(source)
    here, *others = map(lines.locate, spans)
    related = tuple(Related("too", "", place) for place in others)
    finding = Finding("m.json", "x", Severity.ERROR, "m", "", here, related=related, fixes=fixes)
    report = Report.of([FileResult("m.json", (finding,), source)])
    return check(report, "html")


def _text(markup: str) -> str:
    return html.unescape(_MARKUP.sub("", markup))


def test_overlapping_marks_each_cover_their_characters() -> None:
    shown = _reported("abcdefghij", [Span(2, 6), Span(4, 8), Span(9, 9)])
    assert _MARK.findall(shown) == [("a", "cd"), ("a b", "ef"), ("b", "gh"), ("b", "")]
    ((_, line),) = _LINE.findall(shown)
    assert _text(line.partition('<span class="say">')[0]) == "abcdefghij"


@given(source=st.text("ab\n\r\t", max_size=40), data=st.data())
def test_marks_cover_the_characters_of_their_spans_and_no_others(
    source: str, data: st.DataObject
) -> None:
    offsets = st.integers(0, len(source))
    spans = data.draw(
        st.lists(st.tuples(offsets, offsets).map(lambda two: Span(*sorted(two))), min_size=1)
    )[:3]
    shown = _reported(source, spans)
    of_finding = "".join(_text(text) for kind, text in _MARK.findall(shown) if "a" in kind)
    start, end = spans[0]
    kept = source[start:end].replace("\r", "").replace("\n", "").replace("\t", "    ")
    lines = LineIndex(source)
    if lines.position(end)[0] - lines.position(start)[0] <= 8:
        assert of_finding == kept


def test_of_a_long_line_what_is_around_the_first_mark_is_shown() -> None:
    source = " " * 50_000 + "here" + " " * 50_000 + "there"
    shown = _reported(source, [Span(50_000, 50_004), Span(100_004, 100_009)])
    assert next(text for _, text in _MARK.findall(shown)) == "here"
    assert len(shown) < 15_000


def test_a_fix_is_a_small_diff() -> None:
    source = '{\n  "versoin": "2.1.0"\n}\n'
    fix = Fix("rename it", "safe", (Edit(5, 12, "version"),), ())
    shown = _reported(source, [Span(4, 13)], (fix,))
    assert _changed_lines(shown) == (['  "versoin": "2.1.0"'], ['  "version": "2.1.0"'])


def test_a_fix_of_a_tab_shows_how_wide_it_was() -> None:
    fix = Fix("indent it", "safe", (Edit(0, 1, "  "),), ())
    assert _changed_lines(_reported("\ta: 1", [Span(0, 1)], (fix,))) == (["    a: 1"], ["  a: 1"])


@given(source=st.text("ab,\n", max_size=30), data=st.data())
def test_the_diff_of_a_fix_is_the_text_before_and_after(source: str, data: st.DataObject) -> None:
    offsets = st.integers(0, len(source))
    start, end = sorted(data.draw(st.tuples(offsets, offsets)))
    new = data.draw(st.text("ab\n", max_size=5))
    shown = _reported(source, [Span(0, 0)], (Fix("m", "safe", (Edit(start, end, new),), ()),))
    removed, added = _changed_lines(shown)
    before = source.split("\n")
    after = (source[:start] + new + source[end:]).split("\n")
    if len(removed) + len(added) < 16:
        assert Counter(after) - Counter(before) == Counter(added) - Counter(removed)
        assert Counter(before) - Counter(after) == Counter(removed) - Counter(added)


def _changed_lines(page: str) -> tuple[list[str], list[str]]:
    """The lines before and after a fix."""
    out, new = (
        re.findall(rf'<span class="l {kind}" [^>]*>(.*?)\n</span>', page, re.DOTALL)
        for kind in ("out", "in")
    )
    return [*map(_text, out)], [*map(_text, new)]


def test_the_worst_files_come_first_and_are_listed() -> None:
    bad = {**GOOD, "permissions": ["x", "y"]}
    results = [
        manifestkit.lint(json.dumps(GOOD | {"runtime": {}}), "b.json"),
        manifestkit.lint(json.dumps(bad | {"runtime": {}}), "c.json"),
        manifestkit.lint(json.dumps(GOOD), "a.json"),
    ]
    shown = check(Report.of(results), "html")
    assert re.findall(r'<a href="#f\d+">(.*?)</a>', shown) == ["c.json", "b.json"]
    assert re.findall(r"<h2><bdi>(.*?)</bdi>", shown) == ["c.json", "b.json"]
    assert "<dt>manifests</dt><dd>3</dd>" in shown


@pytest.mark.slow
def test_beyond_2000_files_the_worst_are_shown_and_the_others_counted() -> None:
    result = manifestkit.lint(json.dumps(GOOD | {"permissions": ["x"]}), "m.json")
    worse = manifestkit.lint(json.dumps(GOOD | {"permissions": ["x", "y"]}), "m.json")
    results = [result._replace(path=f"{number:04}.json") for number in range(2_100)]
    results[2_050] = worse._replace(path="2050.json")
    shown = rendered(Report.of(results), "html")
    in_full = re.findall(r"<h2><bdi>(.*?)</bdi>", shown)
    assert len(in_full) == 2_000
    assert in_full[0] == "2050.json"
    assert "100 more files with findings are not shown." in shown


def test_a_thousand_files_take_3_kb_each_at_most_and_two_seconds() -> None:
    result = manifestkit.lint(json.dumps(GOOD | {"permissions": ["host.haptic"]}, indent=2), "m")
    report = Report.of(result._replace(path=f"providers/{number:04}") for number in range(1_000))
    started = time.process_time()
    as_json = rendered(report, "json")
    between = time.process_time()
    shown = rendered(report, "html")
    assert time.process_time() - between < between - started + 2
    assert len(shown) <= 1_000 * 3_000
    assert len(as_json) > 100_000


@pytest.mark.slow
def test_thousands_of_findings_take_no_longer_in_one_long_line() -> None:
    value = GOOD | {"permissions": [f"x{number}" for number in range(4_100)]}
    short = report_on(json.dumps(value))
    long = report_on(json.dumps(value | {"padding": "x" * 1_000_000}))
    started = time.process_time()
    rendered(short, "html")
    between = time.process_time()
    shown = rendered(long, "html")
    assert time.process_time() - between < 4 * (between - started)
    assert len(shown) < 10_000_000
    assert shown.count('<article class="finding error">') == 4_000
    assert "100 more are not shown." in shown


@pytest.mark.slow
def test_of_many_changes_the_first_are_shown() -> None:
    newer = GOOD | {"permissions": [f"x{number}" for number in range(1_200)]}
    report = Report.of([manifestkit.diff(json.dumps(GOOD), json.dumps(newer))])
    shown = rendered(report, "html")
    assert "<caption>Changes: the first 1,000 of 1,200</caption>" in shown
    assert shown.count('<th scope="row">/permissions/*</th>') == 1_000


def test_a_comparison_shows_what_changed() -> None:
    newer = json.dumps(GOOD | {"permissions": ["host.timer"]})
    report = Report.of([manifestkit.diff(json.dumps(GOOD), newer)])
    page = read_html(check(report, "html"))
    for shown in ("manifest diff", "Changes", "/permissions/*", "added", "host.timer"):
        assert shown in page.text
    same = manifestkit.diff(json.dumps(GOOD), json.dumps(GOOD))
    assert "Nothing changed" in rendered(Report.of([same]), "html")


def test_what_stands_between_ticks_is_code_and_large_numbers_have_commas() -> None:
    (result,) = report_on(json.dumps(GOOD | {"permissions": ["<b>"]})).results
    (finding,) = result.findings
    said = [finding._replace(message=each) for each in ("a `b<` c", "an odd ` tick")]
    shown = rendered(Report.of([result._replace(findings=tuple(said * 600))]), "html")
    assert "</span> a <code>b&lt;</code> c</h3>" in shown
    assert "</span> an odd ` tick</h3>" in shown
    assert "<td>1,200</td>" in shown


def test_only_a_page_of_html_imports_what_escapes_it(tmp_path: Path) -> None:
    code = "import manifestkit; found = manifestkit.lint('{}'); manifestkit.render(found, {!r})"
    assert "markupsafe" in modules_after(code.replace("{!r}", "'html'"), tmp_path)
    assert "markupsafe" not in modules_after(code.replace("{!r}", "'full'"), tmp_path)


def test_the_command_writes_it_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    file = tmp_path / "report.html"
    broken = str(EXAMPLES.relative_to(REPOSITORY) / "broken")
    outcome = manifest_here("lint", broken, f"--output-format=html={file}")
    assert (outcome.code, outcome.out) == (1, "")
    page = read_html(file.read_text("utf-8"))
    assert "examples/broken/misspelt.manifest.json" in page.text
    assert "https://manifestkit.github.io/manifestkit/rules/missing-field/" in page.targets


@rows("url", ["javascript:alert(1)", "https://a\u202e.b", "data:text/html,x"])
def test_a_page_of_a_rule_that_is_not_of_the_web_is_no_link(url: str) -> None:
    (result,) = report_on("{").results
    findings = tuple(each._replace(url=url, rule="own") for each in result.findings)
    targets = read_html(rendered(Report.of([result._replace(findings=findings)]), "html")).targets
    assert url not in targets
    assert len(targets) == 4  # the skip link, the icon, the table's row and the footer's link
