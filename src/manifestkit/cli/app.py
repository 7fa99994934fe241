"""The command and its subcommands."""

from __future__ import annotations

import importlib

import click

from manifestkit.cli.validator import import_validator

_COMMANDS = {
    "add": "manifestkit.cli.add",
    "completion": "manifestkit.cli.completion",
    "deploy": "manifestkit.cli.deploy",
    "editor": "manifestkit.cli.editor",
    "explain": "manifestkit.cli.explain",
    "fmt": "manifestkit.cli.fmt",
    "lint": "manifestkit.cli.lint",
    "login": "manifestkit.cli.login",
    "logout": "manifestkit.cli.logout",
    "new": "manifestkit.cli.new",
    "remove": "manifestkit.cli.remove",
    "rules": "manifestkit.cli.rules",
    "sandbox": "manifestkit.cli.sandbox",
    "schema": "manifestkit.cli.schema",
    "set": "manifestkit.cli.set",
    "sites": "manifestkit.cli.sites",
}
_OFTEN_RUN = ("fmt", "lint")


class _Commands(click.Group):
    """Imports a subcommand only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        if cmd_name in _OFTEN_RUN:
            import_validator()
        command: click.Command = importlib.import_module(_COMMANDS[cmd_name]).command
        return command


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415 - slow to import

        click.echo(f"manifest {version('manifestkit')}")
        ctx.exit()


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  manifest lint                       check the manifests in this folder
  manifest lint manifest.json         check one file
  manifest lint --fix                 mend what can be mended safely
  manifest fmt                        put them into their one form
  manifest add permission host.timer  add to a manifest, and touch nothing else
  manifest explain unknown-member     all about a rule
  manifest new                        write a manifest, asking for what it needs
  manifest deploy dist --domain NAME  publish a site, once its manifest is in order
  manifest completion bash            let the shell complete commands
""",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and exit.",
)
def app() -> None:
    """Lint and author activity provider manifests."""
