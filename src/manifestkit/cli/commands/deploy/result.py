"""What changed since an earlier deploy, a file or a revision in git."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import compare_pair
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, style_for
from manifestkit.cli.service import denied_help, print_json
from manifestkit.engine import Options, Run
from manifestkit.files import is_folder, is_there, read_bytes, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.publish.archive import shown_problem
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Outcome, Receipt, deployed_manifest
from manifestkit.rendering import FORMATS, visible
from manifestkit.rendering.json import finding_object
from manifestkit.rules.messages import counted


def compared(checked: Checked, against: str | None, options: Options) -> Checked:
    """What the gate has seen, with what changed in the manifest.

    Args:
        checked: what is to be deployed; without one sound manifest nothing is compared.
        against: a receipt, a manifest, or a revision of the manifest's own file in git; None for
            no comparison.
        options: how the manifest is judged.

    Raises:
        ConfigurationError: there is no such thing.
        UnreadableFileError: one of the two manifests cannot be read: nothing is compared.
    """
    decoded, manifest = checked.decoded, checked.manifest
    if against is None or checked.problems or decoded is None or manifest is None:
        return checked
    # The configuration is that of the working folder, as it is for the gate.
    run = Run(options)
    old = _old(checked.source, manifest, against)
    before = run.decode(old.data, old.path, limits=DEFAULT_LIMITS)
    result = compare_pair(run, "", before, decoded, old.name, decoded.document.name)
    return replace(checked, report=checked.report.joined([result]))


class _Old(NamedTuple):
    """The manifest to compare with.

    Attributes:
        name: how findings shall name it.
        path: its path, which tells syntax and format.
        data: its bytes.
    """

    name: str
    path: str
    data: bytes


def _old(source: Path, manifest: str, against: str) -> _Old:
    path = Path(against)
    if is_there(path):
        data = read_bytes(path, DEFAULT_LIMITS.bytes)
        deployed = deployed_manifest(data)
        if deployed is None:
            return _Old(shown(path), shown(path), data)
        return _Old(f"{shown(path)}!/{deployed[0]}", deployed[0], deployed[1].encode())
    if not is_folder(source):
        raise ConfigurationError(f"--against: {against}: no such file; archives are not in git")
    revision = Revision(against, source)
    place = revision.path_of(source / manifest)
    name = f"{against}:{place}"
    entry = revision.entry(place) if place is not None else None
    if entry is None:
        raise UnreadableFileError(name, "no such file in this revision")
    with revision.reader() as reader:
        data = reader.content(entry, name, DEFAULT_LIMITS.bytes)
    return _Old(name, shown(source / manifest), data)


CODES: Mapping[Outcome, int] = {
    Outcome.ACCEPTED: exit_codes.CLEAN,
    Outcome.REFUSED: exit_codes.FINDINGS,
    Outcome.DENIED: exit_codes.AUTHENTICATION,
    Outcome.REJECTED: exit_codes.REJECTED,
    Outcome.RATE_LIMITED: exit_codes.RATE_LIMITED,
    Outcome.NOT_SENT: exit_codes.NOT_SENT,
    Outcome.UNKNOWN: exit_codes.UNKNOWN,
    Outcome.INTERRUPTED: exit_codes.INTERRUPTED,
}
"""The exit code of each ending."""

_MESSAGES: Mapping[Outcome, str] = {
    Outcome.DENIED: "the service denies access: {reason}; {denied_help}, or correct the site token",
    Outcome.REJECTED: "the service rejected the archive: {reason}",
    Outcome.RATE_LIMITED: "the rate limit of the service is reached: {reason}",
    Outcome.NOT_SENT: "not sent: {reason}",
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
    elif code == exit_codes.CLEAN:
        if checked.report.findings:
            _report_findings(checked)
        click.echo(visible(summary(checked, receipt)))
    else:
        error(summary(checked, receipt))


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
    if outcome is Outcome.ACCEPTED or contents["dry_run"]:
        done = "accepted" if outcome is Outcome.ACCEPTED else "dry run, nothing was sent"
        return f"{done}: {what} for {contents['domain']}{_published(contents['response'])}"
    return _MESSAGES[outcome].format(reason=contents["reason"], denied_help=denied_help())


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
