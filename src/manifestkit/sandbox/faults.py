"""Faults on demand, and the limit of requests."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

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
class RateVerdict:
    """Answer of a limiter: whether a request is within the limit, and the headers that say so."""

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

    def admit(self, key: str) -> RateVerdict:
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
        return RateVerdict(passes, headers)


LOGIN, SITES, DEPLOY = "login", "sites", "deploy"
OPERATIONS = (LOGIN, SITES, DEPLOY)
_MOST_TIMES = 10_000
_MOST_SECONDS = 3600.0


class Kind(Enum):
    """The faults by name."""

    TOO_LARGE = "early-413"
    DROP_BEFORE = "drop-before"
    DROP_AFTER = "drop-after"
    LIMIT_SECONDS = "429-seconds"
    LIMIT_DATE = "429-date"
    SUCCESS_FALSE = "success-false"
    ERROR_STRING = "error-string"
    ERROR_OBJECT = "error-object"
    REDIRECT = "redirect"
    BAD_GATEWAY = "html-502"
    UNAVAILABLE = "503"
    EMPTY = "empty-500"
    DENIED = "denied"
    CUT = "cut-200"
    SLOW = "slow"


MEANINGS = {
    Kind.TOO_LARGE: "413 before the body is read",
    Kind.DROP_BEFORE: "the connection breaks in the middle of the body",
    Kind.DROP_AFTER: "the request is processed, the connection breaks before the response",
    Kind.LIMIT_SECONDS: "429 with Retry-After in seconds",
    Kind.LIMIT_DATE: "429 with Retry-After as a date",
    Kind.SUCCESS_FALSE: "200 with success: false and an error object",
    Kind.ERROR_STRING: "400 with the error as a string",
    Kind.ERROR_OBJECT: "422 with code, message and details",
    Kind.REDIRECT: "302 to another host",
    Kind.BAD_GATEWAY: "502 with a page of HTML",
    Kind.UNAVAILABLE: "503 with an error object",
    Kind.EMPTY: "500 without a body",
    Kind.DENIED: "401 with an error object",
    Kind.CUT: "200 whose body breaks off",
    Kind.SLOW: "the response is sent slowly, byte by byte",
}
"""Each fault with its effect."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault to play.

    Attributes:
        operation: `login`, `sites` or `deploy`.
        kind: what goes wrong.
        times: for how many requests.
        seconds: how long a client is told to wait, or is kept waiting.
    """

    operation: str
    kind: Kind
    times: int = 1
    seconds: float = 1.0


def parse_fault(text: str) -> Fault:
    """Return a fault as it is written: `OPERATION=FAULT[,TIMES[,SECONDS]]`.

    Raises:
        ValueError: it is none; the text says what is.
    """
    operation, _, rest = text.partition("=")
    kind, *numbers = rest.split(",")
    if operation not in OPERATIONS:
        raise ValueError(f"`{operation}` is not one of {', '.join(OPERATIONS)}")
    if kind not in {each.value for each in Kind}:
        raise ValueError(f"`{kind}` is not one of {', '.join(each.value for each in Kind)}")
    try:
        times = int(numbers[0]) if numbers else 1
        seconds = float(numbers[1]) if numbers[1:] else 1.0
    except ValueError:
        raise ValueError("write OPERATION=FAULT[,TIMES[,SECONDS]]") from None
    if numbers[2:] or not 1 <= times <= _MOST_TIMES or not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError("write OPERATION=FAULT[,TIMES[,SECONDS]]")
    return Fault(operation, Kind(kind), times, seconds)


class Faults:
    """The faults that are still to be played, in order."""

    def __init__(self) -> None:
        self._left: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Play one more."""
        self._left += [fault] * fault.times

    @property
    def left(self) -> list[Fault]:
        """Those that are left, in order: one for each time."""
        return list(self._left)

    def clear(self) -> None:
        """Play none of them."""
        self._left.clear()

    def next(self, operation: str) -> Fault | None:
        """Return the fault for a request, if there is one."""
        for index, fault in enumerate(self._left):
            if fault.operation == operation:
                return self._left.pop(index)
        return None
