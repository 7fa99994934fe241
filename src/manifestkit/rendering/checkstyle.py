"""Checkstyle's XML report, which Jenkins and many others read."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.engine import Report
from manifestkit.model.finding import Finding
from manifestkit.rendering.escape import DECLARATION, Style, element
from manifestkit.rendering.places import in_one_line, rule_of, untold, why_no_result

# The version of Checkstyle whose report this is: readers look for it, and it is no version of ours.
_VERSION = "4.3"


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document: an element for each file with findings or that cannot be read."""
    yield DECLARATION
    yield f'<checkstyle version="{_VERSION}">\n'
    for problem in untold(report):
        yield _file(problem.path, _error("error", rule_of(problem), why_no_result(problem)))
    for result in report.results:
        if result.findings:
            yield _file(result.path, *map(_of_finding, result.findings))
    yield "</checkstyle>\n"


def _file(path: str, *errors: str) -> str:
    return element("file", {"name": path}, "\n", *errors) + "\n"


def _of_finding(finding: Finding) -> str:
    place = finding.location
    message = in_one_line(finding)
    return _error(finding.severity.value, finding.rule, message, place.line, place.column)


def _error(severity: str, rule: str, message: str, line: int = 1, column: int = 1) -> str:
    attributes: dict[str, str | int] = {
        "line": line,
        "column": column,
        "severity": severity,
        "message": message,
        "source": f"manifestkit.{rule}",
    }
    return element("error", attributes) + "\n"
