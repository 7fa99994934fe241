"""Standard input and output of a server whose client may be slow, lie or die."""

from __future__ import annotations

import io
import os
import re
import select
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

_HEADER = re.compile(rb"content-length:\s*+0*+(\d++)\s*$", re.IGNORECASE)
_MOST_DIGITS = 8
_LINE = 64 * 1024
_SECONDS_TO_END = 5.0
_SECONDS_TO_LIVE = 2.0


def _is_alive(process: int) -> bool:
    """Return whether there is a process of a number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class _WatchedInput(io.RawIOBase):
    """An input that ends when its client is gone, though somebody else keeps it open."""

    client: int | None = None

    def __init__(self, stdin: int) -> None:
        self._stdin = stdin

    def readable(self) -> bool:
        """Return whether it can be read from."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, and wait for it while there is somebody to write it."""
        while self.client and not select.select([self._stdin], [], [], _SECONDS_TO_LIVE)[0]:
            if not _is_alive(self.client):
                return 0
        data = os.read(self._stdin, len(buffer))
        buffer[: len(data)] = data
        return len(data)


class MessageInput(io.BufferedReader):
    """Finds the next message where the length of one was wrong.

    Such a message ends in the midst of a line, with the header of the next one behind it. A length
    that no message can have is passed over.
    """

    def __init__(self, stdin: BinaryIO) -> None:
        self._watched = _WatchedInput(stdin.fileno())
        super().__init__(self._watched)

    def watch(self, client: int | None) -> None:
        """End when the process of the client is gone; not if it cannot be seen from here."""
        if client is not None and os.name == "posix" and _is_alive(client):
            self._watched.client = client

    def readline(self, _: int | None = -1) -> bytes:
        """Return a line of a header."""
        line = super().readline(_LINE)
        found = _HEADER.search(line)
        if found is None:
            return line
        return b"Content-Length: %s\r\n" % found[1] if len(found[1]) <= _MOST_DIGITS else b"\r\n"


class MessageOutput(io.BufferedIOBase):
    """Writes in a thread of its own: a client that does not read keeps no other waiting."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._stdout = stdout
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_broken = False
        self._thread = Thread(target=self._write_all, daemon=True)
        self._thread.start()

    def write(self, data: Any) -> int:
        """Write soon.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        if self._is_broken:
            raise BrokenPipeError
        self._queue.put(bytes(data))
        return len(data)

    def close(self) -> None:
        """Write what is left, if somebody reads it."""
        self._queue.put(None)
        self._thread.join(_SECONDS_TO_END)

    def _write_all(self) -> None:
        with suppress(OSError, ValueError):
            while (data := self._queue.get()) is not None:
                self._stdout.write(data)
                self._stdout.flush()
            return
        self._is_broken = True
