"""How much of a violation is described."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """How much of a violation is described.

    Attributes:
        TALLY: the rules, severities and pointers of violations.
        TEXT: findings, whose fixes have no edits.
        EDITS: findings whose fixes have edits.
    """

    TALLY = 0
    TEXT = 1
    EDITS = 2
