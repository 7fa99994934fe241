"""SARIF 2.1.0 (OASIS): the part of it that code scanning on GitHub and Azure reads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

from manifestkit.engine import FileResult, Report, Suppressed
from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.report import BY_COMMENT
from manifestkit.rendering.escape import Style, is_writable, json_text, shortened, visible
from manifestkit.rendering.explanation import as_markdown, as_text, explain_rule
from manifestkit.rendering.places import FileProblem, stable_fingerprint, uri, why_no_result
from manifestkit.rules.catalogue import catalogue, find_rule, rule_page
from manifestkit.rules.rule import Rule

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

# GitHub shows no more of a description.
_LONGEST = 1024
_PAGE = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def descriptors(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Every rule of the catalogue, then those of profiles that have findings."""
    described = dict(_of_catalogue())
    for finding in findings:
        rule_id = visible(finding.rule)
        if rule_id not in described:
            rule = find_rule(finding.rule)
            described[rule_id] = _of_rule(rule_id, rule) if rule else _of_finding(rule_id, finding)
    return list(described.values())


@cache
def _of_catalogue() -> dict[str, dict[str, Any]]:
    return {rule.id: _of_rule(rule.id, rule) for rule in catalogue().values()}


def _of_rule(rule_id: str, rule: Rule) -> dict[str, Any]:
    explanation = explain_rule(rule, rule_id)
    page = rule_page(rule_id)
    return {
        "id": rule_id,
        **({"helpUri": page} if page else {}),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": shortened(rule.description, _LONGEST)},
        "help": {
            "text": "".join(as_text(explanation, Style())),
            "markdown": "".join(as_markdown(explanation)),
        },
        "defaultConfiguration": {
            "enabled": rule.severity is not None,
            "level": LEVELS[rule.severity or Severity.WARNING],
        },
    }


def _of_finding(rule_id: str, finding: Finding) -> dict[str, Any]:
    demanded = f"required by the profile {visible(finding.profile or 'in use')}"
    page = {"helpUri": finding.url} if _PAGE.fullmatch(finding.url or "") else {}
    return {
        "id": rule_id,
        **page,
        "shortDescription": {"text": rule_id},
        "fullDescription": {"text": shortened(demanded, _LONGEST)},
        "help": {"text": visible(finding.help) if finding.help else demanded},
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
    }


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_HOME = "https://github.com/manifestkit/manifestkit"
_NO_MESSAGE = "(no message)"
_INDENT, _END = 8 * " ", "\n      "  # of a result, and of the end of their list


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document, each result by itself: there can be very many."""
    suppressed = [each.finding for result in report.results for each in result.suppressed]
    rules = descriptors([*report.findings, *suppressed])
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    driver = {
        "name": "manifestkit",
        "semanticVersion": version("manifestkit"),
        "informationUri": _HOME,
        "rules": rules,
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
    is_first = True
    for each in _results(report, numbers, has_suppressed=bool(suppressed)):
        text = json_text(each, indent=2).replace("\n", f"\n{_INDENT}")
        yield f"{'' if is_first else ','}\n{_INDENT}{text}"
        is_first = False
    yield f"{'' if is_first else _END}]{tail}\n"


def _results(
    report: Report, numbers: dict[str, int], *, has_suppressed: bool
) -> Iterator[dict[str, Any]]:
    for result in report.results:
        source = _Artifact(result, numbers)
        # The suppressions of all results of a run shall be given, or of none (3.27.23).
        for finding in result.findings:
            yield source.result(finding, [] if has_suppressed else None)
        for each in result.suppressed:
            yield source.result(each.finding, [_suppression(each)])


def _invocation(report: Report) -> dict[str, Any]:
    notifications = [_notification(problem) for problem in report.errors]
    contents = {"toolExecutionNotifications": notifications} if notifications else {}
    return {"executionSuccessful": not notifications, **contents}


def _notification(problem: FileProblem) -> dict[str, Any]:
    return {
        "level": "error",
        "message": _message(why_no_result(problem)),
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(problem.path)}}}],
    }


def _suppression(suppressed: Suppressed) -> dict[str, Any]:
    kind = "inSource" if suppressed.by == BY_COMMENT else "external"
    why = suppressed.reason or f"by the {suppressed.by}"
    return {"kind": kind, "status": "accepted", "justification": visible(why)}


class _Artifact:
    """A file, for the places of its findings."""

    def __init__(self, result: FileResult, numbers: dict[str, int]) -> None:
        self._artifact = {"uri": uri(result.path)}
        self._lines = LineIndex(result.text) if result.text is not None else None
        self._numbers = numbers

    def result(self, finding: Finding, suppressions: list[dict[str, Any]] | None) -> dict[str, Any]:
        fingerprint = stable_fingerprint(finding)
        rule = visible(finding.rule)
        contents: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": self._numbers[rule],
            "level": LEVELS[finding.severity],
            "message": _message(finding.message),
            "locations": [self._location(finding.location, finding.pointer)],
            # GitHub follows an alert by the first name only; the second says whose it is.
            "partialFingerprints": {
                "primaryLocationLineHash": f"{fingerprint}:1",
                "manifestkit/v1": fingerprint,
            },
        }
        related = [
            {
                **self._location(each.location, each.pointer, each.path),
                "message": _message(each.message),
            }
            for each in finding.related
        ]
        fixes = list(filter(None, map(self._fix, finding.fixes)))
        if related:
            contents["relatedLocations"] = related
        if fixes:
            contents["fixes"] = fixes
        if suppressions is not None:
            contents["suppressions"] = suppressions
        return contents

    def _location(self, place: Location, pointer: str, path: str | None = None) -> dict[str, Any]:
        artifact = self._artifact if path is None else {"uri": uri(path)}
        physical = {"artifactLocation": artifact, "region": _region(place)}
        # The whole document's pointer is the empty string, which is no name.
        logical = {"fullyQualifiedName": visible(pointer)}
        return {
            "physicalLocation": physical,
            **({"logicalLocations": [logical]} if pointer else {}),
        }

    def _fix(self, fix: Fix) -> dict[str, Any] | None:
        lines = self._lines
        if lines is None or not fix.edits or not all(is_writable(e.text) for e in fix.edits):
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
