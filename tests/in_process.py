"""The command within this process, for properties that hold for hundreds of runs."""

from __future__ import annotations

import io
from contextlib import chdir, redirect_stderr
from pathlib import Path

import click
from click.testing import CliRunner

from command import Outcome
from manifestkit.cli.main import app, report_failure
from manifestkit.model.errors import ManifestkitError


def manifest_here(*arguments: str, cwd: str | Path = ".", stdin: bytes = b"") -> Outcome:
    """Run `manifest`; what it raises on purpose is told as the command tells it."""
    with chdir(cwd):
        result = CliRunner().invoke(
            app, list(arguments), prog_name="manifest", standalone_mode=False, input=stdin
        )
    match result.exception:
        case None:
            return Outcome(int(result.return_value or 0), result.stdout, result.stderr)
        case click.ClickException() | ManifestkitError() as problem:
            said = io.StringIO()
            with redirect_stderr(said):
                report_failure(problem)
            return Outcome(2, result.stdout, result.stderr + said.getvalue())
        case crash:
            raise crash
