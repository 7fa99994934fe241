"""The report of a run: results in order, counts, verdict."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.model.document import is_yaml
from manifestkit.model.errors import CrashedFileError, FileProblem, UnreadableFileError
from manifestkit.model.finding import Finding, Severity

if TYPE_CHECKING:
    from manifestkit.model.change import Change
    from manifestkit.model.violation import Verdict

STDIN = "<stdin>"
"""The name of standard input in results."""


class Suppressed(NamedTuple):
    """A finding that is not shown.

    Attributes:
        finding: the suppressed finding.
        by: what suppressed it: ``configuration`` or ``baseline``.
        reason: why, if a reason was given.

    Example:
        >>> entry = 'suppress = [{ rule = "wrong-type", reason = "the old form" }]'
        >>> _ = Path("old.toml").write_text(entry)
        >>> text = MANIFEST.replace('"1.0"', "1.0", 1)
        >>> (hidden,) = manifestkit.lint(text, config="old.toml").suppressed
        >>> hidden.by, hidden.reason
        ('configuration', 'the old form')
    """

    finding: Finding
    by: str
    reason: str | None = None


class FileResult(NamedTuple):
    """The result of one file.

    Attributes:
        path: the name of the file in messages.
        findings: in the order of the text; empty for a clean file.
        text: the text of the file; None for a clean file, or where no output shows it.
        suppressed: suppressed findings.
        skipped: why the file was not checked; None if it was.
        is_manifest: False for a configuration file or a baseline with unused entries.
        fails: whether a finding is severe enough to fail the run.
        is_cut: whether a limit cut off findings.
        is_unread: whether only what keeps it from being read was reported.
        is_comparison: whether two manifests were compared.
        changes: the differences between the two manifests; None if none were compared.
        verdict: the violations, if these were requested in place of findings.
        rules: the rule and the severity of the findings that these would give.
        used: the suppressions and baseline entries that matched.
        crash: a bug in manifestkit that cost a finding its text; None if there was none.

    Example:
        >>> result = manifestkit.lint(MANIFEST, "manifest.json")
        >>> result.path, result.findings, result.fails
        ('manifest.json', (), False)
    """

    path: str
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    suppressed: tuple[Suppressed, ...] = ()
    skipped: str | None = None
    is_manifest: bool = True
    fails: bool = False
    is_cut: bool = False
    is_unread: bool = False
    is_comparison: bool = False
    changes: "tuple[Change, ...] | None" = None
    verdict: "Verdict | None" = None
    rules: tuple[tuple[str, Severity], ...] = ()
    used: tuple[tuple[str, int | str], ...] = ()
    crash: CrashedFileError | None = None

    @property
    def is_clean(self) -> bool:
        """Return whether the file has no findings."""
        return not (self.findings or self.suppressed or self.skipped or self.verdict)

    @property
    def can_be_fixed(self) -> bool:
        """Return whether fixes apply: no finding was left out, and YAML was read to its end."""
        lacks_fix = any(each.rule == "syntax-error" and not each.fixes for each in self.findings)
        # An error of YAML without a fix ends the reading, and may be the cause of those before it.
        return not (self.is_cut or (lacks_fix and is_yaml(self.path)))

    @property
    def rule_severities(self) -> tuple[tuple[str, Severity], ...]:
        """The rule and the severity of each finding, whether or not it has a text."""
        told = tuple((each.rule, each.severity) for each in self.findings)
        return self.rules if self.verdict else told


class Summary(NamedTuple):
    """The counts of a run.

    Attributes:
        files: manifests that were checked.
        errors: shown findings of the severity `error`.
        warnings: shown findings of the severity `warning`.
        info: shown findings of the severity `info`.
        suppressed: suppressed findings.
        skipped: files that were not checked.

    Example:
        >>> report = manifestkit.lint_paths("manifest.json")
        >>> report.summary.files, report.summary.errors
        (1, 0)
    """

    files: int
    errors: int
    warnings: int
    info: int
    suppressed: int
    skipped: int


class Report(NamedTuple):
    """A run over any number of files.

    Attributes:
        results: the results of the files that could be read, and of configuration files and
            baselines with unused entries, ordered by path.
        unreadable: the files that could not be read, ordered by path.
        crashed: the files on which this library failed, ordered by path. A file has a result as
            well if only the text of a finding is missing.

    Example:
        >>> report = manifestkit.lint_paths("manifest.json")
        >>> report.fails, report.findings
        (False, ())
    """

    results: tuple[FileResult, ...]
    unreadable: tuple[UnreadableFileError, ...] = ()
    crashed: tuple[CrashedFileError, ...] = ()

    @classmethod
    def of(cls, results: Iterable[FileResult], problems: Iterable[FileProblem] = ()) -> "Report":
        """Return a report with its parts put in order; problems are why files have no result."""
        ordered, failed = tuple(sorted(results, key=lambda result: result.path)), [*problems]
        unread = {each.path: each for each in failed if isinstance(each, UnreadableFileError)}
        crashes = {each.path: each for each in failed if isinstance(each, CrashedFileError)}
        crashes |= {each.crash.path: each.crash for each in ordered if each.crash}
        return cls(
            ordered,
            tuple(unread[path] for path in sorted(unread)),
            tuple(crashes[path] for path in sorted(crashes)),
        )

    def joined(
        self, results: Iterable[FileResult], problems: Iterable[FileProblem] = ()
    ) -> "Report":
        """Return this report with more to it."""
        return Report.of((*self.results, *results), (*self.errors, *problems))

    @property
    def errors(self) -> tuple[FileProblem, ...]:
        """The files without a result, ordered by path."""
        return tuple(sorted((*self.unreadable, *self.crashed), key=lambda error: error.path))

    @property
    def untold(self) -> tuple[FileProblem, ...]:
        """The errors that no finding, `not-compared`, tells."""
        told = {each.message for each in self.findings if each.rule == "not-compared"}
        return tuple(each for each in self.errors if str(each) not in told)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, ordered by file and place."""
        return tuple(finding for result in self.results for finding in result.findings)

    @property
    def rules(self) -> Counter[tuple[str, Severity]]:
        """The number of findings of each rule and severity."""
        return Counter(rule for each in self.results for rule in each.rule_severities)

    @property
    def is_comparison(self) -> bool:
        """Return whether it is about what changed."""
        return any(each.is_comparison for each in self.results)

    @property
    def summary(self) -> Summary:
        """The counts."""
        told = [each.rule_severities for each in self.results if each.findings or each.verdict]
        severities = Counter(severity for each in told for _, severity in each)
        manifests = [each.skipped is not None for each in self.results if each.is_manifest]
        return Summary(
            files=manifests.count(False),
            errors=severities[Severity.ERROR],
            warnings=severities[Severity.WARNING],
            info=severities[Severity.INFO],
            suppressed=sum(len((each.verdict or each).suppressed) for each in self.results),
            skipped=manifests.count(True),
        )

    @property
    def fails(self) -> bool:
        """Return whether a finding is severe enough to fail the run."""
        return any(each.fails for each in self.results)
