"""A GitLab code quality report: a subset of Code Climate's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.engine import Report
from manifestkit.model.finding import Finding, Severity
from manifestkit.rendering.escape import Style, json_text, visible
from manifestkit.rendering.places import (
    file_fingerprint,
    from_root,
    in_one_line,
    rule_of,
    unique_fingerprints,
    untold,
)

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document."""
    findings = report.findings
    issues = [
        {
            "description": f"{rule_of(problem)}: {visible(problem.reason)}",
            "check_name": rule_of(problem),
            "fingerprint": file_fingerprint(problem.path),
            "severity": "critical",
            "location": {"path": _path(problem.path), "lines": {"begin": 1}},
        }
        for problem in untold(report)
    ]
    issues.extend(map(_issue, findings, unique_fingerprints(findings)))
    yield json_text(issues, indent=2) + "\n"


def _issue(finding: Finding, fingerprint: str) -> dict[str, Any]:
    rule = visible(finding.rule)
    place = finding.location
    return {
        # GitLab does not show check_name.
        "description": f"{rule}: {visible(in_one_line(finding))}",
        "check_name": rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": _path(finding.path),
            "lines": {"begin": place.line, "end": place.end_line},
        },
    }


def _path(path: str) -> str:
    return visible(from_root(path))
