"""The command and its subcommands."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from manifestkit.cli.completing import completed

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# What each is for is the first sentence of its own help.
_COMMANDS = {
    "add": "Add an activity, a permission or a capability.",
    "completion": "Print a script that lets SHELL complete this command.",
    "convert": "Print a manifest in the other syntax, JSON or YAML.",
    "deploy": "Check a site with its manifest, and publish it.",
    "editor": "Print settings that make an EDITOR know manifests.",
    "explain": "Explain a rule, a member or a listed value.",
    "fmt": "Put manifests into their one form.",
    "lint": "Check manifests, and tell what is wrong where.",
    "login": "Log in to the publishing service.",
    "logout": "Delete the token that `manifest login` stored.",
    "new": "Write a new manifest, asking for what is missing.",
    "remove": "Remove a member or an item from a manifest.",
    "rules": "List the rules, with their default severity.",
    "sandbox": "Run a publishing service here, to rehearse deploys.",
    "schema": "Print the JSON Schema of a manifest.",
    "set": "Give a member of a manifest a value.",
    "sites": "List your sites, one in a line.",
}


class _Commands(click.Group):
    """Imports a subcommand only when it is asked for, and none to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"manifestkit.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - likewise
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = completed(_COMMANDS, incomplete)
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]


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
  manifest lint --fix                 apply the safe fixes
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
