"""Exit codes of the command."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Code with which a command exits."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    AUTHENTICATION = 3
    REJECTED = 4
    RATE_LIMITED = 5
    NOT_SENT = 6
    UNKNOWN = 7
    CRASH = 70
    INTERRUPTED = 130
    CLOSED_PIPE = 141
