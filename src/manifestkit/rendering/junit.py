"""A JUnit report, for test views: a file is a test, and passes if it fails no run."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import sentences, untold

_COUNTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document; a suite for each file."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for each in untold(report):
        yield _suite(each.path, _element("error", type=each.rule, message=each.message))
    for result in report.results:
        yield _suite(result.path, _outcome(result))
    yield "</testsuites>\n"


def _outcome(result: FileResult) -> ET.Element | None:
    if result.skipped:
        return _element("skipped", message=f"it is {result.skipped}")
    if not result.findings:
        return None
    outcome = _element("system-out")
    if result.fails:
        worst = min(result.findings, key=lambda finding: finding.severity.rank)
        more = f", and {len(result.findings) - 1} more" if len(result.findings) > 1 else ""
        outcome = _element("failure", type=worst.rule, message=worst.message + more)
    lines = (
        f"{each.location.line}:{each.location.column}: {each.severity.value} {each.rule} "
        + "; ".join(sentences(each))
        for each in result.findings
    )
    outcome.text = "\n".join(map(visible, lines))
    return outcome


def _suite(path: str, outcome: ET.Element | None) -> str:
    # Space alone is no name to a reader that trims it.
    name = path if path.strip() else f"'{path}'"
    raised = "" if outcome is None else outcome.tag
    counts = {count: str(int(tag == raised)) for tag, count in _COUNTS.items()}
    suite = _element("testsuite", name=name, tests="1", time="0", **counts)
    case = _element("testcase", classname="manifestkit", name=name, time="0")
    suite.append(case)
    if outcome is not None:
        case.append(outcome)
    # In ASCII, no encoding on the way can break it.
    return ET.tostring(suite).decode("ascii") + "\n"


def _element(tag: str, /, **attributes: str) -> ET.Element:
    return ET.Element(tag, {key: visible(value) for key, value in attributes.items()})
