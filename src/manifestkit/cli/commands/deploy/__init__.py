"""`manifest deploy`."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import SITE_TOKEN_VARIABLE
from manifestkit.cli.commands.deploy.against import compared, earlier_one
from manifestkit.cli.commands.deploy.listing import list_site
from manifestkit.cli.commands.deploy.result import (
    CODES,
    report,
    report_record,
    report_refusal,
    report_unknown,
    summary,
    unchanged_reason,
)
from manifestkit.cli.commands.deploy.sending import Record, Records, Sender
from manifestkit.cli.commands.deploy.site import Site, site_of
from manifestkit.cli.console import error, note, transfer
from manifestkit.cli.parameters import Choice, FilePath
from manifestkit.cli.service import (
    SECONDS,
    ServiceCommand,
    account_option,
    connection_options,
    finish,
    guarded,
    service_options,
)
from manifestkit.model.finding import Severity
from manifestkit.publish.gate import Checked, check
from manifestkit.publish.outcome import Deployment, Outcome
from manifestkit.publish.rate_limit import DEPLOY_RETRY_POLICY
from manifestkit.publish.receipts import Receipt
from manifestkit.publish.wire import SITE_TOKEN_PARTS, TOKEN_PLACEMENTS


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest deploy dist --domain calm.example.org          a folder
  manifest deploy site.zip --domain calm.example.org      an archive
  manifest deploy dist --domain calm.example.org --dry-run
  manifest deploy dist --list                             what would be packed
  manifest deploy dist --domain calm.example.org --against last
  manifest deploy dist --domain calm.example.org --verify https://calm.example.org/
  manifest deploy                                         all by [publish] in manifestkit.toml

\b
Exit codes:
  0   the service accepted the archive, or has it already; with --dry-run: it can be sent
  1   the archive or its manifest failed the check; nothing was sent
  2   wrong usage or configuration, a file that cannot be read; nothing was sent
  3   not logged in, or the service does not accept a token
  4   the service rejected the archive
  5   the rate limit is reached, for longer than --max-wait
  6   not sent completely: the service cannot have published it
  7   sent, but the outcome is unknown: look at the site before you try again
  8   accepted, but the site did not show the manifest in time (--verify)
  130 interrupted before everything was sent
""",
)
@click.argument("source", type=FilePath(path_type=Path), metavar="[ARCHIVE|FOLDER]", required=False)
@click.option("--domain", metavar="HOST", help="The host name of the site.")
@click.option(
    "--manifest",
    metavar="NAME",
    help="The manifest's name in the archive.  [default: the one at its root]",
)
@click.option("--dry-run", is_flag=True, help="Check and pack the site, but do not send it.")
@click.option(
    "--list",
    "list_files",
    is_flag=True,
    help="List what would be packed, and what is left out by which line of which file.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Send the site even if nothing changed since the last accepted deploy.",
)
@click.option(
    "--retry-unknown",
    is_flag=True,
    help="Retry even if an earlier attempt may have arrived; this can create two versions.",
)
@click.option(
    "--receipt",
    "receipt_path",
    type=FilePath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the receipt.  [default: a new file in your state folder]",
)
@service_options
@account_option
@click.option(
    "--site-token-file",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help=f"Read the token that identifies the site from this file; or set {SITE_TOKEN_VARIABLE}.",
)
@click.option(
    "--site-token-part",
    type=Choice(SITE_TOKEN_PARTS),
    default=SITE_TOKEN_PARTS[0],
    show_default=True,
    help="Name of the form part with that token.",
)
@click.option(
    "--token-placement",
    type=Choice(TOKEN_PLACEMENTS),
    help="Where to send your own token.  [default: query in the form base, part in alt]",
)
@click.option(
    "--profile",
    type=FilePath(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Also check the manifest against this profile. May be repeated.",
)
@click.option(
    "--config",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help="Use this configuration file.  [default: the nearest one above the current folder]",
)
@click.option(
    "--against",
    metavar="last|RECEIPT|FILE|REF",
    help=(
        "Compare the manifest with that of the last accepted deploy, in an earlier receipt, in a "
        "file, or in git at a revision; refuse changes that `manifest diff` reports at or above "
        "--fail-on."
    ),
)
@click.option(
    "--fail-on",
    type=Choice([each.value for each in Severity]),
    help="Refuse a manifest with a finding of at least this severity.  [default: error]",
)
@click.option(
    "--verify",
    "verify_at",
    metavar="URL",
    help="Then wait until the site at this address, or the manifest there, is what was sent.",
)
@click.option(
    "--verify-timeout",
    type=SECONDS,
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for that.",
)
@connection_options(DEPLOY_RETRY_POLICY.deadline)
def command(source: Path | None, *, as_json: bool, **settings: Any) -> int:
    """Check a site and its manifest, then publish it.

    ARCHIVE is a zip file; a FOLDER is packed, except for the files that .manifestignore lists. Only
    the bytes that pass the check are sent. Each deploy creates a new version of the site, so a
    deploy is retried only if the service cannot have received the first one. Options that are
    missing here are read from [publish] in manifestkit.toml.
    """
    return guarded(lambda: _deploy(source, settings, as_json=as_json), as_json=as_json)


def _deploy(source: Path | None, settings: dict[str, Any], *, as_json: bool) -> int:
    site = site_of(source, settings)
    if settings["list_files"]:
        return list_site(site, as_json=as_json)
    records = Records.of(settings["receipt_path"], site.source)
    with ExitStack() as stack:
        # What can be wrong besides the files is met before they are packed.
        sender = None
        if site.address is not None and not settings["dry_run"]:
            sender = stack.enter_context(Sender(site.address, site, settings))
        earlier = records.earlier(site.address, site.domain)
        against = earlier_one(settings["against"], earlier, site.domain)
        with transfer("packing", then="checking") as progress:
            seen = check(
                site.source, site.options, site.manifest, ignore=site.ignore, progress=progress
            )
        checked = compared(stack.enter_context(seen), against, site.options)
        if earlier.unknown is not None:
            report_unknown(earlier.unknown)
        receipt = _receipt(site, checked, sender)
        record = records.new(checked)
        unchanged = None if settings["force"] else earlier.unchanged(checked.snapshot.sha256)
        if not checked.passes:
            end = Deployment(Outcome.REFUSED, "failed the check; nothing was sent")
        elif sender is None:
            end = Deployment(Outcome.NOT_SENT, "dry run; nothing was sent")
            if unchanged is not None:
                note(f"nothing changed: {unchanged_reason(unchanged)}; a deploy would not send it")
        elif unchanged is not None:
            record = records.accepted(unchanged)
            end = Deployment(Outcome.UNCHANGED, unchanged_reason(unchanged))
        else:
            end = sender.send(checked, receipt, record, retry_unknown=settings["retry_unknown"])
        return _report(checked, receipt.ended(end), record, sender, as_json=as_json)


def _receipt(site: Site, checked: Checked, sender: Sender | None) -> Receipt:
    return Receipt.begun(
        checked,
        site.domain,
        site.address,
        account=sender.account if sender else None,
        tool=f"manifestkit {version('manifestkit')}",
        dry_run=sender is None,
    )


def _report(
    checked: Checked, receipt: Receipt, record: Record, sender: Sender | None, *, as_json: bool
) -> int:
    """Keep the record, look at the site, report the outcome, and return the exit code."""
    outcome = Outcome(receipt.contents["ending"])
    code = exit_codes.CLEAN if sender is None and checked.passes else CODES[outcome]
    problem = record.problem_of(receipt)
    if sender is not None and code == exit_codes.CLEAN:
        verification = sender.verify(checked)
        if verification is not None:
            receipt = receipt.verified(verification)
            problem = record.problem_of(receipt)
            code = exit_codes.CLEAN if verification.matches else exit_codes.UNVERIFIED
    if not checked.passes and not as_json:
        report_refusal(checked)
    if problem is not None:
        error(problem)
    kept = record.path if problem is None else None

    def report_all() -> None:
        report(checked, receipt, kept, code, as_json=as_json)

    if checked.passes and sender is not None:
        finish(report_all, summary(checked, receipt))
    else:
        report_all()
    if not as_json:
        report_record(receipt, kept)
    return code
