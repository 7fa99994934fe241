"""A GitLab code quality report: a subset of Code Climate's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from manifestkit.model.finding import Identity, Severity
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, json_text, visible
from manifestkit.rendering.places import fingerprint, from_root, sentences, untold

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document."""
    issues = []
    seen: Counter[tuple[str, str]] = Counter()
    for finding in chain(untold(report), report.findings):
        path = from_root(finding.path)
        key = (path, fingerprint(finding))
        unique = Identity(finding.rule, *key, seen[key])
        rule = visible(finding.rule)
        place = finding.location
        issues.append(
            {
                # GitLab does not show check_name.
                "description": f"{rule}: {visible('; '.join(sentences(finding)))}",
                "check_name": rule,
                "fingerprint": unique.fingerprint,
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": visible(path),
                    "lines": {"begin": place.line, "end": place.end_line},
                },
            }
        )
        seen[key] += 1
    yield json_text(issues, indent=2) + "\n"
