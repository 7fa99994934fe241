"""What became of a deploy, and its receipt, which is begun before the first byte is sent.

A receipt that still says `in-progress` is of a deploy that was cut off: its outcome is not known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from http import HTTPStatus
from pathlib import Path
from typing import Any

from manifestkit.engine import Decoded
from manifestkit.files import is_folder, read_bytes, reason_of, replacing, shown
from manifestkit.model.errors import ConfigurationError, NotSentError, UnreadableFileError
from manifestkit.publish.address import Address
from manifestkit.publish.archive import shown_problem
from manifestkit.publish.gate import Checked
from manifestkit.publish.response import DENIED, TOO_MANY, Failure, Response
from manifestkit.publish.upload import Upload


class Outcome(Enum):
    """What became of a deploy."""

    ACCEPTED = "accepted"
    DENIED = "denied"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"
    REFUSED = "refused"

    @property
    def summary(self) -> str:
        """What it means for the site: `accepted`, `rejected`, `not-sent` or `unknown`."""
        return _SUMMARIES.get(self, self.value)


_SUMMARIES = {
    Outcome.DENIED: "rejected",
    Outcome.RATE_LIMITED: "rejected",
    Outcome.INTERRUPTED: "not-sent",
    Outcome.REFUSED: "not-sent",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to send an archive: how it ended, and why."""

    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Deployment:
    """What became of a deploy.

    Attributes:
        ending: how it ended.
        reason: why, in words, without secrets.
        response: the response of the service; None where there was none.
        may_retry: whether another try may have another end.
        tries: every try, in order.
    """

    outcome: Outcome
    reason: str
    response: Response | None = None
    may_retry: bool = False
    tries: tuple[Attempt, ...] = ()

    def concluded(self, tries: tuple[Attempt, ...], *, may_have_arrived: bool) -> Deployment:
        """The end of all tries: once one may have arrived, only an acceptance settles it."""
        if may_have_arrived and self.outcome is not Outcome.ACCEPTED:
            unknown = Outcome.UNKNOWN
            reason = self.reason
            if self.outcome is not unknown:
                reason = f"an earlier attempt may have arrived; the last attempt: {self.reason}"
            return replace(self, outcome=unknown, reason=reason, tries=tries)
        return replace(self, tries=tries)


def deployment_of(result: Response | Failure, upload: Upload) -> Deployment:
    """How a try to deploy ended by what came of its request."""
    if isinstance(result, Failure):
        if upload.may_be_complete:
            reason = f"everything was sent, then: {result.reason}"
            return Deployment(Outcome.UNKNOWN, reason, may_retry=not result.is_final)
        return Deployment(Outcome.NOT_SENT, result.reason, may_retry=not result.is_final)
    summary = result.summary()
    if result.status == TOO_MANY:
        return Deployment(Outcome.RATE_LIMITED, summary, result, may_retry=True)
    if result.status in DENIED:
        return Deployment(Outcome.DENIED, summary, result)
    if result.is_success:
        if upload.may_be_complete and result.is_clear:
            return Deployment(Outcome.ACCEPTED, summary, result)
        why = (
            "a response that cannot be understood"
            if upload.may_be_complete
            else "before all was sent"
        )
        return Deployment(Outcome.UNKNOWN, f"{summary}, {why}", result, may_retry=True)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        outcome = Outcome.UNKNOWN if upload.may_be_complete else Outcome.NOT_SENT
        return Deployment(outcome, summary, result, may_retry=True)
    return Deployment(Outcome.REJECTED, summary, result)


_VERSION = 1
_LONGEST = 1024 * 1024
_LONGEST_TEXT = _LONGEST // 2
_MEMBERS = frozenset({"version", "outcome", "ending", "archive", "gate", "attempts"})
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
    if data and not _is_record(data):
        raise ConfigurationError(
            f"{option} exists already and is not a receipt; choose a new file, or delete this one"
        )


def deployed_manifest(data: bytes) -> tuple[str, str] | None:
    """The name and the text of the manifest that a record is of; None for what is no record.

    Raises:
        ConfigurationError: its deploy was not accepted, or it does not hold the text.
    """
    if not _is_record(data):
        return None
    contents = json.loads(data)
    manifest = contents.get("manifest")
    if contents["outcome"] not in {"accepted", "unknown", IN_PROGRESS}:
        raise ConfigurationError("this receipt is of a deploy that was not accepted")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("text"), str):
        raise ConfigurationError("this receipt does not contain the manifest: give the file")
    return str(manifest.get("name")), manifest["text"]


def _kept(decoded: Decoded | None) -> str | None:
    """The text of a manifest, where it can be read and a record can hold it."""
    text = decoded.document.text if decoded and decoded.readable else None
    return text if text is not None and len(json.dumps(text)) <= _LONGEST_TEXT else None


def _is_record(data: bytes) -> bool:
    try:
        contents = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(contents, dict) and contents.keys() >= _MEMBERS


def receipt_name(checked: Checked) -> str:
    """A file name for a receipt that no other deploy has."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return f"{moment}-{checked.snapshot.sha256[:12]}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
