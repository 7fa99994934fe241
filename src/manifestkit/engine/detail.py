"""Level of detail of findings."""

from __future__ import annotations

import enum


class Detail(enum.IntEnum):
    """Level of detail of findings.

    Attributes:
        TALLY: the rules, severities, pointers and identities of violations.
        FINDINGS: findings without identities, whose fixes have no edits.
        IDENTITIES: the same, and their identities.
        TEXT: the same, and the text of their file.
        EDITS: the same, and the edits of fixes.
    """

    TALLY = 0
    FINDINGS = 1
    IDENTITIES = 2
    TEXT = 3
    EDITS = 4

    @property
    def has_identities(self) -> bool:
        """Return whether what is found has identities."""
        return self is not Detail.FINDINGS
