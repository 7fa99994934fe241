"""The topics of `manifest explain`: a rule, a listed value, a member by place or name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from manifestkit.config.policy import Policy
from manifestkit.findings.words import listed, named
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.pointer import format_pointer, parse_place, parse_pointer
from manifestkit.rendering.escape import visible
from manifestkit.rendering.explanation import (
    Explanation,
    explain_field,
    explain_rule,
    explain_value,
)
from manifestkit.rules.catalogue import find_rule, rule_ids
from manifestkit.rules.rule import Rule
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import akin, nearest, suggestion

_MOST_SHOWN = 10


def explain(
    topic: str, rules: Mapping[str, Rule], schemas: Sequence[Schema], policy: Policy
) -> Explanation:
    """Return the explanation of a rule, a place, a member by its name, or a value of a list.

    Raises:
        ValueError: nothing has that name, or several members have; the text says what to write.
        PointerSyntaxError: it is no JSON Pointer, though it begins as one.
    """
    shown = re.fullmatch(r"(?:error|warning|info)\[(.+)\]", topic)  # the heading of a finding
    topic = shown[1] if shown else topic
    ends = [each for each in values_in(schemas) if each.endswith(f".{topic}")]
    if len(ends) == 1 and topic not in {*rules, *rule_ids()}:
        topic = ends[0]
    if rule := rules.get(topic) or (find_rule(topic) if topic in rule_ids() else None):
        return explain_rule(rule, topic, policy.in_force(rule._replace(id=topic)))
    for each in schemas:
        if found := _explanation(topic, each, policy.profiles):
            return found
    raise ValueError(_unknown(topic, schemas, rules))


def values_in(schemas: Iterable[Schema]) -> dict[str, str | None]:
    """Return the values of all lists of schemas, each with what it means."""
    fields = (field for each in schemas for _, field in each.lists)
    return {str(value): meaning for field in fields for value, meaning in field.values}


def _explanation(topic: str, schema: Schema, profiles: Sequence[Schema]) -> Explanation | None:
    """Return the explanation of a topic by a schema; None if it does not know the topic."""
    is_pointer = not topic or topic.startswith("/")
    if not is_pointer and topic in values_in([schema]):
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
            raise ValueError(f"several members are named `{topic}`: use one of {pointers}")
        tokens = tuple(places[0]) if places else tokens
    found = schema.find(_without_ids(tokens, schema)) if tokens or not topic else None
    return explain_field(schema, *found, profiles) if found else None


def _without_ids(tokens: Sequence[str], schema: Schema) -> list[str]:
    """Return tokens with ``*`` for each item's id or text, and before a member of each item."""
    found: list[str] = []
    for token in tokens:
        if not schema.find([*found, token]) and schema.find([*found, "*"]):
            found += ["*", token] if schema.find([*found, "*", token]) else ["*"]
        else:
            found.append(token)
    return found


def _tokens(topic: str) -> tuple[str, ...]:
    """Return the steps of a pointer or path; none of a topic that is neither."""
    try:
        return tuple(map(str, parse_place(re.sub(r"\[\*?\]", ".*", topic.removeprefix("#")))))
    except PointerSyntaxError:
        if topic.startswith("/"):
            raise
        return ()


def _unknown(topic: str, schemas: Sequence[Schema], rules: Collection[str]) -> str:
    tokens = _tokens(topic)
    if topic.startswith("/") or (len(tokens) > 1 and schemas[0].find(tokens[:1])):
        near = schemas[0].nearest_pointer(_without_ids(tokens, schemas[0]))
        pairs = zip(parse_pointer(near or ""), tokens, strict=False)
        steps = [own if each == "*" else each for each, own in pairs]
        path = format_pointer(steps) if topic.startswith("/") else ".".join(steps)
        hint = f"did you mean `{path}`?" if near else '`manifest explain ""` lists the members'
        return f"the schema does not describe `{format_pointer(tokens)}`; {hint}"
    names = {name for each in schemas for name in each.member_names}
    known = {*rules, *rule_ids(), *names, *values_in(schemas)}
    whole = {each.partition("_")[0]: each for each in known if "_" in each}
    near = suggestion(topic, known) or whole.get(nearest(topic, whole) or "")
    ours = dict.fromkeys(sorted(rule_ids()))
    meant = [near] if near else akin(topic, values_in(schemas).items()) or akin(topic, ours.items())
    hint = "`manifest explain` lists the rules"
    if topic.lower().endswith(SUFFIXES):
        hint = f"name a profile with `--profile {visible(topic)}`"
    if meant:
        hint = f"did you mean {listed(meant, say=named)}?"
    return f"`{topic}` is not a rule, member or listed value; {hint}"
