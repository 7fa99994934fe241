"""`manifest deploy`: publish a site."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult

import click

from manifestkit.changes.compare import Comparer
from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import ManifestSource
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, transfer
from manifestkit.cli.inputs import configuration_here
from manifestkit.cli.options import (
    PROFILE_FILE,
    Choice,
    FilePath,
    OptionGroup,
    argument,
    group,
    manifest_command,
    option,
)
from manifestkit.cli.output import show_findings
from manifestkit.cli.service import (
    EXIT_CODES,
    SECONDS,
    SITE_TOKEN_VARIABLE,
    Access,
    AccountOptions,
    NetworkOptions,
    ServiceCommand,
    ServiceOptions,
    credentials_file,
    denied_help,
    finish,
    given_secret,
    print_json,
    receipt_folder,
)
from manifestkit.config.configuration import Configuration
from manifestkit.engine import Options, Workspace
from manifestkit.files import (
    is_folder,
    is_stream,
    is_there,
    posix_name,
    read_bytes,
    reason_of,
    relative_name,
)
from manifestkit.findings.messages import counted
from manifestkit.model.errors import ConfigurationError, NotSentError, UnreadableFileError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.printable import printable
from manifestkit.publish.address import Address, split_address
from manifestkit.publish.client import Authorization, Client
from manifestkit.publish.gate import Checked, ManifestChoice, check
from manifestkit.publish.names import Problem
from manifestkit.publish.packing import (
    MOST_BYTES,
    MOST_ENTRIES,
    Listing,
    PackingOptions,
    SiteSource,
)
from manifestkit.publish.receipts import Receipt, last_accepted, receipt_name, refuse_receipt
from manifestkit.publish.response import Attempt, Outcome, sandbox_hint
from manifestkit.publish.retry import DEPLOY_RETRY_POLICY
from manifestkit.publish.sources import DamagedArchiveError
from manifestkit.publish.verification import Verifier
from manifestkit.publish.wire import NONE, SITE_TOKEN_PARTS, TOKEN_PLACEMENTS
from manifestkit.rendering import visible
from manifestkit.rendering.json import finding_object

_FILE = {"type": FilePath(path_type=Path, dir_okay=False), "metavar": "FILE"}
_LAST = "last"
_ARCHIVE = (b"PK\3\4", b"PK\5\6")
_DOMAIN = re.compile(r"[^\s/\\?#@\"]{1,253}")


class _DeployOptions(OptionGroup):
    domain: str | None = option("The host name of the site.", metavar="HOST")
    manifest: str | None = option(
        "The manifest's name in the archive.  [default: the one at its root]", metavar="NAME"
    )
    manifest_file: Path | None = option(
        "The site's manifest, if it is not published with it.", **_FILE
    )
    no_manifest: bool = option("Deploy a site that has no manifest.")
    dry_run: bool = option("Check and pack the site, but do not send it.")
    list_files: bool = option(
        "List what would be packed, and which pattern leaves out the rest.", "--list"
    )
    include: tuple[str, ...] = option(
        "Publish these files even if they would be left out. May be repeated.", metavar="GLOB"
    )
    portable_names: bool = option(
        "Refuse names that some systems cannot write, instead of a warning."
    )
    max_entries: int | None = option(
        f"Maximum number of files to publish.  [default: {MOST_ENTRIES}]",
        type=click.IntRange(min=1),
        metavar="N",
    )
    max_size: int | None = option(
        f"Maximum size of the unpacked files.  [default: {MOST_BYTES}]",
        type=click.IntRange(min=1),
        metavar="BYTES",
    )
    output: Path | None = option(
        "Also write the archive that passed the check to this file.", "-o", "--output", **_FILE
    )
    retry_unknown: bool = option(
        "Retry even if an earlier attempt may have arrived; this can create two versions."
    )
    receipt_path: Path | None = option("Also write the receipt to this file.", "--receipt", **_FILE)
    site_token_file: Path | None = option(
        f"Read the token that identifies the site from this file; or set {SITE_TOKEN_VARIABLE}."
    )
    site_token_part: str = option(
        "Name of the form part with that token.",
        type=Choice(SITE_TOKEN_PARTS),
        default=SITE_TOKEN_PARTS[0],
    )
    token_placement: str | None = option(
        "Where to send your own token.  [default: query in the form base, part in alt]",
        type=Choice(TOKEN_PLACEMENTS),
    )
    profile: tuple[Path, ...] = option(
        "Also check the manifest against this profile. May be repeated.", **PROFILE_FILE
    )
    config: Path | None = option(
        "Use this configuration file.  [default: the nearest one above the current folder]"
    )
    against: str | None = option(
        "Compare the manifest with the last accepted deploy, a file or a git revision; refuse "
        "changes that `manifest diff` reports at or above --fail-on.",
        metavar="last|FILE|REF",
    )
    fail_on: str | None = option(
        "Refuse a manifest with a finding of at least this severity.  [default: error]",
        type=Choice([each.value for each in Severity]),
    )
    verify_at: str | None = option(
        "Then check that the site at this address serves every file that was sent.",
        "--verify",
        metavar="URL",
    )
    verify_timeout: float = option("How long --verify waits.", type=SECONDS, default=120)

    def authorization(self, access: Access, domain: str) -> Authorization:
        placement = self.token_placement
        token = access.given if placement == NONE else access.token()
        site_token = given_secret(SITE_TOKEN_VARIABLE, self.site_token_file, "--site-token-file")
        if site_token is None and access.account is not None:
            site_token = access.account.site_tokens.get(domain.lower())
        if token is None and site_token is None and placement != NONE:
            raise access.not_logged_in()
        return Authorization(token, site_token, placement, self.site_token_part)


@manifest_command(
    """
    manifest deploy dist --domain calm.example.org          a folder
    manifest deploy site.zip --domain calm.example.org      an archive
    manifest deploy dist --dry-run                          check and pack it only
    manifest deploy dist --domain calm.example.org --verify https://calm.example.org/
    manifest deploy                                         all by [publish] in manifestkit.toml
    """,
    """
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
    cls=ServiceCommand,
)
def command(
    *,
    source: Path | None = argument(metavar="[ARCHIVE|FOLDER]", required=False),
    options: _DeployOptions = group(_DeployOptions),
    service: ServiceOptions = group(ServiceOptions),
    account: AccountOptions = group(AccountOptions),
    network: NetworkOptions = group(
        NetworkOptions, timeout={"default": DEPLOY_RETRY_POLICY.deadline}
    ),
) -> int:
    """Check a site and its manifest, then publish it.

    A FOLDER is packed, and an ARCHIVE is packed again, so that exactly what was checked is sent.
    Dotfiles, keys and the files that .manifestignore lists are left out. Each deploy creates a new
    version of the site, so it is retried only if the service cannot have received it. Other
    options are read from [publish] in manifestkit.toml.
    """
    site = _site(source, options, service, account)
    if options.list_files:
        return _list(site, as_json=service.as_json)
    receipts = _own_receipts(options.receipt_path)
    if options.output is not None:
        _refuse_output(options.output, _own_files(options, account))
    with ExitStack() as stack:
        # What can be wrong besides the files is met before they are packed.
        access = account.access(site.address) if site.address else None
        sender = None
        if access is not None and not options.dry_run:
            by = options.authorization(access, site.domain or "")
            verifier = None
            if site.shown_at:
                verifier = stack.enter_context(closing(Verifier(site.shown_at, network.ca_bundle)))
            client = stack.enter_context(network.client(access.address, DEPLOY_RETRY_POLICY))
            sender = _Sender(by, client, verifier, options)
        email = access.account.email if access and access.account else None
        against: ManifestSource | str | None = options.against
        if against == _LAST:
            against = _last_manifest(receipts, site, email)
        with transfer("packing", then="checking") as progress:
            seen = check(site.source, site.options, site.packing, site.manifest, progress)
        checked = _compared(stack.enter_context(seen), against, site)
        receipt = Receipt.begun(
            checked,
            site.domain,
            site.address,
            account=email,
            tool=f"manifestkit {version('manifestkit')}",
            dry_run=sender is None,
        )
        if checked.passes and checked.packed is not None and options.output is not None:
            try:
                checked.packed.write(options.output)
            except OSError as problem:
                name = posix_name(options.output)
                raise ConfigurationError(
                    f"--output: {name}: cannot be written: {reason_of(problem)}"
                ) from None
        if not checked.passes or sender is None:
            code = exit_codes.CLEAN if checked.passes else exit_codes.FINDINGS
            ending = "dry-run" if checked.passes else "refused"
            receipt = receipt.with_members(outcome="not-sent", ending=ending)
            _Result(checked, site, receipt, code).report(as_json=service.as_json)
            return code
        own = receipts / receipt_name(receipt) if receipts else None
        files = [*filter(None, [options.receipt_path, own])]
        result = sender.send(_Result(checked, site, receipt), files)
        finish(lambda: result.report(as_json=service.as_json), result.summary)
        return result.code


