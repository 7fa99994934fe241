"""`manifest diff`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import Matching, compare_files
from manifestkit.cli.console import note, progress, read_stdin
from manifestkit.cli.options import RuleOptions, argument, manifest_command, option
from manifestkit.cli.reports import ReportOptions
from manifestkit.engine.git import NoRepositoryError
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, is_there
from manifestkit.findings.words import counted
from manifestkit.model.document import SUFFIXES
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.report import Report
from manifestkit.rendering.escape import visible
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
        "Compare files with their versions in git at this commit, branch or tag. PATH is a file "
        "or a folder (default: this folder); the working tree does not change.",
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
    for path in paths:
        if path.lower().endswith(".zip") and not is_folder(Path(path)):
            raise click.UsageError(
                f"{visible(path)} is a package, which cannot be compared; compare the manifest it "
                "was made of"
            )
    if base is None and len(paths) != 2:  # noqa: PLR2004 - old and new
        advice = _meant(paths[:1])
        if len(paths) == 1 and not advice:
            one = visible(paths[0])
            advice = f"; to compare with the last commit, use --base HEAD {one}"
        raise click.UsageError(f"give two manifests, OLD and NEW, or --base{advice}")
    workspace = Workspace(
        rules.options(of_changes=True)._replace(profiles=(), change_profiles=rules.profile)
    )
    run = _DiffRun(workspace, paths, reporting, rules)
    read = [Path(path) for path in paths or (".",)]
    with reporting.written_on_failure(reporting.output_format, workspace, read):
        return run.of_files() if base is None else run.since(base, read)


class _DiffRun(NamedTuple):
    workspace: Workspace
    paths: tuple[str, ...]
    reporting: ReportOptions
    rules: RuleOptions

    def of_files(self) -> int:
        old, new = (None if path == "-" else Path(path) for path in self.paths)
        if old is None and new is None:
            raise click.UsageError("only one of OLD and NEW can be -, standard input")
        report = compare_files(self.workspace, old, new, read_stdin)
        files = [*filter(None, (old, new))]
        code = self.report(report, files, files)
        if meant := _meant(self.paths):
            note(meant.removeprefix("; "))
        elif any(map(is_folder, files)):
            note("to compare folders, use --base with a revision in git, or a loop over files")
        return code

    def since(self, base: str, named: Sequence[Path]) -> int:
        try:
            revision = Revision(base, Path())
        except NoRepositoryError:
            raise ConfigurationError(
                "--base needs a git repository; to compare two files: manifest diff OLD NEW"
            ) from None
        found = self.workspace.find(named)
        targets = list(found)
        with closing(revision):
            matching = Matching(self.workspace, revision, named, targets)
            with progress(matching.pairs) as taken:
                report = matching.compare(taken)
        if not self.reporting.quiet:
            for doubt in found.doubts:
                note(doubt)
        report = report.joined([], found.unreadable)
        return self.report(report, named, [each.path for each in targets])

    def report(self, report: Report, named: Sequence[Path], read: Sequence[Path]) -> int:
        workspace, reporting = self.workspace, self.reporting
        reporting.check([*read, *workspace.inputs()])
        nothing = ""
        for each in () if reporting.quiet else report.results:
            if each.skipped:
                note(f"{each.path}: skipped, it is {each.skipped}")
        if report.results or report.errors or self.rules.force_exclude:
            rules = {rule for rule, _ in report.rules}
            expired = workspace.unused_suppressions(is_complete=False, changed=rules)
            report = report.joined(expired)
        else:
            nothing = "no manifest to compare"
        return reporting.finish(report, sys.stdout, named, nothing, _summary)


def _meant(paths: Sequence[str]) -> str:
    """Return the option for a revision in git, where a name that is no file looks like one."""
    for path in paths:
        revision, _, file = path.partition(":")
        revision = revision.partition("..")[0]
        is_likely = len(revision) > 1 and (file or Path(path).suffix not in SUFFIXES)
        if is_likely and not is_there(Path(path)):
            files = [file] if file else [each for each in paths if is_there(Path(each))]
            named = " ".join([revision, *files])
            return f"; to compare with a revision in git, use --base {named}"
    return ""


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
    found = ", ".join(severities((counts.errors, counts.warnings, counts.info)))
    if changes:
        parts.append(counted(changes, "change"))
    elif not found and not report.errors:
        parts.append("nothing changed")
    if counts.suppressed:
        parts.append(f"{counts.suppressed:,} suppressed")
    return ", ".join(parts) + (f": {found}" if found else "")
