"""`manifest deploy`."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import SITE_TOKEN_VARIABLE, find_access
from manifestkit.cli.commands.deploy.against import LAST, compared, last_manifest
from manifestkit.cli.commands.deploy.listing import list_site
from manifestkit.cli.commands.deploy.result import CODES, report, summary
from manifestkit.cli.commands.deploy.sending import Records, Sender, keep
from manifestkit.cli.commands.deploy.site import Site, site_of
from manifestkit.cli.console import error, transfer
from manifestkit.cli.parameters import Choice, FilePath
from manifestkit.cli.service import (
    SECONDS,
    ServiceCommand,
    account_options,
    connection_options,
    finish,
    service_options,
)
from manifestkit.files import reason_of, shown
from manifestkit.model.errors import ConfigurationError, NotSentError
from manifestkit.model.finding import Severity
from manifestkit.publish.gate import Checked, check
from manifestkit.publish.packing import MOST_BYTES, MOST_ENTRIES
from manifestkit.publish.receipts import Receipt, refuse_inside
from manifestkit.publish.retry import DEPLOY_RETRY_POLICY
from manifestkit.publish.wire import SITE_TOKEN_PARTS, TOKEN_PLACEMENTS


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest deploy dist --domain calm.example.org          a folder
  manifest deploy site.zip --domain calm.example.org      an archive
  manifest deploy dist --dry-run                          check and pack it only
  manifest deploy dist --list                             what would be packed
  manifest deploy dist --domain calm.example.org --against last
  manifest deploy dist --domain calm.example.org --verify https://calm.example.org/
  manifest deploy                                         all by [publish] in manifestkit.toml

\b
Exit codes:
  0   the service accepted the archive; with --dry-run: it can be sent
  1   the archive or its manifest failed the check; nothing was sent
  2   wrong usage or configuration, a file that cannot be read; nothing was sent
  3   not logged in, or the service does not accept a token
  4   the service rejected the archive
  5   the rate limit is reached, for longer than --max-wait
  6   not sent completely: the service cannot have published it
  7   sent, but the outcome is unknown: look at the site before you try again
  8   accepted, but the site did not serve every file in time (--verify)
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
@click.option(
    "--manifest-file",
    type=FilePath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The site's manifest, if it is not published with it.",
)
@click.option("--no-manifest", is_flag=True, help="Deploy a site that has no manifest.")
@click.option("--dry-run", is_flag=True, help="Check and pack the site, but do not send it.")
@click.option(
    "--list",
    "list_files",
    is_flag=True,
    help="List what would be packed, and what is left out by which line of which file.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Publish these files although they are left out otherwise. May be repeated.",
)
@click.option(
    "--portable-names",
    is_flag=True,
    help="Refuse names that some systems cannot write, instead of a warning.",
)
@click.option(
    "--max-entries",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"The most files to publish.  [default: {MOST_ENTRIES}]",
)
@click.option(
    "--max-size",
    type=click.IntRange(min=1),
    metavar="BYTES",
    help=f"The most bytes to publish, unpacked.  [default: {MOST_BYTES}]",
)
@click.option(
    "--output",
    type=FilePath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write the archive that passed the check to this file.",
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
    help="Also write the receipt to this file.",
)
@service_options
@account_options
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
    metavar="last|FILE|REF",
    help=(
        "Compare the manifest with that of the last accepted deploy, in a file, or in git at a "
        "revision; refuse changes that `manifest diff` reports at or above --fail-on."
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
    help="Then compare the site at this address with every file that was sent.",
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

    A FOLDER is packed, and an ARCHIVE packed again: what is checked is the archive that is sent.
    Dotfiles, keys and the files that .manifestignore lists are left out. Each deploy creates a new
    version of the site, so a deploy is retried only if the service cannot have received the first
    one. Options that are missing here are read from [publish] in manifestkit.toml.
    """
    site = site_of(source, settings)
    if settings["list_files"]:
        return list_site(site, as_json=as_json)
    records = Records.of(settings["receipt_path"], site.source)
    output: Path | None = settings["output"]
    if output is not None:
        refuse_inside(output, site.source, "--output")
    with ExitStack() as stack:
        # What can be wrong besides the files is met before they are packed.
        sender, account = None, None
        if site.address is not None:
            account = settings["account"]
            access = find_access(site.address, account, settings["token_file"])
            if access.account is not None:
                account = access.account.email
            if not settings["dry_run"]:
                sender = stack.enter_context(Sender(site.address, site, access, settings))
        former = settings["against"]
        if former == LAST:
            former = last_manifest(records.folder or Path(), site, account)
        with transfer("packing", then="checking") as progress:
            seen = check(site.source, site.options, site.packing, site.manifest, progress)
        checked = compared(stack.enter_context(seen), former, site)
        receipt = Receipt.begun(
            checked,
            site.domain,
            site.address,
            account=account,
            tool=f"manifestkit {version('manifestkit')}",
            dry_run=sender is None,
        )
        if checked.passes and output is not None:
            _write(checked, output)
        if not checked.passes or sender is None:
            ending = "dry-run" if checked.passes else "refused"
            code = exit_codes.CLEAN if checked.passes else exit_codes.FINDINGS
            receipt = receipt.with_members(outcome="not-sent", ending=ending)
            report(checked, site, receipt, None, code, as_json=as_json)
            return code
        return _send(checked, site, sender, receipt, records, settings, as_json=as_json)


def _write(checked: Checked, output: Path) -> None:
    try:
        if checked.packed is not None:
            checked.packed.write(output)
    except OSError as problem:
        raise ConfigurationError(
            f"--output: {shown(output)}: cannot be written: {reason_of(problem)}"
        ) from None


def _send(
    checked: Checked,
    site: Site,
    sender: Sender,
    receipt: Receipt,
    records: Records,
    settings: dict[str, Any],
    *,
    as_json: bool,
) -> int:
    """Send the archive, keep its receipt, look at the site, and report the outcome."""
    files = records.files_of(receipt)
    keep(receipt, files)
    end = sender.send(checked, retry_unknown=settings["retry_unknown"])
    receipt = receipt.ended(end)
    code = CODES[end.outcome]
    kept = _kept(receipt, files)
    verification = sender.verify(checked) if code == exit_codes.CLEAN else None
    if verification is not None:
        receipt = receipt.with_members(verified=verification._asdict())
        kept = _kept(receipt, files)
        code = exit_codes.CLEAN if verification.matches else exit_codes.UNVERIFIED
    finish(
        lambda: report(checked, site, receipt, kept, code, as_json=as_json),
        summary(checked, site, receipt),
    )
    return code


def _kept(receipt: Receipt, files: list[Path]) -> Path | None:
    """Write a receipt, and return its file; a deploy that is over counts without it, too."""
    try:
        keep(receipt, files)
    except NotSentError as problem:
        error(str(problem))
        return None
    return files[0]
