"""Signals that end a command."""

from __future__ import annotations

import signal
from collections.abc import Callable

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def on_interrupt(call: Callable[[], None]) -> None:
    """Have Ctrl+C, and signals that ask a process to end, call a function from now on.

    What is ignored stays so, as after `nohup`.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: call())


def ignore_interrupts() -> None:
    """Let the process come to its own end, and exit with its own code.

    A handler would not do: as Python ends, it gives signals with handlers their default back.
    """
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
