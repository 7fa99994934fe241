"""What became of a deploy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from manifestkit.publish.answer import Answer


class Ending(Enum):
    """How a deploy ended."""

    ACCEPTED = "accepted"
    DENIED = "denied"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"
    REFUSED = "refused"

    @property
    def outcome(self) -> str:
        """What it means for the site: `accepted`, `rejected`, `not-sent` or `unknown`."""
        return _OUTCOMES.get(self, self.value)


_OUTCOMES = {
    Ending.DENIED: "rejected",
    Ending.RATE_LIMITED: "rejected",
    Ending.INTERRUPTED: "not-sent",
    Ending.REFUSED: "not-sent",
}


@dataclass(frozen=True, slots=True)
class Try:
    """One try to send an archive: how it ended, and why."""

    ending: str
    reason: str


@dataclass(frozen=True, slots=True)
class Deployment:
    """What became of a deploy.

    Attributes:
        ending: how it ended.
        reason: why, in words, without secrets.
        answer: what the service answered; None where it did not.
        may_retry: whether another try may have another end.
        tries: every try, in order.
    """

    ending: Ending
    reason: str
    answer: Answer | None = None
    may_retry: bool = False
    tries: tuple[Try, ...] = ()

    def concluded(self, tries: tuple[Try, ...], *, may_have_arrived: bool) -> Deployment:
        """The end of all tries: once one may have arrived, only an acceptance settles it."""
        if may_have_arrived and self.ending is not Ending.ACCEPTED:
            unknown = Ending.UNKNOWN
            reason = self.reason
            if self.ending is not unknown:
                reason = f"an earlier try may have arrived; the last one: {self.reason}"
            return replace(self, ending=unknown, reason=reason, tries=tries)
        return replace(self, tries=tries)
