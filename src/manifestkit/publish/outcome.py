"""The outcome of a request, by its response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus
from types import MappingProxyType

from manifestkit.model.errors import (
    AuthenticationError,
    NotSentError,
    PublishError,
    RateLimitedError,
    RejectedError,
)
from manifestkit.publish.address import Address
from manifestkit.publish.response import Failure, Response

_DENIED = frozenset({401, 403})
_PASSING = frozenset({502, 503, 504})


class Outcome(Enum):
    """The outcome of a request, in detail."""

    ACCEPTED = "accepted"
    DENIED = "denied"
    REJECTED = "rejected"
    RATE_LIMITED = "rate-limited"
    NOT_SENT = "not-sent"
    INTERRUPTED = "interrupted"
    UNKNOWN = "unknown"

    @property
    def summary(self) -> str:
        """The outcome for the site: `accepted`, `rejected`, `not-sent` or `unknown`."""
        return _SUMMARIES.get(self, self.value)


_SUMMARIES = {
    Outcome.DENIED: "rejected",
    Outcome.RATE_LIMITED: "rejected",
    Outcome.INTERRUPTED: "not-sent",
}
ERRORS: Mapping[Outcome, type[PublishError]] = MappingProxyType(
    {
        Outcome.DENIED: AuthenticationError,
        Outcome.REJECTED: RejectedError,
        Outcome.RATE_LIMITED: RateLimitedError,
        Outcome.NOT_SENT: NotSentError,
    }
)
"""The error that is raised for an outcome without a result."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that is over, or a deploy with all its attempts.

    Attributes:
        outcome: its outcome.
        reason: why, in words, without secrets.
        response: the response of the service; None where there was none.
        may_retry: whether another attempt is safe, and may have another outcome.
        tries: each attempt of a deploy, in order.
    """

    outcome: Outcome
    reason: str
    response: Response | None = None
    may_retry: bool = False
    tries: tuple[Attempt, ...] = ()

    def concluded(self, tries: tuple[Attempt, ...]) -> Attempt:
        """Return the end of all tries: once one may have arrived, only an acceptance settles it."""
        is_unknown = any(each.outcome is Outcome.UNKNOWN for each in tries)
        if not is_unknown or self.outcome in {Outcome.ACCEPTED, Outcome.UNKNOWN}:
            return replace(self, tries=tries)
        reason = f"an earlier attempt may have arrived; the last attempt: {self.reason}"
        return replace(self, outcome=Outcome.UNKNOWN, reason=reason, tries=tries)


def deploy_attempt(
    result: Response | Failure, *, may_be_complete: bool, retry_unknown: bool
) -> Attempt:
    """Return how an attempt at a deploy ended.

    Args:
        result: the response, or why there is none.
        may_be_complete: whether the service may have the whole archive.
        retry_unknown: whether it may be sent again when nobody knows the outcome.
    """
    in_doubt = Outcome.UNKNOWN if may_be_complete else Outcome.NOT_SENT
    if isinstance(result, Failure):
        reason = result.reason
        if may_be_complete:
            reason = f"everything was sent, then: {reason}"
        may_retry = not result.is_final and (retry_unknown or not may_be_complete)
        return Attempt(in_doubt, reason, may_retry=may_retry)
    outcome, reason = _outcome(result), result.summary()
    if result.is_success and not (may_be_complete and result.is_clear):
        why = "a response that cannot be understood" if may_be_complete else "before all was sent"
        return Attempt(Outcome.UNKNOWN, f"{reason}, {why}", result, may_retry=retry_unknown)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        may_retry = may_be_complete and retry_unknown
        return Attempt(in_doubt, reason, result, may_retry=may_retry)
    return Attempt(outcome, reason, result, may_retry=outcome is Outcome.RATE_LIMITED)


def attempt(result: Response | Failure, address: Address) -> Attempt:
    """Return how an attempt at a request ended that changes nothing."""
    if isinstance(result, Failure):
        outcome, reason = Outcome.NOT_SENT, result.reason
        if result.timed_out:
            reason = f"the service does not respond in time: {reason}"
        elif result.late:
            outcome = Outcome.REJECTED
            reason = f"the service broke off its response: {reason}"
        elif not result.of_proxy:
            reason = (
                f"the service at {address.origin} cannot be reached: {reason}"
                f"{sandbox_hint(address)}"
            )
        return Attempt(outcome, reason, may_retry=not result.is_final)
    outcome = _outcome(result)
    sentence = {
        Outcome.DENIED: "the service denies access",
        Outcome.RATE_LIMITED: "the rate limit of the service is reached",
    }.get(outcome, "the service refused")
    if result.is_success and outcome is Outcome.REJECTED:
        sentence = "the service's response cannot be understood"
    may_retry = outcome is Outcome.RATE_LIMITED or result.status in _PASSING
    return Attempt(outcome, f"{sentence}: {result.summary()}", result, may_retry)


def _outcome(response: Response) -> Outcome:
    if response.is_rate_limited:
        return Outcome.RATE_LIMITED
    if response.status in _DENIED:
        return Outcome.DENIED
    is_accepted = response.is_success and response.is_clear
    return Outcome.ACCEPTED if is_accepted else Outcome.REJECTED


def sandbox_hint(address: Address) -> str:
    """Return what may be wrong with a service of this machine, as the end of a sentence."""
    return " (is `manifest sandbox` running?)" if address.is_loopback else ""
