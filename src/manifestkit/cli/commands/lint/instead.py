"""`manifest lint --show-files` and `--write-baseline`, which show no findings."""

from __future__ import annotations

from pathlib import Path

from manifestkit.cli.console import error, note, show
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.reports import report_errors
from manifestkit.cli.runs import left_out, nothing_to_check
from manifestkit.config.configuration import ALWAYS
from manifestkit.engine.discovery import Search
from manifestkit.findings.words import counted
from manifestkit.model.report import Report
from manifestkit.rendering.escape import opening


def save_baseline(path: Path, report: Report) -> ExitCode | None:
    """Write the findings of a report to a file, and say what the file has and has not.

    Returns:
        The exit code; None where not all could be checked: then the file is left as it is.
    """
    from manifestkit.config.baseline import Baseline  # noqa: PLC0415 - most runs write none

    if report.errors or not report.summary.files:
        error(f"{path} is not written: not everything that was named could be checked")
        return None
    entries, removed = Baseline.write(path, report)
    less = f" (and {removed:,} removed)" if removed else ""
    number = counted(entries, "entry", "entries")
    note(f"{number} written to {path}{less}; use it with --baseline {path}")
    rest = sum(number for (rule, _), number in report.rules.items() if rule in ALWAYS)
    if rest:
        note(f"{counted(rest, 'finding')} cannot be in a baseline: the file cannot be checked")
    return ExitCode.of(report, exit_zero=True)


def show_files(report: Report, found: Search) -> ExitCode:
    """List the manifests of a report."""
    checked = [each for each in report.results if each.is_manifest and not each.skipped]
    for result in checked:
        show(f"{opening(result.path)}\n")
    is_nothing = not (checked or report.errors)
    report_errors(report, left_out(found, is_told=is_nothing))
    if not is_nothing:
        return ExitCode.of(report, exit_zero=True)
    skipped = {each.path: each.skipped for each in report.results if each.skipped}
    error(nothing_to_check(found, skipped))
    return ExitCode.USAGE
