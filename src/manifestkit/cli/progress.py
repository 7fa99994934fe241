"""How far a long run or transfer is, for whoever waits at a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

_LONG = 1.0
_PAUSE = 0.1
_CLEAR_LINE = "\r\x1b[K"
_BAR = 24
_MEGABYTE = 1_000_000

T = TypeVar("T")


@contextmanager
def progress(items: Iterable[T]) -> Iterator[Iterable[T]]:
    """The items, with a line on standard error that counts them as they are taken.

    Only on a terminal, and once it has taken a while; the line is gone at the end.
    """
    if not _has_terminal():
        yield items
        return
    counter = _Counter()
    try:
        yield counter.count(items)
    finally:
        counter.clear()


@contextmanager
def transfer(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """A function to tell how many of `total` bytes are done, which shows a bar on standard error.

    None where there is no terminal; the line is gone at the end.
    """
    if not _has_terminal():
        yield None
        return
    bar = _Bar(what, total)
    try:
        yield bar.show
    finally:
        _say(_CLEAR_LINE)


class _Bar:
    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = max(total, 1)
        self._next = 0.0

    def show(self, done: int) -> None:
        now = time.monotonic()
        if now < self._next and done < self._total:
            return
        self._next = now + _PAUSE
        filled = _BAR * done // self._total
        bar = "#" * filled + "-" * (_BAR - filled)
        sizes = f"{done / _MEGABYTE:,.1f} of {self._total / _MEGABYTE:,.1f} MB"
        if done == self._total:
            sizes += ", waiting for the answer"
        _say(f"{_CLEAR_LINE}{self._what} [{bar}] {100 * done // self._total}% {sizes}")


def _has_terminal() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _say(text: str) -> None:
    with suppress(OSError):  # a terminal that is gone stops nothing
        sys.stderr.write(text)
        sys.stderr.flush()


class _Counter:
    def __init__(self) -> None:
        self._next = time.monotonic() + _LONG
        self._shown = False

    def count(self, items: Iterable[T]) -> Iterator[T]:
        for done, item in enumerate(items):
            now = time.monotonic()
            if now >= self._next:
                _say(f"{_CLEAR_LINE}{done:,} files checked")
                self._next = now + _PAUSE
                self._shown = True
            yield item

    def clear(self) -> None:
        if self._shown:
            _say(_CLEAR_LINE)
