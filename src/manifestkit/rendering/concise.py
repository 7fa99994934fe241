"""One line a finding: ``path:line:col: severity rule message; help``."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, opening, visible
from manifestkit.rendering.places import sentences


def render(report: Report, style: Style) -> Iterator[str]:
    """Yield the lines of the format."""
    for finding in report.findings:
        place = f"{opening(finding.path)}:{finding.location.line}:{finding.location.column}:"
        severity = style.paint(finding.severity.value, finding.severity.value)
        text = visible("; ".join(sentences(finding)))
        yield f"{place} {severity} {visible(finding.rule)} {text}\n"
