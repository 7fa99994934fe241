"""`manifest new --fill`: an existing manifest gets what it is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note
from manifestkit.document import Document
from manifestkit.edits import sound
from manifestkit.engine import FileResult, Linter
from manifestkit.errors import ConfigurationError, EditRefusedError
from manifestkit.files import read_bytes, rewrite, shown
from manifestkit.finding import Finding
from manifestkit.limits import DEFAULT_LIMITS
from manifestkit.pointer import Path as Pointer
from manifestkit.render import visible
from manifestkit.scaffold.filling import filled
from manifestkit.scaffold.value import in_order
from manifestkit.severity import Severity

Answers = Callable[[Any], Any]
"""Gives a value answers for what it is missing."""


def fill(
    path: Path | None,
    linter: Linter,
    settings: Mapping[str, Any],
    given: Mapping[str, Pointer],
    answered: Answers,
) -> int:
    """Put into a manifest what it is missing; the exit code.

    Args:
        path: the manifest.
        linter: judges what comes of it.
        settings: the command's options.
        given: where the answers belong that options give, by the options' names.
        answered: gives a value its answers.

    Raises:
        ManifestkitError: the file cannot be read, edited or written.
    """
    if path is None:
        raise click.UsageError("--fill needs the PATH of the manifest to fill")
    if settings["syntax"] or settings["with_schema"]:
        raise click.UsageError("--fill adds missing members only: no --format, no --with-schema")
    name = shown(path)
    data = read_bytes(path, DEFAULT_LIMITS.bytes)
    document = _fillable(data, name)
    there = [option for option, at in given.items() if _has(document, at)]
    if there:
        raise ConfigurationError(
            f"{', '.join(there)}: {visible(name)} has it already, and --fill changes nothing"
        )
    value = in_order(linter.schema, answered(document.value))
    after = filled(document, linter.schema, value)
    new = _new_findings(linter.lint(data, name), linter.lint(after.text, name))
    if new:
        for finding in new:
            error(f"{finding.pointer}: {finding.message}")
        return exit_codes.USAGE
    if settings["dry_run"]:
        click.echo(after.text, nl=False)
    elif after.text == document.text:
        note(f"{visible(name)} is missing nothing")
    else:
        rewrite(path, after.text.encode(), data)
        note(f"{visible(name)} has what it was missing")
    return exit_codes.CLEAN


def _fillable(data: bytes, name: str) -> Document:
    try:
        document = sound(data, name)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{visible(name)}: mend it first: {problem}") from None
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{visible(name)}: mend it first: a manifest is one object")
    return document


def _has(document: Document, path: Pointer) -> bool:
    try:
        document.value_at(path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _new_findings(before: FileResult, after: FileResult) -> list[Finding]:
    """The errors and warnings that a manifest had not before."""
    old = {(each.rule, each.pointer) for each in before.findings}
    return [
        each
        for each in after.findings
        if each.severity is not Severity.INFO and (each.rule, each.pointer) not in old
    ]
