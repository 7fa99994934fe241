"""`manifest login`."""

from __future__ import annotations

import sys
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import note
from manifestkit.cli.service import (
    TOKEN_VARIABLE,
    ServiceCommand,
    client_for,
    connection_options,
    credentials_file,
    finish,
    guarded,
    print_json,
    secret_from,
    service_address,
    service_options,
)
from manifestkit.files import shown
from manifestkit.publish.credentials import Account
from manifestkit.publish.redaction import Secret
from manifestkit.render import visible

_MOST_BYTES = 4096


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest login --base-url https://api.example.org
  manifest login --base-url https://example.org --api-form alt --email me@example.org
  pass show example.org | manifest login --email me@example.org --password-stdin

\b
Exit codes:
  0   logged in; the token is stored
  2   wrong usage, or the token cannot be stored
  3   the service takes the e-mail address or the password for wrong
  4   the service refused, or its answer has no token
  5   the service wants fewer requests
  6   the service cannot be reached, or does not answer in time
""",
)
@service_options
@click.option("--email", metavar="EMAIL", help="The account; asked for on a terminal.")
@click.option(
    "--password-stdin",
    is_flag=True,
    help="Read the password from the first line of standard input.",
)
@click.option("--keyring", is_flag=True, help="Keep the token in the system's keyring.")
@connection_options(120)
def command(
    base_url: str | None,
    api_form: str,
    email: str | None,
    *,
    as_json: bool,
    password_stdin: bool,
    keyring: bool,
    **connection: Any,
) -> int:
    """Log in to the publishing service.

    The password is asked for on a terminal, or read from standard input; it is never an argument,
    and it is not stored. The token is kept in a file that only you can read.
    """

    def log_in() -> int:
        address = service_address(base_url, api_form)
        file = credentials_file()
        file.accounts()  # what cannot be used later is told before a password is asked for
        account_email = email or _asked_email(as_json=as_json)
        password = _password(from_stdin=password_stdin, as_json=as_json)
        with client_for(address, **connection) as client:
            login = client.login(account_email, password)
        account = Account(address.origin, account_email, login.name, login.token)
        file.store(account, in_keyring=keyring)
        where = "the system's keyring" if keyring else shown(file.path)
        who = _named(login.name, account_email)
        done = visible(f"logged in to {address.origin} as {who}; the token is in {where}")
        contents = {
            "origin": address.origin,
            "account": account_email,
            "name": login.name,
            "stored": "keyring" if keyring else shown(file.path),
            "exit_code": exit_codes.CLEAN,
        }
        finish(lambda: print_json(contents) if as_json else click.echo(done), done)
        if secret_from(TOKEN_VARIABLE) is not None:
            note(f"{TOKEN_VARIABLE} is set, and comes before the token that is stored now")
        return exit_codes.CLEAN

    return guarded(log_in, as_json=as_json)


def _named(name: str, email: str) -> str:
    return f"{email} ({name})" if name and name != email else email


def _asked_email(*, as_json: bool) -> str:
    if not sys.stdin.isatty() or as_json:
        raise click.UsageError("which account? say --email")
    answer: str = click.prompt("E-mail", err=True)
    return answer


def _password(*, from_stdin: bool, as_json: bool) -> Secret:
    if from_stdin:
        line = sys.stdin.buffer.readline(_MOST_BYTES)
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            raise click.UsageError("the password on standard input is not UTF-8") from None
        if not text:
            raise click.UsageError("there is no password on standard input")
        return Secret(text)
    if not sys.stdin.isatty() or as_json:
        raise click.UsageError("give the password on standard input, with --password-stdin")
    return Secret(click.prompt("Password", hide_input=True, err=True))
