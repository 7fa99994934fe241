"""Findings on a page: how many there are of each rule, and each in its file, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from manifestkit.findings.messages import counted, named
from manifestkit.model.change import ABSENT
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import LineIndex
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult
from manifestkit.rendering.html.frames import change, frame
from manifestkit.rendering.html.page import Count, bar, joined, link, name, part, sentence, table
from manifestkit.rules.catalogue import find_rule, rule_page

_MOST_FILES = 2_000
_MOST_FRAMES = 4_000
_MOST_LISTED = 20_000
_MOST_CHANGES = 1_000
_MOST_FIXES = 3
_LONGEST_POINTER = 160
_SEVERITIES = tuple(Severity)
_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}


def severity_counts(findings: Iterable[Finding]) -> list[Count]:
    """Return the number of findings of each severity, for the head of a page."""
    found = Counter(each.severity for each in findings)
    return [
        Count(found[each], _noun(found[each], each), each.value if found[each] else "")
        for each in _SEVERITIES
    ]


def _noun(number: int, severity: Severity) -> str:
    is_one = number == 1 or severity is Severity.INFO
    return _NOUNS[severity] if is_one else f"{_NOUNS[severity]}s"


def sums(findings: Iterable[Finding]) -> str:
    """Return the same numbers in one line."""
    found = Counter(each.severity for each in findings)
    shown = [f"{found[each]:,} {_noun(found[each], each)}" for each in _SEVERITIES if found[each]]
    return ", ".join(shown)


def files(results: Iterable[FileResult]) -> Iterator[Markup]:
    """Yield tables of rules and of files, then each finding with its lines."""
    worst = sorted(
        (each for each in results if each.findings or each.changes),
        key=lambda each: (
            [-_count(each.findings, severity) for severity in _SEVERITIES],
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
        items = (part("item", path=name(each.path), sums=sums(each.findings)) for each in rest)
        yield part(
            "section",
            heading=f"{counted(len(rest), 'more file')}",
            content=part("rest", shown=f"{len(shown):,}", items=joined(items)),
        )


def _count(findings: Iterable[Finding], severity: Severity) -> int:
    return sum(each.severity is severity for each in findings)


def _rules(first: Iterable[Finding], counts: Mapping[str, int]) -> Markup:
    """Return a row for each rule.

    Args:
        first: a finding of each rule.
        counts: how many there are.
    """
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
            *(_count(each.findings, severity) for severity in _SEVERITIES),
        )
        for number, each in enumerate(results)
    )
    return table("Files", ("file", "errors", "warnings", "info"), rows)


def _file(number: int, result: FileResult, rules: Mapping[str, int], before: int) -> Markup:
    """Return the section of a file.

    Args:
        number: its number on the page.
        result: what was found.
        rules: the number of each rule's row.
        before: how many findings the page has already; the first have their lines, later ones are
            in short, and the last are only counted.
    """
    source = result.text or ""
    lines = LineIndex(source)
    framed, listed = (max(0, most - before) for most in (_MOST_FRAMES, _MOST_LISTED))
    long, short = result.findings[:framed], result.findings[framed:]
    return part(
        "file",
        number=number,
        path=name(result.path),
        sums=sums(result.findings) or counted(len(result.changes or ()), "change"),
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
    return part(
        "finding",
        **_about(finding, rule),
        pointer=truncate(finding.pointer, _LONGEST_POINTER),
        frame=frame(finding, source, lines),
        help=finding.help and sentence(finding.help),
        fixes=joined(fixes) or None,
        note=Markup("<br>").join(map(sentence, _notes(finding))) or None,
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


def _notes(finding: Finding) -> Iterator[str]:
    for each in finding.related:
        if each.path is not None:
            place = f"{each.path}:{each.location.line}:{each.location.column}"
            yield f"{place} {each.message}"
    if finding.profile:
        yield f"required by the profile {finding.profile}"
    if finding.clause:
        yield finding.clause


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
