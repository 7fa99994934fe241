"""`manifest completion`."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from manifestkit.cli.console import write_document
from manifestkit.cli.options import argument, manifest_command

_SHELLS: dict[str, type[ShellComplete]] = {
    each.name: each for each in (BashComplete, ZshComplete, FishComplete)
}


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
def command(*, shell: str = argument(choices=list(_SHELLS))) -> None:
    """Print the completion script for SHELL."""
    app = click.get_current_context().find_root().command
    script = _SHELLS[shell](app, {}, "manifest", "_MANIFEST_COMPLETE").source()
    write_document(f"{script}\n")
