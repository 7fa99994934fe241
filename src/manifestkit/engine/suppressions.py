"""Unused suppressions and baseline entries."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePath

from manifestkit.config.baseline import Baseline
from manifestkit.config.configuration import Suppression
from manifestkit.config.policy import Policy
from manifestkit.engine.beside import result_beside, violation_of_file
from manifestkit.engine.discovery import Search
from manifestkit.files import absolute, is_there, relative_name
from manifestkit.model.errors import PointerSyntaxError
from manifestkit.model.finding import Description
from manifestkit.model.pointer import Path as Pointer
from manifestkit.model.pointer import parse_pointer
from manifestkit.model.report import STDIN, FileResult
from manifestkit.model.violation import Violation
from manifestkit.rules.catalogue import catalogue, rules_about_changes

_UNUSED = "unused-suppression"
_ADVICE = (
    "remove the entry, or write the baseline again with `--write-baseline {}`, which also adds "
    "new findings"
)


class SuppressionUse:
    """Suppressions used in one run; configurations that extend a file share its entries."""

    def __init__(self, *, is_named: bool) -> None:
        self._is_named = is_named  # by an option: others may use the configuration, too
        self._used: dict[str, tuple[tuple[str, int | str], ...]] = {}
        self._linted: set[tuple[str, str]] = set()
        self._unjudged: set[str] = set()
        self._shown: dict[str, str] = {}  # the file of each fingerprint that nothing suppresses
        self._reported: set[tuple[str, int]] = set()

    def note(self, result: FileResult, policy: Policy) -> None:
        """Record what a file used; a later result of the file replaces it."""
        if result.used or result.path in self._used:
            self._used[result.path] = result.used
        baseline, is_judged = policy.baseline, Baseline.judges(result)
        if baseline is not None and is_judged:
            file = baseline.name_of(result.path)
            self._linted.add((baseline.document.name, file))
            shown = (each.identity for each in result.findings if each.identity)
            self._shown |= {each.fingerprint: file for each in shown}
        if not (is_judged or result.skipped):
            self._unjudged.add(result.path)

    def unused(
        self, policy: Policy, found: Search | None, changed: Collection[str]
    ) -> Iterator[FileResult]:
        """Yield a result for each file with entries that are expired or unused.

        Args:
            policy: the policy.
            found: the search of which every file was linted: only of what it reaches is an entry
                known to be unused.
            changed: the rules about changes that found something: an approval that has expired is
                nothing to say where its change is merged.
        """
        used = set(chain.from_iterable(self._used.values()))
        configured, baseline = policy.configuration, policy.baseline
        searched = found.folders if found else ()
        for each in configured.suppressions:  # what they may match was not all looked for
            if _is_missed(each, found) or any(map(each.covers, self._unjudged)):
                used.add(each.place)
        passed_over = rules_about_changes(policy.change_profiles).difference(changed)
        results = []
        for path in configured.files:
            folder, name = absolute(path.parent), relative_name(path)
            above = [each for each in searched if folder.is_relative_to(each)]
            is_whole = folder in above if self._is_named else bool(above)
            complete = is_whole and absolute(configured.files[-1].parent).is_relative_to(folder)
            told = [
                self._without_effect(each, policy, is_unused=complete and each.place not in used)
                for each in configured.suppressions
                if each.source == name and each.rule not in passed_over
            ]
            results.append(result_beside(name, filter(None, told), policy))
        if baseline is not None:
            unused = self._unused_entries(policy, baseline, used, found)
            results.append(result_beside(baseline.document, unused, policy))
        yield from filter(None, results)

    def _is_new(self, place: tuple[str, int]) -> bool:
        is_new = place not in self._reported
        self._reported.add(place)
        return is_new

    def _without_effect(
        self, entry: Suppression, policy: Policy, *, is_unused: bool
    ) -> Violation | None:
        if entry.expired(policy.today):
            rule, why = "expired-suppression", f"it expired on {entry.expires}"
        elif is_unused and policy.counts(entry.rule):
            rule, why = _UNUSED, "it matches no finding"
        else:
            return None
        where = f" at `{entry.pointer}`" if entry.pointer else ""
        message = f"`suppress[{entry.number}]`, about `{entry.rule}`{where}, has no effect: {why}"
        path: Pointer = ()
        with suppress(PointerSyntaxError):  # what is no pointer is no place
            path = parse_pointer(entry.pointer or "")
        is_new = self._is_new(entry.place)
        return violation_of_file(rule, message, path, line=entry.line) if is_new else None

    def _unused_entries(
        self,
        policy: Policy,
        baseline: Baseline,
        used: set[tuple[str, int | str]],
        found: Search | None,
    ) -> Iterator[Violation]:
        name, rule = baseline.document.name, catalogue()[_UNUSED]
        for place, index in baseline.entries.items():
            entry = baseline.entry(index)
            file = Path(os.path.normpath(baseline.folder / entry.path))
            is_missed = found is not None and not is_there(file) and found.reaches(file)
            is_gone = is_missed and entry.path != STDIN
            is_judged = is_gone or (name, entry.path) in self._linted
            if not is_judged or place in used or not policy.counts(entry.rule):
                continue
            if self._is_new((name, index)):
                where = f" at `{entry.pointer}`" if entry.pointer else ""
                gone = ": the file is gone, or was moved" if is_gone else ""
                message = f"`{entry.rule}`{where} in {entry.path} is no longer found{gone}"
                moved = self._shown.get(entry.fingerprint) if is_gone else None
                elsewhere = f"if it was moved to {moved}, write that as its `path`; else "
                advice = f"{elsewhere if moved else ''}{_ADVICE.format(name)}"
                yield rule.violation(("entries", index), Description(message, advice))


def _is_missed(entry: Suppression, found: Search | None) -> bool:
    """Return whether a search leaves out files that an entry is for."""
    if not found or not entry.example:
        return False
    left_out = (each.name for each in found.excluded)
    named = (each for each in left_out if PurePath(each).name in entry.example.parts)
    return not found.reaches(entry.example) or any(entry.covers(f"{each}/x") for each in named)
