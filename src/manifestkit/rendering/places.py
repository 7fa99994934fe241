"""Parts of findings that several machine formats share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from manifestkit.engine.beside import START
from manifestkit.files import relative_name
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.report import Report

FileProblem = CrashedFileError | UnreadableFileError
"""Why there is no result of a file."""


def from_root(path: str) -> str:
    """Return a file as seen from the working folder, which in a build is the repository's root.

    Platforms match it with a changed file's name; an absolute name they cannot match.
    """
    return relative_name(Path(path)) if Path(path).is_absolute() else path


def fingerprint(finding: Finding) -> str:
    """Return the finding's own, or one for what has none: an entry of the configuration, say."""
    if finding.identity is not None:
        return finding.identity.fingerprint
    return digest(finding.rule, finding.pointer, finding.message)


def digest(*parts: str) -> str:
    """Return a short digest of texts."""
    from hashlib import sha256  # noqa: PLC0415 - most formats have no fingerprints

    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def untold(report: Report) -> list[FileProblem]:
    """Return the files without a result that no finding is about.

    A comparison that could not be made has the finding `not-compared`, which says why.
    """
    if not report.errors:
        return []
    told = {each.message for each in report.each_finding() if each.rule == "not-compared"}
    return [each for each in report.errors if str(each) not in told]


def rule_of(problem: FileProblem) -> str:
    """Return what stands for the rule of a file without a result."""
    return "crash" if isinstance(problem, CrashedFileError) else "unreadable-file"


def why_no_result(problem: FileProblem) -> str:
    """Return why there are no findings of a file, as a sentence."""
    return f"not checked: {problem.reason}"


def finding_about(problem: FileProblem) -> Finding:
    """Return a finding that says why a file has no result, for formats that have only findings."""
    return Finding(
        problem.path, rule_of(problem), Severity.ERROR, why_no_result(problem), "", START
    )


def in_one_line(finding: Finding) -> str:
    """Return message and help for a field that readers show in one line."""
    return "; ".join(filter(None, (finding.message, finding.help)))


def elsewhere(finding: Finding) -> Iterator[str]:
    """Yield what belongs to a finding in other files, each behind its place."""
    for each in finding.related:
        if each.path is not None:
            yield f"{each.path}:{each.location.line}:{each.location.column} {each.message}"
