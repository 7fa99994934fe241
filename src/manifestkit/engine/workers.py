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
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import partial
from itertools import islice
from multiprocessing import parent_process
from typing import Any

from manifestkit.files import holding
from manifestkit.model.errors import CrashedFileError

_ENDING = {signal.SIGTERM, signal.SIGHUP} if hasattr(signal, "SIGHUP") else set()
_PATIENCE = 10  # seconds: a busy disk takes a while for the file that a worker writes
_AHEAD = 4  # portions for each worker: the others go on while one takes long


def map_in_workers(
    function: Callable[[Any], Any], items: Iterator[Any], size: int, count: int, *, forks: bool
) -> Generator[tuple[Any, Any]]:
    """Yield each item with its result, in their order; a worker takes `size` of them at once."""
    portions = iter(lambda: list(islice(items, size)), [])
    while lost := (yield from _until_death(function, portions, count, _AHEAD, forks=forks)):
        singles = ([item] for portion, _ in lost for item in portion)
        while died := (yield from _until_death(function, singles, 1, 1, forks=forks)):
            for (item,), error in died:
                yield item, CrashedFileError.of_dead_process(item.name, error)


def _until_death(
    function: Callable[[Any], Any],
    portions: Iterator[list[Any]],
    count: int,
    ahead: int,
    *,
    forks: bool,
) -> Generator[tuple[Any, Any], None, list[tuple[list[Any], BrokenProcessPool]]]:
    """Work with so many workers until there is no portion left, or one of them dies.

    Returns:
        The portions that were under way then, each with the error.
    """
    with _pool(function, count, forks=forks) as give:
        under_way = deque((portion, give(portion)) for portion in islice(portions, count * ahead))
        while under_way:
            items, answer = under_way[0]
            error = answer.exception()  # once it is there
            if isinstance(error, BrokenProcessPool):
                return [(portion, error) for portion, _ in under_way]
            under_way.popleft()
            under_way.extend((portion, give(portion)) for portion in islice(portions, 1))
            if error:
                yield from ((item, function(item)) for item in items)
            else:
                results = answer.result()
                yield from ((item, results.get(index)) for index, item in enumerate(items))
    return []


@contextmanager
def _pool(
    function: Callable[[Any], Any], count: int, *, forks: bool
) -> Iterator[Callable[[list[Any]], Future[dict[int, Any]]]]:
    """Start so many workers, and give the function that sends them a portion; end them after."""
    others = set(multiprocessing.active_children())
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")

    def give(portion: list[Any]) -> Future[dict[int, Any]]:
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


def _uninterrupted() -> AbstractContextManager[None]:
    """Hold back what ends a run while workers start; the threads of the pool never get it.

    An interrupt could meet a hook of the fork, which ignores it, or a worker that is not ready yet.
    What a thread takes ends the run whatever the main thread writes.
    """
    names = (each.name for each in (signal.SIGINT, *_ENDING))
    return holding(*names) if sys.platform == "linux" else nullcontext()


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
