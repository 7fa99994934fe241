"""Leaving out of a run what is suppressed, and telling what suppressions have no use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path

from manifestkit.config.baseline import Baseline, name_in_baseline
from manifestkit.config.configuration import ALWAYS
from manifestkit.config.suppression import Suppression, Suppressions
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.report import BY_BASELINE, BY_CONFIGURATION, FileResult, Suppressed
from manifestkit.rules.catalogue import catalogue


class SuppressionFilter:
    """The suppressions and the baseline of one configuration, over one run.

    Args:
        suppressions: the entries of the configuration.
        source_text: its text.
        baseline: the baseline, if there is one.
        lasting: the rules whose entries may be without use.
    """

    def __init__(
        self,
        suppressions: tuple[Suppression, ...],
        source_text: str,
        baseline: Baseline | None,
        lasting: Collection[str],
    ) -> None:
        self._suppressions = suppressions
        self._source_text = source_text
        self._baseline = baseline
        self._lasting = lasting
        self._today = date.today()  # noqa: DTZ011 - `expires` is a day where the user is
        self._applicable: set[int] = set()
        self._used: set[int] = set()
        self._seen_files: set[str] = set()
        self._used_entries: set[tuple[str, str]] = set()

    def apply(self, result: FileResult, name: str | None) -> FileResult:
        """A result without what is suppressed.

        Args:
            result: all that was found.
            name: the path of the file; None for what came on standard input.
        """
        shown: list[Finding] = []
        hidden: list[Suppressed] = []
        path = None if name is None else Path(name)
        live = Suppressions(
            (each, (index, each))
            for index, each in self._suppressions_for(path)
            if not each.expired(self._today)
        )
        known = name_in_baseline(result, self._baseline.folder) if self._baseline else result.path
        self._seen_files.add(known)
        for finding in result.findings:
            suppressed = self._by_entry(finding, live) or self._by_baseline(finding, known)
            if suppressed and finding.rule not in ALWAYS:
                hidden.append(suppressed)
            else:
                shown.append(finding)
        if not hidden:
            return result
        return result._replace(findings=tuple(shown), suppressed=(*result.suppressed, *hidden))

    def leftovers(self, *, partial: bool = False) -> Iterator[FileResult]:
        """One result for each file whose entries are expired or without use.

        Args:
            partial: whether the run may have left out files that an entry speaks of, as a hook
                does that is given the changed files only: then use cannot be told.
        """
        entries = [
            _without_use("expired-suppression", each, f"it expired on {each.expires}")
            if each.expired(self._today)
            else _without_use("unused-suppression", each, "it silences nothing")
            for index, each in enumerate(self._suppressions)
            if each.expired(self._today)
            or (
                index in self._applicable - self._used
                and each.rule not in self._lasting
                and not partial
            )
        ]
        if entries:
            yield FileResult(entries[0].path, tuple(entries), self._source_text, is_manifest=False)
        if self._baseline is not None:
            yield from self._baseline_leftovers(self._baseline)

    def _suppressions_for(self, path: Path | None) -> list[tuple[int, Suppression]]:
        speaking = [
            (index, each)
            for index, each in enumerate(self._suppressions)
            if each.files is None or (path is not None and each.files.excludes(path))
        ]
        self._applicable.update(index for index, _ in speaking)
        return speaking

    def _by_entry(
        self, finding: Finding, live: Suppressions[tuple[int, Suppression]]
    ) -> Suppressed | None:
        found = dict(live.applying_to(finding))
        self._used.update(found)
        if not found:
            return None
        return Suppressed(finding, BY_CONFIGURATION, found[min(found)].reason)

    def _by_baseline(self, finding: Finding, known: str) -> Suppressed | None:
        mark = (known, finding.identity.fingerprint if finding.identity else "")
        if self._baseline is None or not self._baseline.has(*mark):
            return None
        self._used_entries.add(mark)
        return Suppressed(finding, BY_BASELINE)

    def _baseline_leftovers(self, baseline: Baseline) -> Iterator[FileResult]:
        document = baseline.document
        rule = catalogue()["unused-suppression"]
        findings = []
        for mark, index in baseline.entries.items():
            if mark[0] in self._seen_files and mark not in self._used_entries:
                entry = baseline.entry(index)
                message = f"`{entry.rule}` at `{entry.pointer}` in {entry.path} is fixed"
                findings.append(rule.finding(document, ("entries", index), message))
        if findings:
            yield FileResult(document.name, tuple(findings), document.text, is_manifest=False)


def _without_use(rule_id: str, entry: Suppression, why: str) -> Finding:
    rule = catalogue()[rule_id]
    return Finding(
        path=entry.source,
        rule=rule_id,
        severity=rule.severity or Severity.WARNING,
        message=f"the suppression of `{entry.rule}` is without effect: {why}",
        pointer=entry.pointer or "",
        location=entry.location,
        help=rule.help,
        clause=rule.clause,
        url=rule.page,
    )
