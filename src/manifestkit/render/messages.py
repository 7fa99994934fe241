"""Findings, and files that cannot be read, in the words that several formats share."""

from __future__ import annotations

from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Finding
from manifestkit.render.escape import visible

UNREADABLE = "unreadable-file"
"""What stands for the rule where a file could not be read."""


CRASHED = "crash"
"""The same where this toolkit failed at it."""

FileProblem = CrashedFileError | UnreadableFileError
"""Why there is no result of a file."""


def rule_of(problem: FileProblem) -> str:
    """What stands for the rule where there is no result of a file."""
    return CRASHED if isinstance(problem, CrashedFileError) else UNREADABLE


def why_no_result(problem: FileProblem) -> str:
    """Why there are no findings of a file, as a sentence."""
    if isinstance(problem, CrashedFileError):
        return f"the file cannot be checked: {problem.reason}"
    return f"the file cannot be read: {problem.reason}"


def said_in_one_line(finding: Finding) -> str:
    """What is wrong, and what to do about it, for a field that readers show in one line."""
    return "; ".join(filter(None, (finding.message, finding.help)))


def said_in_lines(finding: Finding) -> str:
    """The same on a line each, safe to show."""
    return "\n".join(visible(each) for each in (finding.message, finding.help) if each)
