"""100 requests a minute per key (section 8)."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from manifestkit.publish.wire import (
    LIMIT_HEADER,
    REMAINING_HEADER,
    REQUESTS_PER_WINDOW,
    RESET_HEADER,
    RETRY_AFTER,
    WINDOW_SECONDS,
)

_MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request is within the limit, and the headers that tell of it."""

    passes: bool
    headers: Mapping[str, str]


class Limiter:
    """Counts the requests of each key in the last stretch of time."""

    def __init__(
        self, requests: int = REQUESTS_PER_WINDOW, seconds: float = WINDOW_SECONDS
    ) -> None:
        self._requests = requests
        self._seconds = seconds
        self._seen: dict[str, deque[float]] = {}

    def admit(self, key: str) -> Verdict:
        """Count a request of a key; one that does not pass does not count."""
        now = time.monotonic()
        if len(self._seen) > _MOST_KEYS:
            self._seen.clear()
        seen = self._seen.setdefault(key, deque())
        while seen and now - seen[0] >= self._seconds:
            seen.popleft()
        passes = len(seen) < self._requests
        if passes:
            seen.append(now)
        wait = max(0.0, seen[0] + self._seconds - now)
        headers = {
            LIMIT_HEADER: str(self._requests),
            REMAINING_HEADER: str(self._requests - len(seen)),
            RESET_HEADER: str(math.ceil(time.time() + wait)),
        }
        if not passes:
            headers[RETRY_AFTER] = str(math.ceil(wait))
        return Verdict(passes, headers)
