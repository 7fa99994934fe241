"""`manifest lint`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.commands.lint.options import check_together, options_of
from manifestkit.cli.commands.lint.piped import with_stdin
from manifestkit.cli.console import error, note, progress, show, style_for
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
    summary,
    unwritten,
    write_all,
    written,
)
from manifestkit.cli.parameters import (
    LIMIT,
    LIMITS,
    OUTPUT_FORMAT,
    RULE,
    RULE_SEVERITY,
    STDIN_PATH,
    Choice,
    FilePath,
)
from manifestkit.engine import ALWAYS, STDIN, Detail, Report, Search, Workspace, lint_all
from manifestkit.engine.many import Known, with_unused
from manifestkit.findings.messages import counted
from manifestkit.model.finding import Finding, Severity
from manifestkit.rendering import FORMATS, opening


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
@click.option(
    "--output-format",
    "outputs",
    multiple=True,
    type=OUTPUT_FORMAT,
    help=(
        f"Output format, and the file to write it to: {', '.join(FORMATS)}. May be repeated, each "
        "with its own FILE.  [default: full on a terminal, concise elsewhere]"
    ),
)
@click.option(
    "--color",
    type=Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colours.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show findings without the summary.")
@click.option(
    "-v", "--verbose", is_flag=True, help="List the skipped files, and why they are skipped."
)
@click.option(
    "--schema",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Check against this JSON Schema instead of the built-in one.",
)
@click.option(
    "--profile",
    type=FilePath(path_type=Path),
    multiple=True,
    metavar="FILE",
    help=(
        "Also check against this profile: a JSON Schema with a host's requirements. May be "
        "repeated."
    ),
)
@click.option("--select", multiple=True, type=RULE, help="Report only this rule. May be repeated.")
@click.option(
    "--ignore", multiple=True, type=RULE, help="Do not report this rule. May be repeated."
)
@click.option(
    "--severity",
    multiple=True,
    type=RULE_SEVERITY,
    help="Set a rule's severity: error, warning, info or off. May be repeated.",
)
@click.option(
    "--fail-on",
    type=Choice([each.value for each in Severity]),
    help="Exit with 1 if a finding has at least this severity.  [default: error]",
)
@click.option(
    "--fix", is_flag=True, help="Apply safe fixes to the files, and show the remaining findings."
)
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="With --fix or --diff: also apply fixes that remove something or add a permission, "
    "and those in the `fix` of a profile.",
)
@click.option(
    "--diff",
    is_flag=True,
    help=(
        "Show what --fix would change, without writing it; the remaining findings go to standard "
        "error."
    ),
)
@click.option(
    "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything is fixed (for hooks)."
)
@click.option(
    "--baseline",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Do not report the findings listed in this file.",
)
@click.option(
    "--write-baseline",
    "new_baseline",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Write the findings to this file, for use with --baseline, and exit.",
)
@click.option(
    "--config",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Use this configuration file for every manifest.",
)
@click.option(
    "--isolated",
    is_flag=True,
    help="Ignore configuration files, and comments that suppress findings.",
)
@click.option(
    "--force-exclude",
    is_flag=True,
    help=(
        "Skip excluded files and manifests of another kind even if they are given by name (for "
        "hooks)."
    ),
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    type=LIMIT,
    help="Change a limit of the reader. Defaults: "
    f"{', '.join(f'{name}={default}' for name, default in LIMITS.items())}. May be repeated.",
)
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="The file name for standard input; its suffix selects the syntax.",
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Count the findings of each rule instead of showing them.",
)
@click.option(
    "--show-fixes", is_flag=True, help="With --fix or --diff: list what is fixed in each file."
)
@click.option(
    "--show-settings",
    is_flag=True,
    help="Show the settings for PATH and where each is set, and exit.",
)
@click.option("--show-files", is_flag=True, help="List the files to check, and exit.")
@click.option(
    "--watch",
    is_flag=True,
    help="Lint again when something changes, on a clean screen, until Ctrl-C. Needs the extra "
    "`watch`.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when a manifest is invalid.")
def command(
    paths: tuple[str, ...],
    outputs: tuple[Output, ...],
    color: str,
    stdin_filename: str | None,
    new_baseline: Path | None,
    **settings: Any,
) -> int:
    """Check manifests and report each problem with its location.

    PATH is a file or a folder (default: this folder); - is standard input. A file given by name is
    always checked. In a folder, files named manifest.json, *.manifest.json and
    *.activity-provider.json (or .yaml, .yml) are checked, except those that .gitignore excludes, if
    git does not track them, and manifests of another kind, such as a web app's.
    """
    if outputs:
        check_targets((*outputs, *([Output("statistics")] if settings["statistics"] else [])))
    check_together(settings, paths, outputs, new_baseline)
    workspace = Workspace(options_of(settings))
    if settings["show_settings"]:
        return _show_settings(workspace, paths)
    folders = tuple(Path(path) for path in paths or (".",) if path != STDIN_PATH)
    if settings["watch"]:
        from manifestkit.cli.commands.lint.watching import watch  # noqa: PLC0415 - rarely asked

        watch(
            workspace.options,
            folders,
            lambda workspace, known: _lint(
                workspace, workspace.find(folders), outputs, settings, color, known=known
            ),
        )
    found = workspace.find(folders)
    if settings["fix"] or settings["diff"]:
        return _fix(workspace, found, outputs, settings, color, paths, stdin_filename or STDIN)
    stdin_name = (stdin_filename or STDIN) if STDIN_PATH in paths else None
    return _lint(workspace, found, outputs, settings, color, stdin_name, new_baseline)


def _lint(
    workspace: Workspace,
    found: Search,
    outputs: tuple[Output, ...],
    settings: dict[str, Any],
    color: str,
    stdin_name: str | None = None,
    new_baseline: Path | None = None,
    known: Known | None = None,
) -> int:
    """Judge what was found, and report it; the exit code."""
    keep_clean = settings["show_files"] or any(each.names_clean_files for each in outputs)
    shows_none = settings["show_files"] or new_baseline is not None
    detail = Detail.TALLY
    if not shows_none and (outputs or not settings["statistics"]):
        detail = max((each.detail for each in outputs), default=Detail.TEXT)
    to_files = any(each.file for each in outputs)
    with progress(unwritten(found, outputs) if to_files else found) as targets:
        report = lint_all(workspace, targets, keep_clean=keep_clean, known=known, detail=detail)
    if stdin_name:
        report = with_stdin(workspace, report, stdin_name, detail)
    report = with_unused(report, workspace, found)
    if settings["show_files"]:
        return _show_files(report, found)
    if to_files:
        refuse_overwriting(outputs, workspace.inputs())
    if new_baseline is not None:
        return _write_baseline(new_baseline, report)
    if not settings["quiet"]:
        report_notes(workspace)
    return _report(report, found, outputs, settings, color)


def _report(
    report: Report,
    found: Search,
    outputs: tuple[Output, ...],
    settings: dict[str, Any],
    color: str,
    *,
    fixed: int | None = None,
    refused: Iterable[Finding] = (),
    stream: TextIO | None = None,
) -> int:
    """Write the report and the notes; the exit code."""
    stream = stream or sys.stdout
    is_counted = settings["statistics"]
    plain = () if is_counted else (Output("full" if stream.isatty() else "concise"),)
    chosen = outputs or plain
    style = style_for(stream, color)
    report, texts = written(chosen, logged(report) if report.crashed else report, style)
    is_complete = write_all(texts, stream, color=style.color)
    if is_counted:
        show(statistics(report, style), stream, color=style.color)
    if report.errors:
        report_errors(report.errors)
    if settings["verbose"]:
        report_skipped(report, found)
    if not settings["quiet"]:
        report_empty(found)
        if report.summary.files:
            shown = (*chosen, Output("text")) if is_counted else chosen
            counts = summary(report, fixed, refused, is_done=not settings["diff"])
            say_summary(counts, shown, is_complete=is_complete)
    code = _exit_code(report, found, settings)
    return code if is_complete or code == exit_codes.CRASH else exit_codes.USAGE


def _fix(
    workspace: Workspace,
    found: Search,
    outputs: tuple[Output, ...],
    settings: dict[str, Any],
    color: str,
    paths: tuple[str, ...],
    stdin_name: str,
) -> int:
    """Fix, and report what remains; standard output may be taken by what is fixed."""
    from manifestkit.cli.commands.lint.fixing import fix_files, fix_stdin  # noqa: PLC0415 - most runs fix nothing

    files = sorted(found)
    check_before_writing(workspace, files, outputs)
    is_piped, shows_diff = STDIN_PATH in paths, settings["diff"]
    if is_piped:
        fixing = fix_stdin(workspace, stdin_name, unsafe=settings["unsafe_fixes"], diff=shows_diff)
    else:
        fixing = fix_files(workspace, files, unsafe=settings["unsafe_fixes"], diff=shows_diff)
    taken = is_piped or shows_diff
    if not settings["quiet"]:
        report_notes(workspace)
    code = _report(
        fixing.report(workspace, found),
        found,
        outputs,
        settings,
        color,
        fixed=len(fixing.fixed),
        refused=[each.finding for each in fixing.refused],
        stream=sys.stderr if taken else sys.stdout,
    )
    fixing.report_refused()
    if settings["show_fixes"]:
        fixing.report_fixed(is_done=not shows_diff)
    if code in {exit_codes.CRASH, exit_codes.USAGE}:
        return code
    if not fixing.is_complete:
        return exit_codes.USAGE
    is_left = shows_diff or settings["exit_non_zero_on_fix"]  # with --diff, nothing is fixed
    stopped = fixing.refused or (fixing.fixed and is_left)
    return exit_codes.FINDINGS if stopped and not settings["exit_zero"] else code


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


def _show_settings(workspace: Workspace, paths: tuple[str, ...]) -> int:
    from manifestkit.cli.commands.lint.settings import settings_text  # noqa: PLC0415 - rarely asked

    if len(paths) > 1:
        raise click.UsageError("--show-settings takes one PATH")
    show(settings_text(workspace, Path(paths[0] if paths and paths[0] != STDIN_PATH else ".")))
    return exit_codes.CLEAN


def _worst(report: Report, code: int) -> int:
    """Return the exit code of a run, where files that there is no result of leave it."""
    if report.crashed:
        return exit_codes.CRASH
    return exit_codes.USAGE if report.unreadable else code


def _exit_code(report: Report, found: Search, settings: dict[str, Any]) -> int:
    if report.errors:
        return _worst(report, exit_codes.USAGE)
    if not report.summary.files and not settings["force_exclude"]:
        error(nothing_to_check(found, report.summary.skipped))
        return exit_codes.USAGE
    if report.fails and not settings["exit_zero"]:
        return exit_codes.FINDINGS
    return exit_codes.CLEAN
