"""The report of a run: results in order, counts, verdict."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.model.document import YAML_SUFFIXES
from manifestkit.model.errors import CrashedFileError, UnreadableFileError
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


class FileSummary(NamedTuple):
    """The facts about one file that count, whatever is shown of it.

    Attributes:
        rules: the rule and the severity of each finding, described or not.
        fails: whether a finding is severe enough to fail the run.
        suppressed: suppressed findings.
        used: the suppressions and baseline entries that matched.
        safe: findings with a safe fix.
        unsafe: findings with unsafe fixes only.
        is_cut: whether a limit cut off findings.
        is_skipped: whether the file was not checked.
        is_manifest: False for a configuration file or a baseline with unused entries.
        is_comparison: whether two manifests were compared.
    """

    rules: tuple[tuple[str, Severity], ...]
    fails: bool
    suppressed: int
    used: frozenset[tuple[str, int | str]]
    safe: int
    unsafe: int
    is_cut: bool
    is_skipped: bool
    is_manifest: bool
    is_comparison: bool

    @property
    def is_clean(self) -> bool:
        """Return whether the file has no findings."""
        return not (self.rules or self.suppressed or self.is_skipped)


class FileResult(NamedTuple):
    """The result of one file.

    Attributes:
        path: the name of the file in messages.
        findings: in the order of the text; empty for a clean file.
        text: the text of the file; None for a clean file.
        suppressed: suppressed findings.
        skipped: why the file was not checked; None if it was.
        is_manifest: False for a configuration file or a baseline with unused entries.
        fails: whether a finding is severe enough to fail the run.
        is_cut: whether a limit cut off findings.
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
    is_comparison: bool = False
    changes: "tuple[Change, ...] | None" = None
    verdict: "Verdict | None" = None
    rules: tuple[tuple[str, Severity], ...] = ()
    used: frozenset[tuple[str, int | str]] = frozenset()
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
        return not (self.is_cut or (lacks_fix and self.path.lower().endswith(YAML_SUFFIXES)))

    @property
    def summary(self) -> FileSummary:
        """The facts that count."""
        told = tuple((each.rule, each.severity) for each in self.findings)
        offered = [each.safeties() for each in self.findings if each.fixes]
        if offered and not self.can_be_fixed:
            offered = []
        return FileSummary(
            self.rules if self.verdict else told,
            self.fails,
            len(self.verdict.suppressed if self.verdict else self.suppressed),
            self.used,
            sum("safe" in each for each in offered),
            sum("safe" not in each for each in offered),
            self.is_cut,
            self.skipped is not None,
            self.is_manifest,
            self.is_comparison,
        )


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


class SummarizedResults(Sequence[FileResult]):
    """Results that are read when somebody looks at them.

    Attributes:
        summaries: the facts about each that count, known without reading it.
    """

    summaries: Sequence[FileSummary]


class Report(NamedTuple):
    """A run over any number of files.

    Attributes:
        results: the results of the files that could be read, and of configuration files and
            baselines with unused entries, ordered by path.
        unreadable: the files that could not be read, ordered by path.
        clean: the number of clean files whose results were not kept.
        crashed: the files on which this library failed, ordered by path. A file has a result as
            well if only the text of a finding is missing.

    Example:
        >>> report = manifestkit.lint_paths("manifest.json")
        >>> report.fails, report.findings
        (False, ())
    """

    results: Sequence[FileResult]
    unreadable: tuple[UnreadableFileError, ...] = ()
    clean: int = 0
    crashed: tuple[CrashedFileError, ...] = ()

    @classmethod
    def of(
        cls,
        results: Iterable[FileResult],
        unreadable: Iterable[UnreadableFileError] = (),
        clean: int = 0,
        crashed: Iterable[CrashedFileError] = (),
    ) -> "Report":
        """Return a report with its parts put in order."""
        ordered = tuple(sorted(results, key=lambda result: result.path))
        crashes = {each.path: each for each in crashed}
        crashes |= {each.crash.path: each.crash for each in ordered if each.crash}
        return cls(
            ordered,
            tuple(sorted(unreadable, key=lambda error: error.path)),
            clean,
            tuple(crashes[path] for path in sorted(crashes)),
        )

    def joined(
        self,
        results: Iterable[FileResult],
        unreadable: Iterable[UnreadableFileError] = (),
        crashed: Iterable[CrashedFileError] = (),
    ) -> "Report":
        """Return this report with more to it."""
        more = tuple(results)
        joined = Report.of(
            (*self.results, *more) if more else (),
            (*self.unreadable, *unreadable),
            self.clean,
            (*self.crashed, *crashed),
        )
        return joined if more else joined._replace(results=self.results)

    @property
    def errors(self) -> tuple[CrashedFileError | UnreadableFileError, ...]:
        """The files without a result, ordered by path."""
        return tuple(sorted((*self.unreadable, *self.crashed), key=lambda error: error.path))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, ordered by file and place."""
        return tuple(self.each_finding())

    def each_finding(self) -> Iterator[Finding]:
        """Yield the findings in the same order, without holding them all."""
        return (finding for result in self.results for finding in result.findings)

    @property
    def summaries(self) -> Sequence[FileSummary]:
        """The facts about each of the results that count."""
        if isinstance(self.results, SummarizedResults):
            return self.results.summaries
        return [each.summary for each in self.results]

    @property
    def rules(self) -> Counter[tuple[str, Severity]]:
        """The number of findings of each rule and severity."""
        return Counter(rule for each in self.summaries for rule in each.rules)

    @property
    def is_comparison(self) -> bool:
        """Return whether it is about what changed."""
        return any(each.is_comparison for each in self.summaries)

    @property
    def summary(self) -> Summary:
        """The counts."""
        summaries = self.summaries
        severities = Counter(severity for each in summaries for _, severity in each.rules)
        manifests = [each.is_skipped for each in summaries if each.is_manifest]
        return Summary(
            files=manifests.count(False) + self.clean,
            errors=severities[Severity.ERROR],
            warnings=severities[Severity.WARNING],
            info=severities[Severity.INFO],
            suppressed=sum(each.suppressed for each in summaries),
            skipped=manifests.count(True),
        )

    @property
    def fails(self) -> bool:
        """Return whether a finding is severe enough to fail the run."""
        return any(each.fails for each in self.summaries)
