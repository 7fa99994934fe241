"""`manifest login`, `logout`, `whoami`, `sites` and `deploys`: an account and what it has."""

from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import click

from manifestkit.cli.console import note
from manifestkit.cli.options import group, manifest_command, option
from manifestkit.cli.service import (
    TOKEN_VARIABLE,
    Access,
    AccountOptions,
    NetworkOptions,
    ServiceCommand,
    ServiceOptions,
    credentials_file,
    denied_help,
    finish,
    given_secret,
    print_json,
    receipt_folder,
)
from manifestkit.files import posix_name
from manifestkit.findings.messages import counted
from manifestkit.model.errors import AuthenticationError
from manifestkit.publish.credentials import StoredLogin
from manifestkit.publish.receipts import IN_PROGRESS, receipts_in
from manifestkit.publish.redaction import Secret
from manifestkit.rendering import opening, visible

_MOST_BYTES = 1024 * 1024


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
    cls=ServiceCommand,
)
def login(
    *,
    service: ServiceOptions = group(ServiceOptions),
    email: str | None = option(
        "The account; asked for on a terminal if not given.", metavar="EMAIL"
    ),
    password_stdin: bool = option("Read the password from the first line of standard input."),
    keyring: bool = option("Store the token in the system's keyring."),
    network: NetworkOptions = group(NetworkOptions),
) -> None:
    """Log in to the publishing service.

    The password is asked for on a terminal, or read from standard input. It is never an argument
    and never stored. The token is stored in a file that only you can read.
    """
    address = service.address()
    file = credentials_file()
    file.accounts()  # what cannot be used later is told before a password is asked for
    asks = sys.stdin.isatty() and not service.as_json
    if email is None and not asks:
        raise click.UsageError("no account given: use --email")
    account_email: str = email or click.prompt("E-mail", err=True)
    password = _password(from_stdin=password_stdin, asks=asks)
    with network.client(address) as client:
        login = client.login(account_email, password)
    account = StoredLogin(address.origin, account_email, login.name, login.token)
    file.store(account, in_keyring=keyring)
    stored = "keyring" if keyring else posix_name(file.path)
    where = f"the system's {stored}" if keyring else stored
    done = visible(
        f"logged in to {address.origin} as {_named(account)}; the token is stored in {where}"
    )
    contents = {
        "origin": address.origin,
        "account": account_email,
        "name": login.name,
        "stored": stored,
    }
    finish(lambda: print_json(contents) if service.as_json else click.echo(done), done)
    if not service.as_json:
        note(
            "the token gives access to the whole account: version 1 of the API has no scopes, and "
            "its document recommends version 2, which this client does not support"
        )
    if given_secret(TOKEN_VARIABLE) is not None:
        note(f"{TOKEN_VARIABLE} is set and overrides the stored token")


def _named(account: StoredLogin) -> str:
    has_name = account.name not in {"", account.email}
    return f"{account.email} ({account.name})" if has_name else account.email


def _password(*, from_stdin: bool, asks: bool) -> Secret:
    if from_stdin:
        line = sys.stdin.buffer.readline(_MOST_BYTES + 1)
        if len(line) > _MOST_BYTES:
            raise click.UsageError("the first line of standard input is too long for a password")
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise click.UsageError("the password on standard input is not UTF-8") from None
        if not text:
            raise click.UsageError("no password on standard input")
        return Secret(text)
    if not asks:
        raise click.UsageError("give the password on standard input, with --password-stdin")
    return Secret(click.prompt("Password", hide_input=True, err=True))


@manifest_command(
    """
    manifest logout --base-url https://api.example.org
    manifest logout --base-url https://api.example.org --account me@example.org
    """,
    """
    0   the stored token is deleted, or there was none
    2   wrong usage, or the stored token cannot be deleted
    """,
    cls=ServiceCommand,
)
def logout(
    *,
    service: ServiceOptions = group(ServiceOptions),
    account: AccountOptions = group(AccountOptions, "account"),
) -> None:
    """Delete the token that `manifest login` stored.

    Version 1 of the API cannot revoke a token: it stays valid for anyone who has a copy.
    """
    address = service.address()
    file = credentials_file()
    known = file.account(address.origin, account.account)
    done = f"not logged in to {address.origin}; nothing to delete"
    if known is not None:
        file.forget(known)
        done = f"logged out {known.email} of {address.origin}; the token is deleted here"
        done += "; the site tokens are kept" if known.site_tokens else ""
    email = known.email if known else None
    contents = {"origin": address.origin, "account": email, "revoked": False}
    if service.as_json:
        finish(lambda: print_json(contents), done)
    elif known is None:
        note(done)
    else:
        finish(lambda: click.echo(visible(done)), done)
        note(
            "the service cannot revoke a token: anyone with a copy can still use it; if that "
            "matters, ask the service to change it"
        )
    if given_secret(TOKEN_VARIABLE) is not None:
        note(f"{TOKEN_VARIABLE} is still set and used")