class _Site(NamedTuple):
    """Site to deploy, by the command line and the configuration.

    Attributes:
        domain: its host name; None where nothing is sent.
        address: the service; None likewise.
        shown_at: where to look whether the site is there; None for not to look.
    """

    source: Path
    packing: PackingOptions
    manifest: ManifestChoice
    options: Options
    domain: str | None
    address: Address | None
    shown_at: SplitResult | None


def _site(
    source: Path | None, options: _DeployOptions, service: ServiceOptions, account: AccountOptions
) -> _Site:
    configured = configuration_here(options.config)
    publish = configured.publish
    if source is None and publish.folder is not None:
        source = Path(relative_name(publish.folder))
    if source is None:
        raise click.UsageError(
            "name the FOLDER or ARCHIVE to deploy, or set `folder` under [publish] in "
            "manifestkit.toml"
        )
    given = options.manifest, options.manifest_file, options.no_manifest
    if sum(map(bool, given)) > 1:
        raise click.UsageError("use one of --manifest, --manifest-file and --no-manifest")
    if options.no_manifest and options.against:
        raise click.UsageError("--against compares manifests: it cannot go with --no-manifest")
    if options.config is None:
        _refuse_own(configured, source)
    address = None
    is_named = service.base_url or publish.base_url
    if not options.list_files and (is_named or not options.dry_run):
        address = service.address(options.config)
    domain = options.domain or publish.domain
    if domain is None and not (options.list_files or options.dry_run):
        raise click.UsageError(
            "name the site with --domain, or set `domain` under [publish] in manifestkit.toml"
        )
    if domain is not None and not (_DOMAIN.fullmatch(domain) and domain.isprintable()):
        raise click.UsageError("the domain must be a host name, without https:// and path")
    return _Site(
        source,
        PackingOptions.of(
            configured,
            include=options.include,
            most_entries=options.max_entries,
            most_bytes=options.max_size,
            portable_names=options.portable_names,
            own_files=tuple(_own_files(options, account)),
        ),
        ManifestChoice(*given) if any(given) else ManifestChoice(publish.manifest),
        Options(
            profiles=options.profile,
            config=options.config,
            fail_on=Severity(options.fail_on) if options.fail_on else publish.fail_on,
        ),
        domain,
        address,
        split_address(options.verify_at, "--verify https://HOST/") if options.verify_at else None,
    )


