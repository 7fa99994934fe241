"""The JSON form, version 1: rule ids and members stay, there are only additions.

Its own schema is `lint-report.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from manifestkit.model.finding import Finding, Fix, Related
from manifestkit.model.location import Location
from manifestkit.model.report import FileResult, Report
from manifestkit.rendering.escape import Style, json_text

_VERSION = 1


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document, in ASCII; each finding on a line of its own."""
    errors = [{"path": each.path, "message": each.reason} for each in report.errors]
    yield f'{{\n"version": {_VERSION},\n'
    yield from _listed("findings", map(finding_object, report.findings))
    if report.is_comparison:
        changes = chain.from_iterable(map(_changes, report.results))
        yield from _listed("changes", changes)
    yield f'"errors": {json_text(errors)},\n'
    yield f'"summary": {json_text(report.summary._asdict())}\n}}\n'


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as the form has it."""
    return {
        "path": finding.path,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "pointer": finding.pointer,
        "property": finding.property,
        **_place(finding.location),
        "related": list(map(_related, finding.related)),
        "fixes": list(map(_fix, finding.fixes)),
        "suggestion": finding.suggestion,
        "help": finding.help,
        "clause": finding.clause,
        "profile": finding.profile,
        "url": finding.url,
        "covers": list(finding.covers),
    }


def _listed(name: str, objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a member that is a list, each of its objects on a line of its own."""
    yield f'"{name}": ['
    for index, each in enumerate(objects):
        yield f"{',' if index else ''}\n{json_text(each)}"
    yield "\n],\n"


def _changes(result: FileResult) -> Iterator[dict[str, Any]]:
    for change in result.changes or ():
        yield {"path": result.path, **change.contents(), **change.pointers()}


def _related(related: Related) -> dict[str, Any]:
    return {
        "message": related.message,
        "pointer": related.pointer,
        **_place(related.location),
        **({"path": related.path} if related.path is not None else {}),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "message": fix.message,
        "safety": fix.safety,
        "edits": [{"start": edit.start, "end": edit.end, "text": edit.text} for edit in fix.edits],
        "patch": [dict(operation) for operation in fix.patch],
    }


def _place(location: Location) -> dict[str, int]:
    _, line, column, end_line, end_column = location
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
