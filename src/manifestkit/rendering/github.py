"""Workflow commands that GitHub Actions shows as annotations, the most severe first.

GitHub shows ten errors, ten warnings and ten notices of a step; the log holds all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manifestkit.model.finding import Severity
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import from_root, sentences, untold

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_LINE = re.compile(r"[^\r\n]+")
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the lines of the format."""
    findings = (*untold(report), *report.findings)
    for finding in sorted(findings, key=lambda each: each.severity.rank):
        place = finding.location
        properties: dict[str, str | int] = {"file": from_root(finding.path)}
        properties |= {"line": place.line, "endLine": place.end_line}
        # Of a span over several lines GitHub takes no columns.
        if place.line == place.end_line:
            properties |= {"col": place.column, "endColumn": place.end_column}
        properties["title"] = finding.rule
        written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
        said = "\n".join(map(visible, sentences(finding)))
        yield f"::{_COMMANDS[finding.severity]} {written}::{said.translate(_DATA)}\n"


def _property(value: str) -> str:
    # A line end has an escape of its own here, which keeps the file's name whole.
    shown = _LINE.sub(lambda match: visible(match[0]), value)
    return shown.translate(_PROPERTY)