def _own_files(options: _DeployOptions, account: AccountOptions) -> Iterator[tuple[str, Path]]:
    given = {
        "--output": options.output,
        "--receipt": options.receipt_path,
        "--token-file": account.token_file,
        "--site-token-file": options.site_token_file,
    }
    yield from ((name, path) for name, path in given.items() if path is not None)
    with suppress(ConfigurationError):  # without a home there are none
        yield "your credentials", credentials_file().path
        yield "your receipts", receipt_folder()


def _refuse_output(output: Path, own_files: Iterator[tuple[str, Path]]) -> None:
    """Refuse a file for the archive that would take the place of anything but an archive."""
    name = f"--output: {posix_name(output)}"
    for other, path in own_files:
        if other != "--output" and os.path.realpath(output) == os.path.realpath(path):
            raise ConfigurationError(f"{name} is also the file of {other}; choose another one")
    if is_stream(output):
        raise ConfigurationError(f"{name} is not a file; choose one")
    if not is_there(output):
        return
    try:
        start = read_bytes(output, len(_ARCHIVE[0]))
    except UnreadableFileError as problem:
        raise ConfigurationError(f"{name} {problem.reason.partition(':')[0]}") from None
    if start and not start.startswith(_ARCHIVE):
        raise ConfigurationError(
            f"{name} exists already and is not an archive; choose a new file, or delete this one"
        )


