"""`manifest completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from manifestkit.cli.console import write_document
from manifestkit.cli.options import Choice, argument, manifest_command


@manifest_command(
    """
    echo 'eval "$(manifest completion bash)"' >> ~/.bashrc
    echo 'eval "$(manifest completion zsh)"' >> ~/.zshrc
    manifest completion fish > ~/.config/fish/completions/manifest.fish
    """,
    """
    0   the script is printed
    2   wrong usage
    """,
)
def command(
    *,
    shell: str = argument(type=Choice(["bash", "zsh", "fish"])),
) -> None:
    """Print the completion script for SHELL."""
    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"completion is not available for {shell}")
    script = complete(
        click.get_current_context().find_root().command, {}, "manifest", "_MANIFEST_COMPLETE"
    ).source()
    write_document(f"{script}\n")
