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
from manifestkit.model.finding import Edit, Finding, Severity
from manifestkit.model.location import LineIndex, Location, Span
from manifestkit.model.printable import truncate
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style, json_text, visible
from manifestkit.rendering.explanation import explain_rule
from manifestkit.rendering.places import fingerprint, sentences
from manifestkit.rules.catalogue import find_rule, rule_page

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

# GitHub shows no more of a description.
_LONGEST = 1024
_IN_ADDRESS = r"(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}|(?!))"
_PAGE = re.compile(rf"https?://{_IN_ADDRESS}++(?:#{_IN_ADDRESS}*+)?")


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
    return _present(
        id=rule_id,
        helpUri=page if _PAGE.fullmatch(page or "") else None,
        shortDescription={"text": title},
        fullDescription={"text": truncate(about, _LONGEST)},
        help=texts,
        defaultConfiguration={"level": _LEVELS[severity]},
    )


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_HOME = "https://github.com/manifestkit/manifestkit"
_NO_MESSAGE = "(no message)"


def render(report: Report, _: Style) -> Iterator[str]:
    """Yield the document, each result on a line of its own: there can be very many."""
    suppressed = (each.finding for result in report.results for each in result.suppressed)
    findings = {visible(each.rule): each for each in chain(report.findings, suppressed)}
    driver = {
        "name": "manifestkit",
        "semanticVersion": version("manifestkit"),
        "informationUri": _HOME,
        "rules": [_descriptor(*each) for each in findings.items()],
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
        lines = LineIndex(result.text) if result.text is not None else None
        for finding in result.findings:
            yield _result(finding, lines, none)
        for each in result.suppressed:
            why = visible(each.reason or f"by the {each.by}")
            reason = {"kind": "external", "status": "accepted", "justification": why}
            yield _result(each.finding, lines, [reason])


def _invocation(report: Report) -> dict[str, Any]:
    notifications = [
        {
            "level": "error",
            "message": _message(f"not checked: {problem.reason}"),
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(problem.path)}}}],
        }
        for problem in report.errors
    ]
    return _present(
        executionSuccessful=not notifications, toolExecutionNotifications=notifications or None
    )


def _result(
    finding: Finding, lines: LineIndex | None, suppressions: list[dict[str, Any]] | None
) -> dict[str, Any]:
    own = fingerprint(finding)
    related = [
        {
            **_location(each.path or finding.path, each.location, each.pointer),
            "message": _message(each.message),
        }
        for each in finding.related
    ]
    fixes = [
        {
            "description": _message(each.message),
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": _uri(finding.path)},
                    "replacements": [_replacement(edit, lines) for edit in each.edits],
                }
            ],
        }
        for each in finding.fixes
        if lines and each.edits and all(_is_writable(edit.text) for edit in each.edits)
    ]
    return _present(
        ruleId=visible(finding.rule),
        level=_LEVELS[finding.severity],
        message=_message("; ".join(sentences(finding))),
        locations=[_location(finding.path, finding.location, finding.pointer)],
        # GitHub follows an alert by the first name only; the second says whose it is.
        partialFingerprints={"primaryLocationLineHash": f"{own}:1", "manifestkit/v1": own},
        relatedLocations=related or None,
        fixes=fixes or None,
        suppressions=suppressions,
    )


def _present(**members: Any) -> dict[str, Any]:
    """Return an object without the members that are None."""
    return {name: value for name, value in members.items() if value is not None}


def _location(path: str, place: Location, pointer: str) -> dict[str, Any]:
    physical = {"artifactLocation": {"uri": _uri(path)}, "region": _region(place)}
    # The whole document's pointer is the empty string, which is no name.
    logical = [{"fullyQualifiedName": visible(pointer)}] if pointer else None
    return _present(physicalLocation=physical, logicalLocations=logical)


def _replacement(edit: Edit, lines: LineIndex) -> dict[str, Any]:
    inserted = {"text": edit.text} if edit.text else None
    region = _region(lines.locate(Span(edit.start, edit.end)))
    return _present(deletedRegion=region, insertedContent=inserted)


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
