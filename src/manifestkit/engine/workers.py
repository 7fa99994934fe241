"""Judging many files on every processor.

A run begins alone: most are over before a second process would have started. Where much is left,
the rest goes in portions to worker processes. Whatever goes wrong in one of them, its portion is
judged here instead, so that an error comes out as it would have without them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

_ALONE = 0.05  # seconds: about what it takes to start workers
_PORTIONS = 4  # in which the work of that time would have been given out
_MOST_WORKERS = 8
_FORKS = sys.platform == "linux"  # macOS can, but its own libraries do not bear it


def judged(judge: Callable[[T], R | None], targets: Iterable[T]) -> Generator[tuple[T, R | None]]:
    """Each target with what there is to say of it, in no particular order.

    Closed before its end, it ends its workers.

    Args:
        judge: says it, None for nothing; it is pickled where processes cannot fork.
        targets: taken as they are needed.
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
    portion = max(1, done // _PORTIONS)
    processors = min(_processors(), _MOST_WORKERS)
    ahead = list(islice(left, portion * processors))
    rest = chain(ahead, left)
    if processors == 1 or len(ahead) < portion * processors:
        yield from ((target, judge(target)) for target in rest)
    else:
        yield from _Crew(judge, rest, portion).judged(processors)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Crew(Generic[T, R]):
    """Workers, each busy with one portion; a second one could fill both ways of its pipe."""

    def __init__(self, judge: Callable[[T], R | None], targets: Iterator[T], portion: int) -> None:
        self._judge = judge
        self._targets = targets
        self._portion = portion
        self._busy: dict[Connection, list[T]] = {}

    def judged(self, count: int) -> Iterator[tuple[T, R | None]]:
        """What `judged` of this module says, by so many workers."""
        from multiprocessing.connection import wait  # noqa: PLC0415 - most runs are short

        workers: list[BaseProcess] = []
        try:
            for _ in range(count):
                with _uninterrupted():
                    connection = self._start(workers)
                if connection is None or not self._give(connection):
                    break
            while self._busy:
                for ready in wait(list(self._busy)):
                    yield from self._take(ready)  # type: ignore[arg-type]  # all are Connections
            yield from ((target, self._judge(target)) for target in self._targets)
        finally:
            for connection in self._busy:
                connection.close()
            for worker in workers:
                worker.terminate()
                worker.join()

    def _start(self, workers: list[BaseProcess]) -> Connection | None:
        """A worker's end of the line; None when the system has no room for one more."""
        import multiprocessing  # noqa: PLC0415 - most runs are short

        context: Any = multiprocessing.get_context("fork" if _FORKS else "spawn")
        ours: Connection
        ours, theirs = context.Pipe()
        forked = [ours, *self._busy] if _FORKS else []
        worker = context.Process(target=_work, args=(self._judge, theirs, forked), daemon=True)
        try:
            worker.start()
        except OSError:
            ours.close()
            return None
        finally:
            theirs.close()
        workers.append(worker)
        return ours

    def _give(self, connection: Connection) -> bool:
        """Give out the next portion, if there is one and the worker can take it."""
        portion = list(islice(self._targets, self._portion))
        if not portion:
            connection.close()
            return False
        self._busy[connection] = portion
        with suppress(OSError):  # that it is gone shows when its answer is due
            connection.send(portion)
        return True

    def _take(self, connection: Connection) -> Iterator[tuple[T, R | None]]:
        portion = self._busy.pop(connection)
        try:
            said: dict[int, R] | None = connection.recv()
        except (EOFError, OSError):
            said = None
            connection.close()
        else:
            self._give(connection)
        for index, target in enumerate(portion):
            yield target, self._judge(target) if said is None else said.get(index)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put an interrupt off while a worker starts.

    It would meet a hook of the fork or the end of a connection, which pass it over, or a worker
    that is not yet ready to do so.
    """
    import signal  # noqa: PLC0415 - most runs are short

    if not _FORKS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(judge: Callable[[T], R | None], connection: Connection, others: list[Connection]) -> None:
    """Answer each portion with what there is to say, by index; None when something went wrong."""
    import signal  # noqa: PLC0415 - most runs are short

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is interrupted, and ends its workers
    for other in others:
        other.close()  # else it would stay open when the run has gone, and so would this worker
    while True:
        try:
            portion = connection.recv()
        except (EOFError, OSError):
            return
        try:
            judged = ((index, judge(target)) for index, target in enumerate(portion))
            said = {index: each for index, each in judged if each is not None}
        except Exception:  # noqa: BLE001 - the run meets it again, and knows what to do
            said = None
        try:
            connection.send(said)
        except OSError:
            return  # the run has gone
