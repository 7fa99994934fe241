"""Unused suppressions and baseline entries."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from manifestkit.config.policy import Policy
from manifestkit.config.suppression import Suppression
from manifestkit.engine.beside import finding_of, result_beside
from manifestkit.files import absolute, is_there, relative_name
from manifestkit.model.finding import Finding
from manifestkit.model.pointer import format_pointer
from manifestkit.model.report import STDIN, FileResult, FileSummary
from manifestkit.rules.catalogue import rules_about_changes

_UNUSED, _EXPIRED = "unused-suppression", "expired-suppression"


class SuppressionUse:
    """Suppressions used in one run; configurations that extend a file share its entries."""

    def __init__(self) -> None:
        self._applicable: set[tuple[str, int]] = set()
        self._used: dict[str, frozenset[tuple[str, int | str]]] = {}
        self._linted: dict[Path | None, set[str]] = {}
        self._reported: set[tuple[str, int]] = set()

    def note(self, name: str, summary: FileSummary, policy: Policy) -> None:
        """Record what a file used; a later result of the file replaces it."""
        self._applicable.update(
            each.place for each in policy.configuration.suppressions if each.covers(name)
        )
        self._used[name] = summary.used
        if policy.baseline is not None and policy.baseline.judges(summary):
            linted = self._linted.setdefault(policy.configuration.source, set())
            linted.add(policy.baseline.name_of(name))

    def unused(
        self, policy: Policy, is_complete: Callable[[Path], bool], changed: Collection[str]
    ) -> Iterator[FileResult]:
        """Yield a result for each file with entries that are expired or unused.

        Args:
            policy: the policy.
            is_complete: returns whether the run linted every manifest in a folder and below: only
                then is an entry known to be unused.
            changed: the rules about changes that found something: an approval that has expired is
                nothing to say where its change is merged.
        """
        used = set().union(*self._used.values())
        configured = policy.configuration
        about_changes = rules_about_changes(policy.change_profiles)
        for path in configured.files:
            folder = absolute(path.parent)
            is_shared = not absolute(configured.files[-1].parent).is_relative_to(folder)
            complete = not is_shared and is_complete(folder)
            found = [
                finding
                for each in configured.suppressions
                if each.source == relative_name(path) and each.place not in self._reported
                if each.rule in changed or each.rule not in about_changes
                if (finding := self._unused(each, policy, used, complete=complete))
            ]
            if found:
                yield result_beside(relative_name(path), found, None, policy)
        if policy.baseline is not None:
            yield from self._unused_entries(policy, used, is_complete)

    def _unused(
        self,
        entry: Suppression,
        policy: Policy,
        used: set[tuple[str, int | str]],
        *,
        complete: bool,
    ) -> Finding | None:
        help_text = None
        if entry.expired(policy.today):
            rule, why = _EXPIRED, f"it expired on {entry.expires}"
            if entry.rule in rules_about_changes(policy.change_profiles):
                help_text = "remove the entry if its change is merged, or give it a new date"
        elif entry.place in used or not complete or not policy.counts(entry.rule):
            return None
        else:
            does_apply = entry.place in self._applicable
            rule = _UNUSED
            why = "it matches no finding" if does_apply else "no manifest matches its `path`"
        self._reported.add(entry.place)
        message = f"`suppress[{entry.index}]`, about `{entry.rule}`, has no effect: {why}"
        pointer = entry.pointer or ""
        return finding_of(rule, policy, entry.source, message, pointer, help_text=help_text)

    def _unused_entries(
        self,
        policy: Policy,
        used: set[tuple[str, int | str]],
        is_complete: Callable[[Path], bool],
    ) -> Iterator[FileResult]:
        baseline = policy.baseline
        assert baseline is not None  # noqa: S101 - asked of policies with one
        linted = self._linted.get(policy.configuration.source, set())
        findings: list[Finding | None] = []
        gone: set[str] = set()
        for place, index in baseline.entries.items():
            entry = baseline.entry(index)
            file = Path(os.path.normpath(baseline.folder / entry.path))
            is_gone = entry.path != STDIN and is_complete(file.parent) and not is_there(file)
            if (baseline.name, index) in self._reported or not policy.counts(entry.rule):
                continue
            if is_gone or (entry.path in linted and place not in used):
                self._reported.add((baseline.name, index))
                where = f" at `{entry.pointer}`" if entry.pointer else ""
                message = f"`{entry.rule}`{where} in {entry.path} is fixed"
                if entry.path in gone:
                    continue
                help_text = (
                    "remove the entry, or write the baseline again with `--write-baseline`, "
                    "which also adds new findings"
                )
                if is_gone:
                    gone.add(entry.path)
                    message = f"{entry.path} does not exist any more"
                    help_text = (
                        "remove its entries, or, if it was moved, write the baseline again with "
                        "`--write-baseline`"
                    )
                at = ("entries", index)
                location = baseline.document.locate(at)
                pointer = format_pointer(at)
                findings.append(
                    finding_of(
                        _UNUSED, policy, baseline.name, message, pointer, location, help_text
                    )
                )
        if found := list(filter(None, findings)):
            yield result_beside(baseline.name, found, baseline.document.text, policy)
