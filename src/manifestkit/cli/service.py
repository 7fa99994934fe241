"""Parts shared by the commands that talk to the publishing service."""

from __future__ import annotations

import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import drop_output, error, note_over_bar, usage_message
from manifestkit.cli.inputs import configuration_here
from manifestkit.cli.options import Choice, OptionGroup, need, option
from manifestkit.files import posix_name, reason_of
from manifestkit.model.errors import (
    AuthenticationError,
    ConfigurationError,
    ManifestkitError,
    PublishError,
)
from manifestkit.publish.address import Address, parse_address
from manifestkit.publish.client import Client
from manifestkit.publish.credentials import CredentialsFile, StoredLogin
from manifestkit.publish.private import read_private
from manifestkit.publish.redaction import LONGEST_TOKEN, Secret, is_token
from manifestkit.publish.response import ERRORS, Outcome
from manifestkit.publish.retry import DEFAULT_RETRY_POLICY, RetryPolicy
from manifestkit.publish.wire import FORMS

EXIT_CODES: Mapping[Outcome, int] = {
    Outcome.ACCEPTED: exit_codes.CLEAN,
    Outcome.DENIED: exit_codes.AUTHENTICATION,
    Outcome.REJECTED: exit_codes.REJECTED,
    Outcome.RATE_LIMITED: exit_codes.RATE_LIMITED,
    Outcome.NOT_SENT: exit_codes.NOT_SENT,
    Outcome.UNKNOWN: exit_codes.UNKNOWN,
    Outcome.INTERRUPTED: exit_codes.INTERRUPTED,
}
"""The exit code of each outcome of a request."""

_VERSION = 1
_DEFAULT_FORM = next(iter(FORMS))
_JSON = "--json"

TOKEN_VARIABLE = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable
SITE_TOKEN_VARIABLE = "MANIFESTKIT_SITE_TOKEN"  # noqa: S105 - likewise
_NO_TOKEN = f"a token must be one line of text, of at most {LONGEST_TOKEN:,} characters"


