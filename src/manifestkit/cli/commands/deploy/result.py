"""The outcome of a deploy, for people and programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import denied_help
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import error, note, style_for
from manifestkit.cli.service import print_json
from manifestkit.files import shown
from manifestkit.findings.messages import counted
from manifestkit.model.printable import printable
from manifestkit.publish.client import sandbox_hint
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Outcome
from manifestkit.publish.receipts import Receipt
from manifestkit.rendering import FORMATS, visible
from manifestkit.rendering.json import finding_object

CODES: Mapping[Outcome, int] = {
    Outcome.ACCEPTED: exit_codes.CLEAN,
    Outcome.DENIED: exit_codes.AUTHENTICATION,
    Outcome.REJECTED: exit_codes.REJECTED,
    Outcome.RATE_LIMITED: exit_codes.RATE_LIMITED,
    Outcome.NOT_SENT: exit_codes.NOT_SENT,
    Outcome.UNKNOWN: exit_codes.UNKNOWN,
    Outcome.INTERRUPTED: exit_codes.INTERRUPTED,
}
"""The exit code of each outcome."""

_MESSAGES = {
    "refused": "nothing was sent: {what} failed the check",
    "dry-run": "dry run, nothing was sent: {what}{site}",
    "accepted": "accepted: {what}{site}",
    "denied": "the service denies access: {reason}; {denied_help}, or correct the site token",
    "rejected": "the service rejected the archive: {reason}",
    "rate-limited": "the rate limit of the service is reached: {reason}",
    "not-sent": "not sent to {origin}: {reason}{hint}",
    "interrupted": "interrupted before all was sent: the service cannot have published it",
    "unknown": "the outcome is unknown: {reason}; look at the site before you deploy again",
}
_MOST_PROBLEMS = 20
_MOST_LEFT_OUT = 5


def report(
    checked: Checked, site: Site, receipt: Receipt, kept: Path | None, code: int, *, as_json: bool
) -> None:
    """Report the outcome.

    Args:
        checked: what was to be deployed.
        site: where it was to be deployed.
        receipt: its record.
        kept: the file with the record; None where there is none.
        code: the exit code.
        as_json: whether to print the one object instead of sentences.
    """
    if as_json:
        findings = [finding_object(each) for each in checked.report.findings]
        path = shown(kept) if kept else None
        print_json({**receipt.contents, "findings": findings, "receipt": path, "exit_code": code})
        return
    if checked.report.findings or not checked.passes:
        form = "full" if sys.stdout.isatty() else "concise"
        style = style_for(sys.stdout, "auto")
        click.echo("".join(FORMATS[form](checked.report, style)), nl=False, color=style.color)
    _report_problems(checked)
    if code in {exit_codes.CLEAN, exit_codes.UNVERIFIED}:
        click.echo(visible(summary(checked, site, receipt)))
        _report_verification(receipt.contents["verified"])
    else:
        error(summary(checked, site, receipt))
        if any(each.is_comparison and each.fails for each in checked.report.results):
            note(
                "if these changes are agreed, deploy without --against, or allow them by "
                "`suppress` or `ignore` in manifestkit.toml"
            )
    tries = len(receipt.contents["attempts"])
    if tries > 1:
        note(f"it took {tries} attempts; see the receipt for the reasons")
    if kept is not None:
        note(f"the receipt is {shown(kept)}")


def _report_problems(checked: Checked) -> None:
    source = shown(checked.source)
    for problem in checked.problems[:_MOST_PROBLEMS]:
        (note if problem.is_warning else error)(f"{source}: {problem}")
    more = len(checked.problems) - _MOST_PROBLEMS
    if more > 0:
        (note if checked.passes else error)(f"{source}: and {more:,} problems more")
    by_default = [printable(each.name) for each in checked.left_out if each.file is None]
    if by_default:
        names = ", ".join(by_default[:_MOST_LEFT_OUT])
        more = len(by_default) - _MOST_LEFT_OUT
        names += f" and {more:,} more" if more > 0 else ""
        note(f"left out by default: {names}; see --list, and --include to publish one")


def _report_verification(verified: Mapping[str, Any] | None) -> None:
    if verified is None:
        return
    found = f"{verified['compared']:,} of {counted(verified['files'], 'file')}"
    if verified["matches"]:
        click.echo(visible(f"verified: {verified['url']} serves {found} as they were sent"))
    else:
        error(
            f"{verified['url']} is not verified: it serves {found} as they were sent; "
            f"{verified['reason']}"
        )


def summary(checked: Checked, site: Site, receipt: Receipt) -> str:
    """Return the outcome in one sentence."""
    address = site.address
    return _MESSAGES[receipt.contents["ending"]].format(
        what=f"{shown(checked.source)} ({_described(checked)})",
        site=f" for {site.domain}" if site.domain else "",
        origin=address.origin if address else "",
        hint=sandbox_hint(address) if address else "",
        reason=receipt.contents["reason"],
        denied_help=denied_help(),
    )


def _described(checked: Checked) -> str:
    parts = [counted(len(checked.files), "file")]
    if checked.left_out:
        parts.append(f"{len(checked.left_out):,} left out")
    if checked.packed:
        parts.append(f"{checked.packed.size:,} bytes, sha256 {checked.packed.sha256[:12]}")
    return ", ".join(parts)
