"""`manifest logout`."""

from __future__ import annotations

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import note
from manifestkit.cli.service import (
    TOKEN_VARIABLE,
    ServiceCommand,
    account_option,
    credentials_file,
    finish,
    guarded,
    print_json,
    secret_from,
    service_address,
    service_options,
)
from manifestkit.render import visible

_NO_REVOKING = (
    "the service has no way to revoke a token: whoever has a copy can go on using it; "
    "where that matters, ask the service to change it"
)


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest logout --base-url https://api.example.org
  manifest logout --base-url https://api.example.org --account me@example.org

\b
Exit codes:
  0   the token is deleted here, or there was none
  2   wrong usage, or the stored token cannot be deleted
""",
)
@service_options
@account_option
def command(base_url: str | None, api_form: str, account: str | None, *, as_json: bool) -> int:
    """Delete the token that `manifest login` stored.

    Version 1 of the API has no way to revoke a token: it stays valid for whoever has a copy.
    """

    def log_out() -> int:
        address = service_address(base_url, api_form)
        file = credentials_file()
        known = file.account(address.origin, account)
        if known is not None:
            file.forget(known)
        done = f"you are not logged in to {address.origin}; there is nothing to delete"
        if known is not None:
            done = f"logged out {known.email} of {address.origin}; the token is deleted here"
        contents = {
            "origin": address.origin,
            "account": known.email if known else None,
            "revoked": False,
            "exit_code": exit_codes.CLEAN,
        }
        if as_json:
            finish(lambda: print_json(contents), done)
        elif known is None:
            note(done)
        else:
            finish(lambda: click.echo(visible(done)), done)
            note(_NO_REVOKING)
        if secret_from(TOKEN_VARIABLE) is not None:
            note(f"{TOKEN_VARIABLE} is set, and is used still")
        return exit_codes.CLEAN

    return guarded(log_out, as_json=as_json)
