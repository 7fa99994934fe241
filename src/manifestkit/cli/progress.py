"""How far a long run is, for whoever waits at a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_LONG = 1.0
_PAUSE = 0.1
_CLEAR_LINE = "\r\x1b[K"

T = TypeVar("T")


@contextmanager
def progress(items: Iterable[T]) -> Iterator[Iterable[T]]:
    """The items, with a line on standard error that counts them as they are taken.

    Only on a terminal, and once it has taken a while; the line is gone at the end.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield items
        return
    counter = _Counter()
    try:
        yield counter.count(items)
    finally:
        counter.clear()


class _Counter:
    def __init__(self) -> None:
        self._next = time.monotonic() + _LONG
        self._shown = False

    def count(self, items: Iterable[T]) -> Iterator[T]:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now >= self._next:
                self._say(f"{_CLEAR_LINE}{done:,} files checked")
                self._next = now + _PAUSE
                self._shown = True
            yield item

    def clear(self) -> None:
        if self._shown:
            self._say(_CLEAR_LINE)

    def _say(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
