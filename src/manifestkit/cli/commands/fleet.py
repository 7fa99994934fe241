"""`manifest fleet`: millions of manifests, and what a change of the policy means for them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import UnitBar, error, note, say, style_for
from manifestkit.cli.extras import need
from manifestkit.cli.output import Output, check_targets, logged, write_all
from manifestkit.cli.parameters import LIMIT, RULE, RULE_SEVERITY, Choice, FilePath, OutputFormat
from manifestkit.engine import Options, Report
from manifestkit.findings.messages import counted
from manifestkit.model.errors import CrashedFileError
from manifestkit.model.finding import Severity
from manifestkit.rendering.escape import Style
from manifestkit.rendering.fleet import IMPACT_FORMATS, SUMMARY_FORMATS

if TYPE_CHECKING:
    from manifestkit.fleet.runs import Cluster, RunResult

Found = TypeVar("Found")
Command = TypeVar("Command", bound=Callable[..., Any])

_OTHER_CODES = """\
  2   wrong usage or configuration, or something cannot be read or written
  70  a bug in manifestkit; the message says how to report it
  130 interrupted
  141 the output was closed before the end
"""
_EXIT_CODES = f"""\b
Exit codes:
  0   done, whether or not manifests fail
{_OTHER_CODES}"""
_IMPACT_CODES = f"""\b
Exit codes:
  0   no manifest newly fails
  1   some manifests newly fail
{_OTHER_CODES}"""
_GROUP_CODES = f"""\b
Exit codes:
  0   done; with `impact`: no manifest newly fails
  1   with `impact`: some manifests newly fail
{_OTHER_CODES}"""
_LONG = 60.0  # seconds: a shorter run has no slowest rows worth a word


@click.group(
    epilog="""\b
Examples:
  manifest fleet lint manifests --output before
  manifest fleet lint manifests --output after --profile host.schema.json
  manifest fleet impact before after

"""
    + _GROUP_CODES
)
def command() -> None:
    """Check millions of manifests and compare the results."""


@command.command(
    epilog="""\b
Examples:
  manifest fleet lint manifests --output results
  manifest fleet lint s3://host/manifests --output s3://host/results --profile host.schema.json
  manifest fleet lint manifests --output results --engine dask --cluster tcp://scheduler:8786
  manifest fleet lint manifests --output results --detail tally

