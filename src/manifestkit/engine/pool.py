"""Judging many files on every processor.

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

T = TypeVar("T")
R = TypeVar("R")

_ALONE = 0.05  # seconds: about what it takes to start workers
_PORTIONS = 4  # in which the work of that time would have been given out
_MOST_WORKERS = 8
_FORKS = sys.platform == "linux"  # macOS can, but its own libraries do not bear it


def judged(
    judge: Callable[[T], R | None],
    targets: Iterable[T],
    given_up: Callable[[T, Exception], R],
    workers: int | None = None,
    *,
    forks: bool = _FORKS,
) -> Generator[tuple[T, R | None]]:
    """Each target with what there is to say of it, in no particular order.

    Closed before its end, it ends its workers.

    Args:
        judge: says it, None for nothing; it is pickled where processes cannot fork.
        targets: taken as they are needed.
        given_up: says it of a target that workers die on.
        workers: how many processes there are; None for one on each processor, up to eight.
        forks: whether they are copies of this one, whose libraries must bear it.
    """
    left = iter(targets)
    for target in islice(left, 1):  # with it comes what all need: its time tells nothing of theirs
        yield target, judge(target)
    done = 0
    until = time.monotonic() + _ALONE
    for target in left:
        yield target, judge(target)
        done += 1
        if time.monotonic() > until:
            break
    else:
        return
    portion = max(1, done // _PORTIONS)
    count = workers or min(processors(), _MOST_WORKERS)
    ahead = list(islice(left, portion * count))
    rest = chain(ahead, left)
    if count == 1 or len(ahead) < portion * count:
        yield from ((target, judge(target)) for target in rest)
    else:
        from manifestkit.engine.workers import Crew  # noqa: PLC0415 - most runs are short

        yield from Crew(judge, given_up, count, forks=forks).judged(rest, portion)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
