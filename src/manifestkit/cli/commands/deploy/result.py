"""How a deploy ended, for people and programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import denied_help
from manifestkit.cli.console import error, note, style_for
from manifestkit.cli.service import print_json
from manifestkit.files import shown
from manifestkit.findings.messages import counted
from manifestkit.publish.archive import shown_problem
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Outcome
from manifestkit.publish.receipts import KeptReceipt, Receipt
from manifestkit.rendering import FORMATS, visible
from manifestkit.rendering.json import finding_object

CODES: Mapping[Outcome, int] = {
    Outcome.ACCEPTED: exit_codes.CLEAN,
    Outcome.REFUSED: exit_codes.FINDINGS,
    Outcome.DENIED: exit_codes.AUTHENTICATION,
    Outcome.REJECTED: exit_codes.REJECTED,
    Outcome.RATE_LIMITED: exit_codes.RATE_LIMITED,
    Outcome.NOT_SENT: exit_codes.NOT_SENT,
    Outcome.UNKNOWN: exit_codes.UNKNOWN,
    Outcome.INTERRUPTED: exit_codes.INTERRUPTED,
    Outcome.UNCHANGED: exit_codes.CLEAN,
}
"""The exit code of each ending."""

_MESSAGES: Mapping[Outcome, str] = {
    Outcome.DENIED: "the service denies access: {reason}; {denied_help}, or correct the site token",
    Outcome.REJECTED: "the service rejected the archive: {reason}",
    Outcome.RATE_LIMITED: "the rate limit of the service is reached: {reason}",
    Outcome.NOT_SENT: "not sent to {origin}: {reason}",
    Outcome.INTERRUPTED: "interrupted before all was sent: the service cannot have published it",
    Outcome.UNKNOWN: "the outcome is unknown: {reason}; look at the site before you deploy again",
}
_MOST_PROBLEMS = 20
_LONGEST_VERSION = 64
_LONGEST_ADDRESS = 1_000


def report_refusal(checked: Checked) -> None:
    """Show why the gate refuses an archive."""
    _report_findings(checked)
    source = shown(checked.source)
    for problem in checked.problems[:_MOST_PROBLEMS]:
        error(f"{source}: {shown_problem(problem)}")
    more = len(checked.problems) - _MOST_PROBLEMS
    if more > 0:
        error(f"{source}: and {more:,} problems more")


def _report_findings(checked: Checked) -> None:
    form = "full" if sys.stdout.isatty() else "concise"
    style = style_for(sys.stdout, "auto")
    click.echo("".join(FORMATS[form](checked.report, style)), nl=False, color=style.color)


def report(
    checked: Checked, receipt: Receipt, kept: Path | None, code: int, *, as_json: bool
) -> None:
    """Say how it ended.

    Args:
        checked: what was to be deployed.
        receipt: its record.
        kept: the file with the record; None where it could not be written.
        code: the exit code.
        as_json: whether to print the one object instead of sentences.
    """
    if as_json:
        print_json(
            {
                **receipt.contents,
                "findings": [finding_object(each) for each in checked.report.findings],
                "receipt": shown(kept) if kept else None,
                "exit_code": code,
            }
        )
    elif code in {exit_codes.CLEAN, exit_codes.UNVERIFIED}:
        if checked.report.findings:
            _report_findings(checked)
        click.echo(visible(summary(checked, receipt)))
        _report_verification(receipt)
    else:
        error(summary(checked, receipt))
        if any(each.is_comparison and each.fails for each in checked.report.results):
            note(
                "if these changes are agreed, deploy without --against, or allow them by "
                "`suppress` or `ignore` in manifestkit.toml"
            )


def _report_verification(receipt: Receipt) -> None:
    verified = receipt.contents["verified"]
    if verified is None:
        return
    if verified["matches"]:
        click.echo(visible(f"verified: {verified['url']} has this manifest"))
    else:
        error(f"{verified['url']} is not verified: {verified['reason']}")


def report_unknown(unknown: KeptReceipt) -> None:
    """Say that nobody knows what became of the deploy before, and where to look."""
    note(
        f"the outcome of the deploy of {unknown.started} is unknown: it may have been published, "
        f"or still be running; look at {unknown.domain} and at its receipt, {shown(unknown.path)}"
    )


def report_record(receipt: Receipt, kept: Path | None) -> None:
    """Say where the record is, and what it is worth looking at for."""
    tries = len(receipt.contents["attempts"])
    if tries > 1:
        note(f"it took {tries} attempts; see the receipt for the reasons")
    if kept is not None:
        note(f"the receipt is {shown(kept)}")


def summary(checked: Checked, receipt: Receipt) -> str:
    """How it ended, in one sentence."""
    contents = receipt.contents
    outcome = Outcome(contents["ending"])
    what = f"{shown(checked.source)} ({_described(checked)})"
    if outcome is Outcome.REFUSED:
        return f"nothing was sent: {what} failed the check"
    if outcome is Outcome.UNCHANGED:
        return f"unchanged: {what}: {contents['reason']}; nothing was sent, --force sends it again"
    if outcome is Outcome.ACCEPTED or contents["dry_run"]:
        done = "accepted" if outcome is Outcome.ACCEPTED else "dry run, nothing was sent"
        return f"{done}: {what} for {contents['domain']}{_published(contents['response'])}"
    return _MESSAGES[outcome].format(
        origin=contents["service"]["origin"],
        reason=contents["reason"],
        denied_help=denied_help(),
    )


def unchanged_reason(accepted: KeptReceipt) -> str:
    """Why nothing needs to be sent."""
    published = _published(accepted.contents.get("response"))
    return f"accepted by {accepted.domain} at {accepted.started}{published}"


def _published(response: Any) -> str:
    """What the service says that it made of an archive; the API document shows no such answer."""
    if not isinstance(response, dict):
        return ""
    version, url = response.get("version"), response.get("url")
    shown_version = f", as version {version}" if _is_version(version) else ""
    return f"{shown_version}: {url}" if _is_web_address(url) else shown_version


def _is_version(value: Any) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool)
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_VERSION and value.isprintable()


def _is_web_address(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > _LONGEST_ADDRESS or not value.isprintable():
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and " " not in value


def _described(checked: Checked) -> str:
    entries = counted(checked.entries, "entry", "entries")
    left_out = f", {checked.left_out:,} left out" if checked.left_out else ""
    size = f"{checked.snapshot.size:,} bytes"
    return f"{entries}{left_out}, {size}, sha256 {checked.snapshot.sha256[:12]}"
