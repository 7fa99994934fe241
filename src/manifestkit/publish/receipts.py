"""Receipts of deploys, each begun before the first byte is sent.

A receipt that still says `in-progress` is of a deploy that was cut off: its outcome is not known.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.engine import Decoded
from manifestkit.files import is_folder, read_bytes, reason_of, replacing, shown
from manifestkit.model.errors import ConfigurationError, NotSentError, UnreadableFileError
from manifestkit.publish.address import Address
from manifestkit.publish.archive import shown_problem
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcome import Deployment
from manifestkit.publish.verification import Verification

_VERSION = 1
_LONGEST = 1024 * 1024
_LONGEST_TEXT = _LONGEST // 2
_MEMBERS = frozenset({"version", "outcome", "ending", "archive", "gate", "attempts"})
_MOST_READ = 1_000
IN_PROGRESS = "in-progress"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was checked, what was sent where, and what became of it.

    Attributes:
        contents: the record, version 1; `schemas/deploy-receipt.schema.json` describes it.
    """

    contents: Mapping[str, Any]

    @classmethod
    def begun(
        cls,
        checked: Checked,
        domain: str,
        address: Address | None,
        *,
        account: str | None,
        tool: str,
        dry_run: bool,
    ) -> Receipt:
        """The record of a deploy of which nothing is sent yet."""
        summary = checked.report.summary
        manifest = None
        if checked.manifest is not None:
            manifest = {
                "name": checked.manifest,
                "sha256": checked.manifest_sha256,
                "text": _kept(checked.decoded),
            }
        service = address and {
            "origin": address.origin,
            "base_url": address.base,
            "api_form": address.form.name,
        }
        return cls(
            {
                "version": _VERSION,
                "outcome": IN_PROGRESS,
                "ending": None,
                "reason": None,
                "dry_run": dry_run,
                "started": _now(),
                "ended": None,
                "service": service,
                "account": account,
                "domain": domain,
                "archive": {
                    "source": shown(checked.source),
                    "sha256": checked.snapshot.sha256,
                    "size": checked.snapshot.size,
                    "entries": checked.entries,
                    "left_out": checked.left_out,
                },
                "manifest": manifest,
                "gate": {
                    "verdict": "passed" if checked.passes else "refused",
                    "rules": tool,
                    "errors": summary.errors,
                    "warnings": summary.warnings,
                    "info": summary.info,
                    "problems": [shown_problem(each) for each in checked.problems],
                },
                "attempts": [],
                "status": None,
                "response": None,
                "error": None,
                "verified": None,
            }
        )

    def ended(self, deployment: Deployment) -> Receipt:
        """The record of the same deploy, now that it is over."""
        response = deployment.response
        error = None
        if response is not None and not response.is_success:
            error = {"code": response.code, "details": response.details}
        return Receipt(
            {
                **self.contents,
                "outcome": deployment.outcome.summary,
                "ending": deployment.outcome.value,
                "reason": deployment.reason,
                "ended": _now(),
                "attempts": [
                    {"ending": each.outcome, "reason": each.reason} for each in deployment.tries
                ],
                "status": response.status if response else None,
                "response": response.kept if response else None,
                "error": error,
            }
        )

    def verified(self, verification: Verification) -> Receipt:
        """The record of the same deploy, now that its site was looked at."""
        return Receipt({**self.contents, "verified": verification._asdict()})

    def write(self, path: Path) -> None:
        """Put the record into a file, whole, in place of what it said before.

        Raises:
            NotSentError: it cannot be written; the record before it stays.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                json.dump(self.contents, file, indent=2)
                file.write("\n")
        except OSError as error:
            raise NotSentError(
                f"{shown(path)}: the receipt cannot be written: {reason_of(error)}; choose "
                "another file with --receipt"
            ) from None


def refuse_receipt(path: Path, source: Path) -> None:
    """Refuse a file for a record that would take another file's place, or be part of a site.

    A record of ours, an empty file, a pipe or a device may stand there.

    Raises:
        ConfigurationError: it would.
    """
    option = f"--receipt: {shown(path)}"
    place, folder = Path(os.path.realpath(path)), Path(os.path.realpath(source))
    if is_folder(source) and place.is_relative_to(folder):
        raise ConfigurationError(
            f"{option} is inside {shown(source)}, and would be published with it; choose a file "
            "outside"
        )
    if not place.is_file():
        return
    try:
        data = read_bytes(place, _LONGEST)
    except UnreadableFileError as error:
        raise ConfigurationError(f"{option}: {error.reason}") from None
    if data and _contents(data) is None:
        raise ConfigurationError(
            f"{option} exists already and is not a receipt; choose a new file, or delete this one"
        )


def deployed_manifest(data: bytes) -> tuple[str, str] | None:
    """The name and the text of the manifest that a record is of; None for what is no record.

    Raises:
        ConfigurationError: its deploy was not accepted, or it does not hold the text.
    """
    contents = _contents(data)
    if contents is None:
        return None
    manifest = contents.get("manifest")
    if contents["outcome"] not in ("accepted", "unknown", IN_PROGRESS):
        raise ConfigurationError("this receipt is of a deploy that was not accepted")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("text"), str):
        raise ConfigurationError("this receipt does not contain the manifest: give the file")
    return str(manifest.get("name")), manifest["text"]


class KeptReceipt(NamedTuple):
    """A receipt in a file."""

    path: Path
    contents: Mapping[str, Any]

    @property
    def started(self) -> str:
        """When the deploy began, in UTC: a text that sorts by time."""
        return str(self.contents.get("started"))

    @property
    def outcome(self) -> str:
        """The outcome; `dry-run` where nothing was to be sent."""
        return "dry-run" if self.contents.get("dry_run") is True else str(self.contents["outcome"])

    @property
    def origin(self) -> str | None:
        """The service; None for a dry run without one."""
        service = self.contents.get("service")
        return str(service.get("origin")) if isinstance(service, dict) else None

    @property
    def domain(self) -> str:
        """The host name of the site."""
        return str(self.contents.get("domain"))

    @property
    def sha256(self) -> str:
        """The digest of the archive, in hex."""
        archive = self.contents.get("archive")
        return str(archive.get("sha256")) if isinstance(archive, dict) else ""


def receipts_in(folder: Path) -> Iterator[KeptReceipt]:
    """The receipts in a folder, newest first; what is no receipt is left out."""
    with suppress(OSError):  # none is there, or they cannot be read
        for path in sorted(folder.glob("*.json"), reverse=True)[:_MOST_READ]:
            kept = _kept_receipt(path)
            if kept is not None:
                yield kept


class Earlier(NamedTuple):
    """What is known of earlier deploys of a site.

    Attributes:
        accepted: the last one that was accepted.
        unknown: the last one, where its outcome is unknown: it may have been accepted since.
    """

    accepted: KeptReceipt | None = None
    unknown: KeptReceipt | None = None

    def unchanged(self, sha256: str) -> KeptReceipt | None:
        """The last accepted deploy, if it is of this archive and nothing may have come after it."""
        accepted = self.accepted
        is_it = self.unknown is None and accepted is not None and accepted.sha256 == sha256
        return accepted if is_it else None


def earlier_deploys(folder: Path | None, also: Path | None, origin: str, domain: str) -> Earlier:
    """What receipts say of earlier deploys of a site.

    Args:
        folder: this user's receipts; None where there is no place for them.
        also: another file that may have a receipt.
        origin: the service.
        domain: the host name of the site.
    """
    unknown: KeptReceipt | None = None
    own = _kept_receipt(also) if also is not None and also.is_file() else None
    receipts = receipts_in(folder) if folder is not None else iter(())
    for each in _merged(receipts, own):
        if (each.origin, each.domain.lower()) != (origin, domain.lower()):
            continue
        if each.outcome == "accepted":
            return Earlier(each, unknown)
        if each.outcome in {"unknown", IN_PROGRESS}:
            unknown = unknown or each
    return Earlier(None, unknown)


def _merged(receipts: Iterator[KeptReceipt], other: KeptReceipt | None) -> Iterator[KeptReceipt]:
    """Receipts, newest first, and one more in its place among them."""
    for each in receipts:
        if other is not None and other.started >= each.started:
            yield other
            other = None
        yield each
    if other is not None:
        yield other


def _kept_receipt(path: Path) -> KeptReceipt | None:
    try:
        contents = _contents(read_bytes(path, _LONGEST))
    except UnreadableFileError:
        return None
    return KeptReceipt(path, contents) if contents is not None else None


def _kept(decoded: Decoded | None) -> str | None:
    """The text of a manifest, where it can be read and a record can hold it."""
    text = decoded.document.text if decoded and decoded.readable else None
    return text if text is not None and len(json.dumps(text)) <= _LONGEST_TEXT else None


def _contents(data: bytes) -> dict[str, Any] | None:
    """The contents of a receipt; None for what is none."""
    try:
        contents = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return contents if isinstance(contents, dict) and contents.keys() >= _MEMBERS else None


def receipt_name(checked: Checked) -> str:
    """A file name for a receipt that no other deploy has."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return f"{moment}-{checked.snapshot.sha256[:12]}-{secrets.token_hex(2)}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
