"""`manifest diff`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.text import SUFFIXES
from manifestkit.changes.git import Revision
from manifestkit.changes.matching import of_revision
from manifestkit.changes.pairs import compare_all, of_files
from manifestkit.cli import exit_codes
from manifestkit.cli.commands.lint import command as lint
from manifestkit.cli.commands.lint.options import options_of
from manifestkit.cli.console import error, note, read_stdin, style_for
from manifestkit.cli.output import (
    Output,
    check_targets,
    comparison_summary,
    logged,
    refuse_overwriting,
    report_errors,
    report_notes,
    say_summary,
    write_all,
    written,
)
from manifestkit.cli.parameters import STDIN_PATH, FilePath
from manifestkit.engine import Report, Workspace
from manifestkit.engine.git import NoRepositoryError
from manifestkit.files import is_there
from manifestkit.model.errors import ConfigurationError

_OF_LINT = frozenset(
    {
        *("outputs", "color", "quiet", "schema", "select", "ignore", "severity", "fail_on"),
        *("baseline", "config", "isolated", "force_exclude", "limits", "exit_zero"),
    }
)
"""The options that are those of `manifest lint`, by their names in the code."""


@click.command(
    epilog="""\b
Examples:
  manifest diff old.json manifest.json             two files, JSON or YAML
  manifest diff --base main                        what changed in this folder since main
  manifest diff --base HEAD~1 app/manifest.json    in one file
  manifest diff --base main --output-format markdown > comment.md
  manifest diff --base main --profile host-changes.schema.json
  manifest diff --base main --fail-on warning

\b
Exit codes:
  0   no findings at or above --fail-on
  1   findings at or above it
  2   wrong usage or configuration, an unknown revision, or a manifest that cannot be compared
  70  a bug in manifestkit; the message says how to report it
  130 interrupted
  141 the output was closed before the end
""",
)
@click.argument("paths", nargs=-1, type=FilePath(readable=False), metavar="[OLD NEW|PATH...]")
@click.option(
    "--base",
    metavar="REF",
    help=(
        "Compare files with their versions in git at this commit, branch or tag. PATH is a file "
        "or a folder (default: this folder); the working tree does not change."
    ),
)
@click.option(
    "--profile",
    type=FilePath(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Also check the changes against this profile: a JSON Schema of changes. May be repeated.",
)
def command(
    paths: tuple[str, ...], base: str | None, outputs: tuple[Output, ...], **settings: Any
) -> int:
    """Compare two manifests and report what changed.

    Order, syntax and formatting do not count as changes. New permissions are errors, changes to
    what others may rely on are warnings, and everything else is info; `manifest rules` lists the
    rules. One of OLD and NEW may be -, standard input; it is read in the syntax of the other.
    """
    check_targets(outputs)
    if base is None and len(paths) != 2:  # noqa: PLR2004 - old and new
        raise click.UsageError(f"give two manifests, OLD and NEW, or --base{_meant(paths[:1])}")
    options = options_of({**settings, "profile": ()})
    workspace = Workspace(options._replace(change_profiles=settings["profile"]))
    if base is None:
        old, new = (None if path == STDIN_PATH else Path(path) for path in paths)
        if old is None and new is None:
            raise click.UsageError("only one of OLD and NEW can be -, standard input")
        report = compare_all(workspace, [of_files(old, new, read_stdin)])
        refuse_overwriting(outputs, [*filter(None, (old, new)), *workspace.inputs()])
        if not settings["quiet"]:
            report_notes(workspace)
        code = _report(report, outputs, settings)
        if meant := _meant(paths):
            note(meant.removeprefix("; "))
        return code
    try:
        revision = Revision(base, Path())
    except NoRepositoryError:
        raise ConfigurationError(
            "--base needs a git repository; to compare two files: manifest diff OLD NEW"
        ) from None
    named = [Path(path) for path in paths or (".",)]
    found = workspace.find(named)
    targets = list(found)
    with revision.reader() as reader:
        report = compare_all(workspace, of_revision(workspace, revision, named, targets, reader))
    refuse_overwriting(outputs, [*(each.path for each in targets), *workspace.inputs()])
    if not settings["quiet"]:
        report_notes(workspace)
        for doubt in found.doubts:
            note(doubt)
    return _report(report.joined([], found.unreadable), outputs, settings)


command.params += [each for each in lint.params if each.name in _OF_LINT]


def _meant(paths: tuple[str, ...]) -> str:
    """Return the option for a revision in git, where a name that is no file looks like one."""
    for path in paths:
        revision, _, file = path.partition(":")
        is_likely = len(revision) > 1 and (file or Path(path).suffix not in SUFFIXES)
        if is_likely and not is_there(Path(path)):
            files = [file] if file else [each for each in paths if is_there(Path(each))]
            named = " ".join([revision, *files])
            return f"; to compare with a revision in git, use --base {named}"
    return ""


def _report(report: Report, outputs: tuple[Output, ...], settings: dict[str, Any]) -> int:
    """Write the report, and return the exit code."""
    chosen = outputs or (Output("full" if sys.stdout.isatty() else "concise"),)
    style = style_for(sys.stdout, settings["color"])
    report, texts = written(chosen, logged(report), style)
    is_complete = write_all(texts, sys.stdout, color=style.color)
    report_errors(report.errors)
    if not report.results and not report.errors and not settings["force_exclude"]:
        error("no manifest to compare")
        return exit_codes.USAGE
    if not settings["quiet"]:
        say_summary(comparison_summary(report), chosen, is_complete=is_complete)
    if report.crashed:
        return exit_codes.CRASH
    if report.unreadable or not is_complete:
        return exit_codes.USAGE
    return exit_codes.FINDINGS if report.fails and not settings["exit_zero"] else exit_codes.CLEAN
