"""SARIF 2.1.0 (OASIS): the part of it that code scanning on GitHub and Azure reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from manifestkit.files import relative_name
from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.printable import truncate
from manifestkit.model.report import FileResult, Report, Suppressed
from manifestkit.rendering.escape import Style, json_text, visible
from manifestkit.rendering.explanation import explain_rule
from manifestkit.rendering.places import fingerprint, sentences
from manifestkit.rules.catalogue import find_rule, rule_page

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

# GitHub shows no more of a description.
_LONGEST = 1024
_PAGE = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def _descriptors(report: Report) -> list[dict[str, Any]]:
    """Return a description of each rule that has findings."""
    suppressed = (each.finding for result in report.results for each in result.suppressed)
    findings = {visible(each.rule): each for each in chain(report.findings, suppressed)}
    return [_descriptor(*each) for each in findings.items()]


def _descriptor(rule_id: str, finding: Finding) -> dict[str, Any]:
    rule = find_rule(finding.rule)
    if rule is None:  # a profile's own, of which there is no more than its findings say
        demanded = f"required by the profile {visible(finding.profile or 'in use')}"
        title, about, page, severity = rule_id, demanded, finding.url, finding.severity
        texts = {"text": visible(finding.help) if finding.help else demanded}
    else:
        explanation = explain_rule(rule, rule_id)
        title, about, page = rule.title, rule.description, rule_page(rule_id)
        severity = rule.severity or Severity.WARNING
        texts = {
            "text": "".join(explanation.text(Style())),
            "markdown": "".join(explanation.markdown()),
        }
    return {
        "id": rule_id,
        **({"helpUri": page} if _PAGE.fullmatch(page or "") else {}),
        "shortDescription": {"text": title},
        "fullDescription": {"text": truncate(about, _LONGEST)},
        "help": texts,
        "defaultConfiguration": {"level": _LEVELS[severity]},
    }


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_HOME = "https://github.com/manifestkit/manifestkit"
_NO_MESSAGE = "(no message)"


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document, each result on a line of its own: there can be very many."""
    driver = {
        "name": "manifestkit",
        "semanticVersion": version("manifestkit"),
        "informationUri": _HOME,
        "rules": _descriptors(report),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": [],
    }
    frame = json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)
    head, _empty, tail = frame.rpartition("[]")
    yield f"{head}["
    for number, result in enumerate(_results(report)):
        yield f"{',' if number else ''}\n{json_text(result)}"
    yield f"]{tail}\n"


def _results(report: Report) -> Iterator[dict[str, Any]]:
    # The suppressions of all results of a run shall be given, or of none (3.27.23).
    none: list[dict[str, Any]] | None = [] if report.summary.suppressed else None
    for result in report.results:
        source = _Artifact(result)
        for finding in result.findings:
            yield source.result(finding, none)
        for each in result.suppressed:
            yield source.result(each.finding, [_suppression(each)])


def _invocation(report: Report) -> dict[str, Any]:
    notifications = [
        {
            "level": "error",
            "message": _message(f"not checked: {problem.reason}"),
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(problem.path)}}}],
        }
        for problem in report.errors
    ]
    contents = {"toolExecutionNotifications": notifications} if notifications else {}
    return {"executionSuccessful": not notifications, **contents}


def _suppression(suppressed: Suppressed) -> dict[str, Any]:
    why = suppressed.reason or f"by the {suppressed.by}"
    return {"kind": "external", "status": "accepted", "justification": visible(why)}


class _Artifact:
    """A file, for the places of its findings."""

    def __init__(self, result: FileResult) -> None:
        self._artifact = {"uri": _uri(result.path)}
        self._lines = LineIndex(result.text) if result.text is not None else None

    def result(self, finding: Finding, suppressions: list[dict[str, Any]] | None) -> dict[str, Any]:
        own = fingerprint(finding)
        contents: dict[str, Any] = {
            "ruleId": visible(finding.rule),
            "level": _LEVELS[finding.severity],
            "message": _message("; ".join(sentences(finding))),
            "locations": [self._location(finding.location, finding.pointer)],
            # GitHub follows an alert by the first name only; the second says whose it is.
            "partialFingerprints": {
                "primaryLocationLineHash": f"{own}:1",
                "manifestkit/v1": own,
            },
        }
        if finding.related:
            contents["relatedLocations"] = [
                {
                    **self._location(each.location, each.pointer, each.path),
                    "message": _message(each.message),
                }
                for each in finding.related
            ]
        if fixes := list(filter(None, map(self._fix, finding.fixes))):
            contents["fixes"] = fixes
        if suppressions is not None:
            contents["suppressions"] = suppressions
        return contents

    def _location(self, place: Location, pointer: str, path: str | None = None) -> dict[str, Any]:
        artifact = self._artifact if path is None else {"uri": _uri(path)}
        physical = {"artifactLocation": artifact, "region": _region(place)}
        # The whole document's pointer is the empty string, which is no name.
        logical = [{"fullyQualifiedName": visible(pointer)}] if pointer else []
        return {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}

    def _fix(self, fix: Fix) -> dict[str, Any] | None:
        lines = self._lines
        if lines is None or not fix.edits or not all(_is_writable(e.text) for e in fix.edits):
            return None
        replacements = [
            {
                "deletedRegion": _region(lines.locate(Span(edit.start, edit.end))),
                **({"insertedContent": {"text": edit.text}} if edit.text else {}),
            }
            for edit in fix.edits
        ]
        change = {"artifactLocation": self._artifact, "replacements": replacements}
        return {"description": _message(fix.message), "artifactChanges": [change]}


def _is_writable(text: str) -> bool:
    """Return whether a UTF-8 file can hold the text: it cannot hold lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _uri(path: str) -> str:
    """Return a file as a URI reference (RFC 3986): relative and percent-encoded where it can be.

    It counts from the working folder, as it does for readers that know of no repository. Bytes of a
    name that are no UTF-8 are encoded as they are.
    """
    name = relative_name(Path(path)) if Path(path).is_absolute() else path
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte of a name
        raw = name.encode("utf-8", "surrogatepass")
    encoded = quote(raw, safe="/")
    if Path(name).is_absolute():
        return f"file://{'' if encoded.startswith('/') else '/'}{encoded}"
    # Some readers decode before they look for a scheme.
    has_colon = ":" in name.partition("/")[0]
    return f"./{encoded}" if has_colon or not encoded else encoded


def _message(text: str) -> dict[str, str]:
    # `[text](target)` is a link in a message (3.11.6); a manifest's text must not make one.
    return {"text": visible(text).replace("](", "] (") or _NO_MESSAGE}


def _region(place: Location) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
