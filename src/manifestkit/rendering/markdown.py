"""A comment for a pull request: what is wrong at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from manifestkit.findings.words import counted
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, code, prose
from manifestkit.rendering.places import sentences, verdict

_MARKS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "💡"}
_AT_MOST = 50
_ERRORS_AT_MOST = 20
# GitHub takes no comment of more than 65,536 characters; what follows the findings needs room too.
_ROOM = 40_000


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole comment."""
    # A bot finds its earlier comment by this line, to write it anew and not a second one.
    yield f"<!-- manifestkit{' diff' * report.is_comparison} -->\n"
    yield from _heading(report)
    yield from _errors(report)
    shown = _chosen(report.findings)
    for path, findings in groupby(shown, key=lambda finding: finding.path):
        yield f"\n#### {code(path)}\n\n"
        for finding in findings:
            yield _item(finding)
    left_out = report.rules.total() - len(shown)
    if left_out:
        command = "diff" if report.is_comparison else "lint"
        yield f"\n… and {left_out:,} more: `manifest {command}` shows them all.\n"


def _heading(report: Report) -> Iterator[str]:
    found = [severity for _, severity in report.rules] + [Severity.ERROR] * bool(report.errors)
    mark = _MARKS[min(found, key=lambda each: each.rank)] if found else "✅"
    what = "Changes of manifests" if report.is_comparison else "Manifests"
    yield f"### {mark} {what}: {verdict(report)}\n\n"
    counts = report.summary
    yield f"{counted(counts.files, 'file')} {'compared' if report.is_comparison else 'checked'}"
    if counts.suppressed:
        yield f", {counted(counts.suppressed, 'finding')} suppressed"
    if counts.skipped:
        yield f", {counted(counts.skipped, 'file')} skipped"
    yield ".\n"


def _errors(report: Report) -> Iterator[str]:
    if errors := report.untold:
        yield "\n#### Not checked\n\n"
    for problem in errors[:_ERRORS_AT_MOST]:
        reason = prose(problem.reason, longest=300)
        yield f"- {_MARKS[Severity.ERROR]} {code(problem.path)}: {reason}\n"
    left_out = len(errors) - _ERRORS_AT_MOST
    if left_out > 0:
        yield f"- … and {left_out:,} more\n"


def _chosen(findings: tuple[Finding, ...]) -> list[Finding]:
    """Return the most severe, as many as a comment can hold, in order of file and place."""
    room = _ROOM
    kept: set[int] = set()
    by_severity = sorted(range(len(findings)), key=lambda index: findings[index].severity.rank)
    for index in by_severity[:_AT_MOST]:
        room -= len(_item(findings[index])) + len(code(findings[index].path))
        if room < 0:
            break
        kept.add(index)
    return [finding for index, finding in enumerate(findings) if index in kept]


def _item(finding: Finding) -> str:
    place = f"{finding.location.line}:{finding.location.column}"
    rule = f"<sub>{code(finding.rule)}</sub>"
    message, *others = map(prose, sentences(finding))
    line = f"- {_MARKS[finding.severity]} **{place}** {message} {rule}"
    # A backslash at a line's end is a line break that no editor strips.
    advice = "".join(f"\\\n  → {each}" for each in others)
    return f"{line}{advice}\n"
