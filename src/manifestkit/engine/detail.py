"""Level of detail of findings."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """Level of detail of findings.

    Attributes:
        TALLY: the rules, severities and pointers of violations.
        TEXT: findings, whose fixes have no edits.
        EDITS: findings whose fixes have edits.
    """

    TALLY = 0
    TEXT = 1
    EDITS = 2
