"""The list of the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from urllib.parse import quote

from manifestkit.findings.words import listed
from manifestkit.rendering.escape import Style, json_text, prose, visible
from manifestkit.rules.catalogue import rule_page
from manifestkit.rules.rule import Rule

_HOLES = r"\b(?:CHANGE|ITEM|MEANING|NEEDED|NEW|OLD|PATH|VALUES?)\b"


def _rules_as_text(rules: Collection[Rule], style: Style) -> Iterator[str]:
    """Yield a line for each rule."""
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        severity = _severity(rule)
        painted = style.paint(severity, f"{severity:<7}")
        yield f"{rule.id:<{width}}  {painted}  {visible(rule.title)}\n"


def _rules_as_json(rules: Collection[Rule], _: Style) -> Iterator[str]:
    """Yield an array with an object for each rule."""
    listed = [
        {"rule": rule.id, "severity": _severity(rule)}
        | {name: getattr(rule, name) for name in ("title", "description", "clause", "help")}
        | {"url": rule_page(rule.id) or rule.url or None}
        for rule in rules
    ]
    yield json_text(listed, indent=2) + "\n"


def _rules_as_markdown(rules: Collection[Rule], _: Style) -> Iterator[str]:
    """Yield a table of our rules, after one of those that a host has declared."""
    own = [rule for rule in rules if rule_page(rule.id) is None]
    if own:
        yield "## Rules of the host\n\n"
        texts = " ".join(f"{rule.title} {rule.help}" for rule in own)
        if holes := dict.fromkeys(re.findall(_HOLES, texts)):
            of_each = "stands" if len(holes) == 1 else "stand"
            yield f"{listed([*holes], 'and')} {of_each} for what a manifest has.\n\n"
        yield from _table(own)
        yield "\n## Rules of manifestkit\n\n"
    yield from _table([rule for rule in rules if rule not in own])


def _table(rules: Collection[Rule]) -> Iterator[str]:
    """Yield a table with a row for each rule, linked to its page if it has one."""
    yield "| rule | severity | finds | what to do |\n| --- | --- | --- | --- |\n"
    for rule in rules:
        page = rule_page(rule.id) or rule.url
        address = quote(page, "!#$%&'*+,/:;=?@~")
        name = f"[`{rule.id}`]({address})" if page else f"`{rule.id}`"
        yield f"| {name} | {_severity(rule)} | {_cell(rule.title)} | {_cell(rule.help)} |\n"


def _cell(text: str) -> str:
    return prose(text, 10**9).replace("|", r"\|")  # a bar would end the cell, in code too


RULE_FORMATS: dict[str, Callable[[Collection[Rule], Style], Iterator[str]]] = {
    "text": _rules_as_text,
    "json": _rules_as_json,
    "markdown": _rules_as_markdown,
}
"""The forms of the list of rules by name."""


def _severity(rule: Rule) -> str:
    return rule.severity.value if rule.severity else "off"
