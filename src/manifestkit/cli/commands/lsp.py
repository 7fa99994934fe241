"""`manifest lsp`."""

from __future__ import annotations

import sys

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.extras import need


@click.command(
    epilog="""\b
Examples:
  manifest lsp            an editor starts it; `manifest editor` prints the settings

\b
Exit codes:
  0   the editor ended it, or went away
  1   the editor ended it without saying so before
  141 the editor reads no more
""",
)
def command() -> int:
    """Run the editor server, on standard input and output.

    It speaks the Language Server Protocol, and finds in an open manifest what `manifest lint` finds
    in the file, by the same configuration. It ends when its input does.
    """
    need("lsp")
    from manifestkit.lsp.server import serve  # noqa: PLC0415 - it needs an extra

    return exit_codes.CLEAN if serve(sys.stdin.buffer, sys.stdout.buffer) else exit_codes.FINDINGS
