"""Deadlines, timeouts, and how long to wait before a request is sent again."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from manifestkit.publish.wire import RESET_HEADERS, RETRY_AFTER

MOST_TRIES = 4
_LONGEST_BACKOFF = 20.0
_LONGEST_HINT = 86_400.0
_EPOCH = 1_000_000_000.0  # a larger reset is a point in time, a smaller one a number of seconds
_WINDOW = 10  # times the backoff, for a rate limit that does not say when it ends


class Deadline:
    """The moment by which an operation is over, tries and waits included."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Times in seconds: of one try, of the wait before another, and of all tries."""

    connect: float = 10.0
    write: float = 60.0
    read: float = 60.0
    backoff: float = 0.5  # the shortest wait
    max_wait: float = 60.0
    deadline: float = 300.0

    def delay(self, tries: int, headers: Mapping[str, str], *, is_limited: bool) -> float:
        """Return how many seconds to wait after so many tries (section 8).

        What the service asks for; else exponential backoff with full jitter. A rate limit that
        does not say when it ends is waited for longer: all tries together take a minute.
        """
        if asked := retry_after(headers):
            return max(asked, self.backoff)
        if is_limited:
            window = min(self.backoff * _WINDOW * 4.0 ** (tries - 1), self.max_wait)
            return max(self.backoff, window * random.uniform(0.75, 1))  # noqa: S311 - no secret
        longest = min(_LONGEST_BACKOFF, self.backoff * 2**tries)
        return max(self.backoff, random.uniform(0, longest))  # noqa: S311 - likewise


DEFAULT_RETRY_POLICY = RetryPolicy()
DEPLOY_RETRY_POLICY = RetryPolicy(deadline=3600, read=300.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the service asks to wait; None where it does not say, or says 0."""
    given = headers.get(RETRY_AFTER.lower(), "").strip()
    if given.isascii() and given.isdigit():
        return float(given[:9]) or None
    if at := _date(given):
        now = _date(headers.get("date", "")) or datetime.now(UTC)
        return max(0.0, (at - now).total_seconds()) or None
    for name in RESET_HEADERS:
        try:
            reset = float(headers.get(name.lower(), ""))
        except ValueError:
            continue
        delay = reset - time.time() if reset > _EPOCH else reset
        if 0 < delay <= _LONGEST_HINT:
            return delay
    return None


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
