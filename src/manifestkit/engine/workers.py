"""Worker processes of a run.

An item that a worker fails on is done again by the run itself, so that an error comes out as it
would without workers. When a worker dies, the items under way are done once more, one at a time: an
item that a second worker dies on is given up, and the others go on.
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
from functools import partial
from itertools import chain, islice
from multiprocessing import parent_process
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_ENDING = {signal.SIGTERM, signal.SIGHUP} if hasattr(signal, "SIGHUP") else set()
_PATIENCE = 10  # seconds: a busy disk takes a while for the file that a worker writes
_AHEAD = 2  # portions for each worker: it has the next one when it ends one


class WorkerPool(Generic[T, R]):
    """Workers of one run; others take their place when one of them dies."""

    def __init__(
        self,
        function: Callable[[T], R | None],
        given_up: Callable[[T, Exception], R],
        count: int,
        *,
        forks: bool,
    ) -> None:
        self._forks = forks
        self._function = function
        self._given_up = given_up
        self._count = count

    def map(self, items: Iterator[T], size: int) -> Generator[tuple[T, R | None]]:
        """Yield each item with its result; a worker takes `size` of them at once."""
        portions = iter(lambda: list(islice(items, size)), [])
        while lost := (yield from self._until_death(portions, self._count, _AHEAD)):
            singles = iter([[item] for portion, _ in lost for item in portion])
            # A worker that dies before its first item shows that no item is to blame.
            while died := (yield from self._until_death(chain([[]], singles), 1, 1)):
                for portion, error in died:
                    yield from ((item, self._given_up(item, error)) for item in portion)
                if not any(portion for portion, _ in died):
                    yield from ((item, self._function(item)) for (item,) in singles)

    def _until_death(
        self, portions: Iterator[list[T]], count: int, ahead: int
    ) -> Generator[tuple[T, R | None], None, list[tuple[list[T], Exception]]]:
        """Work with so many workers until there is no portion left, or one of them dies.

        Returns:
            The portions that were under way then, each with the error.
        """
        lost: list[tuple[list[T], Exception]] = []
        busy: dict[Future[dict[int, R]], list[T]] = {}
        with _pool(self._function, count, forks=self._forks) as give:
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
                    for index, item in enumerate(portion):
                        yield item, self._function(item) if results is None else results.get(index)
        return lost


@contextmanager
def _pool(
    function: Callable[[T], R | None], count: int, *, forks: bool
) -> Iterator[Callable[[list[T]], Future[dict[int, R]]]]:
    """Start so many workers, and give the function that sends them a portion; end them after."""
    others = set(multiprocessing.active_children())
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")

    def give(portion: list[T]) -> Future[dict[int, R]]:
        try:
            with _uninterrupted():  # the first portion starts the workers
                return pool.submit(_answer, portion)
        except (OSError, RuntimeError) as error:  # no room for more processes, or one has died
            return _refused(error)

    try:
        pool = ProcessPoolExecutor(count, context, _begin, (function,))
    except (OSError, RuntimeError) as error:  # no semaphores, as in AWS Lambda
        yield partial(_refused, error)
        return
    is_over = False
    try:
        yield give
        is_over = True
        pool.shutdown()
    finally:
        left = set(multiprocessing.active_children()) - others
        for worker in left:
            worker.terminate()
        for worker in left:
            worker.join(_PATIENCE)
            if worker.is_alive():  # it has not begun: a worker that writes ends soon after
                worker.kill()
        if not is_over:
            pool.shutdown(cancel_futures=True)
        for worker in left:
            worker.join()


def _refused(error: Exception, _: object = None) -> Future[Any]:
    """Return the future of a portion that no worker takes: the run does it itself."""
    refused: Future[Any] = Future()
    refused.set_exception(error)
    return refused


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back what ends a run while workers start; the threads of the pool never get it.

    An interrupt could meet a hook of the fork, which ignores it, or a worker that is not ready yet.
    What a thread takes ends the run whatever the main thread writes.
    """
    if sys.platform != "linux":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_ENDING})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_function: ContextVar[Callable[[Any], Any]] = ContextVar("function")


def _begin(function: Callable[[Any], Any]) -> None:
    """Make a new process a worker, which ends with the run however that ends.

    Only its main thread takes the signals that end it, once it has written its file.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run ends its workers when it is interrupted
    if _ENDING:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    with suppress(RuntimeError):  # no room for a thread: then it ends when it is told to
        threading.Thread(target=_end_with_run, daemon=True).start()
    if _ENDING:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    _function.set(function)


def _end_with_run() -> None:
    run = parent_process()
    if run is not None:
        run.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _answer(portion: list[Any]) -> dict[int, Any]:
    """Return the results of a portion by index, without those that are None."""
    results = ((index, _function.get()(item)) for index, item in enumerate(portion))
    return {index: each for index, each in results if each is not None}
