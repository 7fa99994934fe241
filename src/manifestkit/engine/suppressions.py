"""Unused suppressions and baseline entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from manifestkit.config.policy import Policy
from manifestkit.config.suppression import Suppression
from manifestkit.files import absolute, relative_name
from manifestkit.model.finding import Finding
from manifestkit.model.location import Location
from manifestkit.model.pointer import format_pointer
from manifestkit.model.report import STDIN, FileResult
from manifestkit.rules.catalogue import catalogue

_UNUSED, _EXPIRED = "unused-suppression", "expired-suppression"


class SuppressionUse:
    """Suppressions used in one run; configurations that extend a file share its entries."""

    def __init__(self) -> None:
        self._applicable: set[tuple[str, Location]] = set()
        self._used: dict[str, frozenset[tuple[str, Location | str]]] = {}
        self._linted: dict[Path | None, set[str]] = {}
        self._reported: set[tuple[str, Location]] = set()

    def note(self, result: FileResult, policy: Policy) -> None:
        """Record what a file used; a later result of the file replaces it."""
        file = None if result.path == STDIN else Path(result.path)
        self._applicable.update(
            each.place for each in policy.configuration.suppressions if each.covers(file)
        )
        self._used[result.path] = result.used
        if policy.baseline is not None:
            from manifestkit.config.baseline import is_judged  # noqa: PLC0415 - most have none

            if is_judged(result):
                linted = self._linted.setdefault(policy.configuration.source, set())
                linted.add(policy.baseline.name_of(result.path))

    def unused(self, policy: Policy, is_complete: Callable[[Path], bool]) -> Iterator[FileResult]:
        """Yield a result for each file with entries that are expired or unused.

        Args:
            policy: the policy.
            is_complete: returns whether the run linted every manifest in a folder and below: only
                then is an entry known to be unused.
        """
        used = set().union(*self._used.values())
        configured = policy.configuration
        for path, text in configured.texts.items():
            complete = is_complete(absolute(path.parent))
            found = [
                finding
                for each in configured.suppressions
                if each.source == relative_name(path) and each.place not in self._reported
                if (finding := self._unused(each, policy, used, complete=complete))
            ]
            if found:
                yield _result(relative_name(path), found, text, policy)
        if policy.baseline is not None:
            yield from self._unused_entries(policy, used)

    def _unused(
        self,
        entry: Suppression,
        policy: Policy,
        used: set[tuple[str, Location | str]],
        *,
        complete: bool,
    ) -> Finding | None:
        if entry.expired(policy.today):
            rule, why = _EXPIRED, f"it expired on {entry.expires}"
        elif entry.place in used or not complete or not policy.counts(entry.rule):
            return None
        else:
            does_apply = entry.place in self._applicable
            rule = _UNUSED
            why = "it suppresses nothing" if does_apply else "no manifest matches its `path`"
        self._reported.add(entry.place)
        message = f"the suppression of `{entry.rule}` has no effect: {why}"
        return _finding(rule, policy, entry.source, message, entry.pointer or "", entry.location)

    def _unused_entries(
        self, policy: Policy, used: set[tuple[str, Location | str]]
    ) -> Iterator[FileResult]:
        baseline = policy.baseline
        assert baseline is not None  # noqa: S101 - asked of policies with one
        linted = self._linted.get(policy.configuration.source, set())
        findings = []
        for place, index in baseline.entries.items():
            entry = baseline.entry(index)
            if entry.path in linted and policy.counts(entry.rule) and place not in used:
                message = f"`{entry.rule}` at `{entry.pointer}` in {entry.path} is fixed"
                help_text = "remove the entry, or write the file again with `--write-baseline`"
                at = ("entries", index)
                location = baseline.document.locate(at)
                pointer = format_pointer(at)
                findings.append(
                    _finding(_UNUSED, policy, baseline.name, message, pointer, location, help_text)
                )
        if found := list(filter(None, findings)):
            yield _result(baseline.name, found, baseline.document.text, policy)


def _finding(
    rule_id: str,
    policy: Policy,
    file: str,
    message: str,
    pointer: str,
    location: Location,
    help_text: str | None = None,
) -> Finding | None:
    rule = catalogue()[rule_id]
    severity = policy.severity_of(rule.violation(()))
    if severity is None:
        return None
    return Finding(
        file,
        rule_id,
        severity,
        message,
        pointer,
        location,
        help=help_text or rule.help,
        clause=rule.clause,
        url=rule.page,
    ).in_plain_lines()


def _result(name: str, findings: list[Finding], text: str, policy: Policy) -> FileResult:
    fails = any(each.severity.rank <= policy.fail_on.rank for each in findings)
    return FileResult(name, tuple(findings), text, is_manifest=False, fails=fails)
