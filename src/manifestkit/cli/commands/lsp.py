"""`manifest lsp`: the editor server."""

from __future__ import annotations

import sys

from manifestkit.cli.console import note
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import manifest_command, option


@manifest_command(
    """
    manifest lsp            editors start it; docs/editors.md has their settings
    """,
    """
    0   the editor shut it down, or disconnected
    1   the editor ended it without a shutdown request
    141 the output was closed before the end
    """,
    extra="lsp",
)
def command(
    *,
    stdio: bool = option(
        "Accepted for compatibility: the server always uses standard input and output."
    ),
) -> int:
    """Run the editor server, on standard input and output.

    It implements the Language Server Protocol, and reports the findings of `manifest lint` in open
    manifests, with the same configuration. It exits when standard input closes, or
    when the editor exits.
    """
    del stdio
    if sys.stdin.isatty():
        note("editors start this; docs/editors.md has their settings")
    from manifestkit.lsp.server import serve  # noqa: PLC0415 - it needs an extra

    return ExitCode.CLEAN if serve(sys.stdin.buffer, sys.stdout.buffer) else ExitCode.FINDINGS
