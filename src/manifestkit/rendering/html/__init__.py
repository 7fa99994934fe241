"""A report for people who would rather look: one HTML file that opens from disk and e-mail."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from manifestkit.engine import Report
from manifestkit.findings.messages import counted
from manifestkit.model.finding import Severity
from manifestkit.rendering.escape import Style
from manifestkit.rendering.html.findings import files, severity_counts, sums
from manifestkit.rendering.html.page import Count, name, page, sentence, table


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole page."""
    command = "manifest diff" if report.is_comparison else "manifest lint"
    yield from page(command, _verdict(report), _lead(report), _counts(report), _content(report))


def _verdict(report: Report) -> str:
    found = sums(report.findings)
    if report.errors:
        found = ", ".join(
            filter(None, (found, f"{counted(len(report.errors), 'file')} not checked"))
        )
    if found:
        return found
    if not report.is_comparison:
        return "No problems found"
    changed = any(each.changes for each in report.results)
    return "No changes to report" if changed else "Nothing changed"


def _lead(report: Report) -> str:
    done = "compared" if report.is_comparison else "checked"
    wrong = sum(
        any(each.severity is Severity.ERROR for each in result.findings)
        for result in report.results
        if result.is_manifest
    )
    said = f"{counted(report.summary.files, 'manifest')} {done}"
    return f"{said}, {wrong:,} with errors." if wrong else f"{said}."


def _counts(report: Report) -> list[Count]:
    counts = report.summary
    others = [
        Count(len(report.errors), "not checked", "error"),
        Count(counts.suppressed, "suppressed"),
        Count(counts.skipped, "skipped"),
    ]
    return [
        Count(counts.files, "manifest" if counts.files == 1 else "manifests"),
        *severity_counts(report.findings),
        *(each for each in others if each.number),
    ]


def _content(report: Report) -> Iterator[Markup]:
    if report.errors:
        rows = ((name(each.path), sentence(each.reason)) for each in report.errors)
        yield table("Not checked", ("file", "why"), rows)
    yield from files(report.results)
