"""Every rule there is.

A rule is a file in `schemas/rules/`, or in `schemas/changes/` when it is about what changed: its
words, its examples and, where JSON Schema can say it, what it requires. The few that need Python
are listed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from manifestkit.findings.messages import KEYWORDS, listed, named
from manifestkit.model.finding import Severity
from manifestkit.rules.checks import (
    control_character,
    cross_file,
    deprecated_value,
    duplicate_activity_id,
    empty_text,
    float_integer,
    ignored_member,
    lone_surrogate,
    missing_file,
    misspelt_field,
    not_a_manifest,
    version_mismatch,
    yaml_ambiguous_scalar,
)
from manifestkit.rules.rule import Check, Describe, Example, Rule
from manifestkit.schema.fields import ANNOTATION
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import packaged_rules

SITE = "https://manifestkit.github.io/manifestkit/"
"""The address of the documentation."""

_CLAUSE = r"manifest format, section (\d+)(?:, (?!the\b)(?:allowed values of )?(\w+))?"
_CHECKS: dict[str, tuple[Check | None, Describe, str]] = {
    "control-character": (control_character.check, control_character.describe, "unseen"),
    "deprecated-value": (deprecated_value.check, deprecated_value.describe, "deprecated"),
    "duplicate-activity-id": (duplicate_activity_id.check, duplicate_activity_id.describe, "equal"),
    "empty-text": (empty_text.check, empty_text.describe, "blank"),
    "float-integer": (float_integer.check, float_integer.describe, "fractions"),
    "ignored-member": (ignored_member.check, ignored_member.describe, "unknown"),
    "lone-surrogate": (lone_surrogate.check, lone_surrogate.describe, "unseen"),
    "misspelt-field": (misspelt_field.check, misspelt_field.describe, "unknown"),
    "missing-file": (missing_file.check, missing_file.describe, "files"),
    "version-mismatch": (version_mismatch.check, version_mismatch.describe, "project"),
    "yaml-ambiguous-scalar": (
        yaml_ambiguous_scalar.check,
        yaml_ambiguous_scalar.describe,
        "ambiguous",
    ),
    "not-a-manifest": (None, not_a_manifest.describe, ""),
}
_TEXT_MEMBERS = frozenset(
    {"$schema", "$id", "$comment", "title", "description", "given", ANNOTATION}
)
_HOLE = r"\{[A-Za-z_]\w*(?:!s)?\}"
_KEYWORD_PREFIX = "schema-"
_KEYWORD_RULE = "schema-keyword"


@cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule about a manifest by its id, in alphabetical order."""
    rules = (_rule(schema) for schema in packaged_rules())
    return MappingProxyType({rule.id: rule for rule in sorted(rules, key=lambda rule: rule.id)})


@cache
def change_rules() -> Mapping[str, Rule]:
    """Every rule about what changed between two manifests, likewise."""
    rules = (_rule(schema) for schema in packaged_rules("changes"))
    return MappingProxyType({rule.id: rule for rule in sorted(rules, key=lambda rule: rule.id)})


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule about a manifest, then those about changes."""
    return MappingProxyType({**catalogue(), **change_rules()})


def find_rule(rule_id: str) -> Rule | None:
    """Return the rule of an id; every ``schema-<keyword>`` is the one rule about such keywords."""
    rule = catalogue().get(rule_id) or change_rules().get(rule_id)
    if rule is None and rule_id.startswith(_KEYWORD_PREFIX):
        return catalogue()[_KEYWORD_RULE]
    return rule


@cache
def rule_page(rule_id: str) -> str | None:
    """Return the page about a rule; None for one that is not ours."""
    if rule_id in change_rules():
        return f"{SITE}rules/changes/#{rule_id}"
    rule = find_rule(rule_id) if rule_id in rule_ids() else None
    return f"{SITE}rules/{rule.id}/" if rule else None


def clause_place(clause: str) -> tuple[str, str | None] | None:
    """Return the section of the manifest document that a clause is of, and the part named.

    None for a clause that is not of the manifest document.
    """
    found = re.match(_CLAUSE, clause)
    return (found[1], found[2]) if found else None


def clause_page(clause: str) -> str | None:
    """Return the page about a clause; None for one that is not of the manifest document."""
    place = clause_place(clause)
    if place is None:
        return None
    section, name = place
    return f"{SITE}format/#{name or f'section-{section}'}"


def setting_names(rule_id: str) -> tuple[str, ...]:
    """Return the names of a rule in settings: its id, and that of the rule for such keywords."""
    rule = find_rule(rule_id)
    return tuple(dict.fromkeys((rule_id, rule.id if rule else rule_id)))


def declared_rules(schema: Schema) -> Mapping[str, Rule]:
    """Return the rules that a profile or a schema declares, by what its annotations say."""
    return {
        rule_id: _declared(rule_id, each, schema.name)
        for rule_id, each in schema.declared_rules().items()
        if rule_id not in rule_ids()
    }


def _declared(rule_id: str, schema: Mapping[str, Any], file: str) -> Rule:
    notes = schema[ANNOTATION]
    severity = notes.get("severity", Severity.ERROR.value)
    message = without_placeholders(notes.get("message", ""))
    return Rule(
        id=rule_id,
        severity=None if severity == "off" else Severity(severity),
        title=schema.get("title") or message or f"A requirement of {file}",
        description=schema.get("description") or message or "\n".join(listed_needs(notes)),
        clause=notes.get("clause", ""),
        help=without_placeholders(notes.get("help", "")),
        bad=_example({"manifest": "", **notes.get("bad", {})}),
        good=_example({"manifest": "", **notes.get("good", {})}),
    )


def without_placeholders(text: str) -> str:
    """Return a text of an annotation for no value in particular."""
    return re.sub(_HOLE, "…", text)


def listed_needs(notes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each item in the table of needs of an annotation."""
    for pointer, needs in notes.get("needs", {}).items():
        for item, needed in needs.items():
            others = listed([named(each) for each in needed], "and")
            yield f"- {named(item)} needs {others} in {named(pointer)}"


@cache
def rule_ids() -> frozenset[str]:
    """Every id that a rule of ours can be told under: its own, or one for a broken keyword."""
    keywords = (f"{_KEYWORD_PREFIX}{each}" for each in (*KEYWORDS, "needs"))
    return frozenset({*all_rules(), *keywords})


def _rule(schema: Schema) -> Rule:
    notes = schema.contents[ANNOTATION]
    compared = tuple(schema.contents.get("given", ()))
    check, describe, needs = _CHECKS.get(notes["rule"], (None, None, None))
    if compared:
        check, describe, needs = cross_file.check, cross_file.describe, "elsewhere"
    return Rule(
        id=notes["rule"],
        severity=None if notes["severity"] == "off" else Severity(notes["severity"]),
        title=schema.contents["title"],
        description=schema.contents["description"],
        clause=notes["clause"],
        help=notes["help"],
        bad=_example(notes["bad"]),
        good=_example(notes["good"]),
        schema=schema if schema.contents.keys() - _TEXT_MEMBERS else None,
        check=check,
        describe=describe,
        needs=needs,
        compared=compared,
    )


def _example(given: Mapping[str, Any]) -> Example:
    return Example(
        given["manifest"],
        given.get("profile"),
        tuple(given.get("suppress", ())),
        given.get("syntax", "json"),
        given.get("old"),
        given.get("other"),
    )
