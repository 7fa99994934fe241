"""An end to an operation as a whole, however slowly the other side trickles."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import Any, Self


class Deadline:
    """The moment by which an operation is over, tries and waits included."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """How many seconds are left, at least 0."""
        return max(0.0, self._end - time.monotonic())


class Watch:
    """Cuts the connection of one exchange when the deadline passes.

    A read timeout is for one read: a service that sends a byte now and then would never meet it.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.expired = False
        self.interrupted = False
        self._streams: list[Any] = []
        self._timer = threading.Timer(deadline.left, self._expire)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Learn of the connection; a `trace` extension of the HTTP library."""
        stream = info.get("return_value")
        if event.endswith(".complete") and hasattr(stream, "get_extra_info"):
            self._streams.append(stream)

    def interrupt(self) -> None:
        """Cut the connection now: whoever waits for it goes on, without an answer."""
        self.interrupted = True
        self._cut()

    def _expire(self) -> None:
        self.expired = True
        self._cut()

    def _cut(self) -> None:
        for stream in self._streams:
            connection = stream.get_extra_info("socket")
            if connection is not None:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
