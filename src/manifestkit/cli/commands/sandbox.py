"""`manifest sandbox`."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from manifestkit.cli.console import drop_output, note
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import manifest_command, option
from manifestkit.files import reason_of
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.address import FORMS

if TYPE_CHECKING:
    from manifestkit.sandbox.service import Store

_PASSWORD_VARIABLE = "MANIFESTKIT_SANDBOX_PASSWORD"  # noqa: S105 - the name of a variable
_PORT = 8080
_ACCOUNT = "me@example.org"


@manifest_command(
    """
    manifest sandbox
    manifest sandbox --data sandbox --port 8080 --account me@example.org
    """,
    """
    0   stopped
    2   wrong usage, or the port or the data folder is not available
    """,
    extra="sandbox",
)
def command(
    *,
    data: Path | None = option(
        "Folder that keeps accounts and sites for the next start.  [default: a temporary one]",
        path="folder",
        metavar="DIR",
    ),
    port: int | None = option(
        "Port to listen on; 0 for any free one.  [default: 8080, or a free one]",
        type=click.IntRange(0, 65_535),
        metavar="PORT",
    ),
    accounts: tuple[str, ...] = option(
        f"Create this account, with the password in {_PASSWORD_VARIABLE}, or else a random one. "
        f"May be repeated.  [default: {_ACCOUNT}]",
        "--account",
        metavar="EMAIL",
    ),
) -> int:
    """Run a local publishing service to try out deploys.

    The sandbox has version 1 of the API in both address forms (/v2/cli/deploy is one, too). It
    serves sites at http://NAME.localhost:PORT/; the NAME of calm.example.org is calm-example-org. A
    deploy to a new name creates the site, and prints its site token. The rate limit is 100 requests
    a minute for each token in a query, and for all others, such as logins, together. The sandbox
    listens only on this machine and stops at Ctrl-C.
    """
    from manifestkit.sandbox.service import Store  # noqa: PLC0415 - it needs an extra

    with ExitStack() as stack:
        if data is None:
            made = tempfile.TemporaryDirectory(
                prefix="manifestkit-sandbox-", ignore_cleanup_errors=True
            )
            data = Path(stack.enter_context(made))
        store = stack.enter_context(Store(data))
        if not accounts and not store.emails():
            accounts = (_ACCOUNT,)
        with suppress(KeyboardInterrupt):
            asyncio.run(_serve(store, port, accounts))
    return ExitCode.CLEAN


def _create(store: Store, accounts: tuple[str, ...]) -> None:
    password = os.environ.get(_PASSWORD_VARIABLE) or None
    for email in accounts:
        made_up = store.add_account(email, password)
        if made_up is not None:
            click.echo(f"account {email}, password {made_up}")
            note(f"the password is shown only now; set {_PASSWORD_VARIABLE} to choose another")
        else:
            source = f"of {_PASSWORD_VARIABLE}" if password else "as before"
            click.echo(f"account {email}, password {source}")


def _log(line: str) -> None:
    """Print a line; where nobody reads it any longer, the service goes on without."""
    try:
        click.echo(line)
    except OSError:
        drop_output()


async def _serve(store: Store, port: int | None, accounts: tuple[str, ...]) -> None:
    from manifestkit.sandbox.service import serving  # noqa: PLC0415 - it needs an extra

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: there Ctrl+C ends it by itself
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(each, stopped.set)
    async with AsyncExitStack() as stack:
        ports = (_PORT, 0) if port is None else (port,)
        for wanted in ports:
            try:
                got = await stack.enter_async_context(serving(store, wanted, _log, note))
                break
            except OSError as error:
                if wanted == ports[-1]:
                    raise ConfigurationError(
                        f"port {wanted} is not available: {reason_of(error)}; use --port 0 for a "
                        "free one"
                    ) from None
        _create(store, accounts)
        forms = ", ".join(f"{each.name} ({each.deploy})" for each in FORMS.values())
        click.echo(f"sandbox at http://127.0.0.1:{got}, address forms: {forms}")
        email = store.emails()[0]
        click.echo(f"log in with: manifest login --base-url http://127.0.0.1:{got} --email {email}")
        click.echo(f"sites at http://NAME.localhost:{got}/")
        await stopped.wait()
