"""A finding in words for a field that readers show in one line."""

from __future__ import annotations

from manifestkit.finding import Finding


def said_in_one_line(finding: Finding) -> str:
    """What is wrong, and what to do about it."""
    return "; ".join(filter(None, (finding.message, finding.help)))
