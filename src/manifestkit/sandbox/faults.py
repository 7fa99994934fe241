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


class Limiter:
    """Counts the requests of each key in the last stretch of time."""

    def __init__(
        self, requests: int = REQUESTS_PER_WINDOW, seconds: float = WINDOW_SECONDS
    ) -> None:
        self._requests = requests
        self._seconds = seconds
        self._seen: dict[str, deque[float]] = {}

    def admit(self, key: str) -> tuple[bool, Mapping[str, str]]:
        """Count a request; return whether it is within the limit, and the headers that say so.

        One that is not does not count.
        """
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
        return passes, headers


LOGIN, SITES, DEPLOY = "login", "sites", "deploy"
OPERATIONS = (LOGIN, SITES, DEPLOY)
_MOST_TIMES = 10_000
_MOST_SECONDS = 3600.0


class Kind(Enum):
    """The faults: the name of each, and its effect."""

    TOO_LARGE = "early-413", "413 before the body is read"
    DROP_BEFORE = "drop-before", "the connection breaks in the middle of the body"
    DROP_AFTER = "drop-after", "the request is processed, the connection breaks before the response"
    LIMIT_SECONDS = "429-seconds", "429 with Retry-After in seconds"
    LIMIT_DATE = "429-date", "429 with Retry-After as a date"
    SUCCESS_FALSE = "success-false", "200 with success: false and an error object"
    ERROR_STRING = "error-string", "400 with the error as a string"
    ERROR_OBJECT = "error-object", "422 with code, message and details"
    REDIRECT = "redirect", "302 to another host"
    BAD_GATEWAY = "html-502", "502 with a page of HTML"
    UNAVAILABLE = "503", "503 with an error object"
    EMPTY = "empty-500", "500 without a body"
    DENIED = "denied", "401 with an error object"
    CUT = "cut-200", "200 whose body breaks off"
    SLOW = "slow", "the response is sent slowly, byte by byte"

    def __init__(self, label: str, meaning: str) -> None:
        self.label = label
        self.meaning = meaning


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
    kinds = {each.label: each for each in Kind}
    if kind not in kinds:
        raise ValueError(f"`{kind}` is not one of {', '.join(kinds)}")
    try:
        times = int(numbers[0]) if numbers else 1
        seconds = float(numbers[1]) if numbers[1:] else 1.0
    except ValueError:
        times, seconds = 0, 0.0  # which is refused
    if numbers[2:] or not 1 <= times <= _MOST_TIMES or not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError("write OPERATION=FAULT[,TIMES[,SECONDS]]")
    return Fault(operation, kinds[kind], times, seconds)


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
