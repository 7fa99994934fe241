"""Reports and previews as one HTML file that opens from disk and e-mail, without a script.

A report says how many findings there are of each rule, then shows each in its file, the worst
first. A preview ends with the same of its one file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from manifestkit.findings.words import counted, named
from manifestkit.model.change import ABSENT
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import LineIndex
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style
from manifestkit.rendering.html.frames import change, frame
from manifestkit.rendering.html.template import page, part
from manifestkit.rendering.places import elsewhere, verdict
from manifestkit.rules.catalogue import find_rule, rule_page

if TYPE_CHECKING:
    from manifestkit.rendering.preview import Preview

_MOST_FILES = 2_000
_MOST_FRAMES = 4_000
_MOST_LISTED = 20_000
_MOST_CHANGES = 1_000
_MOST_FIXES = 3
_LONGEST_POINTER = 160
_WEB_ADDRESS = re.compile(r"https?://[!-~]+")
_NOUNS = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("info", "info"),
}


class _Count(NamedTuple):
    """A number at the head of a page."""

    number: int
    noun: str
    role: str = ""  # `error`, `warning` or `info`, for its colour


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the page of a report."""
    summary = report.summary
    others = [
        _Count(len(report.errors), "not checked", "error"),
        _Count(summary.suppressed, "suppressed"),
        _Count(summary.skipped, "skipped"),
    ]
    counts = [
        _Count(summary.files, "manifest" if summary.files == 1 else "manifests"),
        *_head_counts(report.findings),
        *(each for each in others if each.number),
    ]
    heading = verdict(report, [_sums(report.findings)] if report.findings else [])
    content = _files(report.results)
    if report.errors:
        rows = [part("unchecked", each) for each in report.errors]
        content.insert(0, _table("unchecked", "Not checked", ("file", "why"), rows))
    yield page(
        command="manifest diff" if report.is_comparison else "manifest lint",
        heading=heading.capitalize(),
        lead=_lead(report),
        counts=counts,
        content=content,
    )


def render_preview(preview: Preview) -> str:
    """Return the page of a preview."""
    counts = [_Count(each.size, each.title.lower()) for each in preview.groups]
    counts += [each for each in _head_counts(preview.result.findings) if each.number]
    content = []
    if preview.compared is not None:
        content.append(part("news", preview, role="due" if preview.consents else "same"))
    content += [
        part("group", each, nothing="" if each.size else "None.") for each in preview.groups
    ]
    content += [part("note", each) for each in preview.readings]
    if preview.details:
        content.append(part("details", preview))
    if preview.compared is not None and preview.compared.findings:
        content.append(part("changed", preview.compared))
    content += _files([preview.result])
    return page(
        command="manifest preview",
        heading=preview.subject.title,
        lead=part("lead", preview.subject),
        counts=counts,
        content=content,
    )


def _lead(report: Report) -> str:
    done = "compared" if report.is_comparison else "checked"
    wrong = sum(_counts(each.findings)[0] > 0 for each in report.results if each.is_manifest)
    said = f"{counted(report.summary.files, 'manifest')} {done}"
    return f"{said}, {wrong:,} with errors." if wrong else f"{said}."


def _counts(findings: Iterable[Finding]) -> list[int]:
    """Return the number of findings of each severity."""
    found = Counter(each.severity for each in findings)
    return [found[each] for each in Severity]


def _head_counts(findings: Iterable[Finding]) -> list[_Count]:
    return [
        _Count(number, _NOUNS[severity][number != 1], severity.value if number else "")
        for severity, number in zip(Severity, _counts(findings), strict=True)
    ]


def _sums(findings: Iterable[Finding]) -> str:
    return ", ".join(
        f"{each.number:,} {each.noun}" for each in _head_counts(findings) if each.number
    )


def _table(kind: str, caption: str, columns: Sequence[str], rows: Sequence[Markup]) -> Markup:
    return part("table", kind=kind, caption=caption, columns=columns, rows=rows)


