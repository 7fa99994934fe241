"""`manifest login`, `logout` and `sites`: an account and what it has."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from manifestkit.cli.console import note
from manifestkit.cli.options import manifest_command, option
from manifestkit.cli.service import ServiceCommand, ServiceOptions
from manifestkit.model.errors import PublishError
from manifestkit.publish.secrets import Secret
from manifestkit.publish.store import LoginStore
from manifestkit.rendering.escape import opening

_NAMES = ("domain", "host", "hostname", "name", "url", "id")


@manifest_command(
    """
    manifest login --base-url https://api.example.org
    manifest login --base-url https://example.org --api-form alt --email me@example.org
    pass show example.org | manifest login --email me@example.org --password-stdin
    """,
    """
    0   logged in; the token is stored
    2   wrong usage, or the token cannot be stored
    3   the service does not accept the e-mail address or the password
    4   the service refused, or its response has no token
    5   the rate limit of the service is reached
    6   the service cannot be reached, or does not respond in time
    """,
    extra="publish",
    cls=ServiceCommand,
)
def login(
    *,
    email: str | None = option(
        "The account; asked for on a terminal if not given.", metavar="EMAIL"
    ),
    password_stdin: bool = option("Read the password from the first line of standard input."),
    service: ServiceOptions = ServiceOptions.group(),
) -> None:
    """Log in to the publishing service.

    The password is asked for on a terminal, or read from standard input. It is never an argument
    and never stored. The token is stored in the system's keyring, where the extra `keyring` is
    installed, else in a file that only you can read. Where MANIFESTKIT_TOKEN has a token, as in CI,
    no login is needed.
    """
    address, store = service.address(), LoginStore.of_user()
    store.prepare()
    asks = sys.stdin.isatty() and not service.as_json
    if email is None and not asks:
        raise click.UsageError("no account given: use --email EMAIL --password-stdin")
    account: str = email or click.prompt("E-mail", err=True)
    password = _password(from_stdin=password_stdin, asks=asks)
    name, token = service.client(address).login(account, password)
    place, problem = store.keep(address.origin, account, token)
    shown = f"{account} ({name})" if name not in {"", account} else account
    done = f"logged in to {address.origin} as {shown}; the token is stored in {place}"
    contents = {"origin": address.origin, "account": account, "name": name, "stored": place}
    service.print(contents, done)
    if problem is not None:
        note(f"the keyring cannot be used ({problem}): the token is in a file instead")
    if not service.as_json:
        note(
            "the token gives access to the whole account: version 1 of the site API has no scopes; "
            "version 2 (recommended for new work) has some; this client cannot use it"
        )
    service.note_variable("is set and overrides the stored token")


def _password(*, from_stdin: bool, asks: bool) -> Secret:
    if from_stdin:
        line = sys.stdin.buffer.readline().decode(errors="surrogateescape")
        text = line.rstrip("\r\n")
        if not text:
            raise click.UsageError("no password on standard input")
        return Secret(text)
    if not asks:
        raise click.UsageError("give the password on standard input, with --password-stdin")
    return Secret(click.prompt("Password", hide_input=True, err=True))


@manifest_command(
    """
    manifest logout --base-url https://api.example.org
    """,
    """
    0   the stored token is deleted, or there was none
    2   wrong usage, or the stored token cannot be deleted
    """,
    extra="publish",
    cls=ServiceCommand,
)
def logout(
    *, service: ServiceOptions = ServiceOptions.group("base_url", "api_form", "as_json")
) -> None:
    """Delete the token that `manifest login` stored.

    Version 1 of the API cannot revoke a token: it stays valid for anyone who has a copy.
    """
    origin = service.address().origin
    is_deleted, problem = LoginStore.of_user().forget(origin)
    done = f"logged out of {origin}{'' if problem else '; the token is deleted here'}"
    if not is_deleted:
        done = f"not logged in to {origin}; nothing to delete"
    contents = {"origin": origin, "deleted": is_deleted and problem is None}
    if is_deleted or service.as_json:
        service.print(contents, done)
    else:
        note(done)
    if problem is not None:
        note(
            f"the keyring did not delete the token ({problem}): if it still has "
            f"`manifestkit {origin}`, delete it there"
        )
    if is_deleted and not service.as_json:
        note("the service cannot revoke a token: anyone with a copy can still use it")
    service.note_variable("is still set and used")


@manifest_command(
    """
    manifest sites --base-url https://api.example.org
    """,
    """
    0   the sites are listed
    2   wrong usage, or a stored token that cannot be used
    3   not logged in, or the service does not accept the token
    4   the service refused, or its response is not a list of sites
    5   the rate limit of the service is reached
    6   the service cannot be reached, or does not respond in time
    """,
    extra="publish",
    cls=ServiceCommand,
)
def sites(*, service: ServiceOptions = ServiceOptions.group()) -> None:
    """List your sites, one per line.

    With --json, each site is printed as the service returns it.
    """
    address = service.address()
    token = service.token(address)
    try:
        sites = service.client(address).sites(token)
    except PublishError as problem:
        if problem.kind == "authentication":
            problem.args = (f"{problem}; {service.denied_help()}",)
        raise
    if service.as_json:
        service.print({"origin": address.origin, "sites": sites})
        return
    for site in sites:
        click.echo(opening(_shown(site)))
    if not sites:
        note("this account has no sites")


def _shown(site: Any) -> str:
    """Return a site in one line, whatever members the service gives it."""
    if isinstance(site, str):
        return site
    named = (site.get(name) for name in _NAMES) if isinstance(site, dict) else ()
    return next((each for each in named if isinstance(each, str)), json.dumps(site))
