"""A JUnit report, for test views: a file is a test, and passes if it fails no run.

Holds both Jenkins' schema and the narrower one of Ant's task, which wants a time, a host and an
output of each suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain

from manifestkit.model.finding import Finding
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style, visible
from manifestkit.rendering.places import sentences, untold

_CLASS = "manifestkit"
_NO_TIME = "0"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"},
)


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document; a suite for each file."""
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    suites = [
        (each.path, _outcome("error", each.rule, each.message), "errors", "")
        for each in untold(report)
    ]
    yield f"{_DECLARATION}<testsuites>\n"
    for number, suite in enumerate(chain(suites, map(_judged, report.results))):
        yield _suite(number, started, *suite)
    yield "</testsuites>\n"


def _judged(result: FileResult) -> tuple[str, str, str, str]:
    """Return a file's path, the XML of its outcome, which count that raises, and advice."""
    if result.skipped:
        skipped = _element("skipped", {"message": f"it is {result.skipped}"})
        return result.path, skipped, "skipped", ""
    lines = "\n".join(map(_line, result.findings))
    if not result.fails:
        return result.path, "", "", lines
    worst = min(result.findings, key=lambda finding: finding.severity.rank)
    more = f", and {len(result.findings) - 1} more" if len(result.findings) > 1 else ""
    failure = _outcome("failure", worst.rule, worst.message + more, lines)
    return result.path, failure, "failures", ""


def _line(finding: Finding) -> str:
    place = f"{finding.location.line}:{finding.location.column}"
    said = "; ".join(sentences(finding))
    return _text(f"{place}: {finding.severity.value} {finding.rule} {said}")


def _outcome(name: str, kind: str, message: str, content: str = "") -> str:
    return _element(name, {"type": kind, "message": message}, content)


def _suite(number: int, started: str, path: str, outcome: str, raised: str, advice: str) -> str:
    # Space alone is no name to a reader that trims it.
    name = path if path.strip() else f"'{path}'"
    case = {"name": name, "classname": _CLASS, "time": _NO_TIME}
    attributes = {
        "id": number,
        "package": _CLASS,
        "name": name,
        "timestamp": started,
        "hostname": "localhost",
        "tests": 1,
        **{count: int(count == raised) for count in ("failures", "errors", "skipped")},
        "time": _NO_TIME,
    }
    content = (
        _element("properties"),
        _element("testcase", case, outcome),
        _element("system-out", None, advice),
        _element("system-err"),
    )
    return _element("testsuite", attributes, "\n", *(each + "\n" for each in content)) + "\n"


def _element(name: str, attributes: Mapping[str, object] | None = None, *content: str) -> str:
    """Return an element, of content that is XML already."""
    given = "".join(f' {key}="{_text(str(each))}"' for key, each in (attributes or {}).items())
    inner = "".join(content)
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def _text(given: str) -> str:
    """One line of text as XML in ASCII, so that no encoding on the way can break it."""
    return visible(given).translate(_MARKUP).encode("ascii", "xmlcharrefreplace").decode("ascii")
