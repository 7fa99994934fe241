"""The JSON form, version 1: rule ids and members stay, there are only additions.

Its own schema is `lint-report.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from manifestkit.model.finding import Finding
from manifestkit.model.location import Location
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, json_text

_VERSION = 1


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the whole document, in ASCII; each finding on a line of its own."""
    errors = [{"path": _path(each.path), "message": each.reason} for each in report.errors]
    yield f'{{\n"version": {_VERSION},\n'
    yield from _listed("findings", map(finding_object, report.findings))
    if report.is_comparison:
        changes = (
            {"path": _path(result.path), **change.contents(), **change.pointers()}
            for result in report.results
            for change in result.changes or ()
        )
        yield from _listed("changes", changes)
    yield f'"errors": {json_text(errors)},\n'
    yield f'"summary": {json_text(report.summary._asdict())}\n}}\n'


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return a finding as the form has it."""
    return {
        "path": _path(finding.path),
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "pointer": finding.pointer,
        "property": finding.property,
        **_place(finding.location),
        "related": [
            {
                "message": each.message,
                "pointer": each.pointer,
                **_place(each.location),
                **({"path": _path(each.path)} if each.path is not None else {}),
            }
            for each in finding.related
        ],
        "fixes": [
            {
                "message": each.message,
                "safety": each.safety,
                "edits": [edit._asdict() for edit in each.edits],
                "patch": list(map(dict, each.patch)),
            }
            for each in finding.fixes
        ],
        "suggestion": finding.suggestion,
        "help": finding.help,
        "clause": finding.clause,
        "profile": finding.profile,
        "url": finding.url,
        "covers": list(finding.covers),
    }


def _path(name: str) -> str:
    """Return the name of a file, with an escape for each byte that is no character."""
    return name.encode(errors="backslashreplace").decode()


def _listed(name: str, objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a member that is a list, each of its objects on a line of its own."""
    yield f'"{name}": ['
    for index, each in enumerate(objects):
        yield f"{',' if index else ''}\n{json_text(each)}"
    yield "\n],\n"


def _place(location: Location) -> dict[str, int]:
    _, line, column, end_line, end_column = location
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
