"""The rules as SARIF describes them, from their one declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from manifestkit.finding import Finding
from manifestkit.render.escape import visible
from manifestkit.render.explanation import as_markdown, as_text, explain_rule
from manifestkit.render.markdown_text import shortened
from manifestkit.render.style import Style
from manifestkit.rules.catalogue import catalogue, find_rule
from manifestkit.rules.rule import Rule
from manifestkit.severity import Severity

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
    return {
        "id": rule_id,
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
    demanded = f"demanded by the profile {visible(finding.profile or 'in use')}"
    page = {"helpUri": finding.url} if _PAGE.fullmatch(finding.url or "") else {}
    return {
        "id": rule_id,
        **page,
        "shortDescription": {"text": rule_id},
        "fullDescription": {"text": shortened(demanded, _LONGEST)},
        "help": {"text": visible(finding.help) if finding.help else demanded},
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
    }
