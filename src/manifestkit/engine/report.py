"""What a run has to say: results in order, counts, verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from manifestkit.errors import UnreadableFileError
from manifestkit.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class FileResult:
    """What there is to say of one manifest.

    Attributes:
        path: the file, as it is named to the user.
        findings: in order of place; empty for a clean file.
        text: the file's text, kept for showing its findings; None for a clean file.
        skipped: why the file was not judged; None if it was.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of a run."""

    files: int
    errors: int
    warnings: int
    info: int
    suppressed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Report:
    """A run over any number of files.

    Attributes:
        results: one for each file that could be read, ordered by path.
        unreadable: the files that could not be read, ordered by path.
    """

    results: tuple[FileResult, ...]
    unreadable: tuple[UnreadableFileError, ...] = ()

    @classmethod
    def of(
        cls, results: Iterable[FileResult], unreadable: Iterable[UnreadableFileError] = ()
    ) -> Report:
        """A report with its parts put in order."""
        return cls(
            tuple(sorted(results, key=lambda result: result.path)),
            tuple(sorted(unreadable, key=lambda error: error.path)),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, ordered by file and place."""
        return tuple(finding for result in self.results for finding in result.findings)

    @property
    def summary(self) -> Summary:
        """The counts."""
        severities = [finding.severity for finding in self.findings]
        skipped = sum(result.skipped is not None for result in self.results)
        return Summary(
            files=len(self.results) - skipped,
            errors=severities.count(Severity.ERROR),
            warnings=severities.count(Severity.WARNING),
            info=severities.count(Severity.INFO),
            suppressed=0,
            skipped=skipped,
        )

    def reaches(self, threshold: Severity) -> bool:
        """Whether a finding weighs at least as much as the threshold."""
        return any(finding.severity.rank <= threshold.rank for finding in self.findings)
