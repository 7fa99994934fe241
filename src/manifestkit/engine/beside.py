"""Findings about what stands beside manifests: settings and archives."""

from __future__ import annotations

from collections.abc import Iterable

from manifestkit.config.policy import Policy
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import Location
from manifestkit.model.report import FileResult
from manifestkit.rules.catalogue import catalogue, rule_page


def finding_of(
    rule_id: str,
    policy: Policy,
    file: str,
    message: str,
    pointer: str = "",
    location: Location | None = None,
    help_text: str | None = None,
    severity: Severity | None = None,
) -> Finding | None:
    """Return a finding of a rule; None where a policy does not count it.

    Args:
        rule_id: the rule.
        policy: tells the severity.
        file: the file that it is about.
        message: what is wrong.
        pointer: the place in the file.
        location: the characters there; None for the file as a whole.
        help_text: what to do; None for what the rule says.
        severity: the severity, if it is another than the rule's; an error that is given so holds
            whatever is configured.
    """
    rule = catalogue()[rule_id]
    violation = rule.violation(())
    if severity:
        violation = violation._replace(severity=severity, is_locked=severity is Severity.ERROR)
    counted = policy.severity_of(violation)
    if counted is None:
        return None
    return Finding(
        file,
        rule_id,
        counted,
        message,
        pointer,
        location or Location(),
        help=help_text or rule.help,
        clause=rule.clause,
        url=rule_page(rule.id),
    ).in_plain_lines()


def result_beside(
    name: str, findings: Iterable[Finding], text: str | None, policy: Policy
) -> FileResult:
    """Return the result of a file that is no manifest."""
    found = tuple(findings)
    fails = any(each.severity.rank <= policy.fail_on.rank for each in found)
    return FileResult(name, found, text, is_manifest=False, fails=fails)
