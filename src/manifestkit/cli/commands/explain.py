"""`manifest explain`: a rule, a member or a value, or the list of rules."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from manifestkit.cli.console import note, show, style_for, write_document
from manifestkit.cli.inputs import pointers_here, schemas_here
from manifestkit.cli.options import OF, argument, manifest_command, option
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.rendering.explanation import declared_rules
from manifestkit.rendering.rules import RULE_FORMATS
from manifestkit.rendering.topics import explain, values_in
from manifestkit.rules.catalogue import all_rules


def _topics(_: object, incomplete: str) -> dict[str, str | None]:
    schemas = schemas_here()
    if incomplete.startswith("/"):
        return pointers_here()
    return {rule.id: rule.title for rule in all_rules().values()} | values_in(schemas)


@manifest_command(
    """
    manifest explain                         the rules, each with its severity
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

    Without an argument, the rules are listed with the severity configured in this folder. Without
    --schema and --profile, the schema and profiles configured here are used. Without --of, the
    first format that has the member is used.
    """
    style = style_for(sys.stdout)
    workspace = Workspace(Options(schema=schema, profiles=profile), uses_baseline=False)
    policy = workspace.policy("")
    if of is not None:
        policy = policy.of_format(policy.formats.with_id(of))
    schemas = [*(own for _, own in policy.schemas), *policy.profiles]
    rules = {**all_rules(), **declared_rules(*schemas, *policy.change_profiles)}
    if topic is None:
        listed = [*map(policy.in_force, rules.values())]
        text = "".join(RULE_FORMATS[output_format](listed, style))
        if output_format == "text":
            show(text, color=style.color)
        else:
            write_document(text)
        for each in policy.profiles:
            own = (x for x in each.validator.requirements() if not x.passes(schemas[0].contents))
            if any("rule" not in requirement.annotations for requirement in own):
                how = 'write `"x-manifestkit": {"rule": "..."}` beside a keyword to list it here'
                note(f"{each.name} has requirements without a rule: {how}")
        return
    if output_format != "text":
        raise click.UsageError(f"--output-format is for the list of rules: leave out `{topic}`")
    try:
        explanation = explain(topic, rules, schemas, policy)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from None
    show("".join(explanation.text(style)), color=style.color)
