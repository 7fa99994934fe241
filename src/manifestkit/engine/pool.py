"""Judging many files on every processor.

A run begins alone: most are over before a second process would have started. Where much is left,
the rest goes in portions to a pool of worker processes. What a worker cannot answer is judged here
instead, so that an error comes out as it would have without it. When a worker dies, what was under
way is judged once more, one target at a time: a target that a second worker dies on is given up,
and the others go on.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")

_ALONE = 0.05  # seconds: about what it takes to start workers
_PORTIONS = 4  # in which the work of that time would have been given out
_AHEAD = 2  # portions for each worker: it has the next one when it ends one
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
    portion = max(1, done // _PORTIONS)
    processors = workers or min(_processors(), _MOST_WORKERS)
    ahead = list(islice(left, portion * processors))
    rest = chain(ahead, left)
    if processors == 1 or len(ahead) < portion * processors:
        yield from ((target, judge(target)) for target in rest)
    else:
        yield from _Crew(judge, given_up, processors, forks=forks).judged(rest, portion)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Crew(Generic[T, R]):
    """The workers of one run; others take their place when one of them dies."""

    def __init__(
        self,
        judge: Callable[[T], R | None],
        given_up: Callable[[T, Exception], R],
        count: int,
        *,
        forks: bool,
    ) -> None:
        self._forks = forks
        self._judge = judge
        self._given_up = given_up
        self._count = count

    def judged(self, targets: Iterator[T], size: int) -> Generator[tuple[T, R | None]]:
        """What `judged` of this module says, by workers that take so many targets at once."""
        portions = iter(lambda: list(islice(targets, size)), [])
        while lost := (yield from self._until_death(portions, self._count, _AHEAD)):
            singles = iter([[target] for portion, _ in lost for target in portion])
            # A worker that has nothing to do yet shows that it is a target which others die on.
            while died := (yield from self._until_death(chain([[]], singles), 1, 1)):
                for portion, error in died:
                    yield from ((target, self._given_up(target, error)) for target in portion)
                if not any(portion for portion, _ in died):
                    yield from ((target, self._judge(target)) for (target,) in singles)

    def _until_death(
        self, portions: Iterator[list[T]], count: int, ahead: int
    ) -> Generator[tuple[T, R | None], None, list[tuple[list[T], Exception]]]:
        """Judge by so many workers until there is no portion left, or one of them dies.

        Returns:
            The portions that were under way then, each with the error.
        """
        from concurrent.futures import FIRST_COMPLETED, wait  # noqa: PLC0415 - most runs are short
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - likewise

        lost: list[tuple[list[T], Exception]] = []
        busy: dict[Future[dict[int, R]], list[T]] = {}
        with _pool(self._judge, count, forks=self._forks) as give:
            for portion in islice(portions, count * ahead):
                busy[give(portion)] = portion
            while busy:
                for future in wait(busy, return_when=FIRST_COMPLETED).done:
                    portion = busy.pop(future)
                    error = future.exception()
                    if isinstance(error, BrokenProcessPool):
                        lost.append((portion, error))
                        continue
                    for following in islice(portions, 0 if lost else 1):
                        busy[give(following)] = following
                    results = None if error else future.result()
                    for index, target in enumerate(portion):
                        yield target, self._judge(target) if results is None else results.get(index)
        return lost


@contextmanager
def _pool(
    judge: Callable[[T], R | None], count: int, *, forks: bool
) -> Iterator[Callable[[list[T]], Future[dict[int, R]]]]:
    """What gives portions to so many workers; they have ended when the context is left."""
    import multiprocessing  # noqa: PLC0415 - most runs are short
    from concurrent.futures import Future, ProcessPoolExecutor  # noqa: PLC0415 - likewise

    others = set(multiprocessing.active_children())
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")

    def give(portion: list[T]) -> Future[dict[int, R]]:
        try:
            with _uninterrupted():  # the first portion starts the workers
                return pool.submit(_answer, portion)
        except (OSError, RuntimeError) as error:  # no room for more processes, or one has died
            refused: Future[dict[int, R]] = Future()
            refused.set_exception(error)
            return refused

    pool = ProcessPoolExecutor(count, context, _begin, (judge,))
    is_over = False
    try:
        yield give
        is_over = True
        pool.shutdown()
    finally:
        left = set(multiprocessing.active_children()) - others
        for worker in left:
            worker.terminate()
        if not is_over:
            pool.shutdown(cancel_futures=True)
        for worker in left:
            worker.join()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put an interrupt off while workers start; they are never told of it, nor are their threads.

    It would meet a hook of the fork, which passes it over, or a worker that is not yet ready.
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


_judge: ContextVar[Callable[[Any], Any]] = ContextVar("judge")


def _begin(judge: Callable[[Any], Any]) -> None:
    """Make a new process a worker, which ends with the run whatever becomes of that."""
    import signal  # noqa: PLC0415 - most runs are short
    import threading  # noqa: PLC0415 - likewise

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is interrupted, and ends its workers
    with suppress(RuntimeError):  # no room for a thread: then it ends when it is told to
        threading.Thread(target=_end_with_run, daemon=True).start()
    _judge.set(judge)


def _end_with_run() -> None:
    import signal  # noqa: PLC0415 - most runs are short
    from multiprocessing import parent_process  # noqa: PLC0415 - likewise

    run = parent_process()
    if run is not None:
        run.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _answer(portion: list[Any]) -> dict[int, Any]:
    """What there is to say of each target of a portion, by index."""
    results = ((index, _judge.get()(target)) for index, target in enumerate(portion))
    return {index: each for index, each in results if each is not None}