def _files(results: Iterable[FileResult]) -> list[Markup]:
    """Return tables of rules and of files, then each finding with its lines, the worst first."""
    worst = [
        (result, _counts(result.findings))
        for result in results
        if result.findings or result.changes
    ]
    worst.sort(key=lambda each: ([-number for number in each[1]], each[0].path))
    shown, rest = worst[:_MOST_FILES], worst[_MOST_FILES:]
    found = [each for result, _ in worst for each in result.findings]
    counts = Counter(each.rule for each in found)
    first = {each.rule: each for each in reversed(found)}
    order = sorted(counts, key=lambda rule: (first[rule].severity.rank, -counts[rule], rule))
    numbers = {rule: number for number, rule in enumerate(order)}
    content = []
    if counts:
        most = max(counts.values())
        rows = [_rule(first[rule], numbers[rule], counts[rule], most) for rule in order]
        content.append(_table("rules", "Rules", ("rule", "severity", "findings", "share"), rows))
    if len(shown) > 1:
        rows = [
            part("file-row", result, number=number, counts=counts_of_file)
            for number, (result, counts_of_file) in enumerate(shown)
        ]
        content.append(_table("files", "Files", ("file", "errors", "warnings", "info"), rows))
    before = 0
    for number, (result, _) in enumerate(shown):
        content.append(_file(number, result, numbers, before))
        before += len(result.findings)
    if rest:
        heading = counted(len(rest), "more file")
        rows = [part("rest-file", result, sums=_sums(result.findings)) for result, _ in rest]
        content.append(part("rest", heading=heading, shown=len(shown), files=rows))
    return content


def _rule(finding: Finding, number: int, count: int, most: int) -> Markup:
    """Return the row of the rule of a finding."""
    known = find_rule(finding.rule)
    target = finding.url or rule_page(finding.rule) or ""
    return part(
        "rule",
        finding,
        number=number,
        page=part("link" if _WEB_ADDRESS.fullmatch(target) else "no-link", finding, target=target),
        title=known.title if known else "",
        count=count,
        percent=max(1, round(100 * count / most)),
    )


def _file(number: int, result: FileResult, rules: Mapping[str, int], before: int) -> Markup:
    """Return the section of a file, on a page that has some findings `before` it.

    The first findings of a page have their lines, later ones are in short, and the last are only
    counted.
    """
    source = result.text or ""
    lines = LineIndex(source)
    framed, listed = (max(0, most - before) for most in (_MOST_FRAMES, _MOST_LISTED))
    return part(
        "file",
        result,
        number=number,
        sums=_sums(result.findings) or counted(len(result.changes or ()), "change"),
        changes=_changes(result),
        framed=[_finding(each, source, lines, rules) for each in result.findings[:framed]],
        more=len(result.findings[framed:]),
        listed=[
            part("short", each, number=rules[each.rule]) for each in result.findings[framed:listed]
        ],
        unlisted=len(result.findings[listed:]),
    )


def _finding(finding: Finding, source: str, lines: LineIndex, rules: Mapping[str, int]) -> Markup:
    """Return a finding, the lines that it is about, and what fixes it."""
    fixes = [
        part(
            "fix",
            message=None if each.message == finding.help else each.message,
            label="fix" if each.safety == "safe" else "unsafe fix",
            change=change(each.edits, source, lines),
        )
        for each in finding.fixes[:_MOST_FIXES]
    ]
    profile = f"required by the profile {finding.profile}" if finding.profile else None
    return part(
        "finding",
        finding,
        number=rules[finding.rule],
        place=truncate(finding.pointer, _LONGEST_POINTER),
        frame=frame(finding, source, lines),
        fixes=fixes,
        notes=[*filter(None, (*elsewhere(finding), profile, finding.clause))],
    )


def _changes(result: FileResult) -> Markup | None:
    if not result.changes:
        return None
    count = len(result.changes)
    caption = "Changes"
    if count > _MOST_CHANGES:
        caption += f": the first {_MOST_CHANGES:,} of {count:,}"
    rows = [
        part(
            "change",
            each,
            member=each.field or "the manifest",
            old="" if each.old is ABSENT else named(each.old),
            new="" if each.new is ABSENT else named(each.new),
        )
        for each in result.changes[:_MOST_CHANGES]
    ]
    return _table("changes", caption, ("member", "change", "old", "new"), rows)
