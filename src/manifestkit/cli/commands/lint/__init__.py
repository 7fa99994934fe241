"""`manifest lint`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, progress, read_stdin, show, style_for
from manifestkit.cli.options import (
    FILE,
    STDIN_PATH,
    FilePath,
    ReportOptions,
    RuleOptions,
    option,
    option_group,
)
from manifestkit.cli.output import (
    Output,
    check_before_writing,
    check_targets,
    logged,
    nothing_to_check,
    refuse_overwriting,
    report_empty,
    report_errors,
    report_notes,
    report_skipped,
    say_summary,
    statistics,
    statistics_json,
    summary,
    unwritten,
    write_all,
    write_report,
)
from manifestkit.engine import (
    ALWAYS,
    STDIN,
    Detail,
    FileResult,
    Report,
    Search,
    Workspace,
    crash_context,
    lint_all,
)
from manifestkit.engine.many import Known, with_unused
from manifestkit.files import is_there
from manifestkit.findings.messages import counted
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Finding
from manifestkit.rendering import opening, visible
from manifestkit.rules.catalogue import change_rules


@dataclass(frozen=True)
class FixOptions:
    """Options that have findings fixed."""

    fix: bool = option(
        "Apply safe fixes to the files, and show the remaining findings.", is_flag=True
    )
    unsafe_fixes: bool = option(
        "With --fix or --diff: also apply fixes that remove something or add a permission, and "
        "those in the `fix` of a profile.",
        is_flag=True,
    )
    diff: bool = option(
        "Show what --fix would change, without writing it; the remaining findings go to standard "
        "error.",
        is_flag=True,
    )
    show_fixes: bool = option(
        "With --fix or --diff: list what is fixed in each file.", is_flag=True
    )
    exit_non_zero_on_fix: bool = option(
        "Exit with 1 if anything is fixed (for hooks).", is_flag=True
    )

    @property
    def are_wanted(self) -> bool:
        """Return whether findings are to be fixed, or the fixes shown."""
        return self.fix or self.diff

    def check(self) -> None:
        """Refuse what has no effect without --fix or --diff.

        Raises:
            click.UsageError: there is such an option.
        """
        for name in ("unsafe_fixes", "exit_non_zero_on_fix", "show_fixes"):
            if getattr(self, name) and not self.are_wanted:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --fix or --diff")


@dataclass(frozen=True)
class ViewOptions:
    """Options that show something else than the findings, or more than them."""

    verbose: bool = option(
        "List the skipped files, and why they are skipped.", "-v", "--verbose", is_flag=True
    )
    statistics: bool = option(
        "Count the findings of each rule instead of showing them.", is_flag=True
    )
    write_baseline: Path | None = option(
        "Write the findings to this file, for use with --baseline, and exit.", **FILE
    )
    show_settings: bool = option(
        "Show the settings for PATH and where each is set, and exit.", is_flag=True
    )
    show_files: bool = option("List the files to check, and exit.", is_flag=True)
    watch: bool = option(
        "Lint again when something changes, on a clean screen, until Ctrl-C. Needs the extra "
        "`watch`.",
        is_flag=True,
    )
    stdin_filename: str | None = option(
        "The file name for standard input; its suffix selects the syntax.", metavar="NAME"
    )


@click.command(
    epilog="""\b
Examples:
  manifest lint                                      the manifests in this folder
  manifest lint app/manifest.json packages/          a file and a folder
  manifest lint --output-format json > findings.json
  manifest lint --output-format full --output-format sarif=findings.sarif
  generate | manifest lint - --stdin-filename app/manifest.json
  manifest lint --profile host.schema.json           check a host's requirements too
  manifest lint --fail-on warning                    fail on warnings too
  manifest lint --fix                                apply the safe fixes
  manifest lint --diff --unsafe-fixes                show every fix without writing it
  manifest lint --watch                              lint again when something changes
  manifest lint --statistics                         count the findings of each rule
  manifest lint --show-settings app/manifest.json    show its settings and where they are set

\b
Exit codes:
  0   no findings at or above --fail-on (after fixing, with --fix)
  1   findings at or above it, a fix that could not be applied, or, with --diff, one to apply
  2   wrong usage or configuration, a file that cannot be read, no manifest found
  70  a bug in manifestkit; the message says how to report it
  130 interrupted
  141 the output was closed before the end
