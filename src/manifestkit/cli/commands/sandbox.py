"""`manifest sandbox`."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import note
from manifestkit.cli.options import Choice, FilePath, manifest_command, need, option
from manifestkit.cli.service import FilledCommand
from manifestkit.files import reason_of
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.wire import FORMS, REQUESTS_PER_WINDOW, SHAPES
from manifestkit.sandbox.faults import Kind, Limiter, parse_fault

_PASSWORD_VARIABLE = "MANIFESTKIT_SANDBOX_PASSWORD"  # noqa: S105 - the name of a variable
_FAULTS = "\n".join(f"  {each.label:<15}{each.meaning}" for each in Kind)


@manifest_command(
    """
    manifest sandbox --data sandbox --port 8080 --account me@example.org
    manifest sandbox --data sandbox --account me@example.org --site calm.localhost=secret
    manifest sandbox --data sandbox --port 8080 --fault deploy=html-502 --fault sites=slow,2,30
    """,
    """
    0   stopped
    2   wrong usage, or the port or the data folder is not available
    """,
    also=f"Faults, each for one operation (login, sites, deploy):\n{_FAULTS}",
    cls=FilledCommand,
)
def command(
    *,
    data: Path = option(
        "Folder for accounts, sites and archives.",
        required=True,
        type=FilePath(path_type=Path, file_okay=False),
        metavar="DIR",
    ),
    port: int = option(
        "Port to listen on, only on this machine; 0 for any free port.",
        type=click.IntRange(0, 65_535),
        default=8080,
        metavar="PORT",
    ),
    accounts: tuple[str, ...] = option(
        f"Create this account, with the password in {_PASSWORD_VARIABLE}, or else a random one, "
        "which is shown once. May be repeated.",
        "--account",
        metavar="EMAIL",
    ),
    sites: tuple[str, ...] = option(
        "Create this site, with this site token or a random one, for the first --account, or the "
        "only one. May be repeated.",
        "--site",
        metavar="DOMAIN[=TOKEN]",
    ),
    faults: tuple[str, ...] = option(
        "Simulate a fault, once or TIMES times. May be repeated.",
        "--fault",
        metavar="OPERATION=FAULT[,TIMES[,SECONDS]]",
    ),
    sites_as: str = option(
        "Form of the list of sites, which the API document does not specify.",
        type=Choice(SHAPES),
        default=SHAPES[0],
    ),
    rate_limit: int = option(
        "Requests per minute for each token.",
        type=click.IntRange(min=1),
        default=REQUESTS_PER_WINDOW,
        metavar="N",
    ),
) -> int:
    """Run a local publishing service to try out deploys.

    The sandbox implements version 1 of the API in both address forms, stores deployed sites, and
    serves them at http://NAME.localhost:PORT/. A deploy to a new name creates the site. It listens
    only on this machine and stops at Ctrl-C; the sites are kept for the next start.
    """
    need("sandbox")
    from manifestkit.sandbox import service, store  # noqa: PLC0415 - they need an extra

    try:
        wanted = [parse_fault(text) for text in faults]
    except ValueError as error:
        raise click.UsageError(f"--fault: {error}") from None
    wanted_sites = [_wanted_site(text, service.site_name) for text in sites]
    opened = store.Store(data)
    made = service.Service(opened, Limiter(rate_limit), sites_as, click.echo)
    for fault in wanted:
        made.faults.add(fault)
    try:
        for email in accounts:
            made_up = opened.add_account(email, os.environ.get(_PASSWORD_VARIABLE) or None)
            if made_up is not None:
                click.echo(f"account {email}, password {made_up}")
                note(f"the password is shown only now; set {_PASSWORD_VARIABLE} to choose another")
        for name, token in wanted_sites:
            owners = accounts or [each.email for each in opened.accounts()]
            if not accounts and len(owners) != 1:
                raise click.UsageError("--site: choose its account with --account")
            owner = owners[0]
            try:
                site = opened.have_site(name, owner, token)
            except ValueError as error:
                raise click.UsageError(f"--site: {error}") from None
            click.echo(f"site {name}.{service.DOMAIN} of {owner}, site token {site.site_token}")
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(service.serving(made, port), port))
    finally:
        opened.close()
    return exit_codes.CLEAN


def _wanted_site(text: str, name_of: Callable[[str], str]) -> tuple[str, str | None]:
    """Return the name of a site, and its token where one is given."""
    domain, equals, token = text.partition("=")
    if equals and not (token.strip() and token.isprintable()):
        raise click.UsageError("--site: write DOMAIN or DOMAIN=TOKEN")
    try:
        return name_of(domain), token or None
    except ValueError as error:
        raise click.UsageError(f"--site: {error}") from None


async def _serve(serving: AbstractAsyncContextManager[int], port: int) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: there Ctrl+C ends it by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stopped.set)
    async with AsyncExitStack() as stack:
        try:
            got = await stack.enter_async_context(serving)
        except OSError as error:
            raise ConfigurationError(
                f"port {port} is not available: {reason_of(error)}; use --port 0 for a free one"
            ) from None
        click.echo(f"sandbox at http://127.0.0.1:{got}, address forms: {', '.join(FORMS)}")
        click.echo(f"sites at http://NAME.localhost:{got}/")
        await stopped.wait()
