"""Parts shared by the commands that talk to the publishing service."""

from __future__ import annotations

import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import click

from manifestkit.cli.console import drop_output, error, note, usage_message
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.inputs import configuration_here
from manifestkit.cli.options import OptionGroup, option
from manifestkit.config.configuration import Configuration
from manifestkit.files import reason_of
from manifestkit.model.errors import (
    ConfigurationError,
    ManifestkitError,
    PublishError,
)
from manifestkit.publish.address import Address, parse_address
from manifestkit.publish.secrets import LONGEST_TOKEN, Secret, is_token
from manifestkit.publish.store import LoginStore
from manifestkit.publish.wire import FORMS

_VERSION = 1
_DEFAULT_FORM = next(iter(FORMS))
_MAX_WAIT = 60.0
_JSON = "--json"
EXIT_CODES: Mapping[str, int] = {
    "accepted": ExitCode.CLEAN,
    "dry-run": ExitCode.CLEAN,
    "refused": ExitCode.FINDINGS,
    "usage": ExitCode.USAGE,
    "authentication": ExitCode.AUTHENTICATION,
    "rejected": ExitCode.REJECTED,
    "rate-limited": ExitCode.RATE_LIMITED,
    "not-sent": ExitCode.NOT_SENT,
    "unknown": ExitCode.UNKNOWN,
    "interrupted": ExitCode.INTERRUPTED,
}
"""The exit code of each end of a command."""
TOKEN_VARIABLE = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable


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
            ctx.exit(_report(usage_message(problem), "usage", as_json=True))

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return the exit code."""
        as_json: bool = ctx.params["as_json"]
        try:
            code: int = super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            return _report("interrupted", "interrupted", as_json=as_json)
        except PublishError as problem:
            more = problem.code, problem.details
            return _report(str(problem), problem.kind, *more, as_json=as_json)
        except (click.UsageError, ManifestkitError) as problem:
            if not as_json:
                raise
            text = usage_message(problem) if isinstance(problem, click.UsageError) else str(problem)
            return _report(text, "usage", as_json=True)
        except (click.ClickException, click.exceptions.Exit, OSError):
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, the last resort reports it
            frames = "".join(traceback.format_tb(problem.__traceback__))
            raise UnreportedError(f"{type(problem).__name__}, without its text\n{frames}") from None
        return code


class UnreportedError(Exception):
    """A bug, reported by its kind and its place: its text and its causes could hold a secret."""


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
        choices=list(FORMS),
    )
    timeout: int = option(
        "Time limit for the network, including retries and waits.",
        type=click.IntRange(1, 86_400),
        metavar="SECONDS",
        default=120,
    )
    as_json: bool = option("Print the outcome as one JSON object.", _JSON)

    def address(self, configured: Configuration | None = None) -> Address:
        """Return the service that the user means: by the options, else by the configuration."""
        configured = configured or configuration_here(None)
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

    def client(self, address: Address, configured: Configuration | None = None) -> Any:
        """Return a client of a service, which waits as long as these options say."""
        from manifestkit.publish.client import Client  # noqa: PLC0415 - it needs an extra

        configured = configured or configuration_here(None)
        most = configured.publish.max_wait
        return Client(address, self.timeout, _MAX_WAIT if most is None else most, _report_wait)


def _report_wait(seconds: float, why: str) -> None:
    if seconds >= 1:  # a moment needs no words
        note(f"{why}; trying again in {math.ceil(seconds):,} s")


def finish(what: Callable[[], None], done: str) -> None:
    """Print the result; where that cannot be written, say on standard error what was done."""
    try:
        what()
        sys.stdout.flush()
    except OSError as problem:
        drop_output()
        error(f"{done}; the output cannot be written: {reason_of(problem)}")


def _report(
    text: str, kind: str, code: str | None = None, details: Any = None, *, as_json: bool
) -> int:
    exit_code = EXIT_CODES[kind]
    if as_json:
        contents = {"kind": kind, "message": text, "code": code, "details": details}
        print_json({"error": contents}, exit_code)
    else:
        error(text)
    return exit_code


def print_json(contents: dict[str, Any], code: int = ExitCode.CLEAN) -> None:
    """Print the one object of `--json`."""
    click.echo(json.dumps({"version": _VERSION, **contents, "exit_code": code}, indent=2))


def own_store() -> LoginStore:
    """Return the tokens of this user."""
    import platformdirs  # noqa: PLC0415 - an extra

    try:
        return LoginStore(platformdirs.user_config_path("manifestkit", appauthor=False) / "logins")
    except RuntimeError:
        raise ConfigurationError(
            "this user has no home folder: set HOME, or XDG_CONFIG_HOME"
        ) from None


def given_secret(variable: str) -> Secret | None:
    """Return the secret in an environment variable, if any."""
    text = os.environ.get(variable, "").strip()
    if text and not is_token(text):
        raise ConfigurationError(
            f"{variable}: a token must be one line of text, of at most {LONGEST_TOKEN:,} characters"
        )
    return Secret(text) if text else None


def user_token(address: Address) -> Secret:
    """Return the token in the environment, else that of the last login.

    Raises:
        PublishError: there is none.
    """
    given = given_secret(TOKEN_VARIABLE)
    if given is not None:
        return given
    store = own_store()
    login = store.login(address.origin)
    if login is not None:
        return store.token(login)
    form = "" if address.form.name == _DEFAULT_FORM else f" --api-form {address.form.name}"
    raise PublishError(
        "authentication",
        f"not logged in to {address.origin}: run `manifest login --base-url {address.base}{form}`, "
        f"or set {TOKEN_VARIABLE}",
    )


def denied_help() -> str:
    """Return what to do when the service takes the user token for wrong."""
    if given_secret(TOKEN_VARIABLE) is not None:
        return f"{TOKEN_VARIABLE} is set, and the service does not accept it: correct or unset it"
    return "get a new token with `manifest login`"
