"""The outcome of a deploy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus

from manifestkit.publish.response import DENIED, TOO_MANY, Failure, Response
from manifestkit.publish.upload import Upload


class Outcome(Enum):
    """The outcome of a deploy that was begun, in detail."""

    ACCEPTED = "accepted"
    DENIED = "denied"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"

    @property
    def summary(self) -> str:
        """What it means for the site: `accepted`, `rejected`, `not-sent` or `unknown`."""
        return _SUMMARIES.get(self, self.value)


_SUMMARIES = {
    Outcome.DENIED: "rejected",
    Outcome.RATE_LIMITED: "rejected",
    Outcome.INTERRUPTED: "not-sent",
}


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deploy that is over.

    Attributes:
        outcome: its outcome.
        reason: why, in words, without secrets.
        response: the response of the service; None where there was none.
        may_retry: whether another try may have another outcome.
        tries: every try, in order.
    """

    outcome: Outcome
    reason: str
    response: Response | None = None
    may_retry: bool = False
    tries: tuple[Deployment, ...] = ()

    def concluded(self, tries: tuple[Deployment, ...]) -> Deployment:
        """Return the end of all tries: once one may have arrived, only an acceptance settles it."""
        is_unknown = any(each.outcome is Outcome.UNKNOWN for each in tries)
        if not is_unknown or self.outcome in {Outcome.ACCEPTED, Outcome.UNKNOWN}:
            return replace(self, tries=tries)
        reason = f"an earlier attempt may have arrived; the last attempt: {self.reason}"
        return replace(self, outcome=Outcome.UNKNOWN, reason=reason, tries=tries)


def deployment_of(result: Response | Failure, upload: Upload) -> Deployment:
    """Return the outcome of one try by what came of its request."""
    is_sent = upload.may_be_complete
    if isinstance(result, Failure):
        outcome = Outcome.UNKNOWN if is_sent else Outcome.NOT_SENT
        reason = f"everything was sent, then: {result.reason}" if is_sent else result.reason
        return Deployment(outcome, reason, may_retry=not result.is_final)
    summary = result.summary()
    if result.status == TOO_MANY:
        return Deployment(Outcome.RATE_LIMITED, summary, result, may_retry=True)
    if result.status in DENIED:
        return Deployment(Outcome.DENIED, summary, result)
    if result.is_success:
        if is_sent and result.is_clear:
            return Deployment(Outcome.ACCEPTED, summary, result)
        why = "a response that cannot be understood" if is_sent else "before all was sent"
        return Deployment(Outcome.UNKNOWN, f"{summary}, {why}", result, may_retry=True)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        outcome = Outcome.UNKNOWN if is_sent else Outcome.NOT_SENT
        return Deployment(outcome, summary, result, may_retry=is_sent)
    return Deployment(Outcome.REJECTED, summary, result)
