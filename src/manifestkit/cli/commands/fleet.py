"""`manifest fleet`: millions of manifests, and what a change of the policy means for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click

from manifestkit.cli.console import error, note, progress, say, style_for
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import RuleOptions, argument, command_group, manifest_command, option
from manifestkit.cli.reports import Output, check_outputs, output_formats, report_errors, write_all
from manifestkit.findings.words import counted, listed
from manifestkit.model.errors import CrashedFileError
from manifestkit.model.report import Report
from manifestkit.rendering.escape import Style
from manifestkit.rendering.fleet import IMPACT_FORMATS

_OTHER_CODES = """
2   wrong usage or configuration, or a file that cannot be read or written
70  a bug in manifestkit; the message says how to report it
130 interrupted
141 the output was closed before the end
"""
_EXIT_CODES = f"0   done, whether or not manifests fail{_OTHER_CODES}"
_IMPACT_CODES = f"0   no manifest newly fails\n1   some manifests newly fail{_OTHER_CODES}"
_GROUP_CODES = f"""\
0   done; with `impact`: no manifest newly fails
1   with `impact`: some manifests newly fail{_OTHER_CODES}"""


@command_group(
    """
    manifest fleet lint manifests --output before
    manifest fleet lint manifests --output after --profile host.schema.json
    manifest fleet impact before after
    """,
    _GROUP_CODES,
)
def command() -> None:
    """Check millions of manifests and compare the results."""


@manifest_command(
    """
    manifest fleet lint manifests --output results
    manifest fleet lint s3://host/manifests --output s3://host/results --profile host.schema.json
    """,
    _EXIT_CODES,
    extra="fleet",
)
def lint(
    *,
    source: str = argument(path="any", metavar="INPUT"),
    output: str = option(
        "Folder for the results, a path or an address. Existing results are reused, and "
        "those of files that are not in INPUT are deleted.",
        "-o",
        "--output",
        path="any",
        required=True,
        metavar="OUT",
    ),
    workers: int | None = option(
        "How many processes to use.  [default: one on each processor]",
        type=click.IntRange(1, 1_024),
        metavar="N",
    ),
    rules: RuleOptions = RuleOptions.group(
        "schema",
        "profile",
        "select",
        "ignore",
        "severity",
        "fail_on",
        fail_on={
            "help": "A manifest fails if a finding has at least this severity.  [default: error]"
        },
    ),
) -> int:
    """Check the manifests in INPUT and write a row for each to OUT.

    INPUT is a Parquet or JSON lines file, or a folder of these or of manifests; a path or an
    address such as s3://. Configuration files are not used.
    """
    from manifestkit.fleet.rows import FleetPolicy  # noqa: PLC0415 - an extra
    from manifestkit.fleet.runs import lint  # noqa: PLC0415 - likewise

    policy = FleetPolicy(rules.options())
    run = lint(source, output, policy, workers, partial(progress, what="units"))
    crashes = [each for each in run.errors if isinstance(each, CrashedFileError)]
    for problem in run.errors:
        if problem not in crashes:
            error(str(problem))
    report_errors(Report.of([], crashes))
    if run.passed_over:
        names = listed(run.passed_over, "and")
        note(f"skipped {counted(len(run.passed_over), 'name')}: {names}")
    if run.skipped:
        note(f"{counted(run.skipped, 'unit')} of {run.units:,} already had results")
    checked = f"{counted(run.rows, 'manifest')} checked"
    if run.failing:
        checked += f", {run.failing:,} failing"
    if run.errors:
        checked += f"; {counted(run.not_done, 'unit')} not done"
    say(checked)
    if run.rules:
        counts = [f"{rule} {count:,}" for rule, count in run.rules.most_common()]
        say(f"findings: {listed(counts, 'and')}")
    if run.rules["unreadable-file"]:
        lines = '; in JSON lines, it is a text, as in `{"uri": "a.json", "content": "{...}"}`'
        is_lines = source.endswith((".jsonl", ".ndjson"))
        note(f"the rows say why a manifest is unreadable{lines if is_lines else ''}")
    if crashes:
        return ExitCode.CRASH
    return ExitCode.USAGE if run.errors else ExitCode.CLEAN


def _check(outputs: tuple[Output, ...], folders: Iterable[str]) -> None:
    """Refuse two outputs to one place, and one among the results."""
    check_outputs([each.file for each in outputs])
    roots = [Path(os.path.realpath(each)) for each in folders if "://" not in each]
    for each in outputs:
        if each.file and any(
            Path(os.path.realpath(each.file)).is_relative_to(root) for root in roots
        ):
            raise click.UsageError(f"{each.file} is among the results and cannot be an output")


@manifest_command(
    """
    manifest fleet impact before after
    manifest fleet impact before after --output-format json=impact.json
    """,
    _IMPACT_CODES,
    extra="fleet",
)
def impact(
    *,
    before: str = argument(path="any"),
    after: str = argument(path="any"),
    outputs: tuple[Output, ...] = output_formats(IMPACT_FORMATS, "text"),
) -> int:
    """Compare two results: what newly fails, what newly passes.

    BEFORE and AFTER are the folders of two runs of `manifest fleet lint`.
    """
    from manifestkit.fleet.impact import impact  # noqa: PLC0415 - an extra

    _check(outputs, (before, after))
    found, style = impact(before, after), style_for(sys.stdout)
    texts = (
        (each, IMPACT_FORMATS[each.format](found, Style() if each.file else style))
        for each in outputs or (Output("text"),)
    )
    if not write_all(texts, sys.stdout, color=style.color):
        return ExitCode.USAGE
    return ExitCode.FINDINGS if found.newly_failing else ExitCode.CLEAN


for _each in (lint, impact):
    command.add_command(_each)
