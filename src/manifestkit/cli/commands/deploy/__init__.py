"""`manifest deploy`."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.accounts import AccountOptions, account_options
from manifestkit.cli.commands.deploy.against import LAST, compared, last_manifest
from manifestkit.cli.commands.deploy.listing import list_site
from manifestkit.cli.commands.deploy.options import DeployOptions, deploy_options
from manifestkit.cli.commands.deploy.result import Result
from manifestkit.cli.commands.deploy.sending import Records, Sender
from manifestkit.cli.commands.deploy.site import site_of
from manifestkit.cli.console import transfer
from manifestkit.cli.options import option_group
from manifestkit.cli.parameters import FilePath
from manifestkit.cli.service import (
    EXIT_CODES,
    NetworkOptions,
    ServiceCommand,
    ServiceOptions,
    finish,
    json_option,
    service_options,
)
from manifestkit.files import posix_name, reason_of
from manifestkit.model.errors import ConfigurationError
from manifestkit.publish.gate import Checked, check
from manifestkit.publish.receipts import Receipt, refuse_inside
from manifestkit.publish.retry import DEPLOY_RETRY_POLICY


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
@deploy_options
@service_options
@json_option
@account_options
@option_group("network", NetworkOptions, timeout={"default": DEPLOY_RETRY_POLICY.deadline})
def command(
    source: Path | None,
    options: DeployOptions,
    service: ServiceOptions,
    account: AccountOptions,
    network: NetworkOptions,
    *,
    as_json: bool,
) -> int:
    """Check a site and its manifest, then publish it.

    A FOLDER is packed, and an ARCHIVE packed again: what is checked is the archive that is sent.
    Dotfiles, keys and the files that .manifestignore lists are left out. Each deploy creates a new
    version of the site, so a deploy is retried only if the service cannot have received the first
    one. Options that are missing here are read from [publish] in manifestkit.toml.
    """
    site = site_of(source, options, service)
    if options.list_files:
        return list_site(site, as_json=as_json)
    records = Records.of(options.receipt_path, site.source)
    if options.output is not None:
        refuse_inside(options.output, site.source, "--output")
    with ExitStack() as stack:
        # What can be wrong besides the files is met before they are packed.
        access = account.access(site.address) if site.address else None
        sender = None
        if access is not None and not options.dry_run:
            sender = stack.enter_context(Sender(site, access, options, network))
        email = access.email if access else None
        former = options.against
        against = last_manifest(records.folder, site, email) if former == LAST else former
        with transfer("packing", then="checking") as progress:
            seen = check(site.source, site.options, site.packing, site.manifest, progress)
        checked = compared(stack.enter_context(seen), against, site)
        receipt = Receipt.begun(
            checked,
            site.domain,
            site.address,
            account=email,
            tool=f"manifestkit {version('manifestkit')}",
            dry_run=sender is None,
        )
        if checked.passes and options.output is not None:
            _write(checked, options.output)
        if not checked.passes or sender is None:
            ending = "dry-run" if checked.passes else "refused"
            code = exit_codes.CLEAN if checked.passes else exit_codes.FINDINGS
            receipt = receipt.with_members(outcome="not-sent", ending=ending)
            Result(checked, site, receipt, None, code).report(as_json=as_json)
            return code
        result = _sent(Result(checked, site, receipt, None, exit_codes.CLEAN), sender, records)
        finish(lambda: result.report(as_json=as_json), result.summary)
        return result.code


def _write(checked: Checked, output: Path) -> None:
    try:
        if checked.packed is not None:
            checked.packed.write(output)
    except OSError as problem:
        raise ConfigurationError(
            f"--output: {posix_name(output)}: cannot be written: {reason_of(problem)}"
        ) from None


def _sent(begun: Result, sender: Sender, records: Records) -> Result:
    """Send the archive, keep its receipt, and look at the site."""
    files = records.files_of(begun.receipt)
    records.keep(begun.receipt, files)
    end = sender.send(begun.checked)
    receipt, code = begun.receipt.ended(end), EXIT_CODES[end.outcome]
    kept = records.kept(receipt, files)
    verification = sender.verify(begun.checked) if code == exit_codes.CLEAN else None
    if verification is not None:
        receipt = receipt.with_members(verified=verification._asdict())
        kept = records.kept(receipt, files)
        code = exit_codes.CLEAN if verification.matches else exit_codes.UNVERIFIED
    return begun._replace(receipt=receipt, kept=kept, code=code)
