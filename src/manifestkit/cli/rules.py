"""`manifest rules`."""

from __future__ import annotations

import sys

import click

from manifestkit.cli.console import style_for
from manifestkit.render.rule_list import RULE_FORMATS
from manifestkit.rules.catalogue import catalogue


@click.command(
    epilog="""\b
Examples:
  manifest rules
  manifest rules --output-format json
  manifest explain missing-field       all about one of them
""",
)
@click.option(
    "--output-format",
    type=click.Choice(list(RULE_FORMATS)),
    default="text",
    show_default=True,
    help="How to list them.",
)
def command(output_format: str) -> None:
    """List the rules, with what they weigh by default."""
    style = style_for(sys.stdout, "auto")
    text = "".join(RULE_FORMATS[output_format](catalogue().values(), style))
    click.echo(text, nl=False, color=style.color)