""",
)
@click.argument("paths", nargs=-1, type=FilePath(readable=False), metavar="[PATH|-]...")
@option_group("reporting", ReportOptions)
@option_group("rules", RuleOptions)
@option_group("fixes", FixOptions)
@option_group("view", ViewOptions)
def command(
    paths: tuple[str, ...],
    reporting: ReportOptions,
    rules: RuleOptions,
    fixes: FixOptions,
    view: ViewOptions,
) -> int:
    """Check manifests and report each problem with its location.

    PATH is a file or a folder (default: this folder); - is standard input. A file given by name is
    always checked. In a folder, files named manifest.json, *.manifest.json and
    *.activity-provider.json (or .yaml, .yml) are checked, except those that .gitignore excludes, if
    git does not track them, and manifests of another kind, such as a web app's.
    """
    run = _LintRun(paths or (".",), reporting, rules, fixes, view)
    run.check()
    if view.show_settings:
        return run.show_settings()
    if view.watch:
        return run.watch()
    if fixes.are_wanted:
        return run.fix()
    return run.lint(Workspace(rules.options()))


@dataclass(frozen=True)
class _LintRun:
    """One call of the command: its options, and the steps that they ask for."""

    paths: tuple[str, ...]
    reporting: ReportOptions
    rules: RuleOptions
    fixes: FixOptions
    view: ViewOptions

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Return the files and folders to look at.

        Raises:
            click.UsageError: one of them is an address.
        """
        for path in self.paths:
            if "://" in path and not is_there(Path(path)):
                raise click.UsageError(
                    f"`{visible(path)}` is an address, and `manifest lint` reads files: download "
                    "it, or pipe it into `manifest lint -`"
                )
        return tuple(Path(path) for path in self.paths if path != STDIN_PATH)

    @cached_property
    def stdin_name(self) -> str | None:
        """Return the name for standard input; None where it is not read."""
        return (self.view.stdin_filename or STDIN) if STDIN_PATH in self.paths else None

    @property
    def _counts_as_json(self) -> bool:
        return self.view.statistics and self.reporting.wanted == (Output("json"),)

    def check(self) -> None:
        """Refuse options that cannot be combined.

        Raises:
            click.UsageError: there are such.
        """
        fixes, view, outputs = self.fixes, self.view, self.reporting.wanted
        has_counts = view.statistics and not self._counts_as_json
        check_targets((*outputs, *([Output("statistics")] if has_counts else [])))
        shows_no_findings = view.write_baseline or view.show_files
        if view.watch:
            other = fixes.are_wanted or shows_no_findings or view.show_settings
            if other or self.stdin_name or any(each.file for each in outputs):
                raise click.UsageError("--watch only shows findings of files, on standard output")
        fixes.check()
        if fixes.are_wanted and shows_no_findings:
            raise click.UsageError(
                "--fix and --diff cannot be combined with --write-baseline or --show-files"
            )
        if view.statistics and shows_no_findings:
            raise click.UsageError(
                "--statistics cannot be combined with --write-baseline or --show-files"
            )
        if fixes.are_wanted and self.stdin_name and len(self.paths) > 1:
            raise click.UsageError("with --fix or --diff, - cannot be combined with files")
        if view.show_settings and len(self.paths) > 1:
            raise click.UsageError("--show-settings takes one PATH")
        for rule in self.rules.select:
            if rule in change_rules():
                raise click.UsageError(
                    f"`{rule}` is about what changes between two manifests; use `manifest diff`"
                )

    def show_settings(self) -> int:
        """Show the settings of a path."""
        from manifestkit.cli.commands.lint.settings import settings_text  # noqa: PLC0415 - rarely asked

        path = self.files[0] if self.files else Path()
        show(settings_text(Workspace(self.rules.options()), path))
        return exit_codes.CLEAN

    def watch(self) -> int:
        """Lint again whenever something changes; only an interrupt ends it."""
        from manifestkit.cli.commands.lint.watching import watch  # noqa: PLC0415 - rarely asked

        return watch(self.rules.options(), self.files, self.lint)

    def lint(self, workspace: Workspace, known: Known | None = None) -> int:
        """Lint what is found, report it, and return the exit code."""
        found = workspace.find(self.files)
        outputs, view = self.reporting.wanted, self.view
        to_files = any(each.file for each in outputs)
        detail = self._detail()
        keep_clean = view.show_files or any(each.names_clean_files for each in outputs)
        with progress(unwritten(found, outputs) if to_files else found) as targets:
            report = lint_all(workspace, targets, keep_clean=keep_clean, known=known, detail=detail)
        if self.stdin_name:
            report = _with_stdin(workspace, report, self.stdin_name, detail)
        report = with_unused(report, workspace, found)
        if view.show_files:
            return _show_files(report, found)
        if to_files:
            refuse_overwriting(outputs, workspace.inputs())
        if view.write_baseline is not None:
            return _write_baseline(view.write_baseline, report)
        if not self.reporting.quiet:
            report_notes(workspace)
        return self._report(report, found)

    def _detail(self) -> Detail:
        """Return how much of a finding is shown."""
        view, reporting = self.view, self.reporting
        if view.show_files or view.write_baseline:
            return Detail.TALLY
        outputs = reporting.wanted if view.statistics else reporting.outputs(sys.stdout)
        return max((each.detail for each in outputs), default=Detail.TALLY)

    def fix(self) -> int:
        """Fix what is found, report what remains, and return the exit code."""
        from manifestkit.cli.commands.lint.fixing import fix_files, fix_stdin  # noqa: PLC0415 - most runs fix nothing

        workspace = Workspace(self.rules.options())
        found = workspace.find(self.files)
        files, options = sorted(found), self.fixes
        check_before_writing(workspace, files, self.reporting.wanted)
        if self.stdin_name:
            fixing = fix_stdin(workspace, self.stdin_name, options)
        else:
            fixing = fix_files(workspace, files, options)
        if not self.reporting.quiet:
            report_notes(workspace)
        code = self._report(
            fixing.report(workspace, found),
            found,
            fixed=len(fixing.fixed),
            refused=[each.finding for each in fixing.refused],
            stream=sys.stderr if self.stdin_name or options.diff else sys.stdout,
        )
        fixing.report_refused()
        if options.show_fixes:
            fixing.report_fixed(is_done=not options.diff)
        if code in {exit_codes.CRASH, exit_codes.USAGE}:
            return code
        if not fixing.is_complete:
            return exit_codes.USAGE
        is_left = options.diff or options.exit_non_zero_on_fix  # with --diff, nothing is fixed
        stopped = fixing.refused or (fixing.fixed and is_left)
        return exit_codes.FINDINGS if stopped and not self.reporting.exit_zero else code

    def _report(
        self,
        report: Report,
        found: Search,
        *,
        fixed: int | None = None,
        refused: Iterable[Finding] = (),
        stream: TextIO | None = None,
    ) -> int:
        """Write the report and the notes, and return the exit code."""
        stream = stream or sys.stdout
        is_counted = self.view.statistics
        outputs = self.reporting.wanted if is_counted else self.reporting.outputs(stream)
        style = style_for(stream, self.reporting.color)
        if self._counts_as_json:
            report = logged(report)
            text = [(outputs[0], [statistics_json(report)])]
            is_complete = write_all(text, stream, color=style.color)
        else:
            report, is_complete = write_report(report, outputs, stream, style)
            if is_counted:
                show(statistics(report, style), stream, color=style.color)
        if report.errors:
            report_errors(report.errors)
        if self.view.verbose:
            report_skipped(report, found)
        if not self.reporting.quiet:
            report_empty(found)
            if report.summary.files:
                shown = (*outputs, Output("text")) if is_counted else outputs
                counts = summary(report, fixed, refused, is_done=not self.fixes.diff)
                say_summary(counts, shown, is_complete=is_complete)
        code = self._exit_code(report, found)
        return code if is_complete or code == exit_codes.CRASH else exit_codes.USAGE

    def _exit_code(self, report: Report, found: Search) -> int:
        if report.errors:
            return _worst(report, exit_codes.USAGE)
        if not report.summary.files and not self.rules.force_exclude:
            error(nothing_to_check(found, report.summary.skipped))
            return exit_codes.USAGE
        fails = report.fails and not self.reporting.exit_zero
        return exit_codes.FINDINGS if fails else exit_codes.CLEAN


