"""`manifest explain`: a rule, a member or a value, or the list of rules."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import click

from manifestkit.cli.console import show, style_for, write_document
from manifestkit.cli.inputs import pointers_here, schemas_here
from manifestkit.cli.options import OF, argument, manifest_command, option
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.findings.words import listed, named
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import format_pointer, parse_place
from manifestkit.rendering.escape import visible
from manifestkit.rendering.explanation import (
    Explanation,
    declared_rules,
    explain_field,
    explain_rule,
    explain_value,
)
from manifestkit.rendering.rules import RULE_FORMATS
from manifestkit.rules.catalogue import all_rules, find_rule, rule_ids
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import akin, suggestion

_MOST_SHOWN = 10


def _topics(_: object, incomplete: str) -> dict[str, str | None]:
    schemas = schemas_here()
    if incomplete.startswith("/"):
        return pointers_here()
    return {rule.id: rule.title for rule in all_rules().values()} | _listed(schemas)


@manifest_command(
    """
    manifest explain                         the rules, each with its default severity
    manifest explain unknown-permission      a rule
    manifest explain /provider/id            a member of the manifest
    manifest explain /activities/0/surfaces  a member of an activity
    manifest explain host.haptics            a permission or capability
    manifest explain calm-names --profile host.schema.json
    manifest explain --output-format markdown > rules.md
    """,
    """
    0   explained
    2   not found, or wrong usage
    """,
)
def command(
    *,
    topic: str | None = argument(words=_topics, required=False, metavar="[RULE|POINTER|VALUE]"),
    output_format: str = option(
        "Output format of the list of rules.", choices=list(RULE_FORMATS), default="text"
    ),
    schema: Path | None = option(
        "Explain members of this JSON Schema instead of the built-in one."
    ),
    of: str | None = OF,
    profile: tuple[Path, ...] = option("Include the rules of this profile. May be repeated."),
) -> None:
    """Explain a rule, a member or a value, or list the rules.

    Without an argument, the rules are listed with their default severity. Without --schema and
    --profile, the schema and profiles configured in this folder are used. Without --of, the first
    format that has the member is used.
    """
    style = style_for(sys.stdout)
    workspace = Workspace(Options(schema=schema, profiles=profile), uses_baseline=False)
    policy = workspace.policy("")
    if of is not None:
        policy = policy.of_format(policy.formats.with_id(of))
    schemas = [*(own for _, own in policy.schemas), *policy.profiles]
    rules = dict(all_rules())
    for each in (*schemas, *policy.change_profiles):
        rules |= declared_rules(each)
    if topic is None:
        text = "".join(RULE_FORMATS[output_format](rules.values(), style))
        if output_format == "text":
            show(text, color=style.color)
        else:
            write_document(text)
        return
    topic = _known_as(topic, {*rules, *rule_ids()}, _listed(schemas))
    if output_format != "text":
        raise click.UsageError(f"--output-format is for the list of rules: leave out `{topic}`")
    rule = rules.get(topic) or (find_rule(topic) if topic in rule_ids() else None)
    about = (_explanation(topic, each, policy.profiles) for each in schemas)
    explanation = explain_rule(rule, topic) if rule else next(filter(None, about), None)
    if explanation is None:
        raise click.UsageError(_unknown(topic, schemas, rules))
    show("".join(explanation.text(style)), color=style.color)


def _known_as(topic: str, rules: Collection[str], values: Collection[str]) -> str:
    """Return a topic as we name it: from a finding's heading, or a value by its last part."""
    shown = re.fullmatch(r"(?:error|warning|info)\[(.+)\]", topic)
    topic = shown[1] if shown else topic
    ends = [each for each in values if each.endswith(f".{topic}")]
    return ends[0] if len(ends) == 1 and topic not in rules else topic


def _explanation(topic: str, schema: Schema, profiles: Sequence[Schema]) -> Explanation | None:
    """Return the explanation of a topic by a schema; None if it does not know the topic."""
    is_pointer = not topic or topic.startswith("/")
    if not is_pointer and topic in _listed([schema]):
        return explain_value(schema, topic, profiles)
    tokens = _tokens(topic)
    if not is_pointer and (len(tokens) <= 1 or not schema.find(tokens[:1])):
        named = [path for path, _ in schema.fields if path[-1:] == (topic,)]
        places = [
            ["*" if isinstance(token, int) else token for token in path]
            for path in sorted(named, key=lambda path: (len(path), str(path)))
        ]
        if len(places) > 1:
            pointers = ", ".join(f"`{format_pointer(path)}`" for path in places[:_MOST_SHOWN])
            raise click.UsageError(f"several members are named `{topic}`: use one of {pointers}")
        tokens = tuple(places[0]) if places else tokens
    found = schema.find(_without_ids(tokens, schema)) if tokens or not topic else None
    return explain_field(schema, *found, profiles) if found else None


def _without_ids(tokens: Sequence[str], schema: Schema) -> list[str]:
    """Return tokens with ``*`` for each that can only be an item's id or text."""
    found: list[str] = []
    for token in tokens:
        is_id = not schema.find([*found, token]) and schema.find([*found, "*"])
        found.append("*" if is_id else token)
    return found


def _listed(schemas: Iterable[Schema]) -> dict[str, str | None]:
    fields = (field for each in schemas for _, field in each.lists)
    return {str(value): meaning for field in fields for value, meaning in field.values}


def _tokens(topic: str) -> tuple[str, ...]:
    """Return the steps of a pointer or path; none of a topic that is neither."""
    try:
        return tuple(map(str, parse_place(topic.replace("[*]", ".*"))))
    except PointerSyntaxError:
        if topic.startswith("/"):
            raise
        return ()


def _unknown(topic: str, schemas: Sequence[Schema], rules: Collection[str]) -> str:
    tokens = _tokens(topic)
    if topic.startswith("/") or (len(tokens) > 1 and schemas[0].find(tokens[:1])):
        near = schemas[0].nearest_pointer(tokens)
        hint = f"did you mean `{near}`?" if near else '`manifest explain ""` lists the members'
        return f"the schema does not describe `{format_pointer(tokens)}`; {hint}"
    names = {name for each in schemas for name in each.member_names}
    known = {*rules, *rule_ids(), *names, *_listed(schemas)}
    near = suggestion(topic, known)
    meant = [near] if near else akin(topic, _listed(schemas).items())
    hint = "`manifest explain` lists the rules"
    if topic.lower().endswith(SUFFIXES):
        hint = f"name a profile with `--profile {visible(topic)}`"
    if meant:
        hint = f"did you mean {listed(meant, say=named)}?"
    return f"`{topic}` is not a rule, member or listed value; {hint}"
