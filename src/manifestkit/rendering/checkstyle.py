"""Checkstyle's XML report, which Jenkins and many others read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manifestkit.engine import Report
from manifestkit.rendering.escape import DECLARATION, Style, element
from manifestkit.rendering.places import in_one_line, rule_of, untold, why_no_result

# The version of Checkstyle whose report this is: readers look for it, and it is no version of ours.
_VERSION = "4.3"


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document: an element for each file with findings or that cannot be read."""
    yield DECLARATION
    yield f'<checkstyle version="{_VERSION}">\n'
    for problem in untold(report):
        yield _file(problem.path, [_error("error", rule_of(problem), why_no_result(problem))])
    for result in report.results:
        if result.findings:
            yield _file(
                result.path,
                (
                    _error(each.severity.value, each.rule, in_one_line(each), *each.location[1:3])
                    for each in result.findings
                ),
            )
    yield "</checkstyle>\n"


def _file(path: str, errors: Iterable[str]) -> str:
    return element("file", {"name": path}, "\n", *errors) + "\n"


def _error(severity: str, rule: str, message: str, line: int = 1, column: int = 1) -> str:
    attributes = {
        "line": line,
        "column": column,
        "severity": severity,
        "message": message,
        "source": f"manifestkit.{rule}",
    }
    return element("error", attributes) + "\n"
