"""The JSON form, version 1: rule ids and members stay, there are only additions.

Its own schema is `lint-report.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.engine import Report
from manifestkit.model.finding import Finding, Fix, Related
from manifestkit.model.location import Location
from manifestkit.render.escape import Style, json_text

_VERSION = 1


def render(report: Report, _: Style) -> Iterator[str]:
    """The whole document, in ASCII; each finding on a line of its own."""
    errors = [{"path": each.path, "message": each.reason} for each in report.errors]
    yield f'{{\n"version": {_VERSION},\n"findings": ['
    for index, finding in enumerate(report.findings):
        yield f"{',' if index else ''}\n{json_text(finding_object(finding))}"
    yield f'\n],\n"errors": {json_text(errors)},\n'
    yield f'"summary": {json_text(report.summary._asdict())}\n}}\n'


def finding_object(finding: Finding) -> dict[str, Any]:
    """A finding as the form has it."""
    return {
        "path": finding.path,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "pointer": finding.pointer,
        "property": finding.property,
        **_place(finding.location),
        "related": [_related(each) for each in finding.related],
        "fixes": [_fix(each) for each in finding.fixes],
        "suggestion": finding.suggestion,
        "help": finding.help,
        "clause": finding.clause,
        "profile": finding.profile,
        "url": finding.url,
    }


def _related(related: Related) -> dict[str, Any]:
    return {
        "message": related.message,
        "pointer": related.pointer,
        **_place(related.location),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "message": fix.message,
        "safety": fix.safety,
        "edits": [{"start": edit.start, "end": edit.end, "text": edit.text} for edit in fix.edits],
        "patch": [dict(operation) for operation in fix.patch],
    }


def _place(location: Location) -> dict[str, int]:
    return {
        "line": location.line,
        "column": location.column,
        "end_line": location.end_line,
        "end_column": location.end_column,
    }
