"""A report for people who would rather look: one HTML file that opens from disk and e-mail.

It says how many findings there are of each rule, then shows each in its file, the worst first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from manifestkit.findings.words import counted, named
from manifestkit.model.change import ABSENT
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import LineIndex
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style
from manifestkit.rendering.html.frames import change, frame
from manifestkit.rendering.html.page import (
    Count,
    bar,
    joined,
    link,
    name,
    page,
    part,
    sentence,
    table,
)
from manifestkit.rendering.places import elsewhere
from manifestkit.rules.catalogue import find_rule, rule_page

_MOST_FILES = 2_000
_MOST_FRAMES = 4_000
_MOST_LISTED = 20_000
_MOST_CHANGES = 1_000
_MOST_FIXES = 3
_LONGEST_POINTER = 160
_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("info", "info"),
}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole page."""
    command = "manifest diff" if report.is_comparison else "manifest lint"
    summary = report.summary
    others = [
        Count(len(report.errors), "not checked", "error"),
        Count(summary.suppressed, "suppressed"),
        Count(summary.skipped, "skipped"),
    ]
    counts = [
        Count(summary.files, "manifest" if summary.files == 1 else "manifests"),
        *severity_counts(report.findings),
        *(each for each in others if each.number),
    ]
    yield from page(command, _verdict(report), _lead(report), counts, _content(report))


def _verdict(report: Report) -> str:
    found = [_sums(report.findings)] if report.findings else []
    if report.errors:
        found.append(f"{counted(len(report.errors), 'file')} not checked")
    if found:
        return ", ".join(found)
    if not report.is_comparison:
        return "No problems found"
    changed = any(each.changes for each in report.results)
    return "No changes to report" if changed else "Nothing changed"


def _lead(report: Report) -> str:
    done = "compared" if report.is_comparison else "checked"
    wrong = sum(
        _count(result.findings, Severity.ERROR) > 0
        for result in report.results
        if result.is_manifest
    )
    said = f"{counted(report.summary.files, 'manifest')} {done}"
    return f"{said}, {wrong:,} with errors." if wrong else f"{said}."


def _content(report: Report) -> Iterator[Markup]:
    if report.errors:
        rows = ((name(each.path), sentence(each.reason)) for each in report.errors)
        yield table("Not checked", ("file", "why"), rows)
    yield from files(report.results)


def severity_counts(findings: Iterable[Finding]) -> list[Count]:
    """Return the number of findings of each severity, for the head of a page."""
    found = Counter(each.severity for each in findings)
    return [
        Count(found[each], nouns[found[each] != 1], each.value if found[each] else "")
        for each, nouns in _NOUNS.items()
    ]


def _sums(findings: Iterable[Finding]) -> str:
    counts = severity_counts(findings)
    return ", ".join(f"{each.number:,} {each.noun}" for each in counts if each.number)


def files(results: Iterable[FileResult]) -> Iterator[Markup]:
    """Yield tables of rules and of files, then each finding with its lines."""
    worst = sorted(
        (each for each in results if each.findings or each.changes),
        key=lambda each: (
            [-_count(each.findings, severity) for severity in Severity],
            each.path,
        ),
    )
    shown, rest = worst[:_MOST_FILES], worst[_MOST_FILES:]
    found = [each for result in worst for each in result.findings]
    rules = Counter(each.rule for each in found)
    first = {each.rule: each for each in reversed(found)}
    order = sorted(rules, key=lambda rule: (first[rule].severity.rank, -rules[rule], rule))
    if rules:
        yield _rules([first[rule] for rule in order], rules)
    if len(shown) > 1:
        yield _table_of_files(shown)
    numbers = {rule: number for number, rule in enumerate(order)}
    before = 0
    for number, result in enumerate(shown):
        yield _file(number, result, numbers, before)
        before += len(result.findings)
    if rest:
        items = (part("item", path=name(each.path), sums=_sums(each.findings)) for each in rest)
        yield part(
            "section",
            heading=f"{counted(len(rest), 'more file')}",
            content=part("rest", shown=f"{len(shown):,}", items=joined(items)),
        )


