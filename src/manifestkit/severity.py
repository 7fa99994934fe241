"""How much what is found weighs."""

from __future__ import annotations

import enum


class Severity(enum.Enum):
    """How much a finding weighs."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for an error; the larger, the lighter."""
        return list(Severity).index(self)
