"""Signals that end a command."""

from __future__ import annotations

import signal
from collections.abc import Callable

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def on_interrupt(call: Callable[[], None]) -> None:
    """Have Ctrl+C, and signals that ask a process to end, call a function from now on.

    What is ignored stays so, as after `nohup`.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: call())
