"""Parts shared by the commands that talk to the publishing service."""

from __future__ import annotations

import math
import os
import re
import sys
import traceback
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click

from manifestkit.cli.console import drop_output, error, note
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import OptionGroup, option
from manifestkit.cli.usage import usage_message
from manifestkit.config.configuration import Configuration, Publishing
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import reason_of
from manifestkit.model.errors import ConfigurationError, ManifestkitError, PublishError
from manifestkit.publish.address import FORMS, Address
from manifestkit.publish.secrets import Authorization, Secret
from manifestkit.publish.store import LoginStore
from manifestkit.rendering.escape import json_text, visible

_VERSION = 1
_DEFAULT_FORM = Publishing().api_form
_JSON = "--json"
_BASE_VARIABLE = "MANIFESTKIT_BASE_URL"
_EMPTY = re.compile(r"(--[a-z-]+=)?\s*")
_TOKEN_VARIABLE = "MANIFESTKIT_TOKEN"  # noqa: S105 - the name of a variable


def _check_filled(args: list[str], ctx: click.Context) -> None:
    """Take no empty argument: an unset variable would name the current folder."""
    empty = next(filter(_EMPTY.fullmatch, args), None)
    if empty is not None:
        raise click.UsageError(f"an argument (`{empty}`) is empty; is a variable unset?", ctx)


