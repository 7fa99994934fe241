"""Level of detail of findings."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """Level of detail of findings.

    Attributes:
        TALLY: the rules, severities and pointers of violations.
        FINDINGS: findings, whose fixes have no edits.
        TEXT: the same, and the text of their file.
        EDITS: the same, and the edits of fixes.
    """

    TALLY = 0
    FINDINGS = 1
    TEXT = 2
    EDITS = 3
