"""The command within this process, for properties that hold for hundreds of runs."""

from __future__ import annotations

import click
from click.testing import CliRunner

from command import Outcome
from manifestkit.cli.app import app
from manifestkit.errors import ManifestkitError


def manifest_here(*arguments: str, stdin: bytes = b"") -> Outcome:
    """Run `manifest`; what it raises on purpose is told as the command tells it."""
    result = CliRunner().invoke(
        app, list(arguments), prog_name="manifest", standalone_mode=False, input=stdin
    )
    match result.exception:
        case None:
            return Outcome(int(result.return_value or 0), result.stdout, result.stderr)
        case click.ClickException() as problem:
            return Outcome(2, result.stdout, f"{result.stderr}error: {problem.format_message()}\n")
        case ManifestkitError() as problem:
            return Outcome(2, result.stdout, f"{result.stderr}error: {problem}\n")
        case crash:
            raise crash