class ServiceCommand(click.Command):
    """Needs the extra `publish`, and reports each error as text or JSON."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; where they are wrong and `--json` is one, print the one object."""
        as_json = _JSON in (args[: args.index("--")] if "--" in args else args)
        try:
            _check_filled(args, ctx)
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            if not as_json or ctx.obj is None:  # these are not the words that were typed
                raise
            ctx.exit(_report_usage(problem))

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and return the exit code."""
        as_json: bool = ctx.params["as_json"]
        try:
            code: int = super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            return _report(PublishError("interrupted", "interrupted"), as_json=as_json)
        except PublishError as problem:
            return _report(problem, as_json=as_json)
        except (click.UsageError, ManifestkitError) as problem:
            if not as_json:
                raise
            return _report_usage(problem)
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
        envvar=_BASE_VARIABLE,
        metavar="URL",
    )
    api_form: str | None = option(
        "Paths of the service: base has /cli/login and /v2/cli/deploy, alt /api/cli/login and "
        f"/api/cli/deploy.  [default: {_DEFAULT_FORM}]",
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

    def configuration(self, config: Path | None = None) -> Configuration:
        """Return the configuration of the working folder, or of a file that is named."""
        return Workspace(Options(config=config)).configuration("")

    def address(self, configured: Configuration | None = None) -> Address:
        """Return the service that the user means: by the options, else by the configuration."""
        configured = configured or self.configuration()
        form = self.api_form or configured.publish.api_form
        base, source = self.base_url, "--base-url"
        if base and os.environ.get(_BASE_VARIABLE) == base:
            source = _BASE_VARIABLE
        elif not base:
            base = configured.publish.base_url
            source = f"{configured.file_of('publish', 'base-url')}: `publish.base-url`"
        if base is None:
            raise ConfigurationError(
                f"no service given: use --base-url https://HOST, set {_BASE_VARIABLE}, or set "
                "`base-url` under [publish] in manifestkit.toml; to try one on this machine, run "
                "`manifest sandbox` (extra `sandbox`), which prints how to log in"
            )
        try:
            return Address.at(base, form)
        except ConfigurationError as problem:
            raise ConfigurationError(f"{source}: {problem}") from None

    def client(self, address: Address, configured: Configuration | None = None) -> Any:
        """Return a client of a service, which waits as long as these options say."""
        from manifestkit.publish.client import Client  # noqa: PLC0415 - it needs an extra

        publish = (configured or self.configuration()).publish
        secrets = map(Secret.given, (_TOKEN_VARIABLE, publish.site_token_env))
        return Client(address, self.timeout, publish.max_wait, _report_wait, secrets)

    def token(self, address: Address) -> Secret:
        """Return the token in the environment, else that of the last login.

        Raises:
            PublishError: there is none.
        """
        token = Secret.given(_TOKEN_VARIABLE)
        is_empty = token is None and _TOKEN_VARIABLE in os.environ
        token = token or LoginStore.of_user().token(address.origin)
        if is_empty and token:
            note(f"{_TOKEN_VARIABLE} is empty: the login of `manifest login` counts")
        if is_empty and not token and "CI" in os.environ:
            why = "the secret has another name, or is withheld from a fork's pull request"
            raise PublishError("authentication", f"{_TOKEN_VARIABLE} is empty: {why}")
        if token is None:
            form = "" if address.form.name == _DEFAULT_FORM else f" --api-form {address.form.name}"
            account = "" if sys.stdin.isatty() else " --email EMAIL --password-stdin"
            empty = ", which is empty" if is_empty else ""
            known = " and ".join(LoginStore.of_user().origins())
            others = f", only to {known}" if known else ""
            raise PublishError(
                "authentication",
                f"not logged in to {address.origin}{others}: run `manifest login --base-url "
                f"{address.base}{form}{account}`, or set {_TOKEN_VARIABLE}{empty}",
            )
        return token

    def denied_help(self) -> str:
        """Return what to do when the service takes the user's token for wrong."""
        if Secret.given(_TOKEN_VARIABLE) is None:
            return "get a new token with `manifest login`"
        return f"correct or unset {_TOKEN_VARIABLE}"

    def authorization(self, address: Address, configured: Configuration) -> Authorization:
        """Return the tokens for a deploy.

        Raises:
            PublishError: one that is needed is not there.
        """
        publish = configured.publish
        site_token = Secret.given(publish.site_token_env)
        placement = publish.token_placement or address.form.token_placement
        token = None
        if placement != "none":
            try:
                token = self.token(address)
            except PublishError:
                if site_token is None:
                    raise
        elif site_token is None:
            raise PublishError("authentication", f"no token to send: set {publish.site_token_env}")
        return Authorization(token, site_token, placement, publish.site_token_part)

    def advice(self, status: int | None, why: str | None, by: Authorization, of: Publishing) -> str:
        """Return what to do about the status and error code of a deploy, to end a sentence."""
        site_token = f"the site token in {of.site_token_env}" if by.site_token else ""
        if status == HTTPStatus.FORBIDDEN:
            return f"; check {' and '.join(filter(None, ['--domain', site_token]))}"
        if status == HTTPStatus.UNAUTHORIZED:
            is_sites = site_token and "sitetoken" in (why or "").replace("_", "")
            advice = self.denied_help() if by.token and not is_sites else ""
            correct = f"{'or ' if advice else ''}correct {site_token}" if site_token else ""
            return f"; {', '.join(filter(None, [advice, correct]))}"
        return ""

    def note_variable(self, what: str) -> None:
        """Say what becomes of the token in the environment, if there is one."""
        if Secret.given(_TOKEN_VARIABLE) is not None:
            note(f"{_TOKEN_VARIABLE} {what}")

    def print(self, contents: dict[str, Any], done: str = "", code: int = ExitCode.CLEAN) -> None:
        """Print the outcome: one JSON object, or what was done; an error, if there is a code.

        Where that cannot be written, or is JSON about a failure, what was done is said on standard
        error.
        """
        try:
            if self.as_json:
                _print_json({"outcome": "refused" if code else "done", **contents}, code)
            elif not code:
                click.echo(visible(done))
            sys.stdout.flush()
        except OSError as problem:
            if not done or contents.get("outcome") == "dry-run":  # nothing that must be told
                raise
            drop_output()
            error(f"{done}; the output cannot be written: {reason_of(problem)}")
        else:
            if code and done:
                error(done)


def _report_wait(seconds: float, why: str) -> None:
    if seconds >= 1:  # a moment needs no words
        note(f"{why}; trying again in {math.ceil(seconds):,} s")


def _report_usage(problem: click.UsageError | ManifestkitError) -> int:
    text = usage_message(problem) if isinstance(problem, click.UsageError) else str(problem)
    return _report(PublishError("usage", text), as_json=True)


def _report(problem: PublishError, *, as_json: bool) -> int:
    text, kind = error(str(problem)), problem.kind
    code = ExitCode.of_outcome(kind)
    if as_json:
        contents = {"kind": kind, "message": text, "code": problem.code, "details": problem.details}
        _print_json({"outcome": kind, "reason": text, "error": contents}, code)
    return code


def _print_json(contents: dict[str, Any], code: int = ExitCode.CLEAN) -> None:
    """Print the one object of `--json`."""
    click.echo(json_text({"version": _VERSION, **contents, "exit_code": code}, indent=2))
