"""What the commands share that talk to the publishing service."""

from __future__ import annotations

import json
import math
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import TOKEN_VARIABLE
from manifestkit.cli.configured import configuration_here
from manifestkit.cli.console import drop_output, error, note_over_bar
from manifestkit.cli.extras import need
from manifestkit.cli.parameters import Choice, FilePath
from manifestkit.files import reason_of
from manifestkit.model.errors import (
    AuthenticationError,
    ConfigurationError,
    ManifestkitError,
    NotSentError,
    PublishError,
    RateLimitedError,
    RejectedError,
)
from manifestkit.publish.address import Address, parse_address
from manifestkit.publish.client import Client
from manifestkit.publish.retry import RetryPolicy
from manifestkit.publish.wire import FORMS

_VERSION = 1
_CODES: tuple[tuple[type[ManifestkitError], int, str], ...] = (
    (AuthenticationError, exit_codes.AUTHENTICATION, "authentication"),
    (RejectedError, exit_codes.REJECTED, "rejected"),
    (RateLimitedError, exit_codes.RATE_LIMITED, "rate-limited"),
    (NotSentError, exit_codes.NOT_SENT, "not-sent"),
)

_Command = TypeVar("_Command", bound=Callable[..., Any])
_JSON = "--json"


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
        options = args[: args.index("--")] if "--" in args else args
        as_json = _JSON in options
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            if not as_json:
                raise
            ctx.exit(_report_usage(problem))

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return the exit code."""
        as_json: bool = ctx.params["as_json"]
        try:
            need("publish")
            code: int = super().invoke(ctx)
        except click.UsageError as problem:
            if not as_json:
                raise
            return _report_usage(problem)
        except (KeyboardInterrupt, click.Abort):
            return _report("interrupted", "interrupted", exit_codes.INTERRUPTED, as_json=as_json)
        except PublishError as problem:
            found = (each for each in _CODES if isinstance(problem, each[0]))
            _, code, kind = next(found)
            details = {"code": problem.code, "details": problem.details}
            return _report(str(problem), kind, code, as_json=as_json, service=details)
        except ManifestkitError as problem:
            return _report(str(problem), "usage", exit_codes.USAGE, as_json=as_json)
        except (click.ClickException, click.exceptions.Exit, OSError):
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, the last resort reports it
            frames = "".join(traceback.format_tb(problem.__traceback__))
            raise UnreportedError(f"{type(problem).__name__}, without its text\n{frames}") from None
        return code


class UnreportedError(Exception):
    """A bug, reported by its kind and its place: its text and its causes could hold a secret."""


def _options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


service_options = _options(
    click.option(
        "--base-url",
        envvar="MANIFESTKIT_BASE_URL",
        show_envvar=True,
        metavar="URL",
        help="Base URL of the service: https://HOST, without /api.",
    ),
    click.option(
        "--api-form",
        envvar="MANIFESTKIT_API_FORM",
        show_envvar=True,
        type=Choice(list(FORMS)),
        help=f"Address form of the service.  [default: {next(iter(FORMS))}]",
    ),
    click.option(_JSON, "as_json", is_flag=True, help="Print the outcome as one JSON object."),
)
"""The options that say where the service is."""


class _Seconds(click.FloatRange):
    """A number of seconds; `nan`, which no range holds off, is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


SECONDS = _Seconds(min=0, min_open=True, max=86_400)
"""A time to wait for something, up to a day."""


account_options = _options(
    click.option(
        "--account",
        metavar="EMAIL",
        help="The account, if you are logged in to several.",
    ),
    click.option(
        "--token-file",
        type=FilePath(path_type=Path),
        metavar="FILE",
        help=f"Read your token from this file; or set {TOKEN_VARIABLE}.",
    ),
)
"""The options that say whose token is used."""


def connection_options(deadline: float) -> Callable[[_Command], _Command]:
    """The options that say how to talk to it."""
    return _options(
        click.option(
            "--ca-bundle",
            type=FilePath(path_type=Path),
            metavar="FILE",
            help="Also trust these certificate authorities (PEM).",
        ),
        click.option(
            "--max-wait",
            type=_Seconds(min=0),
            default=60,
            show_default=True,
            metavar="SECONDS",
            help="Longest wait to accept from the service.",
        ),
        click.option(
            "--timeout",
            type=SECONDS,
            default=deadline,
            show_default=True,
            metavar="SECONDS",
            help="Time limit for the network, including retries and waits.",
        ),
    )


def finish(what: Callable[[], None], done: str) -> None:
    """Print the result; where that cannot be written, say on standard error what was done."""
    try:
        what()
        sys.stdout.flush()
    except OSError as problem:
        drop_output()
        error(f"{done}; the output cannot be written: {reason_of(problem)}")


def _report_usage(problem: click.UsageError) -> int:
    message = " ".join(problem.format_message().split())
    return _report(message, "usage", exit_codes.USAGE, as_json=True)


def _report(
    text: str, kind: str, code: int, *, as_json: bool, service: dict[str, Any] | None = None
) -> int:
    if as_json:
        service = service or {"code": None, "details": None}
        print_json({"error": {"kind": kind, "message": text, **service}, "exit_code": code})
    else:
        error(text)
    return code


def print_json(contents: dict[str, Any]) -> None:
    """The one object of `--json`."""
    click.echo(json.dumps({"version": _VERSION, **contents}, indent=2))


def service_address(
    base_url: str | None, api_form: str | None, config: Path | None = None
) -> Address:
    """The service that the user means: by the options, else by the configuration.

    Raises:
        ConfigurationError: none is named, or not one that a token may go to.
    """
    configured = configuration_here(config)
    form = api_form or configured.publish.api_form or next(iter(FORMS))
    if base_url:
        return parse_address(base_url, form)
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


def client_for(address: Address, ca_bundle: Path | None, max_wait: float, timeout: float) -> Client:
    """A client by the options of `connection_options`."""
    return Client(address, RetryPolicy(max_wait, timeout), ca_bundle, on_wait=report_wait)


def report_wait(seconds: float, why: str) -> None:
    """Say on standard error why nothing happens for a while; a moment needs no words."""
    if seconds >= 1:
        note_over_bar(f"{why}; trying again in {math.ceil(seconds):,} s")
