"""Every rule there is.

A rule is a file in `schemas/rules/`, or in `schemas/changes/` when it is about what changed: its
words, its examples and, where JSON Schema can say it, what it requires. The few that need Python
have a module in `checks` of their name, and in the file the trait that leads to it.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from manifestkit.files import FOLDER, relative_name
from manifestkit.model.pointer import Path, format_pointer, parse_pointer
from manifestkit.rules.rule import LEVELS, Example, Rule
from manifestkit.schema.drafts import ANNOTATION, at_places, objects
from manifestkit.schema.model import Schema
from manifestkit.schema.sources import Sources

SITE = "https://manifestkit.github.io/manifestkit/"
"""The address of the documentation."""

_TEXTS = ("title", "description", ANNOTATION)
_SUFFIX = ".schema.json"
_KEYWORD_PREFIX = "schema-"
_KEYWORD_RULE = "schema-keyword"


@cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule about a manifest by its id, in alphabetical order."""
    return _rules_in("rules")


@cache
def change_rules() -> Mapping[str, Rule]:
    """Every rule about what changed between two manifests, likewise."""
    return _rules_in("changes")


@cache
def rules_about_changes(profiles: tuple[Schema, ...]) -> frozenset[str]:
    """Return the ids of those rules and of what profiles about changes declare."""
    declared = (rule for each in profiles for rule in named_rules(each))
    return frozenset({*change_rules(), *declared})


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


@cache
def setting_names(rule_id: str) -> tuple[str, ...]:
    """Return the names of a rule in settings: its id, and that of the rule for such keywords."""
    rule = find_rule(rule_id)
    return tuple(dict.fromkeys((rule_id, rule.id if rule else rule_id)))


def named_rules(schema: Schema) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the rules that a schema names, each with the objects that name or rate it.

    These are by their places, such as ``host.json#/properties/provider``, and have the `if` of the
    `then` that they are below.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    others = (each for each in schema.sources.files.items() if each[1] is not schema.contents)
    files = [(schema.name, schema.contents), *((relative_name(path), it) for path, it in others)]
    for name, contents in files:
        parts = dict(objects(contents))
        rules: dict[Path, Any] = {}  # of parts, or of what is around them
        for path, each in parts.items():
            notes = own if isinstance(own := each.get(ANNOTATION), dict) else {}
            around = rules.get(path[:-1]) or rules.get(path[:-2])
            rule = rules[path] = notes.get("rule") or around
            if isinstance(rule, str) and not notes.keys().isdisjoint(("rule", "severity")):
                place = f"{name}#{format_pointer(path)}".removesuffix("#")
                above = [parts[path[:at]] for at, key in enumerate(path) if key == "then"]
                known = {"if": above[-1]["if"]} if above and "if" in above[-1] else {}
                found.setdefault(rule, {})[place] = known | each
    return found


@cache
def rule_ids() -> frozenset[str]:
    """Every id that a rule of ours can be told under: its own, or one for a broken keyword."""
    from manifestkit.findings.messages import KEYWORDS  # noqa: PLC0415 - clean runs go without

    keywords = (f"{_KEYWORD_PREFIX}{each}" for each in (*KEYWORDS, "needs"))
    return frozenset({*all_rules(), *keywords})


def _rules_in(kind: str) -> Mapping[str, Rule]:
    folder = os.path.join(FOLDER, kind)  # noqa: PTH118 - pathlib is slower
    files = (name for name in os.listdir(folder) if name.endswith(_SUFFIX))  # noqa: PTH208
    ids = sorted(name.removesuffix(_SUFFIX) for name in files)
    return MappingProxyType({each: _rule_in(f"{folder}/{each}{_SUFFIX}") for each in ids})


def _rule_in(path: str) -> Rule:
    """Return the rule in a file: its texts, and what it requires."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - likewise
        contents = json.load(file)
    notes = contents[ANNOTATION]
    given, then = contents.get("given", ()), contents.get("then", {})
    places = (given,) if isinstance(given, str) else tuple(given)
    schema = None
    if places:
        texts = {name: contents[name] for name in _TEXTS}
        paths = (parse_pointer(place) for place in places)
        requirement = at_places(([0 if n == "*" else n for n in each] for each in paths), then)
        schema = Schema(path, Sources.local(texts | requirement))
    return Rule(
        id=notes["rule"],
        severity=LEVELS[notes["severity"]],
        title=contents["title"],
        description=contents["description"],
        clause=notes["clause"],
        help=notes["help"],
        bad=Example.of(notes["bad"]),
        good=Example.of(notes["good"]),
        schema=schema,
        trait=contents.get("trait"),
    )