def _count(findings: Iterable[Finding], severity: Severity) -> int:
    return sum(each.severity is severity for each in findings)


def _rules(first: Iterable[Finding], counts: Mapping[str, int]) -> Markup:
    """Return a row for each rule, of which the first finding and the number are given."""
    most = max(counts.values())
    rows = []
    for number, finding in enumerate(first):
        rule, role = finding.rule, finding.severity.value
        known = find_rule(rule)
        about = part(
            "rule",
            number=number,
            name=link(finding.url or rule_page(rule), name(rule)),
            title=sentence(known.title) if known else "",
        )
        severity = part("severity", role=role)
        rows.append((about, severity, counts[rule], bar(counts[rule], most, role)))
    return table("Rules", ("rule", "severity", "findings", "share"), rows)


def _table_of_files(results: Sequence[FileResult]) -> Markup:
    rows = (
        (
            part("link", target=f"#f{number}", text=name(each.path)),
            *(_count(each.findings, severity) for severity in Severity),
        )
        for number, each in enumerate(results)
    )
    return table("Files", ("file", "errors", "warnings", "info"), rows)


def _file(number: int, result: FileResult, rules: Mapping[str, int], before: int) -> Markup:
    """Return the section of a file, on a page that has some findings `before` it.

    The first findings of a page have their lines, later ones are in short, and the last are only
    counted.
    """
    source = result.text or ""
    lines = LineIndex(source)
    framed, listed = (max(0, most - before) for most in (_MOST_FRAMES, _MOST_LISTED))
    long, short = result.findings[:framed], result.findings[framed:]
    return part(
        "file",
        number=number,
        path=name(result.path),
        sums=_sums(result.findings) or counted(len(result.changes or ()), "change"),
        changes=_changes(result),
        findings=joined(_finding(each, source, lines, rules[each.rule]) for each in long),
        more=_more(short, listed - framed, rules) if short else None,
    )


def _finding(finding: Finding, source: str, lines: LineIndex, rule: int) -> Markup:
    """Return a finding, the lines that it is about, and what fixes it."""
    fixes = (
        part(
            "fix",
            message=None if each.message == finding.help else sentence(each.message),
            safety="fix" if each.safety == "safe" else "unsafe fix",
            change=change(each.edits, source, lines),
        )
        for each in finding.fixes[:_MOST_FIXES]
    )
    profile = f"required by the profile {finding.profile}" if finding.profile else None
    notes = filter(None, (*elsewhere(finding), profile, finding.clause))
    return part(
        "finding",
        **_about(finding, rule),
        pointer=truncate(finding.pointer, _LONGEST_POINTER),
        frame=frame(finding, source, lines),
        help=finding.help and sentence(finding.help),
        fixes=joined(fixes) or None,
        note=Markup("<br>").join(map(sentence, notes)) or None,
    )


def _more(findings: Sequence[Finding], most: int, rules: Mapping[str, int]) -> Markup:
    items = [part("short", **_about(each, rules[each.rule])) for each in findings[:most]]
    if len(findings) > most:
        items.append(part("unlisted", number=f"{len(findings) - most:,}"))
    return part("more", number=f"{len(findings):,}", items=joined(items))


def _about(finding: Finding, rule: int) -> dict[str, object]:
    return {
        "severity": finding.severity.value,
        "message": sentence(finding.message),
        "rule": rule,
        "name": name(finding.rule),
        "line": finding.location.line,
        "column": finding.location.column,
    }


def _changes(result: FileResult) -> Markup | None:
    if not result.changes:
        return None
    count = len(result.changes)
    caption = "Changes"
    if count > _MOST_CHANGES:
        caption += f": the first {_MOST_CHANGES:,} of {count:,}"
    rows = (
        (
            each.field or "the manifest",
            each.kind,
            "" if each.old is ABSENT else sentence(named(each.old)),
            "" if each.new is ABSENT else sentence(named(each.new)),
        )
        for each in result.changes[:_MOST_CHANGES]
    )
    return table(caption, ("member", "change", "old", "new"), rows)
