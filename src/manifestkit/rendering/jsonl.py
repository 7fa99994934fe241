"""Each finding of the JSON form as one line.

Files that could not be read are no findings: those are told on standard error and by the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.engine import Report
from manifestkit.rendering.escape import Style, json_text
from manifestkit.rendering.json import finding_object


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the lines of the format."""
    for finding in report.findings:
        yield json_text(finding_object(finding)) + "\n"
