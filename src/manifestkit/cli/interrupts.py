"""The signals that end a command."""

from __future__ import annotations

import signal
from collections.abc import Callable


def on_interrupt(call: Callable[[], None]) -> None:
    """Have Ctrl+C, and signals that ask a process to end, call a function from now on.

    What is ignored stays so, as after `nohup`.
    """
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: call())


def ignore_interrupts() -> None:
    """Let the process come to its own end, and exit with its own code.

    A handler would not do: as Python ends, it gives signals with handlers their default back.
    """
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


_ENDING = tuple(
    each for each in signal.Signals if each.name in ("SIGINT", "SIGTERM", "SIGHUP")
)  # no SIGHUP on Windows