"""
    + _EXIT_CODES
)
@click.argument("source", type=FilePath(), metavar="INPUT")
@click.option(
    "--output",
    "out",
    type=FilePath(),
    required=True,
    metavar="OUT",
    help="Folder for the results, a path or an address. What is there already is not done again.",
)
@click.option(
    "--engine",
    type=Choice(["local", "dask", "spark"]),
    default="local",
    show_default=True,
    help="What runs the checks; `dask` and `spark` are extras.",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="The Dask scheduler or the Spark master to use.  [default: processes of this machine]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1_024),
    help="How many processes of this machine to use.  [default: one on each processor]",
)
@click.option(
    "--detail",
    type=Choice(["findings", "tally"]),
    default="findings",
    show_default=True,
    help="`tally` keeps the rule, the severity and the pointer of findings only, and is faster.",
)
@click.option(
    "--schema",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Check against this JSON Schema instead of the built-in one.",
)
@click.option(
    "--profile",
    "profiles",
    type=FilePath(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Also check against this profile. May be repeated.",
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
    help="A manifest fails if a finding has at least this severity.  [default: error]",
)
@click.option(
    "--limit", "limits", multiple=True, type=LIMIT, help="Change a limit. May be repeated."
)
def lint(source: str, out: str, **settings: Any) -> int:
    """Check the manifests in INPUT and write a row for each to OUT.

    INPUT is a Parquet, JSON lines or tar file, or a folder of these or of manifests; a path or an
    address such as s3://. Configuration files, and comments in manifests that suppress findings,
    are not used.
    """
    engine = settings["engine"]
    need("fleet" if engine == "local" else engine)
    from manifestkit.fleet.policy import FleetPolicy  # noqa: PLC0415 - an extra
    from manifestkit.fleet.runs import Cluster, lint  # noqa: PLC0415 - likewise

    if engine == "local" and settings["cluster"]:
        raise click.UsageError("--cluster needs --engine dask or spark")
    if settings["cluster"] and settings["workers"]:
        raise click.UsageError("--cluster and --workers cannot be combined")
    policy = FleetPolicy(
        Options(
            schema=settings["schema"],
            profiles=settings["profiles"],
            select=settings["select"] or None,
            ignore=settings["ignore"],
            severity=dict(settings["severity"]),
            fail_on=Severity(settings["fail_on"]) if settings["fail_on"] else None,
            limits=dict(settings["limits"]),
        ),
        detail=settings["detail"],
    )
    cluster: Cluster = Cluster(engine, settings["cluster"], settings["workers"])
    bars: list[UnitBar] = []

    def begun(units: int, done: int) -> Any:
        bars.append(UnitBar(units, done))
        return bars[0].tick

    began = time.monotonic()
    try:
        run = lint(source, out, policy, cluster, begun)
    finally:
        for bar in bars:
            bar.clear()
    return _report(run, out, time.monotonic() - began)


def _report(run: RunResult, out: str, seconds: float) -> int:
    """Say what became of a run, and return the exit code."""
    crashes = [each for each in run.errors if isinstance(each, CrashedFileError)]
    crashed = logged(Report.of([], crashed=crashes)).crashed
    for problem in (*(each for each in run.errors if each not in crashes), *crashed):
        error(str(problem))
    if run.left_out:
        note(run.left_out)
    if run.skipped:
        note(f"{counted(run.skipped, 'unit')} of {run.units:,} had results already")
    checked = f"{counted(run.rows, 'manifest')} checked"
    if seconds >= _LONG and run.rows:
        checked += f", {run.rows / seconds:,.0f} a second"
        for taken, uri in run.slowest:
            note(f"slow: {uri}, {taken * 1000:,.0f} ms")
    if run.failing:
        checked += f", {run.failing:,} failing"
    if run.errors:
        checked += f"; {counted(run.not_done, 'unit')} not done"
    elif run.failing:
        checked += f"; see `manifest fleet summary {out}`"
    say(checked)
    if crashes:
        return exit_codes.CRASH
    return exit_codes.USAGE if run.errors else exit_codes.CLEAN


def _outputs(names: Iterable[str]) -> Callable[[Command], Command]:
    return click.option(
        "--output-format",
        "outputs",
        type=OutputFormat(names),
        multiple=True,
        help=f"Output format, and the file to write it to: {', '.join(names)}. May be repeated, "
        "each with its own file.  [default: text]",
    )


def _check(outputs: tuple[Output, ...], folders: Iterable[str]) -> None:
    """Refuse two outputs to one place, and one among the results.

    Raises:
        click.UsageError: there are such.
    """
    check_targets(outputs)
    roots = [Path(os.path.realpath(each)) for each in folders if "://" not in each]
    for each in outputs:
        if each.file and any(
            Path(os.path.realpath(each.file)).is_relative_to(root) for root in roots
        ):
            raise click.UsageError(f"{each.file} is among the results and cannot be an output")


def _written(
    outputs: tuple[Output, ...],
    formats: Mapping[str, Callable[[Found, Style], Iterator[str]]],
    found: Found,
) -> bool:
    """Write what was found in each of its forms; whether all could be written."""
    chosen = outputs or (Output("text"),)
    style = style_for(sys.stdout, "auto")
    texts = (
        (each, "".join(formats[each.format](found, Style() if each.file else style)))
        for each in chosen
    )
    return write_all(texts, sys.stdout, color=style.color)


@command.command(
    epilog="""\b
Examples:
  manifest fleet impact before after
  manifest fleet impact before after --output-format json > impact.json
  manifest fleet impact before after --output-format html=impact.html

"""
    + _IMPACT_CODES
)
@click.argument("before", type=FilePath())
@click.argument("after", type=FilePath())
@_outputs(IMPACT_FORMATS)
def impact(before: str, after: str, outputs: tuple[Output, ...]) -> int:
    """Compare two results: what newly fails, what newly passes.

    The counts are by rule and provider. BEFORE and AFTER are the folders of two runs of `manifest
    fleet lint`.
    """
    need("fleet")
    from manifestkit.fleet.reports import impact  # noqa: PLC0415 - an extra

    _check(outputs, (before, after))
    found = impact(before, after)
    if not _written(outputs, IMPACT_FORMATS, found):
        return exit_codes.USAGE
    return exit_codes.FINDINGS if found.newly_failing else exit_codes.CLEAN


@command.command(
    epilog="""\b
Examples:
  manifest fleet summary results

"""
    + _EXIT_CODES
)
@click.argument("out", type=FilePath())
@_outputs(SUMMARY_FORMATS)
def summary(out: str, outputs: tuple[Output, ...]) -> int:
    """Count what `manifest fleet lint` has found, by rule and provider.

    OUT is the folder of the results.
    """
    need("fleet")
    from manifestkit.fleet.reports import summarize  # noqa: PLC0415 - an extra

    _check(outputs, (out,))
    complete = _written(outputs, SUMMARY_FORMATS, summarize(out))
    return exit_codes.CLEAN if complete else exit_codes.USAGE
