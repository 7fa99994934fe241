"""`manifest deploys`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import receipt_folder
from manifestkit.cli.console import note
from manifestkit.cli.service import ServiceCommand, print_json
from manifestkit.files import posix_name
from manifestkit.publish.receipts import IN_PROGRESS, receipts_in
from manifestkit.rendering import opening

_UNKNOWN = frozenset({"unknown", IN_PROGRESS})


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest deploys
  manifest deploys --domain calm.example.org --limit 1 --json

\b
Exit codes:
  0   the receipts are listed
  2   wrong usage, or you have no home folder
""",
)
@click.option("--domain", metavar="HOST", help="Only deploys to this site.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="The most deploys to list.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the receipts as one JSON object.")
def command(domain: str | None, limit: int, *, as_json: bool) -> int:
    """List your deploys from this machine, newest first.

    The list is made from the receipts in your state folder.
    """
    folder = receipt_folder()
    wanted = (
        each
        for each in receipts_in(folder)
        if domain is None or each.domain.lower() == domain.lower()
    )
    kept = list(islice(wanted, limit))
    if as_json:
        deploys = [{**each.contents, "receipt": each.shown} for each in kept]
        print_json({"deploys": deploys, "exit_code": exit_codes.CLEAN})
        return exit_codes.CLEAN
    width = max((len(each.outcome) for each in kept), default=0)
    for each in kept:
        line = f"{each.started[:19]}Z  {each.outcome:<{width}}  {each.domain}"
        click.echo(opening(f"{line}  {Path(each.shown).name}"))
    note(f"the receipts are in {posix_name(folder)}" if kept else f"none in {posix_name(folder)}")
    if any(each.outcome in _UNKNOWN for each in kept):
        note("of an unknown or unfinished deploy only the site can tell the outcome")
    return exit_codes.CLEAN