def _refuse_own(configured: Configuration, source: Path) -> None:
    """Refuse settings that are part of what is deployed: they may be the site's, not the user's."""
    if not is_folder(source):
        return
    folder = Path(os.path.realpath(source))
    for file in configured.files:
        if Path(os.path.realpath(file)).is_relative_to(folder):
            raise ConfigurationError(
                f"{relative_name(file)} is in the folder that is deployed: a site cannot "
                "configure its own check; use --config, or deploy another folder"
            )


def _last_manifest(folder: Path | None, site: _Site, account: str | None) -> ManifestSource:
    if site.address is None or site.domain is None:
        raise click.UsageError(
            "--against last needs --domain and --base-url, or both under [publish]"
        )
    accepted = folder and last_accepted(folder, site.address.base, account, site.domain)
    if not accepted:
        raise ConfigurationError(
            f"--against last: there is no receipt of an accepted deploy to {site.domain} here; "
            "leave the option out for the first deploy, or name a file or a revision"
        )
    if accepted.manifest is None:
        raise ConfigurationError(
            f"--against last: {accepted.shown} does not have the manifest; name a file or a "
            "revision"
        )
    name, text = accepted.manifest
    data = text.encode(errors="surrogatepass")
    return ManifestSource(f"{accepted.shown}!/{name}", name, lambda _: data)


def _compared(checked: Checked, former: ManifestSource | str | None, site: _Site) -> Checked:
    """Return what the gate says, with what changed since a former manifest, file or revision.

    Without one sound manifest nothing is compared.
    """
    manifest = checked.manifest
    if former is None or manifest is None:
        return checked
    # The configuration is that of the working folder, as it is for the gate.
    workspace = Workspace(site.options)
    if isinstance(former, str):
        own = site.manifest.file or (
            site.source / manifest.name if is_folder(site.source) else None
        )
        former = _read_former(own, former)
    data = former.read(DEFAULT_LIMITS.bytes)
    before = workspace.decode(data, former.path, limits=DEFAULT_LIMITS)
    result = Comparer(workspace.policy("")).compare(
        before, manifest.decoded, former.name, manifest.decoded.document.name
    )
    return replace(checked, report=checked.report.joined([result]))


def _read_former(own: Path | None, against: str) -> ManifestSource:
    path = Path(against)
    if is_there(path):
        return ManifestSource(posix_name(path), posix_name(path), partial(read_bytes, path))
    if own is None:
        raise ConfigurationError(f"--against: {against}: no such file; archives are not in git")
    try:
        revision = Revision(against, own.parent)
    except ConfigurationError as problem:
        raise ConfigurationError(
            f"--against: {against}: no such file, and no revision in git: {problem}"
        ) from None
    place = revision.path_of(own)
    name = f"{against}:{place}"
    with revision.reader() as reader:
        file = reader.file(place, revision.entries) if place is not None else None
        if file is None:
            raise UnreadableFileError(name, "no such file in this revision")
        data = reader.content(file, name, DEFAULT_LIMITS.bytes)
    return ManifestSource(name, posix_name(own), lambda _: data)


def _list(site: _Site, *, as_json: bool) -> int:
    try:
        with SiteSource(site.source, site.packing) as source:
            listing = source.listing()
    except DamagedArchiveError as error:
        listing = Listing((), (), (Problem(None, f"{posix_name(site.source)} {error.reason}"),))
    code = exit_codes.FINDINGS if listing.is_refused else exit_codes.CLEAN
    if as_json:
        contents = {
            "packed": [{"name": name, "size": size} for name, size in listing.files],
            "left_out": [each._asdict() for each in listing.left_out],
            "problems": [str(each) for each in listing.problems if not each.is_warning],
            "warnings": [str(each) for each in listing.problems if each.is_warning],
        }
        print_json(contents, code)
        return code
    for name, size in listing.files:
        click.echo(visible(f"packed    {name} ({counted(size, 'byte')})"))
    for each in listing.left_out:
        click.echo(visible(f"left out  {each.name}: {each}"))
    for problem in listing.problems:
        click.echo(visible(f"{'warning ' if problem.is_warning else 'refused '}  {problem}"))
    files = counted(len(listing.files), "file")
    note(f"{files}, {counted(listing.size, 'byte')} before packing")
    return code


