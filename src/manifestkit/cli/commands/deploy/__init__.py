"""`manifest deploy`."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from manifestkit.cli.commands.deploy.result import (
    CODES,
    compared,
    report,
    report_record,
    report_refusal,
    summary,
)
from manifestkit.cli.console import error, ignore_interrupts, on_interrupt, transfer
from manifestkit.cli.parameters import Choice
from manifestkit.cli.service import (
    SITE_TOKEN_VARIABLE,
    TOKEN_VARIABLE,
    ServiceCommand,
    account_option,
    connection_options,
    credentials_file,
    finish,
    guarded,
    not_logged_in,
    receipt_folder,
    secret_from,
    service_address,
    service_options,
)
from manifestkit.engine import Options
from manifestkit.model.errors import AuthenticationError, ConfigurationError, NotSentError
from manifestkit.model.finding import Severity
from manifestkit.publish.address import Address
from manifestkit.publish.client import Authorization, Client
from manifestkit.publish.credentials import Account, read_private
from manifestkit.publish.gate import Checked, check
from manifestkit.publish.outcome import Deployment, Outcome, Receipt, receipt_name, refuse_receipt
from manifestkit.publish.rate_limit import DEPLOY_RETRY_POLICY
from manifestkit.publish.redaction import Secret
from manifestkit.publish.wire import NONE, SITE_TOKEN_PARTS, TOKEN_PLACEMENTS

_DOMAIN = re.compile(r"[^\s/\\?#@\"]{1,253}")


@click.command(
    cls=ServiceCommand,
    epilog="""\b
Examples:
  manifest deploy dist --domain calm.example.org          a folder
  manifest deploy site.zip --domain calm.example.org      an archive
  manifest deploy dist --domain calm.example.org --dry-run
  manifest deploy dist --domain calm.example.org --receipt receipt.json --json
  manifest deploy dist --domain calm.example.org --against receipt.json

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
  130 interrupted before everything was sent
