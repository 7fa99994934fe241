"""`manifest new --fill`: an existing manifest gets what it is missing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.places import kinds
from manifestkit.authoring.starter import Answers, in_order, missing_by_mistake
from manifestkit.authoring.text import filled
from manifestkit.cli import exit_codes
from manifestkit.cli.commands.new.options import Inputs
from manifestkit.cli.console import error, note, write_document
from manifestkit.decode import Decoded
from manifestkit.edits import require_editable
from manifestkit.engine import FileResult, Target, Workspace
from manifestkit.files import posix_name, rewrite
from manifestkit.findings.messages import counted, label
from manifestkit.model.document import Document
from manifestkit.model.errors import ConfigurationError, EditRefusedError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import format_pointer
from manifestkit.schema.model import Schema


def fill(
    path: Path | None,
    settings: Mapping[str, Any],
    inputs: Inputs,
    completed: Callable[[Any], Any],
    told: Callable[[Finding], str],
) -> int:
    """Put into a manifest what it is missing; the exit code.

    Args:
        path: the manifest.
        settings: the command's options.
        inputs: what its options give values for.
        completed: a copy of a value with what it is missing.
        told: a finding of what is added, in one line.

    Raises:
        ManifestkitError: the file cannot be read, edited or written.
    """
    if path is None:
        raise click.UsageError("--fill needs the PATH of a manifest")
    if settings["syntax"] or settings["with_schema"]:
        raise click.UsageError("--fill cannot be combined with --format or --with-schema")
    workspace, target = inputs.workspace, Target(posix_name(path), found=False)
    name, schema = target.name, inputs.policy.schema
    data = workspace.read(target)
    before = workspace.decode(data, name, target.folder)
    document = _fillable(before)
    refused = [
        *_misnamed(before, schema, name),
        *_there_already(document, schema, name, inputs, settings),
    ]
    if refused:
        for problem in refused:
            error(problem)
        return exit_codes.USAGE
    value = in_order(schema, completed(document.value))
    after = _filled(workspace, target, before, schema, value)
    text = after.document.text
    judged = workspace.lint(target, before)
    outcome = judged if after is before else workspace.lint(target, after)
    new = _new_findings(judged, outcome)
    if new:
        for finding in new:
            error(told(finding))
        return exit_codes.USAGE
    if settings["dry_run"]:
        write_document(text)
    elif text == document.text:
        note(f"{name} has no missing members")
    else:
        rewrite(path, text.encode(), data)
        note(f"added the missing members to {name}")
    left = sum(each.severity is not Severity.INFO for each in outcome.findings)
    if left:
        remaining = counted(left, "finding remains", "findings remain")
        note(f"{remaining}; see `{_command('lint', name)}`")
    return exit_codes.CLEAN


def _fillable(decoded: Decoded) -> Document:
    name = decoded.document.name
    try:
        document = require_editable(decoded)
    except EditRefusedError as problem:
        raise ConfigurationError(f"{name}: fix it first: {problem}") from None
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{name}: fix it first: a manifest is one object")
    return document


def _misnamed(before: Decoded, schema: Schema, name: str) -> Iterator[str]:
    """Return members that are missing only by name or place: a new value would replace them."""
    for each in missing_by_mistake(schema, before):
        is_safe = any(fix.safety == "safe" for fix in each.fixes)
        options = ["--fix"] if is_safe else ["--fix", "--unsafe-fixes"]
        place = Answers(before.document).place(each.pointer)
        yield f"{place}: {each.message}; run `{_command('lint', *options, name)}` first"


def _filled(
    workspace: Workspace, target: Target, before: Decoded, schema: Schema, value: Any
) -> Decoded:
    try:
        return filled(before, schema, value, workspace.limits(target.folder))
    except EditRefusedError as problem:
        raise ConfigurationError(f"{target.name}: not changed: {problem}") from None


def _there_already(
    document: Document,
    schema: Schema,
    name: str,
    inputs: Inputs,
    settings: Mapping[str, Any],
) -> Iterator[str]:
    """Return the error of each option that does not fit the manifest."""
    kind_of = {member: kind for kind, member in kinds(schema).items()}
    for option, given in inputs.texts(settings).items():
        entry = inputs.by_name[option]
        at = entry.path
        if not _has(document, at):
            continue
        texts = [given] if isinstance(given, str) else given
        if len(at) == 1 and at[0] in kind_of:
            arguments = ("add", kind_of[str(at[0])], *texts[:1])
        else:
            item = ("-",) if entry.item else ()
            arguments = ("set", format_pointer((*at, *item)), *texts[:1])
        yield f"--{option}: {name} has {label(at)} already; use `{_command(*arguments, name)}`"


def _command(*arguments: str) -> str:
    return shlex.join(("manifest", *arguments))


def _has(document: Document, path: Pointer) -> bool:
    try:
        document.value_at(path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _new_findings(before: FileResult, after: FileResult) -> list[Finding]:
    """Return the errors and warnings that a manifest had not before."""
    old = {(each.rule, each.pointer) for each in before.findings}
    return [
        each
        for each in after.findings
        if each.severity is not Severity.INFO and (each.rule, each.pointer) not in old
    ]
