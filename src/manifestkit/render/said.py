"""Findings, and files that cannot be read, in the words that several formats share."""

from __future__ import annotations

from manifestkit.errors import UnreadableFileError
from manifestkit.finding import Finding
from manifestkit.render.escape import visible

UNREADABLE = "unreadable-file"
"""What stands for the rule where a file could not be read."""


def why_unreadable(problem: UnreadableFileError) -> str:
    """Why there are no findings of a file."""
    return f"the file cannot be read: {problem.reason}"


def said_in_one_line(finding: Finding) -> str:
    """What is wrong, and what to do about it, for a field that readers show in one line."""
    return "; ".join(filter(None, (finding.message, finding.help)))


def said_in_lines(finding: Finding) -> str:
    """The same on a line each, safe to show."""
    return "\n".join(visible(each) for each in (finding.message, finding.help) if each)
