"""`manifest lint`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, style_for
from manifestkit.cli.output import Output, overwriting, shared_target
from manifestkit.cli.parameters import LIMIT, LIMITS, OUTPUT_FORMAT, RULE, RULE_SEVERITY
from manifestkit.cli.progress import progress
from manifestkit.engine import STDIN, Options, Report, Run, Search, Target, write_baseline
from manifestkit.errors import UnreadableFileError
from manifestkit.finding import Severity
from manifestkit.limits import Limits
from manifestkit.render import FORMATS, Style, opening, visible

_STDIN = "-"
_FOR_PEOPLE = frozenset({"full", "concise"})


@click.command(
    epilog="""\b
Examples:
  manifest lint                                      the manifests in this folder
  manifest lint app/manifest.json packages/          a file, and those in a folder
  manifest lint --output-format json > findings.json
  manifest lint --output-format full --output-format sarif=findings.sarif
  generate | manifest lint - --stdin-filename app/manifest.json
  manifest lint --profile host.schema.json           by a host's demands too
  manifest lint --fail-on warning                    advice fails as well

\b
Exit codes:
  0   nothing at or above --fail-on
  1   findings at or above it
  2   wrong usage or configuration, a file that cannot be read, no manifest found
""",
)
@click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATH|-]...")
@click.option(
    "--output-format",
    "outputs",
    multiple=True,
    type=OUTPUT_FORMAT,
    help=f"How to show findings, and where: {', '.join(FORMATS)}. May be repeated, each with a "
    "FILE of its own.  [default: full on a terminal, concise elsewhere]",
)
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Whether to use colours.",
)
@click.option("-q", "--quiet", is_flag=True, help="Show findings only, no summary.")
@click.option("-v", "--verbose", is_flag=True, help="Say which files are skipped, and why.")
@click.option(
    "--schema",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Hold manifests to this JSON Schema instead of the manifest document's.",
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Hold manifests to a host's demands too: one more JSON Schema. May be repeated.",
)
@click.option("--select", multiple=True, type=RULE, help="Count this rule only. May be repeated.")
@click.option("--ignore", multiple=True, type=RULE, help="Do not count this rule. May be repeated.")
@click.option(
    "--severity",
    multiple=True,
    type=RULE_SEVERITY,
    help="Give a rule the weight error, warning, info or off. May be repeated.",
)
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in Severity]),
    help="Exit with 1 on a finding of at least this weight.  [default: error]",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Do not show the findings that this file lists.",
)
@click.option(
    "--write-baseline",
    "new_baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the findings into this file, for --baseline, and exit.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use this configuration file for every manifest.",
)
@click.option(
    "--isolated",
    is_flag=True,
    help="Leave configuration files alone, and comments that suppress findings.",
)
@click.option(
    "--force-exclude",
    is_flag=True,
    help="Leave out excluded and foreign files even when they are named (for hooks).",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    type=LIMIT,
    help="Read manifests up to this limit: "
    f"{', '.join(f'{name}={default}' for name, default in LIMITS.items())} unless told "
    "otherwise. May be repeated.",
)
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="The name of what comes on standard input; its suffix tells the syntax.",
)
@click.option("--show-files", is_flag=True, help="List the files that would be checked, and exit.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when a manifest is invalid.")
def command(
    paths: tuple[str, ...],
    outputs: tuple[Output, ...],
    color: str,
    stdin_filename: str | None,
    new_baseline: Path | None,
    **settings: Any,
) -> int:
    """Check manifests, and tell what is wrong where.

    PATH is a file or a folder (default: this folder); - is standard input. A file that is named
    is always checked. In a folder those named manifest.json, *.manifest.json and
    *.activity-provider.json (or .yaml, .yml) are, but for what .gitignore leaves out and for
    manifests of something else, such as a web app's.
    """
    _check_targets(outputs)
    run = Run(_options(settings))
    found = run.find([Path(path) for path in paths or (".",) if path != _STDIN])
    keep_clean = settings["show_files"] or any(each.names_clean_files for each in outputs)
    with progress(_unwritten(found, outputs)) as targets:
        report = run.lint_all(targets, keep_clean=keep_clean)
    if _STDIN in paths:
        piped = run.lint_stdin(sys.stdin.buffer.read(), stdin_filename or STDIN)
        report = report.joined([piped])
    report = report.joined(run.leftovers(), found.unreadable)
    if settings["show_files"]:
        return _show_files(report, found)
    _refuse_overwriting(outputs, run.inputs())
    if new_baseline is not None:
        return _write_baseline(new_baseline, report)
    chosen = outputs or (Output("full" if sys.stdout.isatty() else "concise"),)
    written = _write(chosen, report, color)
    _tell_unreadable(report.unreadable)
    if settings["verbose"]:
        _tell_skipped(report)
    if not settings["quiet"]:
        _tell_empty(found)
        if report.summary.files and any(each.format in _FOR_PEOPLE for each in chosen):
            click.echo(_summary(report), err=True)
    code = _exit_code(report, found, settings)
    return code if written else exit_codes.USAGE


def _options(settings: dict[str, Any]) -> Options:
    if settings["isolated"] and settings["config"]:
        raise click.UsageError("--isolated leaves configuration files alone; --config names one")
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
        limits=Limits(**dict(settings["limits"])),
    )


def _unwritten(targets: Iterable[Target], outputs: tuple[Output, ...]) -> Iterator[Target]:
    """The files as they come, as long as none is one that an output goes to."""
    to_files = any(output.file for output in outputs)
    for target in targets:
        if to_files:
            _refuse_overwriting(outputs, [target.path])
        yield target


def _refuse_overwriting(outputs: tuple[Output, ...], read: Iterable[Path]) -> None:
    lost = overwriting(outputs, read)
    if lost:
        raise click.UsageError(f"{visible(str(lost.file))} is read by this run, and no output")


def _check_targets(outputs: tuple[Output, ...]) -> None:
    shared = shared_target(outputs)
    if shared:
        where = visible(str(shared.file)) if shared.file else "standard output"
        raise click.UsageError(f"two output formats go to {where}; give one its own =FILE")


def _write(outputs: Iterable[Output], report: Report, color: str) -> bool:
    """Write every form of the report that can be written; whether all could be.

    Files first: a reader of standard output may be gone before the end.
    """
    complete = True
    for output in sorted(outputs, key=lambda each: each.file is None):
        if output.file is None:
            style = style_for(sys.stdout, color)
            click.echo(output.text(report, style), nl=False, color=style.color)
            continue
        try:
            output.write(report, Style())
        except OSError as problem:
            error(f"{output.file}: cannot be written: {problem.strerror or problem}")
            complete = False
    return complete


def _write_baseline(path: Path, report: Report) -> int:
    _tell_unreadable(report.unreadable)
    count = write_baseline(path, report)
    note(f"{_counted(count, 'finding')} written to {path}; hide them with --baseline {path}")
    return exit_codes.USAGE if report.unreadable else exit_codes.CLEAN


def _show_files(report: Report, found: Search) -> int:
    checked = [each for each in report.results if each.is_manifest and not each.skipped]
    for result in checked:
        click.echo(opening(result.path))
    _tell_unreadable(report.unreadable)
    _tell_empty(found)
    return exit_codes.USAGE if report.unreadable or not checked else exit_codes.CLEAN


def _tell_unreadable(problems: Iterable[UnreadableFileError]) -> None:
    for problem in problems:
        error(f"{visible(problem.path)}: {problem.reason}")


def _tell_skipped(report: Report) -> None:
    for result in report.results:
        if result.skipped:
            note(f"{visible(result.path)}: skipped, it is {result.skipped}")


def _tell_empty(found: Search) -> None:
    for folder in found.empty:
        note(f"{visible(folder)}: no manifest in this folder")


def _summary(report: Report) -> str:
    counts = report.summary
    found = [
        _counted(number, noun)
        for number, noun in (
            (counts.errors, "error"),
            (counts.warnings, "warning"),
            (counts.info, "info"),
        )
        if number
    ]
    suppressed = f", {counts.suppressed} suppressed" if counts.suppressed else ""
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    verdict = ", ".join(found) or "nothing wrong"
    return f"{_counted(counts.files, 'file')} checked{skipped}: {verdict}{suppressed}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 or noun == "info" else f"{number:,} {noun}s"


def _exit_code(report: Report, found: Search, settings: dict[str, Any]) -> int:
    if report.unreadable:
        return exit_codes.USAGE
    if not report.summary.files and not settings["force_exclude"]:
        error(_nothing_to_check(report, found))
        return exit_codes.USAGE
    if report.fails and not settings["exit_zero"]:
        return exit_codes.FINDINGS
    return exit_codes.CLEAN


def _nothing_to_check(report: Report, found: Search) -> str:
    skipped = report.summary.skipped + found.excluded
    if skipped:
        return f"no manifest to check: {_counted(skipped, 'file')} left out; --verbose says why"
    return "no manifest found; name a file, or see `manifest lint --help` for the names looked for"
