"""The JSON form, version 1: rule ids and members stay, there are only additions.

Its own schema is `lint-report.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from manifestkit.engine import Report
from manifestkit.finding import Finding, Fix, Related
from manifestkit.location import Location
from manifestkit.render.style import Style

_VERSION = 1


def render(report: Report, _: Style) -> Iterator[str]:
    """The whole document, in ASCII and on lines of its own."""
    document = {
        "version": _VERSION,
        "findings": [_finding(finding) for finding in report.findings],
        "errors": [{"path": each.path, "message": each.reason} for each in report.unreadable],
        "summary": asdict(report.summary),
    }
    # By default all but printable ASCII is escaped, so no control or bidi character is raw.
    yield json.dumps(document, indent=2) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
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
