"""Rate limit, retries and timeouts."""

from __future__ import annotations

import random
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from manifestkit.publish.response import Response
from manifestkit.publish.wire import (
    REQUESTS_PER_WINDOW,
    RESET_HEADER,
    RETRY_AFTER,
    WINDOW_SECONDS,
)

_LONGEST_DELAY = 20.0
_LONGEST_HINT = 86_400.0
_EPOCH = 1_000_000_000.0  # a larger reset is a point in time, a smaller one a number of seconds


class Deadline:
    """The moment by which an operation is over, tries and waits included."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """How many seconds are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds to wait for a connection, for a write to go on, and for a response."""

    connect: float = 10.0
    write: float = 60.0
    read: float = 60.0


@dataclass(frozen=True, slots=True)
class RateLimit:
    """So many requests in any stretch of so many seconds (section 8)."""

    requests: int = REQUESTS_PER_WINDOW
    seconds: float = WINDOW_SECONDS


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait for what.

    Attributes:
        max_wait: the longest wait, in seconds, that the service may ask for.
        deadline: by when the whole operation must be over, in seconds.
        timeouts: how long to wait for each step of a request.
        rate_limit: how many requests to send in which time.
        backoff: half the longest wait after a first error, in seconds; it doubles with each.
    """

    max_wait: float = 60.0
    deadline: float = 300.0
    timeouts: Timeouts = field(default_factory=Timeouts)
    rate_limit: RateLimit = field(default_factory=RateLimit)
    backoff: float = 0.5


DEFAULT_RETRY_POLICY = RetryPolicy()
DEPLOY_RETRY_POLICY = RetryPolicy(deadline=3600, timeouts=Timeouts(read=300.0))


class RateLimiter:
    """Keeps the requests of one client under a rate limit.

    A request counts from the moment that it is done: the service has seen it before that, so its
    stretch of time has never more requests in it than ours.
    """

    def __init__(self, limit: RateLimit) -> None:
        self._limit = limit
        self._done: deque[float] = deque(maxlen=limit.requests)

    def delay(self) -> float:
        """How many seconds to wait before the next request."""
        if len(self._done) < self._limit.requests:
            return 0.0
        return max(0.0, self._done[0] + self._limit.seconds - time.monotonic())

    def count(self) -> None:
        """Count a request that is done."""
        self._done.append(time.monotonic())


def backoff(tries: int, base: float) -> float:
    """How many seconds to wait after so many tries: exponential, with full jitter (section 8)."""
    return random.uniform(0, min(_LONGEST_DELAY, base * 2**tries))  # noqa: S311 - no secret


def retry_after(response: Response) -> float | None:
    """How many seconds the service wants the client to wait; None where it does not say."""
    given = response.headers.get(RETRY_AFTER.lower(), "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9])
    at = _date(given)
    if at is not None:
        now = _date(response.headers.get("date", "")) or datetime.now(UTC)
        return max(0.0, (at - now).total_seconds())
    try:
        reset = float(response.headers.get(RESET_HEADER.lower(), ""))
    except ValueError:
        return None
    delay = max(0.0, reset - time.time()) if reset > _EPOCH else reset
    return delay if 0 <= delay <= _LONGEST_HINT else None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
