"""Many files on every processor.

A run begins alone: most are over before a second process would have started. Where much is left,
the rest goes in portions to worker processes.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable
from itertools import chain, islice
from typing import TypeVar

_ALONE = 0.05  # seconds: about what it takes to start workers
_MOST_WORKERS = 8
_FORKS = sys.platform == "linux"  # macOS can, but its own libraries do not support it


T = TypeVar("T")
R = TypeVar("R")


def map_in_order(
    function: Callable[[T], R],
    items: Iterable[T],
    workers: int | None = None,
    *,
    forks: bool = _FORKS,
) -> Generator[tuple[T, R | None]]:
    """Yield each item with its result, in their order.

    That of an item on which workers die is a CrashedFileError. Closed before its end, it ends its
    workers.

    Args:
        function: gives the result; it is pickled where processes cannot fork.
        items: taken as they are needed; each has a `name`, for people.
        workers: the number of processes; None for one on each processor, up to eight.
        forks: whether they are copies of this one, which its libraries must support.
    """
    left = iter(items)
    for item in islice(left, 1):  # it loads what all need: its time is not typical
        yield item, function(item)
    portion = 1
    until = time.monotonic() + _ALONE
    for item in left:
        yield item, function(item)
        portion += 1
        if time.monotonic() > until:
            break
    count = workers or min(processors(), _MOST_WORKERS)
    ahead = list(islice(left, portion * count))
    if count == 1 or len(ahead) < portion * count:
        yield from ((item, function(item)) for item in chain(ahead, left))
        return
    from manifestkit.engine.workers import map_in_workers  # noqa: PLC0415 - most runs are short

    yield from map_in_workers(function, chain(ahead, left), portion, count, forks=forks)


def processors() -> int:
    """Return how many processors this process may use."""
    is_told = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if is_told else os.cpu_count() or 1
