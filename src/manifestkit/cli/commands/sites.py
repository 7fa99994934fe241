"""`manifest sites`."""

from __future__ import annotations

import json
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import note
from manifestkit.cli.service import (
    ServiceCommand,
    account_option,
    client_for,
    connection_options,
    denied_help,
    guarded,
    print_json,
    service_address,
    service_options,
    user_token,
)
from manifestkit.model.errors import AuthenticationError
from manifestkit.render import opening

_NAMES = ("domain", "host", "hostname", "name", "url", "id")


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest sites --base-url https://api.example.org
  manifest sites --json

\b
Exit codes:
  0   the sites are listed
  2   wrong usage, or stored credentials that cannot be used
  3   not logged in, or the service takes the token for wrong
  4   the service refused, or its answer is no list of sites
  5   the service wants fewer requests
  6   the service cannot be reached, or does not answer in time
""",
)
@service_options
@account_option
@connection_options(120)
def command(
    base_url: str | None,
    api_form: str,
    account: str | None,
    *,
    as_json: bool,
    **connection: Any,
) -> int:
    """List your sites, one in a line.

    With --json, each site is as the service gives it: a text or an object, but for members that
    are secrets by their names.
    """

    def list_sites() -> int:
        address = service_address(base_url, api_form)
        token = user_token(address, account)
        with client_for(address, **connection) as client:
            try:
                sites = client.sites(token)
            except AuthenticationError as problem:
                message = f"{problem}; {denied_help()}"
                raise AuthenticationError(message, problem.code, problem.details) from None
        if as_json:
            print_json({"origin": address.origin, "sites": sites, "exit_code": exit_codes.CLEAN})
            return exit_codes.CLEAN
        for site in sites:
            click.echo(opening(_shown(site)))
        if not sites:
            note("there are no sites in this account")
        return exit_codes.CLEAN

    return guarded(list_sites, as_json=as_json)


def _shown(site: Any) -> str:
    """A site in one line, whatever members the service gives it."""
    if isinstance(site, str):
        return site
    named = (site.get(name) for name in _NAMES)
    return next((each for each in named if isinstance(each, str)), json.dumps(site))
