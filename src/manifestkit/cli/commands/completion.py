"""`manifest completion`."""

from __future__ import annotations

import os
import re

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from manifestkit.cli.console import write_document
from manifestkit.cli.options import argument, manifest_command

_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = foreach ($each in $commandAst.CommandElements) {
        if ($each.Extent.EndOffset -ge $cursorPosition) { break }
        if ($each -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $each.Value
        } else {
            $each.Extent.Text
        }
    }
    $env:%(complete_var)s = 'powershell_complete'
    $env:COMP_WORDS = $words -join "`n"
    $env:COMP_CWORD = $wordToComplete.Trim("'", '"')
    try {
        & %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $text, $name, $help = $_ -split "`t", 3
            [System.Management.Automation.CompletionResult]::new(
                $text, $name, 'ParameterValue', $help)
        }
    } finally {
        Remove-Item -ErrorAction Ignore 'Env:%(complete_var)s', 'Env:COMP_WORDS', 'Env:COMP_CWORD'
    }
}
"""
_NEEDS_NO_QUOTES = re.compile(r"[\w./:=+*-]+")


@add_completion_class
class PowerShellComplete(ShellComplete):
    """Completion for PowerShell, which completes names of files by itself where it is told nothing.

    It names the words before the cursor, each on a line, and the one to complete. An answer is what
    to insert, what to list and what to explain it with, divided by tabs.
    """

    name = "powershell"
    source_template = _POWERSHELL

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one."""
        _, *words = os.environ.get("COMP_WORDS", "").split("\n")
        return words, os.environ.get("COMP_CWORD", "")

    def format_completion(self, item: CompletionItem) -> str:
        """Return the line for an answer; an empty one for the names of files."""
        if item.type != "plain":
            return ""
        text = item.value
        if not _NEEDS_NO_QUOTES.fullmatch(text):
            text = "'" + text.replace("'", "''") + "'"
        return f"{text}\t{item.value}\t{item.help or item.value}"


_SHELLS: dict[str, type[ShellComplete]] = {
    each.name: each for each in (BashComplete, ZshComplete, FishComplete, PowerShellComplete)
}


@manifest_command(
    """
    echo 'eval "$(manifest completion bash)"' >> ~/.bashrc
    echo 'eval "$(manifest completion zsh)"' >> ~/.zshrc
    manifest completion fish > ~/.config/fish/completions/manifest.fish
    Add-Content $PROFILE 'manifest completion powershell | Out-String | Invoke-Expression'
    """,
    """
    0   the script is printed
    2   wrong usage
    """,
)
def command(*, shell: str = argument(choices=list(_SHELLS))) -> None:
    """Print the completion script for SHELL.

    The script for PowerShell has not been tested in PowerShell itself.
    """
    app = click.get_current_context().find_root().command
    script = _SHELLS[shell](app, {}, "manifest", "_MANIFEST_COMPLETE").source()
    write_document(f"{script}\n")