def _with_stdin(workspace: Workspace, report: Report, name: str, detail: Detail) -> Report:
    """Return a report with the result of standard input, under the given name.

    Raises:
        ConfigurationError: a configuration file, a schema or a baseline cannot be used.
    """
    try:
        data = read_stdin(workspace.limits("").bytes)
        with crash_context(name):
            decoded = workspace.decode(data, name)
            result = workspace.lint_stdin(decoded, detail=detail)
            workspace.note_use(result, "")
    except UnreadableFileError as problem:
        return report.joined([], [problem])
    except CrashedFileError as problem:
        return report.joined([], [], [problem])
    if name == STDIN and _may_be_yaml(result, decoded.document.text):
        note("standard input was read as JSON; for YAML, use `--stdin-filename manifest.yaml`")
    return report.joined([result])


def _may_be_yaml(result: FileResult, text: str) -> bool:
    is_wrong = any(each.rule == "syntax-error" for each in result.findings)
    return is_wrong and text.lstrip()[:1] not in ("", "{", "[")


def _write_baseline(path: Path, report: Report) -> int:
    from manifestkit.config.baseline import write_baseline  # noqa: PLC0415 - most runs write none

    report = logged(report)
    report_errors(report.errors)
    count = write_baseline(path, report)
    note(f"{counted(count, 'finding')} written to {path}; suppress them with --baseline {path}")
    rest = sum(each.rule in ALWAYS for each in report.findings)
    if rest:
        note(f"{counted(rest, 'finding')} cannot be in a baseline: the file cannot be checked")
    return _worst(report, exit_codes.CLEAN)


def _show_files(report: Report, found: Search) -> int:
    report = logged(report)
    checked = [each for each in report.results if each.is_manifest and not each.skipped]
    for result in checked:
        show(f"{opening(result.path)}\n")
    report_errors(report.errors)
    report_empty(found)
    return _worst(report, exit_codes.CLEAN if checked else exit_codes.USAGE)


def _worst(report: Report, code: int) -> int:
    """Return the exit code of a run, where files that there is no result of leave it."""
    if report.crashed:
        return exit_codes.CRASH
    return exit_codes.USAGE if report.unreadable else code