class FilledCommand(click.Command):
    """Takes no empty argument: an unset variable would name the current folder."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        given, _, parameters = self.make_parser(ctx).parse_args(list(args))
        for each in () if ctx.resilient_parsing else parameters:
            value = given.get(each.name or "")
            values = value if isinstance(value, list | tuple) else [value]
            if any(isinstance(text, str) and not text.strip() for text in values):
                raise click.BadParameter("it is empty; is a variable unset?", ctx, each)
        return super().parse_args(ctx, args)


class ServiceCommand(FilledCommand):
    """Needs the extra `publish`, and reports each error as text or JSON."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; where they are wrong and `--json` is one, print the one object."""
        as_json = _JSON in (args[: args.index("--")] if "--" in args else args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            if not as_json:
                raise
            ctx.exit(_report(usage_message(problem), "usage", exit_codes.USAGE, as_json=True))

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return the exit code."""
        as_json: bool = ctx.params["as_json"]
        try:
            need("publish")
            code: int = super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            return _report("interrupted", "interrupted", exit_codes.INTERRUPTED, as_json=as_json)
        except PublishError as problem:
            outcome = next(each for each, kind in ERRORS.items() if isinstance(problem, kind))
            kind = "authentication" if outcome is Outcome.DENIED else outcome.value
            details = {"code": problem.code, "details": problem.details}
            code = EXIT_CODES[outcome]
            return _report(str(problem), kind, code, as_json=as_json, service=details)
        except (click.UsageError, ManifestkitError) as problem:
            if not as_json:
                raise
            text = usage_message(problem) if isinstance(problem, click.UsageError) else str(problem)
            return _report(text, "usage", exit_codes.USAGE, as_json=True)
        except (click.ClickException, click.exceptions.Exit, OSError):
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, the last resort reports it
            frames = "".join(traceback.format_tb(problem.__traceback__))
            raise UnreportedError(f"{type(problem).__name__}, without its text\n{frames}") from None
        return code


class UnreportedError(Exception):
    """A bug, reported by its kind and its place: its text and its causes could hold a secret."""


class _Seconds(click.FloatRange):
    """A number of seconds; `nan`, which no range holds off, is none."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


SECONDS = _Seconds(min=0, min_open=True, max=86_400)
"""A time to wait for something, up to a day."""


class ServiceOptions(OptionGroup):
    """Options that name the service, and the form of the outcome."""

    base_url: str | None = option(
        "Base URL of the service: https://HOST, without /api.",
        envvar="MANIFESTKIT_BASE_URL",
        metavar="URL",
    )
    api_form: str | None = option(
        f"Address form of the service.  [default: {_DEFAULT_FORM}]",
        envvar="MANIFESTKIT_API_FORM",
        type=Choice(list(FORMS)),
    )
    as_json: bool = option("Print the outcome as one JSON object.", _JSON)

    def address(self, config: Path | None = None) -> Address:
        """Return the service that the user means: by the options, else by the configuration."""
        configured = configuration_here(config)
        form = self.api_form or configured.publish.api_form or _DEFAULT_FORM
        if self.base_url:
            return parse_address(self.base_url, form)
        if configured.publish.base_url is None:
            raise ConfigurationError(
                "no service given: use --base-url https://HOST, set MANIFESTKIT_BASE_URL, or set "
                "`base-url` under [publish] in manifestkit.toml"
            )
        try:
            return parse_address(configured.publish.base_url, form)
        except ConfigurationError as problem:
            file = configured.file_of("publish", "base-url")
            raise ConfigurationError(f"{file}: `publish.base-url`: {problem}") from None


class NetworkOptions(OptionGroup):
    """Options for the network."""

    ca_bundle: Path | None = option("Also trust these certificate authorities (PEM).")
    max_wait: float = option(
        "Longest wait that the service may ask for.", type=_Seconds(min=0), default=60
    )
    timeout: float = option(
        "Time limit for the network, including retries and waits.", type=SECONDS, default=120
    )

    def client(self, address: Address, policy: RetryPolicy = DEFAULT_RETRY_POLICY) -> Client:
        """Return a client of a service, which waits as long as these options say."""

        def report_wait(seconds: float, why: str) -> None:
            if seconds >= 1:  # a moment needs no words
                note_over_bar(f"{why}; trying again in {math.ceil(seconds):,} s")

        policy = replace(policy, max_wait=self.max_wait, deadline=self.timeout)
        return Client(address, policy, self.ca_bundle, on_wait=report_wait)


def finish(what: Callable[[], None], done: str) -> None:
    """Print the result; where that cannot be written, say on standard error what was done."""
    try:
        what()
        sys.stdout.flush()
    except OSError as problem:
        drop_output()
        error(f"{done}; the output cannot be written: {reason_of(problem)}")


def _report(
    text: str, kind: str, code: int, *, as_json: bool, service: dict[str, Any] | None = None
) -> int:
    if as_json:
        service = service or {"code": None, "details": None}
        print_json({"error": {"kind": kind, "message": text, **service}}, code)
    else:
        error(text)
    return code


def print_json(contents: dict[str, Any], code: int = exit_codes.CLEAN) -> None:
    """Print the one object of `--json`."""
    click.echo(json.dumps({"version": _VERSION, **contents, "exit_code": code}, indent=2))


def credentials_file() -> CredentialsFile:
    """Return the file with this user's tokens."""
    return CredentialsFile(_own_folder("config") / "credentials.json")


def receipt_folder() -> Path:
    """Return the folder of this user's receipts."""
    return _own_folder("state") / "receipts"


def _own_folder(kind: Literal["config", "state"]) -> Path:
    import platformdirs  # noqa: PLC0415 - an extra

    own = {"config": platformdirs.user_config_path, "state": platformdirs.user_state_path}
    try:
        return own[kind]("manifestkit", appauthor=False)
    except RuntimeError:
        raise ConfigurationError(
            f"this user has no home folder: set HOME, or XDG_{kind.upper()}_HOME"
        ) from None


def given_secret(variable: str, file: Path | None = None, option: str = "") -> Secret | None:
    """Return the secret in an environment variable, else in the file of an option, if any."""
    text = os.environ.get(variable, "").strip()
    if text and not is_token(text):
        raise ConfigurationError(f"{variable}: {_NO_TOKEN}")
    if text or file is None:
        return Secret(text) if text else None
    try:
        text = read_private(file).strip()
    except FileNotFoundError:
        raise ConfigurationError(f"{file}: no such file; check {option}") from None
    if not is_token(text):
        raise ConfigurationError(f"{file}: {_NO_TOKEN}")
    return Secret(text)


class AccountOptions(OptionGroup):
    """Whose token is used."""

    account: str | None = option("The account, if you are logged in to several.", metavar="EMAIL")
    token_file: Path | None = option(f"Read your token from this file; or set {TOKEN_VARIABLE}.")

    def access(self, address: Address) -> Access:
        """Return whose token is used: one that is given, else that of the last login."""
        given = given_secret(TOKEN_VARIABLE, self.token_file, "--token-file")
        if given and self.account:
            raise click.UsageError(
                "--account chooses a stored token, and another one is given: unset "
                f"{TOKEN_VARIABLE}, or leave out --token-file or --account"
            )
        stored = None if given else credentials_file().account(address.origin, self.account)
        return Access(address, self, given, stored)


@dataclass(frozen=True)
class Access:
    """Whose user token a command uses.

    Attributes:
        given: the token in the environment or in a file, if there is one.
        account: else the account that this user is logged in to, if there is one.
    """

    address: Address
    options: AccountOptions
    given: Secret | None
    account: StoredLogin | None

    @property
    def source(self) -> str:
        """The source of the token."""
        if self.account is None:
            in_variable = given_secret(TOKEN_VARIABLE) is not None
            return TOKEN_VARIABLE if in_variable else posix_name(self.options.token_file or "")
        return "keyring" if self.account.in_keyring else posix_name(credentials_file().path)

    def token(self) -> Secret | None:
        """Return the token, wherever it is."""
        return self.account.stored_token() if self.account else self.given

    def not_logged_in(self) -> AuthenticationError:
        """Return the error that says how to log in."""
        email, form = self.options.account, self.address.form
        who, account = (f" as {email}", f" --email {email}") if email else ("", "")
        if form.name != _DEFAULT_FORM:
            account = f" --api-form {form.name}{account}"
        return AuthenticationError(
            f"not logged in to {self.address.origin}{who}: run `manifest login --base-url "
            f"{self.address.base}{account}`, or set {TOKEN_VARIABLE}"
        )


def denied_help() -> str:
    """Return what to do when the service takes the user token for wrong."""
    if given_secret(TOKEN_VARIABLE) is not None:
        return f"{TOKEN_VARIABLE} is set, and the service does not accept it: correct or unset it"
    return "get a new token with `manifest login`, or correct that of --token-file"
