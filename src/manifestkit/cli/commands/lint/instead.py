"""`manifest lint --show-files` and `--write-baseline`, which show no findings."""

from __future__ import annotations

import os
from pathlib import Path

from manifestkit.cli.console import note, show
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.reports import report_errors
from manifestkit.cli.runs import report_left_out
from manifestkit.config.configuration import ALWAYS
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.workspace import Workspace
from manifestkit.findings.words import counted
from manifestkit.model.report import Report
from manifestkit.rendering.escape import opening, visible


def save_baseline(path: Path, report: Report, workspace: Workspace) -> ExitCode:
    """Write the findings of a report to a file, and say what the file has and has not."""
    from manifestkit.config.baseline import Baseline  # noqa: PLC0415 - most runs write none

    def counts(name: str, rule: str) -> bool:
        return workspace.policy(Target(name, found=False).folder).counts(rule)

    report_errors(report)
    written = Baseline.write(path, report, counts)
    number = counted(len(written.entries), "finding")
    known = workspace.configuration("").baseline
    is_configured = known is not None and os.path.realpath(known) == os.path.realpath(path)
    use = "" if is_configured else f"; use it with --baseline {path}"
    note(f"{number} written to {path}{use}")
    if written.new:
        new = counted(len(written.new), "of them is", "of them are")
        note(f"{new} new, and no longer reported: check the changes to {path}")
    if written.kept:
        kept = counted(len(written.kept), "of them is", "of them are")
        note(f"{kept} kept from before: this run did not check for them")
    for name in sorted(written.gone):
        note(f"the entries of {visible(name)} are removed: it does not exist any more")
    rest = sum(number for (rule, _), number in report.rules.items() if rule in ALWAYS)
    if rest:
        note(f"{counted(rest, 'finding')} cannot be in a baseline: the file cannot be checked")
    return ExitCode.of(report, exit_zero=True)


def show_files(report: Report, found: Search) -> ExitCode:
    """List the manifests of a report."""
    checked = [each for each in report.results if each.is_manifest and not each.skipped]
    for result in checked:
        show(f"{opening(result.path)}\n")
    report_errors(report)
    report_left_out(found)
    is_nothing = not (checked or report.crashed)
    return ExitCode.USAGE if is_nothing else ExitCode.of(report, exit_zero=True)
