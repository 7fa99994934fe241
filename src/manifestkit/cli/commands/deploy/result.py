"""The outcome of a deploy, for people and programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import denied_help
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.cli.console import error, note, style_for
from manifestkit.cli.service import print_json
from manifestkit.files import posix_name
from manifestkit.findings.messages import counted
from manifestkit.model.printable import printable
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import sandbox_hint
from manifestkit.publish.receipts import Receipt
from manifestkit.rendering import FORMATS, visible
from manifestkit.rendering.json import finding_object

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


class Result(NamedTuple):
    """Result of a deploy.

    Attributes:
        checked: what was to be deployed.
        site: where it was to be deployed.
        receipt: its record.
        kept: the file with the record; None where there is none.
        code: the exit code.
    """

    checked: Checked
    site: Site
    receipt: Receipt
    kept: Path | None
    code: int

    def report(self, *, as_json: bool) -> None:
        """Report it in sentences, or as one JSON object."""
        checked, contents = self.checked, self.receipt.contents
        if as_json:
            findings = [finding_object(each) for each in checked.report.findings]
            path = posix_name(self.kept) if self.kept else None
            print_json({**contents, "findings": findings, "receipt": path, "exit_code": self.code})
            return
        if checked.report.findings or not checked.passes:
            form = "full" if sys.stdout.isatty() else "concise"
            style = style_for(sys.stdout, "auto")
            click.echo("".join(FORMATS[form](checked.report, style)), nl=False, color=style.color)
        _report_problems(checked)
        if self.code in {exit_codes.CLEAN, exit_codes.UNVERIFIED}:
            click.echo(visible(self.summary))
            self._report_verification()
        else:
            error(self.summary)
            if any(each.is_comparison and each.fails for each in checked.report.results):
                note(
                    "if these changes are agreed, deploy without --against, or allow them by "
                    "`suppress` or `ignore` in manifestkit.toml"
                )
        tries = len(contents["attempts"])
        if tries > 1:
            note(f"it took {tries} attempts; see the receipt for the reasons")
        if self.kept is not None:
            note(f"the receipt is {posix_name(self.kept)}")

    @property
    def summary(self) -> str:
        """The outcome in one sentence."""
        contents, address = self.receipt.contents, self.site.address
        return _MESSAGES[contents["ending"]].format(
            what=f"{posix_name(self.checked.source)} ({_described(self.checked)})",
            site=f" for {self.site.domain}" if self.site.domain else "",
            origin=address.origin if address else "",
            hint=sandbox_hint(address) if address else "",
            reason=contents["reason"],
            denied_help=denied_help(),
        )

    def _report_verification(self) -> None:
        verified = self.receipt.contents["verified"]
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


def _report_problems(checked: Checked) -> None:
    source, problems = posix_name(checked.source), checked.listing.problems
    for problem in problems[:_MOST_PROBLEMS]:
        (note if problem.is_warning else error)(f"{source}: {problem}")
    more = len(problems) - _MOST_PROBLEMS
    if more > 0:
        (note if checked.passes else error)(f"{source}: and {more:,} problems more")
    by_default = [printable(each.name) for each in checked.listing.left_out if each.file is None]
    if by_default:
        names = ", ".join(by_default[:_MOST_LEFT_OUT])
        more = len(by_default) - _MOST_LEFT_OUT
        names += f" and {more:,} more" if more > 0 else ""
        note(f"left out by default: {names}; see --list, and --include to publish one")


def _described(checked: Checked) -> str:
    files, left_out, _ = checked.listing
    parts = [counted(len(files), "file")]
    if left_out:
        parts.append(f"{len(left_out):,} left out")
    if checked.packed:
        parts.append(f"{checked.packed.size:,} bytes, sha256 {checked.packed.sha256[:12]}")
    return ", ".join(parts)
