"""How much is said of what is wrong."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """How much is said of what is wrong.

    Attributes:
        TALLY: the rules, severities and pointers of violations.
        TEXT: findings, whose fixes have no edits.
        EDITS: findings with all that there is to say.
    """

    TALLY = 0
    TEXT = 1
    EDITS = 2
