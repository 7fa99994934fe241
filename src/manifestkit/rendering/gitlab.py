"""A GitLab code quality report: a subset of Code Climate's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from manifestkit.engine import Report
from manifestkit.model.finding import Severity
from manifestkit.rendering.escape import Style, json_text, visible
from manifestkit.rendering.places import (
    digest,
    fingerprint,
    from_root,
    in_one_line,
    rule_of,
    untold,
)

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document."""
    issues = [
        _issue(
            rule_of(problem),
            visible(problem.reason),
            digest(problem.path),
            "critical",
            problem.path,
            {"begin": 1},
        )
        for problem in untold(report)
    ]
    seen: Counter[tuple[str, str]] = Counter()
    for finding in report.each_finding():
        key = (finding.path, fingerprint(finding))
        unique = digest(*key, *([str(seen[key])] if seen[key] else []))
        seen[key] += 1
        place = finding.location
        issues.append(
            _issue(
                visible(finding.rule),
                visible(in_one_line(finding)),
                unique,
                _SEVERITIES[finding.severity],
                finding.path,
                {"begin": place.line, "end": place.end_line},
            )
        )
    yield json_text(issues, indent=2) + "\n"


def _issue(
    rule: str, message: str, unique: str, severity: str, path: str, lines: dict[str, int]
) -> dict[str, Any]:
    return {
        "description": f"{rule}: {message}",  # GitLab does not show check_name
        "check_name": rule,
        "fingerprint": unique,
        "severity": severity,
        "location": {"path": visible(from_root(path)), "lines": lines},
    }