""",
)
@click.argument("source", type=click.Path(path_type=Path), metavar="ARCHIVE|FOLDER")
@click.option("--domain", required=True, metavar="HOST", help="The host name of the site.")
@click.option(
    "--manifest",
    metavar="NAME",
    help="The manifest's name in the archive.  [default: the one at its root]",
)
@click.option("--dry-run", is_flag=True, help="Check and pack the site, but do not send it.")
@click.option(
    "--retry-unknown",
    is_flag=True,
    help="Retry even if an earlier attempt may have arrived; this can create two versions.",
)
@click.option(
    "--receipt",
    "receipt_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the receipt.  [default: a new file in your state folder]",
)
@service_options
@account_option
@click.option(
    "--site-token-file",
    type=click.Path(path_type=Path),
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
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Also check the manifest against this profile. May be repeated.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use this configuration file.  [default: the nearest one above the current folder]",
)
@click.option(
    "--against",
    metavar="RECEIPT|FILE|REF",
    help=(
        "Compare the manifest with the one in an earlier receipt, in a file, or in git at a "
        "revision; refuse changes that `manifest diff` reports at or above --fail-on."
    ),
)
@click.option(
    "--fail-on",
    type=Choice([each.value for each in Severity]),
    help="Refuse a manifest with a finding of at least this severity.  [default: error]",
)
@connection_options(DEPLOY_RETRY_POLICY.deadline)
def command(source: Path, *, as_json: bool, **settings: Any) -> int:
    """Check a site and its manifest, then publish it.

    ARCHIVE is a zip file; a FOLDER is packed, except for the files that .manifestignore lists. Only
    the bytes that pass the check are sent. Each deploy creates a new version of the site, so a
    deploy is retried only if the service cannot have received the first one.
    """
    return guarded(lambda: _deploy(source, settings, as_json=as_json), as_json=as_json)


def _deploy(source: Path, settings: dict[str, Any], *, as_json: bool) -> int:
    if not _DOMAIN.fullmatch(settings["domain"]) or not settings["domain"].isprintable():
        raise click.UsageError(
            "--domain must be the host name of the site, without https:// and path"
        )
    dry_run = settings["dry_run"]
    address = None
    if settings["base_url"] or not dry_run:
        address = service_address(settings["base_url"], settings["api_form"])
    options = Options(
        profiles=settings["profile"],
        config=settings["config"],
        fail_on=Severity(settings["fail_on"]) if settings["fail_on"] else None,
    )
    if settings["receipt_path"] is not None:
        refuse_receipt(settings["receipt_path"], source)
    with check(source, options, settings["manifest"]) as seen:
        checked = compared(seen, settings["against"], options)
        receipt = Receipt.begun(
            checked,
            settings["domain"],
            address,
            account=settings["account"],
            tool=f"manifestkit {version('manifestkit')}",
            dry_run=dry_run,
        )
        path = settings["receipt_path"] or receipt_folder() / receipt_name(checked)
        if not checked.passes:
            receipt = receipt.ended(
                Deployment(Outcome.REFUSED, "failed the check; nothing was sent")
            )
        elif dry_run or address is None:
            receipt = receipt.ended(Deployment(Outcome.NOT_SENT, "dry run; nothing was sent"))
        else:
            receipt = _sent(checked, receipt, path, address, settings)
        return _report(checked, receipt, path, as_json=as_json)


def _sent(
    checked: Checked, receipt: Receipt, path: Path, address: Address, settings: dict[str, Any]
) -> Receipt:
    """The record of a deploy that has been tried.

    From its first byte on the client alone is interrupted, up to the end of the process: what
    became of the deploy decides how that ends.
    """
    by, account = _authorization(address, settings)
    if account is not None:
        receipt = Receipt({**receipt.contents, "account": account.email})
    policy = replace(
        DEPLOY_RETRY_POLICY, max_wait=settings["max_wait"], deadline=settings["timeout"]
    )
    with Client(address, policy, settings["ca_bundle"]) as client:
        receipt.write(path)  # before the first byte; where it cannot be kept, nothing is sent
        on_interrupt(client.interrupt)
        try:
            with transfer("uploading", checked.snapshot.size) as progress:
                deployment = client.deploy(
                    checked.snapshot,
                    settings["domain"],
                    by,
                    retry_unknown=settings["retry_unknown"],
                    progress=progress,
                )
        except KeyboardInterrupt:
            deployment = Deployment(Outcome.INTERRUPTED, "interrupted")
        ignore_interrupts()
    return receipt.ended(deployment)


def _report(checked: Checked, receipt: Receipt, path: Path, *, as_json: bool) -> int:
    """Keep the record, report the outcome, and return the exit code."""
    outcome = Outcome(receipt.contents["ending"])
    code = CODES[outcome]
    if receipt.contents["dry_run"] and outcome is Outcome.NOT_SENT:
        code = CODES[Outcome.ACCEPTED]
    kept: Path | None = path
    problem = None
    try:
        receipt.write(path)
    except NotSentError as unwritten:  # the deploy is over: its own end is what counts
        kept, problem = None, str(unwritten)
    if not checked.passes and not as_json:
        report_refusal(checked)
    if problem is not None:
        error(problem)

    def report_all() -> None:
        report(checked, receipt, kept, code, as_json=as_json)

    if checked.passes and not receipt.contents["dry_run"]:
        finish(report_all, summary(checked, receipt))
    else:
        report_all()
    if not as_json:
        report_record(receipt, kept)
    return code


def _authorization(
    address: Address, settings: dict[str, Any]
) -> tuple[Authorization, Account | None]:
    """What the deploy is allowed by, and by whose login.

    Raises:
        AuthenticationError: there is neither a user token nor a site token.
        ConfigurationError: the credentials cannot be used.
    """
    placement = settings["token_placement"]
    token = secret_from(TOKEN_VARIABLE)
    account = None
    if token is None:
        file = credentials_file()
        account = file.account(address.origin, settings["account"])
        token = file.token(account) if account and placement != NONE else None
    site_token = secret_from(SITE_TOKEN_VARIABLE) or _site_token(settings["site_token_file"])
    if site_token is None and account is not None:
        site_token = account.site_tokens.get(settings["domain"])
    if token is None and site_token is None and placement != NONE:
        raise AuthenticationError(not_logged_in(address, settings["account"]))
    by = Authorization(token, site_token, placement, settings["site_token_part"])
    return by, account


def _site_token(path: Path | None) -> Secret | None:
    if path is None:
        return None
    try:
        text = read_private(path).strip()
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: no such file; check --site-token-file") from None
    if not text or not text.isprintable():
        raise ConfigurationError(f"{path}: a site token must be one line of text")
    return Secret(text)
