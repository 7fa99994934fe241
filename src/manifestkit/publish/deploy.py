"""A deploy: from what is to be published to what the service made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from manifestkit.files import posix_name
from manifestkit.publish.address import Address
from manifestkit.publish.gate import Checked
from manifestkit.publish.outcomes import Attempt, Outcome


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deploy that is over, or one that was not begun.

    Attributes:
        checked: the verdict of the gate.
        address: the service that it goes to; None for a dry run.
        domain: the host name of the site.
        started: when it began.
        attempts: each request, in order; none where nothing was sent.
    """

    checked: Checked
    address: Address | None
    domain: str | None
    started: datetime
    attempts: Sequence[Attempt] = ()

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        if self.attempts:
            return self.attempts[-1]
        return Attempt(Outcome.NOT_SENT, "a dry run" if self.checked.passes else "it was refused")

    def contents(self) -> dict[str, Any]:
        """Return it as the members of a JSON object, without secrets."""
        checked, last = self.checked, self.last
        packed, manifest, listing = checked.packed, checked.manifest, checked.listing
        return {
            "outcome": last.outcome.value,
            "reason": last.reason,
            "started": _time(self.started),
            "ended": _time(datetime.now(UTC)),
            "base_url": self.address.base if self.address else None,
            "domain": self.domain,
            "archive": {
                "source": posix_name(checked.source),
                "sha256": packed.sha256 if packed else None,
                "size": packed.size if packed else None,
                "files": len(listing.files),
                "left_out": len(listing.left_out),
            },
            "manifest": manifest and {"name": manifest.name, "sha256": manifest.sha256},
            **listing.contents(),
            "status": last.status,
            "code": last.code,
            "details": last.details,
            "attempts": [
                {"outcome": each.outcome.value, "reason": each.reason, "status": each.status}
                for each in self.attempts
            ],
        }


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