def _own_receipts(given: Path | None) -> Path | None:
    """Return the folder of this user's receipts; None for one without a home and with a file."""
    if given is not None:
        refuse_receipt(given)
    try:
        return receipt_folder()
    except ConfigurationError:
        if given is None:
            raise
        return None


def _keep(receipt: Receipt, files: list[Path]) -> None:
    """Write a receipt to its first file, and to the others where they can be written."""
    first, *others = files
    receipt.write(first)
    for each in others:
        with suppress(NotSentError):  # the file that was asked for is there
            receipt.write(each)


def _kept(receipt: Receipt, files: list[Path]) -> Path | None:
    """Write a receipt, and return its file; a deploy that is over counts without it, too."""
    kept = []
    for each in files:
        try:
            receipt.write(each)
            kept.append(each)
        except NotSentError as problem:
            if each == files[0]:  # the others were not asked for
                error(str(problem))
    return kept[0] if kept else None


_ENDING = tuple(
    each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP")
)  # no SIGHUP on Windows


def _on_interrupt(call: Callable[[], None]) -> None:
    """Have Ctrl+C, and signals that ask a process to end, call a function from now on.

    What is ignored stays so, as after `nohup`.
    """
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: call())


def _go_on() -> None:
    """Let a deploy that is over come to its own end."""


class _Sender(NamedTuple):
    by: Authorization
    client: Client
    verifier: Verifier | None
    options: _DeployOptions

    def send(self, begun: _Result, files: list[Path]) -> _Result:
        """Send the archive, keep its receipt, and look at the site.

        From its first byte on the client alone is interrupted, up to the end of the process: the
        outcome of the deploy decides how that ends. An interrupt ends the wait for the site, too:
        the deploy is accepted already.
        """
        packed, site, options = begun.checked.packed, begun.site, self.options
        assert packed is not None  # noqa: S101 - it passed the check
        _keep(begun.receipt, files)
        _on_interrupt(self.client.interrupt)
        try:
            with transfer("uploading", then="waiting for the response") as progress:
                end = self.client.deploy(
                    packed,
                    site.domain or "",
                    self.by,
                    retry_unknown=options.retry_unknown,
                    progress=progress,
                )
        except KeyboardInterrupt:
            end = Attempt(Outcome.INTERRUPTED, "interrupted")
        verifier = self.verifier if end.outcome is Outcome.ACCEPTED else None
        _on_interrupt(verifier.interrupt if verifier else _go_on)
        receipt, code = begun.receipt.ended(end), EXIT_CODES[end.outcome]
        kept = _kept(receipt, files)
        if verifier:
            listed, seconds = begun.checked.listing.files, options.verify_timeout
            with transfer("comparing", then="waiting for the rest") as progress:
                verification = verifier.verify(packed, listed, seconds, progress)
            _on_interrupt(_go_on)
            receipt = receipt.with_members(verified=verification._asdict())
            kept = _kept(receipt, files)
            code = exit_codes.CLEAN if verification.matches else exit_codes.UNVERIFIED
        # The process ends by itself, with its own code. A handler would not do: as Python ends, it
        # gives signals with handlers their default back.
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)
        return begun._replace(receipt=receipt, kept=kept, code=code)


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


class _Result(NamedTuple):
    """Result of a deploy; `kept` is the file with its receipt."""

    checked: Checked
    site: _Site
    receipt: Receipt
    code: int = exit_codes.CLEAN
    kept: Path | None = None

    def report(self, *, as_json: bool) -> None:
        checked, contents = self.checked, self.receipt.contents
        if as_json:
            findings = [finding_object(each) for each in checked.report.findings]
            path = posix_name(self.kept) if self.kept else None
            print_json({**contents, "findings": findings, "receipt": path}, self.code)
            return
        if checked.report.findings or not checked.passes:
            show_findings(checked.report, sys.stdout)
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
