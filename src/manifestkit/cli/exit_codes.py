"""Exit codes of the command."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manifestkit.model.report import Report


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

    @classmethod
    def of(cls, report: Report, *, is_complete: bool = True, exit_zero: bool = False) -> ExitCode:
        """Return that of a run: by files without a result and outputs, then by findings."""
        if report.crashed:
            return cls.CRASH
        if report.unreadable or not is_complete:
            return cls.USAGE
        return cls.FINDINGS if report.fails and not exit_zero else cls.CLEAN

    @classmethod
    def of_outcome(cls, kind: str) -> ExitCode:
        """Return that of a command that talks to the publishing service."""
        others = {"accepted": cls.CLEAN, "dry-run": cls.CLEAN, "refused": cls.FINDINGS}
        return others[kind] if kind in others else cls[kind.upper().replace("-", "_")]
