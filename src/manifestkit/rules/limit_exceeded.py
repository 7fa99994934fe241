"""`limit-exceeded` where a manifest could be read, but not all be said of it."""

from __future__ import annotations

from collections.abc import Iterable

from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import Limits
from manifestkit.rules.rule import Manifest

RULE = "limit-exceeded"


_LONGEST_POINTER = 1_000


def within(limits: Limits, findings: Iterable[Finding]) -> tuple[list[Finding], bool]:
    """The findings that are told of a file, and whether there are more.

    What is said in place of the first finding that is one too many is the last to be told, unless
    another limit is said to be passed there.
    """
    reported: list[Finding] = []
    size = 0
    for each in findings:
        size += each.size()
        if len(reported) < limits.findings and size <= limits.text:
            reported.append(each)
            continue
        is_limit = each.rule == RULE and each.size() <= limits.text
        reported.append(each if is_limit else _too_much(each, limits, size))
        return reported, True
    return reported, False


def _too_much(beyond: Finding, limits: Limits, size: int) -> Finding:
    if size <= limits.text:
        return too_many(beyond, limits.findings)
    return too_many(beyond, limits.findings)._replace(message=_beyond_text(limits))


def _beyond_text(limits: Limits) -> str:
    return f"stopped after {limits.text:,} characters of findings"


def limit_passed(findings: Iterable[Finding], limits: Limits) -> str:
    """The name of the limit for which not all findings of a file are told."""
    said = {each.message for each in findings if each.rule == RULE}
    return "text" if _beyond_text(limits) in said else "findings"


def too_many(beyond: Finding, most: int) -> Finding:
    """What is said in place of the first finding that is one too many."""
    return Finding(
        path=beyond.path,
        rule=RULE,
        severity=Severity.ERROR,
        message=f"stopped after {most:,} findings",
        pointer=_around(beyond.pointer),
        location=beyond.location,
        help="fix the first findings; the others may have the same cause",
    )


def _around(pointer: str) -> str:
    """A pointer, or that of the innermost value around it which can be told in short."""
    if len(pointer) <= _LONGEST_POINTER:
        return pointer
    return pointer[: pointer.rfind("/", 0, _LONGEST_POINTER + 1)]


def too_deep(manifest: Manifest, schema: str) -> Finding:
    """What is said of a manifest that a schema cannot be followed into."""
    return Finding(
        path=manifest.document.name,
        rule=RULE,
        severity=Severity.ERROR,
        message=f"nested too deeply to be checked against {schema}",
        pointer="",
        location=manifest.document.locate(()),
        help="reduce the nesting, or use the default limit on depth",
    )
