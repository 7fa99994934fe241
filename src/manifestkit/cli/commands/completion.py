"""`manifest completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from manifestkit.cli.console import write_document
from manifestkit.cli.options import Choice


@click.command(
    epilog="""\b
Examples:
  echo 'eval "$(manifest completion bash)"' >> ~/.bashrc
  echo 'eval "$(manifest completion zsh)"' >> ~/.zshrc
  manifest completion fish > ~/.config/fish/completions/manifest.fish

\b
Exit codes:
  0   the script is printed
  2   wrong usage
""",
)
@click.argument("shell", type=Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL."""
    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"completion is not available for {shell}")
    script = complete(ctx.find_root().command, {}, "manifest", "_MANIFEST_COMPLETE").source()
    write_document(f"{script}\n")
