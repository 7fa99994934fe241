"""`manifest deploy --list`: what would be packed, and which line leaves out the rest."""

from __future__ import annotations

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import note
from manifestkit.cli.service import print_json
from manifestkit.files import posix_name
from manifestkit.findings.messages import counted
from manifestkit.publish.archive import DamagedArchiveError
from manifestkit.publish.names import Problem
from manifestkit.publish.packing import Listing, SiteSource
from manifestkit.rendering import visible


def list_site(site: Site, *, as_json: bool) -> int:
    """Show what a deploy would pack, and return the exit code."""
    try:
        with SiteSource(site.source, site.packing) as source:
            listing = source.listing()
    except DamagedArchiveError as error:
        listing = Listing((), (), (Problem(None, f"{posix_name(site.source)} {error.reason}"),))
    code = exit_codes.FINDINGS if listing.is_refused else exit_codes.CLEAN
    if as_json:
        print_json(
            {
                "packed": [{"name": name, "size": size} for name, size in listing.files],
                "left_out": [each._asdict() for each in listing.left_out],
                "problems": [str(each) for each in listing.problems if not each.is_warning],
                "warnings": [str(each) for each in listing.problems if each.is_warning],
                "exit_code": code,
            }
        )
        return code
    for name, size in listing.files:
        click.echo(visible(f"packed    {name} ({counted(size, 'byte')})"))
    for each in listing.left_out:
        click.echo(visible(f"left out  {each.name}: {each}"))
    for problem in listing.problems:
        click.echo(visible(f"{'warning ' if problem.is_warning else 'refused '}  {problem}"))
    files = counted(len(listing.files), "file")
    note(f"{files}, {counted(listing.size, 'byte')} before packing")
    return code
