"""`manifest rules`."""

from __future__ import annotations

import sys
from pathlib import Path

from manifestkit.cli.console import show, style_for, write_document
from manifestkit.cli.inputs import policy_here, rules_of
from manifestkit.cli.options import PROFILE, Choice, manifest_command, option
from manifestkit.rendering.rule_list import RULE_FORMATS


@manifest_command(
    """
    manifest rules
    manifest rules --output-format json
    manifest rules --profile host.schema.json
    manifest explain missing-field       explain one rule
    """,
    """
    0   listed
    2   wrong usage, or a profile that cannot be used
    """,
)
def command(
    *,
    output_format: str = option("Output format.", type=Choice(list(RULE_FORMATS)), default="text"),
    profile: tuple[Path, ...] = PROFILE,
) -> None:
    """List the rules with their default severity.

    The list includes the rules of the profiles configured in this folder, unless --profile names
    others.
    """
    style = style_for(sys.stdout)
    rules = rules_of(policy_here(profiles=profile)).values()
    text = "".join(RULE_FORMATS[output_format](rules, style))
    if output_format == "text":
        show(text, color=style.color)
    else:
        write_document(text)
