"""Receipts of deploys, each begun before the first byte is sent.

A receipt that still says `in-progress` is of a deploy that was cut off: its outcome is not known.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from manifestkit.files import (
    is_file,
    is_folder,
    is_stream,
    is_there,
    posix_name,
    read_bytes,
    reason_of,
)
from manifestkit.model.errors import ConfigurationError, NotSentError, UnreadableFileError
from manifestkit.publish.address import Address
from manifestkit.publish.gate import Checked, LintedManifest
from manifestkit.publish.names import Problem
from manifestkit.publish.private import write_private
from manifestkit.publish.response import Attempt

_VERSION = 1
_LONGEST = 4 * 1024 * 1024  # whatever is sent and answered, what is written is shorter
_LONGEST_TEXT = 512 * 1024
_MOST_PROBLEMS = 100
_MEMBERS = frozenset({"version", "outcome", "ending", "archive", "gate", "attempts"})
IN_PROGRESS = "in-progress"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The record of a deploy: what was checked, what was sent where, and the outcome.

    Attributes:
        contents: the record, version 1; `schemas/deploy-receipt.schema.json` describes it.
        path: its file in this user's state folder; None for a record that is not read from there.
    """

    contents: Mapping[str, Any]
    path: Path | None = None

    @classmethod
    def begun(
        cls,
        checked: Checked,
        domain: str | None,
        address: Address | None,
        *,
        account: str | None,
        tool: str,
        dry_run: bool,
    ) -> Receipt:
        """Return the record of a deploy of which nothing is sent yet."""
        summary = checked.report.summary
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
                    "source": posix_name(checked.source),
                    "sha256": checked.packed.sha256 if checked.packed else None,
                    "size": checked.packed.size if checked.packed else None,
                    "entries": len(checked.listing.files),
                    "left_out": len(checked.listing.left_out),
                },
                "manifest": _manifest(checked.manifest),
                "gate": {
                    "verdict": "passed" if checked.passes else "refused",
                    "rules": tool,
                    "errors": summary.errors,
                    "warnings": summary.warnings,
                    "info": summary.info,
                    "problems": _shortened(checked.listing.problems),
                },
                "attempts": [],
                "status": None,
                "error": None,
                "verified": None,
            }
        )

    def with_members(self, **members: Any) -> Receipt:
        """Return the record with some members replaced."""
        return replace(self, contents={**self.contents, **members})

    def ended(self, deployment: Attempt) -> Receipt:
        """Return the record of the same deploy, now that it is over."""
        response = deployment.response
        error = None
        if response is not None and not response.is_success:
            error = {"code": response.code, "details": response.details}
        return self.with_members(
            outcome=deployment.outcome.summary,
            ending=deployment.outcome.value,
            reason=deployment.reason,
            ended=_now(),
            attempts=[
                {"ending": each.outcome.value, "reason": each.reason} for each in deployment.tries
            ],
            status=response.status if response else None,
            error=error,
        )

    def write(self, path: Path) -> None:
        """Write the record to a file that only its user can read, whole, in place of the former.

        Raises:
            NotSentError: it cannot be written; the record before it stays.
        """
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(path, [json.dumps(self.contents, indent=2).encode(), b"\n"])
        except OSError as error:
            raise NotSentError(
                f"{posix_name(path)}: the receipt cannot be written: {reason_of(error)}; choose "
                "another file with --receipt"
            ) from None

    @property
    def shown(self) -> str:
        """Its file as it is named to the user."""
        return posix_name(self.path or "")

    @property
    def started(self) -> str:
        """When the deploy began, in UTC: a text that sorts by time."""
        return str(self.contents.get("started"))

    @property
    def outcome(self) -> str:
        """The outcome, in detail where it is over."""
        return str(self.contents["ending"] or self.contents["outcome"])

    @property
    def base_url(self) -> str | None:
        """The service."""
        service = self.contents.get("service")
        return str(service.get("base_url")) if isinstance(service, dict) else None

    @property
    def domain(self) -> str:
        """The host name of the site."""
        return str(self.contents.get("domain"))

    @property
    def manifest(self) -> tuple[str, str] | None:
        """The name and the text of the manifest; None where there is none."""
        manifest = self.contents.get("manifest")
        if not isinstance(manifest, dict) or not isinstance(manifest.get("text"), str):
            return None
        return str(manifest.get("name")), manifest["text"]


def refuse_receipt(path: Path) -> None:
    """Refuse a file for a record that would take another file's place.

    A record of ours or an empty file may stand there.

    Raises:
        ConfigurationError: it would.
    """
    option = f"--receipt: {posix_name(path)}"
    if is_stream(path):
        raise ConfigurationError(f"{option} is not a file; read the receipt with --json")
    place = Path(os.path.realpath(path))
    if is_folder(place) or not is_there(place):
        return
    if not is_file(place):
        raise ConfigurationError(
            f"{option} is a pipe or a device; choose a file, or read the receipt with --json"
        )
    try:
        data = read_bytes(place, _LONGEST)
    except UnreadableFileError as error:
        raise ConfigurationError(f"{option}: {error.reason}") from None
    if data and _contents(data) is None:
        raise ConfigurationError(
            f"{option} exists already and is not a receipt; choose a new file, or delete this one"
        )


def receipts_in(folder: Path) -> Iterator[Receipt]:
    """Yield the receipts in a folder, newest first; what is no receipt is left out."""
    with suppress(OSError):  # none is there, or they cannot be read
        for path in sorted(folder.glob("*.json"), reverse=True):
            try:
                contents = _contents(read_bytes(path, _LONGEST))
            except UnreadableFileError:
                continue
            if contents is not None:
                yield Receipt(contents, path)


def last_accepted(folder: Path, base_url: str, account: str | None, domain: str) -> Receipt | None:
    """Return the receipt of the last accepted deploy of an account to a site, if there is one."""
    for each in receipts_in(folder):
        site = each.base_url, each.contents.get("account"), each.domain.lower()
        if each.outcome == "accepted" and site == (base_url, account, domain.lower()):
            return each
    return None


def receipt_name(receipt: Receipt) -> str:
    """Return a file name for a receipt that no other deploy has."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    digest = str(receipt.contents["archive"]["sha256"])[:12]
    return f"{moment}-{digest}-{secrets.token_hex(2)}.json"


def _shortened(problems: tuple[Problem, ...]) -> list[str]:
    told = [str(each) for each in problems[:_MOST_PROBLEMS]]
    more = len(problems) - len(told)
    return [*told, f"and {more:,} more"] if more else told


def _manifest(manifest: LintedManifest | None) -> dict[str, Any] | None:
    if manifest is None:
        return None
    text = manifest.decoded.document.text if manifest.decoded.readable else None
    if text is not None and len(json.dumps(text)) > _LONGEST_TEXT:
        text = None
    return {"name": manifest.name, "sha256": manifest.sha256, "text": text}


def _contents(data: bytes) -> dict[str, Any] | None:
    try:
        contents = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return contents if isinstance(contents, dict) and contents.keys() >= _MEMBERS else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
