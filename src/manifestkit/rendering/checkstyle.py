"""Checkstyle's XML report, which Jenkins and many others read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manifestkit.engine import Report
from manifestkit.model.finding import Finding
from manifestkit.rendering.escape import DECLARATION, Style, element
from manifestkit.rendering.places import finding_about, in_one_line, untold

# The version of Checkstyle whose report this is: readers look for it, and it is no version of ours.
_VERSION = "4.3"


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document: an element for each file with findings or that cannot be read."""
    yield DECLARATION
    yield f'<checkstyle version="{_VERSION}">\n'
    for problem in untold(report):
        yield _file(problem.path, [finding_about(problem)])
    for result in report.results:
        if result.findings:
            yield _file(result.path, result.findings)
    yield "</checkstyle>\n"


def _file(path: str, findings: Iterable[Finding]) -> str:
    errors = (f"{element('error', _attributes(each))}\n" for each in findings)
    return element("file", {"name": path}, "\n", *errors) + "\n"


def _attributes(finding: Finding) -> dict[str, object]:
    return {
        "line": finding.location.line,
        "column": finding.location.column,
        "severity": finding.severity.value,
        "message": in_one_line(finding),
        "source": f"manifestkit.{finding.rule}",
    }
