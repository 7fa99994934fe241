"""`manifest diff`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import click

from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import Matching, compare_files
from manifestkit.cli.console import note, progress, read_stdin, without_secrets
from manifestkit.cli.options import RuleOptions, argument, manifest_command, option
from manifestkit.cli.reports import ReportOptions
from manifestkit.engine.discovery import Target
from manifestkit.engine.git import NoRepositoryError
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, is_there, open_regular
from manifestkit.findings.words import counted
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.report import Report
from manifestkit.rendering.escape import as_typed, visible
from manifestkit.rendering.places import severities


@manifest_command(
    """
    manifest diff old.json manifest.json             two files, JSON or YAML
    manifest diff --base main                        what changed in this folder since main
    manifest diff --base HEAD~1 app/manifest.json    in one file
    manifest diff --base main --output-format markdown > comment.md
    manifest diff --base main --profile host-changes.schema.json
    """,
    """
    0   no findings at or above --fail-on
    1   findings at or above --fail-on
    2   wrong usage or configuration, an unknown revision, or a manifest that cannot be compared
    70  a bug in manifestkit; the message says how to report it
    130 interrupted
    141 the output was closed before the end
    """,
)
def command(
    *,
    paths: tuple[str, ...] = argument(nargs=-1, path="any", metavar="[OLD NEW|PATH...]"),
    base: str | None = option(
        "Compare files with their versions in git at this commit, branch or tag; with `REF...`, "
        "where this branch left it. PATH is a file or a folder (default: this folder); the "
        "working tree does not change.",
        metavar="REF",
    ),
    reporting: ReportOptions = ReportOptions.group("output_format", "color", "quiet"),
    rules: RuleOptions = RuleOptions.group(
        profile={
            "help": "Also check the changes against this profile: a JSON Schema of changes. May be "
            "repeated."
        },
    ),
) -> int:
    """Compare two manifests and report what changed.

    Order, syntax and formatting do not count as changes. New permissions are errors, changes
    that can break users or hosts are warnings, and everything else is info; `manifest explain`
    lists the rules. One of OLD and NEW may be -, standard input; it is read in the syntax of the
    other.
    """
    reporting.check()
    for address in (each for each in paths if "://" in each):
        open_regular(address).close()  # which says what to do
    if base is None:
        _check_pair(paths)
    workspace = Workspace(
        rules.options(of_changes=True)._replace(profiles=(), change_profiles=rules.profile)
    )
    named = [Path(path) for path in paths or (".",)]
    doubts: Iterable[str] = ()
    if base is None:
        old, new = (None if path == "-" else Path(without_secrets(path)) for path in paths)
        if old is None and new is None:
            raise click.UsageError("only one of OLD and NEW can be -, standard input")
        report = compare_files(workspace, old, new, read_stdin)
        read = [*filter(None, (old, new))]
    else:
        found = workspace.find(named)
        targets = list(found)
        report = _since(base, workspace, named, targets).joined([], found.unreadable)
        doubts, read = found.doubts, [each.path for each in targets]
    reporting.check([*read, *workspace.inputs()])
    if not reporting.quiet:
        skipped = (each for each in report.results if each.skipped)
        note(*doubts, *(f"{each.path}: skipped, it is {each.skipped}" for each in skipped))
    unchecked: list[Path] = []
    if report.results or report.errors or rules.force_exclude:
        changed = {rule for rule, _ in report.rules}
        expired = workspace.unused_suppressions(None, changed)
        report = report.joined(expired)
    else:
        unchecked = named
    line = "no manifest to compare" if unchecked else _summary(report)
    return reporting.finish(report, sys.stdout, line, unchecked=unchecked)


def _check_pair(paths: Sequence[str]) -> None:
    """Refuse what are not two files; one that is not there may be meant as a revision."""
    named = [one for one in paths if one == "-" or one.endswith(SUFFIXES) or is_there(Path(one))]
    files = [_in_git(each) or each for each in named]
    refs = [each.partition(":")[0] for each in paths if each not in files]
    folder = next((each for each in files if is_folder(each) and not each.endswith(SUFFIXES)), None)
    if refs or len(paths) != 2 or folder:  # noqa: PLR2004 - old and new
        start, dots, to, *_ = [*re.split(r"(\.{2,3})", "..".join(refs)), "", ""]
        why = f"{visible(folder)} is a folder: " if folder and not refs else ""
        base = f"{start or 'HEAD'}{dots[2:] * 3}"
        line = as_typed("manifest", "diff", "--base", base, *dict.fromkeys(files))
        there = f", after `git switch --detach {as_typed(to)}`" if to not in ("", "HEAD") else ""
        do = "give two manifests, OLD and NEW, or, to compare with a revision in git, write"
        raise click.UsageError(f"{why}{do} `{line}`{there}")


def _in_git(name: str) -> str:
    """Return the file that a name means as `git show` has it, if only that is there."""
    file = name.partition(":")[2]
    return file if file and is_there(Path(file)) and not is_there(Path(name)) else ""


def _since(
    base: str, workspace: Workspace, named: Sequence[Path], targets: Sequence[Target]
) -> Report:
    """Compare files with their versions at a revision in git."""
    try:
        revision = Revision(base, Path())
    except NoRepositoryError:
        raise ConfigurationError(
            "--base needs a git repository; to compare two files: manifest diff OLD NEW"
        ) from None
    with closing(revision):
        matching = Matching(workspace, revision, named, targets)
        with progress(matching.files) as taken:
            return matching.compare(taken)


def _summary(report: Report) -> str:
    """Return the counts of a comparison in one line; "nothing changed" only if all was compared."""
    counts = report.summary
    compared = [each.changes for each in report.results if each.changes is not None]
    parts = [f"{counted(len(compared), 'manifest')} compared"]
    if report.errors:
        parts.append(f"{len(report.errors):,} not compared")
    if counts.skipped:
        parts.append(f"{counts.skipped:,} skipped")
    changes = sum(map(len, compared))
    numbers = counts.errors, counts.warnings, counts.info
    found = ", ".join(severities(numbers))
    if changes:
        findings = f" with {counted(sum(numbers), 'finding')}" if found else ""
        parts.append(counted(changes, "change") + findings)
    elif compared and not found and not report.errors:
        parts.append("nothing changed")
    if counts.suppressed:
        parts.append(f"{counts.suppressed:,} suppressed")
    return ", ".join(parts) + (f": {found}" if found else "")
