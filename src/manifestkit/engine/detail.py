"""Level of detail of findings."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """Level of detail of findings.

    Attributes:
        COUNTS: the rules, severities and pointers of violations.
        TALLY: the same, and their identities.
        FINDINGS: findings without identities, whose fixes have no edits.
        IDENTITIES: the same, and their identities.
        TEXT: the same, and the text of their file.
        EDITS: the same, and the edits of fixes.
    """

    COUNTS = 0
    TALLY = 1
    FINDINGS = 2
    IDENTITIES = 3
    TEXT = 4
    EDITS = 5

    @property
    def has_identities(self) -> bool:
        """Return whether what is found has identities."""
        return self not in (Detail.COUNTS, Detail.FINDINGS)
