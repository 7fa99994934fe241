"""Leaving out of a run what is suppressed, and telling what suppressions have no use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path

from manifestkit.config.baseline import Baseline, is_judged, name_in_baseline
from manifestkit.config.configuration import ALWAYS, SuppressionUse
from manifestkit.config.suppression import Suppression, Suppressions
from manifestkit.files import absolute, nearby
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.location import Location
from manifestkit.model.report import BY_BASELINE, BY_CONFIGURATION, FileResult, Suppressed
from manifestkit.rules.catalogue import catalogue


class SuppressionFilter:
    """The suppressions and the baseline of one configuration, over one run.

    Args:
        suppressions: the entries of the configuration.
        texts: the files that they stand in.
        baseline: the baseline, if there is one.
        counts: whether lint looks for what a rule finds.
        use: what the suppressions of the run are used for.
    """

    def __init__(
        self,
        suppressions: tuple[Suppression, ...],
        texts: Mapping[Path, str],
        baseline: Baseline | None,
        counts: Callable[[str], bool],
        use: SuppressionUse,
    ) -> None:
        self._suppressions = suppressions
        self._texts = texts
        self._baseline = baseline
        self._counts = counts
        self._use = use
        self._today = date.today()  # noqa: DTZ011 - `expires` is a day where the user is
        self._seen_files: set[str] = set()
        self._used_entries: dict[str, set[str]] = {}

    def apply(self, result: FileResult, name: str | None) -> FileResult:
        """A result without what is suppressed.

        Args:
            result: all that was found.
            name: the path of the file; None for what came on standard input.
        """
        shown: list[Finding] = []
        all_suppressed: list[Suppressed] = []
        path = None if name is None else Path(name)
        live = Suppressions(
            (each, (index, each))
            for index, each in self._suppressions_for(path)
            if not each.expired(self._today)
        )
        known = name_in_baseline(result, self._baseline.folder) if self._baseline else result.path
        self._use.used.pop(result.path, None)
        self._used_entries.pop(known, None)
        if is_judged(result):
            self._seen_files.add(known)
        for finding in result.findings:
            suppressed = self._by_entry(finding, live) or self._by_baseline(finding, known)
            if suppressed and finding.rule not in ALWAYS:
                all_suppressed.append(suppressed)
            else:
                shown.append(finding)
        if not all_suppressed:
            return result
        return result._replace(
            findings=tuple(shown), suppressed=(*result.suppressed, *all_suppressed)
        )

    def leftovers(self, is_complete: Callable[[Path], bool]) -> Iterator[FileResult]:
        """One result for each file whose entries are expired or without use.

        Args:
            is_complete: whether the run judged every manifest in a folder and below: only then is
                it known that an entry is unused.
        """
        used = set().union(*self._use.used.values())
        for path, text in self._texts.items():
            complete = is_complete(absolute(path.parent))
            found = [
                finding
                for each in self._suppressions
                if each.source == nearby(path) and _place(each) not in self._use.reported
                if (finding := self._without_use(each, used, complete=complete))
            ]
            if found:
                yield FileResult(nearby(path), tuple(found), text, is_manifest=False)
        if self._baseline is not None:
            yield from self._baseline_leftovers(self._baseline)

    def _without_use(
        self, entry: Suppression, used: set[tuple[str, Location]], *, complete: bool
    ) -> Finding | None:
        place = _place(entry)
        if entry.expired(self._today):
            rule, why = "expired-suppression", f"it expired on {entry.expires}"
        elif place in used or not complete or not self._counts(entry.rule):
            return None
        else:
            does_apply = place in self._use.applicable
            rule = "unused-suppression"
            why = "it suppresses nothing" if does_apply else "no manifest matches its `path`"
        self._use.reported.add(place)
        return _about(entry, rule, why)

    def _suppressions_for(self, path: Path | None) -> list[tuple[int, Suppression]]:
        matching = [
            (index, each)
            for index, each in enumerate(self._suppressions)
            if each.files is None or (path is not None and each.files.covers(path))
        ]
        self._use.applicable.update(_place(each) for _, each in matching)
        return matching

    def _by_entry(
        self, finding: Finding, live: Suppressions[tuple[int, Suppression]]
    ) -> Suppressed | None:
        found = dict(live.applying_to(finding))
        if not found:
            return None
        used = self._use.used.setdefault(finding.path, set())
        used.update(_place(each) for each in found.values())
        return Suppressed(finding, BY_CONFIGURATION, found[min(found)].reason)

    def _by_baseline(self, finding: Finding, known: str) -> Suppressed | None:
        fingerprint = finding.identity.fingerprint if finding.identity else ""
        if self._baseline is None or not self._baseline.has(known, fingerprint):
            return None
        self._used_entries.setdefault(known, set()).add(fingerprint)
        return Suppressed(finding, BY_BASELINE)

    def _baseline_leftovers(self, baseline: Baseline) -> Iterator[FileResult]:
        document = baseline.document
        rule = catalogue()["unused-suppression"]
        findings = []
        for (path, fingerprint), index in baseline.entries.items():
            entry = baseline.entry(index)
            is_seen = path in self._seen_files and self._counts(entry.rule)
            if is_seen and fingerprint not in self._used_entries.get(path, ()):
                message = f"`{entry.rule}` at `{entry.pointer}` in {entry.path} is fixed"
                help_text = "remove the entry, or write the file again with `--write-baseline`"
                findings.append(rule.finding(document, ("entries", index), message, help=help_text))
        if findings:
            yield FileResult(document.name, tuple(findings), document.text, is_manifest=False)


def _place(entry: Suppression) -> tuple[str, Location]:
    """What tells an entry from every other of a run."""
    return entry.source, entry.location


def _about(entry: Suppression, rule_id: str, why: str) -> Finding:
    rule = catalogue()[rule_id]
    return Finding(
        path=entry.source,
        rule=rule_id,
        severity=rule.severity or Severity.WARNING,
        message=f"the suppression of `{entry.rule}` has no effect: {why}",
        pointer=entry.pointer or "",
        location=entry.location,
        help=rule.help,
        clause=rule.clause,
        url=rule.page,
    )