_CODES = """\
2   wrong usage, or stored credentials that cannot be used
3   not logged in, or the service does not accept the token
4   the service refused, or its response is not a list of sites
5   the rate limit of the service is reached
6   the service cannot be reached, or does not respond in time
"""
_NAMES = ("domain", "host", "hostname", "name", "url", "id")


@manifest_command(
    """
    manifest sites --base-url https://api.example.org
    """,
    "0   the sites are listed\n" + _CODES,
    cls=ServiceCommand,
)
def sites(
    *,
    service: ServiceOptions = group(ServiceOptions),
    account: AccountOptions = group(AccountOptions),
    network: NetworkOptions = group(NetworkOptions),
) -> None:
    """List your sites, one per line.

    With --json, each site is printed as the service returns it.
    """
    address = service.address()
    sites = _sites(account.access(address), network)
    if service.as_json:
        print_json({"origin": address.origin, "sites": sites})
        return
    for site in sites:
        click.echo(opening(_shown(site)))
    if not sites:
        note("this account has no sites")


def _sites(access: Access, network: NetworkOptions) -> list[Any]:
    token = access.token()
    if token is None:
        raise access.not_logged_in()
    with network.client(access.address) as client:
        try:
            return client.sites(token)
        except AuthenticationError as problem:
            message = f"{problem}; {denied_help()}"
            raise AuthenticationError(message, problem.code, problem.details) from None


@manifest_command(
    """
    manifest whoami --base-url https://api.example.org
    """,
    "0   the service accepts the token\n" + _CODES,
    cls=ServiceCommand,
)
def whoami(
    *,
    service: ServiceOptions = group(ServiceOptions),
    account: AccountOptions = group(AccountOptions),
    network: NetworkOptions = group(NetworkOptions),
) -> None:
    """Show whose token is used, and whether the service accepts it.

    The API has no request for this: the list of sites is requested instead.
    """
    address = service.address()
    access = account.access(address)
    known, source = access.account, access.source
    sites = _sites(access, network)
    if service.as_json:
        contents = {
            "origin": address.origin,
            "account": known.email if known else None,
            "name": known.name if known else None,
            "token_from": source,
            "sites": len(sites),
        }
        print_json(contents)
        return
    who = _named(known) if known else "an account that the API does not name"
    held = counted(len(sites), "site")
    click.echo(visible(f"{who} at {address.origin}, {held}; the token is from {source}"))


def _shown(site: Any) -> str:
    """Return a site in one line, whatever members the service gives it."""
    if isinstance(site, str):
        return site
    named = (site.get(name) for name in _NAMES) if isinstance(site, dict) else ()
    return next((each for each in named if isinstance(each, str)), json.dumps(site))


@manifest_command(
    """
    manifest deploys
    manifest deploys --domain calm.example.org --limit 1 --json
    """,
    """
    0   the receipts are listed
    2   wrong usage, or you have no home folder
    """,
    cls=ServiceCommand,
)
def deploys(
    *,
    domain: str | None = option("Only deploys to this site.", metavar="HOST"),
    limit: int = option(
        "Maximum number of deploys to list.", type=click.IntRange(min=1), default=20, metavar="N"
    ),
    as_json: bool = option("Print the receipts as one JSON object.", "--json"),
) -> None:
    """List your deploys from this machine, newest first.

    These are the deploys with a receipt in your state folder.
    """
    folder = receipt_folder()
    wanted = (
        each
        for each in receipts_in(folder)
        if domain is None or each.domain.lower() == domain.lower()
    )
    kept = list(islice(wanted, limit))
    if as_json:
        print_json({"deploys": [{**each.contents, "receipt": each.shown} for each in kept]})
        return
    width = max((len(each.outcome) for each in kept), default=0)
    for each in kept:
        line = f"{each.started[:19]}Z  {each.outcome:<{width}}  {each.domain}"
        click.echo(opening(f"{line}  {Path(each.shown).name}"))
    note(f"the receipts are in {posix_name(folder)}" if kept else f"none in {posix_name(folder)}")
    if any(each.outcome in {"unknown", IN_PROGRESS} for each in kept):
        note("look at the site for the outcome of an unknown or unfinished deploy")
