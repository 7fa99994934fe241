"""The rules there are, as text, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from manifestkit.rendering.escape import Style, cell, visible
from manifestkit.rules.rule import Rule


def _text(rules: Iterable[Rule], style: Style) -> Iterator[str]:
    """Yield a line for each rule."""
    listed = list(rules)
    width = max(len(rule.id) for rule in listed)
    for rule in listed:
        severity = _severity(rule)
        painted = style.paint(severity, f"{severity:<7}")
        yield f"{rule.id:<{width}}  {painted}  {visible(rule.title)}\n"


def _json(rules: Iterable[Rule], _: Style) -> Iterator[str]:
    """Yield an array with an object for each rule."""
    listed = [
        {
            "rule": rule.id,
            "severity": _severity(rule),
            "title": rule.title,
            "description": rule.description,
            "clause": rule.clause,
            "help": rule.help,
        }
        for rule in rules
    ]
    yield json.dumps(listed, indent=2) + "\n"


def _markdown(rules: Iterable[Rule], _: Style) -> Iterator[str]:
    """Yield a table with a row for each rule, linked to its page."""
    yield "| rule | severity | finds |\n| --- | --- | --- |\n"
    for rule in rules:
        yield f"| [`{rule.id}`]({rule.id}.md) | {_severity(rule)} | {cell(rule.title)} |\n"


RULE_FORMATS: dict[str, Callable[[Iterable[Rule], Style], Iterator[str]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
"""The forms of the list by name."""


def _severity(rule: Rule) -> str:
    return rule.severity.value if rule.severity else "off"
