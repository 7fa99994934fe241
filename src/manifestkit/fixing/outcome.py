"""The outcome of fixing the findings of a file."""

from __future__ import annotations

from dataclasses import dataclass

from manifestkit.engine import FileResult
from manifestkit.model.finding import Finding


@dataclass(frozen=True, slots=True)
class RefusedFix:
    """A finding that has a fix which was not applied, and why.

    Example:
        >>> manifestkit.fix('{"schema_version": "1.0",}').refused
        ()
    """

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """The outcome for a file.

    Attributes:
        data: its content; the same object as before when nothing was fixed.
        result: the remaining findings.
        fixed: the findings whose fixes were applied.
        refused: remaining findings whose fixes could not be.

    Example:
        >>> fixed = manifestkit.fix(MANIFEST.replace('"1.0"', "1.0", 1))
        >>> fixed.data == MANIFEST.encode(), len(fixed.fixed)
        (True, 1)
    """

    data: bytes
    result: FileResult
    fixed: tuple[Finding, ...] = ()
    refused: tuple[RefusedFix, ...] = ()
