"""The command within this process, for properties that hold for hundreds of runs."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr
from pathlib import Path
from unittest.mock import patch

import click
from click.testing import CliRunner

from command import Outcome, environment
from manifestkit.cli.main import app, report_failure
from manifestkit.model.errors import ManifestkitError


def manifest_here(
    *arguments: str | Path,
    cwd: str | Path = ".",
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run `manifest`; what it raises on purpose is told as the command tells it."""
    assert not any(name.startswith("PYTHON") for name in env or {}), "Python has started before"
    settings = environment(**(env or {}))
    changed = {
        name: settings.get(name)
        for name in {*os.environ, *settings}
        if settings.get(name) != os.environ.get(name)
    }
    with chdir(cwd), _handlers_kept():
        result = CliRunner().invoke(
            app,
            [os.fspath(each) for each in arguments],
            prog_name="manifest",
            standalone_mode=False,
            input=stdin,
            env=changed,
        )
    out, err = result.stdout_bytes.decode(), result.stderr_bytes.decode()
    match result.exception:
        case None:
            return Outcome(int(result.return_value or 0), out, err)
        case click.ClickException() | ManifestkitError() as problem:
            said = io.StringIO()
            with redirect_stderr(said), patch.dict(os.environ, settings, clear=True):
                report_failure(problem)
            return Outcome(2, out, err + said.getvalue())
        case crash:
            raise crash


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Take signals as before again: a deploy ignores those that come once its end is decided."""
    before = [(each, signal.getsignal(each)) for each in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)
