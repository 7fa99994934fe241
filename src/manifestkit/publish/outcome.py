"""What became of a deploy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus

from manifestkit.publish.response import DENIED, TOO_MANY, Answer
from manifestkit.publish.transport import Failure
from manifestkit.publish.upload import Upload


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


def ended_by(result: Answer | Failure, upload: Upload) -> Deployment:
    """How a try to deploy ended by what came of its request."""
    if isinstance(result, Failure):
        if upload.may_be_complete:
            reason = f"all was sent, and then: {result.reason}"
            return Deployment(Ending.UNKNOWN, reason, may_retry=not result.is_final)
        return Deployment(Ending.NOT_SENT, result.reason, may_retry=not result.is_final)
    told = result.told()
    if result.status == TOO_MANY:
        return Deployment(Ending.RATE_LIMITED, told, result, may_retry=True)
    if result.status in DENIED:
        return Deployment(Ending.DENIED, told, result)
    if result.is_success:
        if upload.may_be_complete and result.is_clear:
            return Deployment(Ending.ACCEPTED, told, result)
        why = (
            "a response that cannot be understood"
            if upload.may_be_complete
            else "before all was sent"
        )
        return Deployment(Ending.UNKNOWN, f"{told}, {why}", result, may_retry=True)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        ending = Ending.UNKNOWN if upload.may_be_complete else Ending.NOT_SENT
        return Deployment(ending, told, result, may_retry=True)
    return Deployment(Ending.REJECTED, told, result)
