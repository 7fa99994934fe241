"""Worker processes that judge targets for a run.

What a worker cannot answer is judged by the run itself, so that an error comes out as it would have
without workers. When a worker dies, what was under way is judged once more, one target at a time: a
target that a second worker dies on is given up, and the others go on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import chain, islice
from multiprocessing import parent_process
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2  # portions for each worker: it has the next one when it ends one


class Crew(Generic[T, R]):
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
        """Each target with what there is to say of it; a worker takes `size` of them at once."""
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
    if sys.platform != "linux":
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run is interrupted, and ends its workers
    with suppress(RuntimeError):  # no room for a thread: then it ends when it is told to
        threading.Thread(target=_end_with_run, daemon=True).start()
    _judge.set(judge)


def _end_with_run() -> None:
    run = parent_process()
    if run is not None:
        run.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _answer(portion: list[Any]) -> dict[int, Any]:
    """What there is to say of each target of a portion, by index."""
    results = ((index, _judge.get()(target)) for index, target in enumerate(portion))
    return {index: each for index, each in results if each is not None}
