"""Options of `manifest lint`, and the checks of their combinations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from manifestkit.cli.output import Output
from manifestkit.cli.parameters import STDIN_PATH
from manifestkit.engine import Options
from manifestkit.model.finding import Severity
from manifestkit.rules.catalogue import change_rules


def check_together(
    settings: dict[str, Any],
    paths: tuple[str, ...],
    outputs: tuple[Output, ...],
    new_baseline: Path | None,
) -> None:
    """Refuse options that cannot be combined."""
    is_fixing = settings["fix"] or settings["diff"]
    if settings["watch"]:
        other = is_fixing or new_baseline or settings["show_files"] or settings["show_settings"]
        if other or STDIN_PATH in paths or any(each.file for each in outputs):
            raise click.UsageError("--watch only shows findings of files, on standard output")
    for name in ("unsafe_fixes", "exit_non_zero_on_fix", "show_fixes"):
        if settings[name] and not is_fixing:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --fix or --diff")
    if is_fixing and (new_baseline or settings["show_files"]):
        raise click.UsageError(
            "--fix and --diff cannot be combined with --write-baseline or --show-files"
        )
    if settings["statistics"] and (new_baseline or settings["show_files"]):
        raise click.UsageError(
            "--statistics cannot be combined with --write-baseline or --show-files"
        )
    if is_fixing and STDIN_PATH in paths and len(paths) > 1:
        raise click.UsageError("with --fix or --diff, - cannot be combined with files")
    for rule in settings["select"]:
        if rule in change_rules():
            raise click.UsageError(
                f"`{rule}` is about what changes between two manifests; use `manifest diff`"
            )


def options_of(settings: dict[str, Any]) -> Options:
    """Return the engine's options by those of the command line."""
    if settings["isolated"] and settings["config"]:
        raise click.UsageError("--isolated and --config cannot be combined")
    return Options(
        schema=settings["schema"],
        profiles=settings["profile"],
        select=settings["select"] or None,
        ignore=settings["ignore"],
        severity=dict(settings["severity"]),
        fail_on=Severity(settings["fail_on"]) if settings["fail_on"] else None,
        baseline=settings["baseline"],
        config=settings["config"],
        isolated=settings["isolated"],
        force_exclude=settings["force_exclude"],
        limits=dict(settings["limits"]),
    )
