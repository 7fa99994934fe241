"""`manifest deploy`: publish a site."""

from __future__ import annotations

import re
import shlex
import signal
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manifestkit.cli.console import note
from manifestkit.cli.exit_codes import ExitCode
from manifestkit.cli.options import OptionGroup, RuleOptions, argument, manifest_command, option
from manifestkit.cli.reports import report_errors
from manifestkit.cli.runs import show_findings
from manifestkit.cli.service import ServiceCommand, ServiceOptions
from manifestkit.config.configuration import Configuration
from manifestkit.files import is_folder, is_there, relative_name
from manifestkit.findings.words import counted
from manifestkit.model.errors import UnreadableFileError
from manifestkit.publish.archive import Packed
from manifestkit.publish.gate import Checked, Site
from manifestkit.rendering.escape import visible
from manifestkit.rendering.json import finding_object

if TYPE_CHECKING:
    from manifestkit.publish.client import Deployed

_DOMAIN = re.compile(r"(?=.{1,253}$)(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)[\w-]{1,63}(?<!-)")
_NO_SITE = re.compile(
    r"\.(?:(aab|apk|crx|deb|egg|exe|gem|ipa|jar|msi|nupkg|vsix|war|whl|xpi)|"
    r"(7z|bz2|gz|rar|tar|tgz|xz|zst)|css|html?|js|json|ya?ml)"
)
_MOST_NAMED = 5
_INCLUDE = "see --list; to publish one, name it in `include` under [publish]"
_IGNORE = "to leave them out, add them to `ignore` under [publish]"
_FOR_FOLDERS = (
    "a baseline, and a suppression with a `path`, are for files in folders, not in an archive: "
    "unpack it in place of their folder and deploy that, or use --fail-on error"
)
# Windows has no SIGHUP.
_ENDING = tuple(each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP"))
_SENTENCES: Mapping[str, str] = {
    "refused": "nothing was sent: {what} failed the check",
    "dry-run": "dry run, nothing was sent: {what}{site}",
    "accepted": "accepted: {what}{site}",
    "authentication": "the service denies access: {reason}{advice}",
    "rejected": "the service rejected the deploy: {reason}{advice}",
    "rate-limited": "the rate limit of the service is reached: {reason}",
    "not-sent": "not sent completely to {origin}: {reason}; you can deploy again",
    "unknown": "the outcome is unknown: {reason}",
    "interrupted": "interrupted before all was sent: the service cannot have published it",
}


def _host(typed: str) -> str:
    text = unicodedata.normalize("NFC", typed)
    if not _DOMAIN.fullmatch(text):
        what = "the domain must be a host name, without https://, port, path and `*`"
        raise click.UsageError(what)
    if text.isascii():
        return text
    with suppress(UnicodeError):
        sent = text.encode("idna")
        is_same = sent.decode("idna") == text.lower()  # not so where the standards differ: `ß`
        if is_same and _DOMAIN.fullmatch(sent.decode("ascii")):
            return sent.decode("ascii")
    raise click.UsageError(f"`{text}` has no certain form in ASCII; write that, `xn--...`")


class _DeployOptions(OptionGroup):
    domain: str | None = option(
        "The host name of the site.", metavar="HOST", words=lambda *_: (), read=_host
    )
    manifest: str | None = option(
        "The manifest's name in the archive.  [default: the one at its root]", metavar="NAME"
    )
    manifest_file: Path | None = option(
        "The site's manifest, if it is not published with it.", path="file"
    )
    no_manifest: bool = option("Deploy a site that has no manifest.")
    dry_run: bool = option("Check and pack the site, but do not send it.")
    list_files: bool = option(
        "List what would be packed, and which pattern leaves out the rest.", "--list"
    )
    output: Path | None = option(
        "Keep the archive in this new file, if it is sent or with --dry-run; one that exists must "
        "be the same. To roll back, deploy it. "
        "A baseline, and suppressions with a `path`, do not apply to an archive.",
        "-o",
        "--output",
        path="file",
    )


@manifest_command(
    """
    manifest deploy dist --domain calm.example.org          a folder
    manifest deploy site.zip --domain calm.example.org      an archive
    manifest deploy dist --dry-run                          check and pack it only
    manifest deploy                                         settings from [publish] in the file
    """,
    """
    0   the service accepted the archive; with --dry-run: it can be sent
    1   the archive or its manifest failed the check; nothing was sent
    2   wrong usage or configuration, a file that cannot be read; nothing was sent
    3   not logged in, or the service does not accept a token
    4   the service rejected the deploy
    5   the rate limit is reached, for longer than `max-wait`
    6   not sent completely: the service cannot have published it
    7   sent, but the outcome is unknown: look at the site before you try again
    130 interrupted before everything was sent
    """,
    extra="publish",
    cls=ServiceCommand,
)
def command(
    *,
    source: Path | None = argument(metavar="[ARCHIVE|FOLDER]", required=False),
    options: _DeployOptions = _DeployOptions.group(),
    rules: RuleOptions = RuleOptions.group(
        "profile",
        "config",
        "fail_on",
        profile={"help": "Also check the manifest against this profile. May be repeated."},
        config={"help": "Use this configuration file.  [default: the nearest, from here upward]"},
        fail_on={
            "help": "Refuse a manifest with a finding of at least this severity.  [default: error]"
        },
    ),
    service: ServiceOptions = ServiceOptions.group(timeout={"default": 3600}),
) -> int:
    """Check a site and its manifest, then publish it.

    A FOLDER is packed, and an ARCHIVE is packed again, so that exactly what was checked is sent.
    Dotfiles, keys and the files that .manifestignore lists are left out. Each deploy creates a new
    version of the site, so it is retried only if the service cannot have received it. The token is
    that in MANIFESTKIT_TOKEN, or else that of `manifest login`; the site token, if the service asks
    for one, is read from MANIFESTKIT_SITE_TOKEN. Other options are read from [publish] in
    manifestkit.toml.
    """
    configured = service.configuration(rules.config)
    site = _settle(source, options, rules, configured)
    domain = options.domain or (configured.publish.domain and _host(configured.publish.domain))
    if options.list_files:
        return _list(site, service)
    from manifestkit.publish.client import Deployed  # noqa: PLC0415 - an extra

    _on_signals(signal.default_int_handler)
    if domain is None and not options.dry_run:
        do = "name the site with --domain, or set `domain` under [publish] in manifestkit.toml"
        raise click.UsageError(do)
    is_given = not options.dry_run or service.base_url or configured.publish.base_url
    address = service.address(configured) if is_given else None
    with site.checked() as checked:
        if checked.report.findings:
            with suppress(OSError):  # where nobody can be told, the exit code still tells
                show_findings(checked.report)
        # A site that is refused, or not sent, needs no login.
        sends = checked.passes and not options.dry_run
        by = service.authorization(address, configured) if sends and address else None
        output = options.output if checked.passes else None
        is_new = bool(output and checked.packed and _keep(output, checked.packed, site.source))
        deployed, advice = Deployed(checked, address, domain, datetime.now(UTC)), ""
        if checked.packed and address and domain and by:
            client = service.client(address, configured)
            # The log of a job that is killed shows what was under way.
            note(_summary(deployed, "sending {what}{site}", ""))
            signals = _noticed_signals()
            attempts = client.deploy(checked.packed, domain, by, lambda: bool(signals))
            _on_signals(signal.SIG_IGN)
            deployed, last = replace(deployed, attempts=attempts), attempts[-1]
            advice = service.advice(last.status, last.code, by, configured.publish)
    kind = deployed.last.outcome.value
    if output and is_new and kind not in ("accepted", "dry-run", "unknown"):
        output.unlink(missing_ok=True)
    code = ExitCode.of_outcome(kind)
    report_errors(checked.report)
    if checked.report.crashed and kind in ("dry-run", "refused"):
        code = ExitCode.CRASH
    contents = {**deployed.contents(), "findings": [*map(finding_object, checked.report.findings)]}
    service.print(contents, _summary(deployed, _SENTENCES[kind], advice), code)
    _report_files(deployed.checked, configured)
    _report_more(deployed, configured)
    return code


def _settle(
    source: Path | None, options: _DeployOptions, rules: RuleOptions, configured: Configuration
) -> Site:
    publish = configured.publish
    if source is None and publish.folder is not None:
        source = Path(relative_name(publish.folder))
    if source is None:
        raise click.UsageError(_unnamed(options, configured))
    if not is_there(source):
        raise UnreadableFileError(relative_name(source), "no such file or folder")
    if (found := _NO_SITE.fullmatch(source.suffix.lower())) and not is_folder(source):
        kind = "an archive other than .zip" if found[2] else "a file"
        kind = "an app or a library" if found[1] else kind
        raise click.UsageError(
            f"{relative_name(source)} is {kind}, and a deploy sends a whole site: name the folder "
            "that your site was built into, such as `dist`, or a .zip of it"
        )
    given = options.manifest, options.manifest_file, options.no_manifest
    if sum(map(bool, given)) > 1:
        raise click.UsageError("use one of --manifest, --manifest-file and --no-manifest")
    for file in configured.files if rules.config is None else ():
        if Path(file).resolve().is_relative_to(source.resolve()):  # it may be the site's own
            name = relative_name(file)
            raise click.UsageError(
                f"{name} is in the folder that is deployed: a site cannot configure its own check; "
                f"add `--config {shlex.quote(name)}` if that is yours, or deploy another folder"
            )
    if options.output is not None and options.list_files:
        raise click.UsageError("--list writes no archive: use --dry-run with --output")
    judging = rules.options()
    judging = judging._replace(fail_on=judging.fail_on or publish.fail_on)
    return Site(source, publish, judging, *(given if any(given) else [publish.manifest]))


def _unnamed(options: _DeployOptions, configured: Configuration) -> str:
    do = "name the FOLDER or ARCHIVE to deploy, or set `folder` under [publish] in manifestkit.toml"
    own = (f" --config {shlex.quote(relative_name(each))}" for each in configured.files[:1])
    of = "`dist`: add `dist" if is_folder(Path("dist")) else f"this folder: add `.{next(own, '')}"
    has_name = options.domain or options.dry_run or configured.publish.domain
    return f"{do}; for {of}{'' if has_name else ' --domain NAME'}`"


def _keep(file: Path, packed: Packed, source: Path) -> bool:
    """Write what is sent to a file outside of the site; return False if it was there."""
    if is_folder(source) and file.resolve().is_relative_to(source.resolve()):
        what = f"{relative_name(file)} is in the folder that is deployed"
        raise click.UsageError(f"{what}, and would be published with it; name a file elsewhere")
    return packed.keep(file)


def _list(site: Site, service: ServiceOptions) -> int:
    listing = site.listed()
    code = ExitCode.FINDINGS if listing.is_refused else ExitCode.CLEAN
    packed = [{"name": name, "size": size} for name, size in listing.files]
    out = listing.left_out
    left_out = [each._asdict() for each in out]
    contents = {"packed": packed, "left_out": left_out, **listing.contents()}
    lines = [f"packed    {name} ({counted(size, 'byte')})" for name, size in listing.files]
    lines += (f"left out  {name}: `{pattern}`, by {place}" for name, pattern, place in out)
    levels = {True: "warning", False: "refused"}
    lines += (f"{levels[each.is_warning]}   {each}" for each in listing.problems)
    if service.as_json:
        service.print(contents, code=code)
    else:
        click.echo("\n".join(map(visible, lines)))
    what = f"{counted(len(listing.files), 'file')}, {counted(listing.size, 'byte')} before packing"
    note(*listing.notes, f"{what}; --list does not check the manifest, --dry-run does")
    return code


def _on_signals(handler: Any) -> None:
    """Set a handler of what asks to end; what is ignored stays so, as after `nohup`."""
    for each in _ENDING:
        if signal.getsignal(each) is not signal.SIG_IGN:
            signal.signal(each, handler)


def _noticed_signals() -> list[int]:
    """Return a list that gets the first signal that asks to end; the others are ignored."""
    noticed: list[int] = []

    def notice(number: int, _: object) -> None:
        _on_signals(signal.SIG_IGN)
        noticed.append(number)

    _on_signals(notice)
    return noticed


def _summary(deployed: Deployed, text: str, advice: str) -> str:
    checked, address = deployed.checked, deployed.address
    packed, listing = checked.packed, checked.listing
    parts = [counted(len(listing.files), "file")]
    if listing.left_out:
        parts.append(f"{len(listing.left_out):,} left out")
    if packed:
        parts.append(f"{packed.size:,} bytes, sha256 {packed.sha256[:12]}")
    for_whom = f" for {deployed.domain}" if deployed.domain else ""
    return text.format(
        what=f"{relative_name(checked.source)} ({', '.join(parts)})",
        site=for_whom + (f" at {address.base}" if address else ""),
        origin=address.origin if address else "",
        reason=deployed.last.reason,
        advice=advice,
    )


def _report_files(checked: Checked, configured: Configuration) -> None:
    source, exclude = checked.source, configured.exclude
    is_archive, packed = not is_folder(source), list[str]()
    if exclude and not exclude.covers(source, is_folder=not is_archive):
        packed = [name for name, _ in checked.listing.files if exclude.covers(source / name)]
    out = (each for each in checked.listing.left_out if is_archive or each.is_by_default)
    left_out = [each.name for each in out]
    for names, what, do in (
        (left_out, f"left out {'of the archive' if is_archive else 'by default'}", _INCLUDE),
        (packed, "packed (`exclude` is for lint only)", _IGNORE),
    ):
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        if names:
            note(f"{what}: {', '.join(names[:_MOST_NAMED])}{more}; {do}")
    note(*checked.listing.notes)


def _report_more(deployed: Deployed, configured: Configuration) -> None:
    checked = deployed.checked
    if deployed.last.outcome.value == "accepted" and deployed.last.url:
        note(f"the service says that the site is at {deployed.last.url}")
    if checked.report.findings and not checked.report.summary.errors:
        stop = "stop the deploy because of --fail-on, or `fail-on` in the configuration"
        level = "warning" if checked.report.summary.warnings else "info"
        do_not = f"do not stop a deploy; with --fail-on {level}, they do"
        note(f"these findings {do_not if checked.passes else stop}")
        for_folders = configured.baseline or any(x.files for x in configured.suppressions)
        if for_folders and not (checked.passes or is_folder(checked.source)):
            note(_FOR_FOLDERS)
    manifest = checked.manifest
    if manifest and not manifest.is_packed:
        note(f"{manifest.name} is checked, but not published: it is not in the site")
    if checked.passes_lint:
        note("a baseline, suppression or `severity` accepts these findings for lint, not a deploy")
    for number, each in enumerate(deployed.attempts[:-1], 1):
        note(f"attempt {number}: {each.reason}")
    if deployed.last.outcome.value == "unknown" and checked.packed:
        began = deployed.started.isoformat(sep=" ", timespec="seconds")
        own = (
            f", {manifest.name} in it {manifest.sha256}," if manifest and manifest.is_packed else ""
        )
        note(
            f"sent at {began}: sha256 {checked.packed.sha256}{own} for {deployed.domain}; look at "
            "the site before you deploy again, because that could create a second version"
        )
