"""Applying the fixes of findings, until none is left to apply.

What is written is proven first: fixes are applied together, the text is read and checked again,
and what they bring is fixed too. If the text does not say what the fixes say, or has a finding then
that was not there before, half of them are tried, down to the one at fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from manifestkit.decode import Decoded, decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    Operation,
    apply_edits,
    apply_patch,
    check_size,
    is_same_data,
    read_again,
)
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding, Fix, Identity, Severity
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import path_in
from manifestkit.model.report import FileResult

_MOST_TRIALS = 40
_MOST_FOLLOWING = 4

Lint = Callable[[Decoded], FileResult]
_Place = tuple[str, str, str | None, int]  # the rule, place and member of a finding
_Chosen = list[tuple[Finding, Fix]]


@dataclass(frozen=True, slots=True)
class RefusedFix:
    """A fix that could not be applied, and why.

    Example:
        >>> manifestkit.fix('{"schema_version": "1.0",}').refused
        ()
    """

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """The outcome for a file.

    Attributes:
        data: the new content; the same object as before if nothing was fixed.
        result: the remaining findings.
        fixed: the findings whose fixes were applied.
        refused: the fixes that could not be applied.

    Example:
        >>> fixed = manifestkit.fix(MANIFEST.replace('"1.0"', "1.0", 1))
        >>> fixed.data == MANIFEST.encode(), len(fixed.fixed)
        (True, 1)
    """

    data: bytes
    result: FileResult
    fixed: tuple[Finding, ...] = ()
    refused: tuple[RefusedFix, ...] = ()


def fix(
    lint: Lint, data: bytes, name: str, *, unsafe: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Fixed:
    """Apply the fixes of a manifest's findings; none if there are more than are told.

    Args:
        lint: finds what is wrong with a manifest.
        data: its content.
        name: the file; its suffix tells the syntax.
        unsafe: whether to apply fixes too that are not safe.
        limits: bounds on the manifest.
    """
    decoded = decode(data, name, limits)
    first = _State(decoded, lint(decoded))
    run = _FixRun(lint, limits, unsafe, first)
    fixable = run.fixable()
    try:
        if fixable:
            run.fix()
    except EditRefusedError as problem:
        refused = tuple(RefusedFix(each, str(problem)) for each in fixable)
        return Fixed(data, first.result, (), refused)
    if run.fixed:
        data = run.state.decoded.document.text.encode()
    return Fixed(data, run.state.result, tuple(run.fixed), tuple(run.refused()))


class _Subject(NamedTuple):
    """The subject of a finding, wherever its place is."""

    rule: str
    is_shown: bool  # whether it is not suppressed
    property: str | None  # the member that is missing
    identity: Identity | None  # what a suppression knows it by

    @classmethod
    def of(cls, finding: Finding, *, is_shown: bool = True) -> _Subject:
        identity = finding.identity and finding.identity._replace(ordinal=0)
        return cls(finding.rule, is_shown, finding.property, identity)


class _State(NamedTuple):
    """A file as it is read, and what is wrong with it."""

    decoded: Decoded
    result: FileResult

    def subjects(self) -> list[tuple[_Subject, Finding]]:
        """Return all findings, shown and suppressed, each with what it is about."""
        hidden = (each.finding for each in self.result.suppressed)
        shown = [(_Subject.of(each), each) for each in self.result.findings]
        return [*shown, *((_Subject.of(each, is_shown=False), each) for each in hidden)]


class _FixRun:
    """Applies fixes together, and fewer of them where that is refused.

    Attributes:
        state: the file as it is now.
        fixed: the findings whose fixes were applied.
    """

    def __init__(self, lint: Lint, limits: Limits, unsafe: bool, first: _State) -> None:  # noqa: FBT001
        self._lint = lint
        self._limits = limits
        self._unsafe = unsafe
        self._first = self.state = first
        self.fixed: list[Finding] = []
        self._refused: dict[_Place, str] = {}
        self._otherwise = "it overlaps with another fix"

    def fixable(self) -> list[Finding]:
        """Return the findings that have fixes."""
        return [each for each in self.state.result.findings if self._allowed(each)]

    def fix(self) -> None:
        """Apply fixes until there is nothing more to apply.

        Raises:
            EditRefusedError: there are more findings or values than may be, or the text would
                still not be readable; nothing is to be fixed.
        """
        first = self._first
        if first.result.is_cut:  # round after round would bring up as many
            raise EditRefusedError(
                "there are more findings than are described: raise the limit `findings`, or fix "
                "some by hand"
            )
        check_size(first.decoded.document)
        most, has_changed = None, False
        for _ in range(_MOST_TRIALS):
            chosen = _apart(self._candidates(self.state.result.findings))[:most]
            if not chosen and not has_changed:
                break
            if not chosen:  # what was refused may do now
                self._refused, has_changed = {}, False
                continue
            known = len(self._refused)
            try:
                self.state, fixed = self._attempt(chosen)
            except EditRefusedError as problem:
                if len(self._refused) == known and len(chosen) == 1:
                    self._refused[self._place(chosen[0][0])] = str(problem)
                most = None if len(self._refused) > known else len(chosen) // 2
            else:
                self.fixed += fixed
                has_changed, most = bool(self._refused), None
        else:
            self._otherwise = "too many fixes would cause other findings"
        is_yaml = first.decoded.document.syntax == "yaml"
        if self.fixed and not self.state.decoded.readable and (is_yaml or self._shows_more()):
            raise EditRefusedError("the text would still not be readable")

    def refused(self) -> Iterator[RefusedFix]:
        """Yield the fixes that are left, and why."""
        editor = Editor(self.state.decoded.document)
        for each in self.fixable():
            reason = self._refused.get(self._place(each), self._otherwise)
            if reason == self._otherwise:
                try:
                    editor.patch(each.fixes[0].patch)
                except EditRefusedError as problem:
                    reason = str(problem)
            yield RefusedFix(each, reason)

    def _allowed(self, finding: Finding) -> Fix | None:
        fix = finding.only_fix()
        return fix if fix and (self._unsafe or fix.safety == "safe") else None

    def _place(self, finding: Finding) -> _Place:
        start = -1 if self.state.decoded.readable else finding.location.span.start
        return finding.rule, finding.pointer, finding.property, start

    def _candidates(self, findings: Iterable[Finding]) -> _Chosen:
        """Return findings with their fix, if it has edits and was not refused."""
        allowed = ((each, self._allowed(each)) for each in findings)
        usable = ((each, fix) for each, fix in allowed if fix and fix.edits)
        return [pair for pair in usable if self._place(pair[0]) not in self._refused]

    def _attempt(self, chosen: _Chosen) -> tuple[_State, list[Finding]]:
        """Return the file with fixes, and with those of what they bring; and what these fix.

        Raises:
            EditRefusedError: it would say something else, or have a finding that it had not; the
                fixes that change what that is about are refused.
        """
        state, fixed, seen = self.state, list[Finding](), list[tuple[str, int]]()
        places = {str(each["path"]): one for one, fix in chosen for each in fix.patch}
        before = Counter(subject for subject, _ in state.subjects())
        before.subtract(_Subject.of(finding) for finding, _ in chosen)
        for _ in range(_MOST_FOLLOWING):
            for finding, fix in chosen:
                fixed.append(finding)
                last = fix.patch[-1] if fix.patch else {"op": ""}
                if last["op"] in ("move", "replace"):
                    is_found = finding.property is not None and last["op"] == "move"
                    seen.append((f"{last['path']}/", -1 if is_found else finding.severity.rank))
            state = self._applied(state, [fix for _, fix in chosen])
            if not state.decoded.readable or not self.state.decoded.readable:
                return state, fixed
            brought = _brought(before, state, seen)
            if not brought:
                return state, fixed
            chosen = _apart(self._candidates(each.finding for each in brought if each.may_be_fixed))
            following = {id(each) for each, _ in chosen}
            if lasting := [each for each in brought if id(each.finding) not in following]:
                brought = lasting
                break
        for finding, reason, _ in brought:
            related = (each.pointer for each in finding.related if not each.path)
            for at in (finding.pointer, *related):
                if at in places:
                    self._refused[self._place(places[at])] = reason
        raise EditRefusedError(brought[0].reason)

    def _applied(self, state: _State, fixes: list[Fix]) -> _State:
        """Return the file with fixes; it is refused where it says something else."""
        document = state.decoded.document
        text = apply_edits(document.text, sorted(edit for each in fixes for edit in each.edits))
        if state.decoded.readable:
            operations = [operation for each in fixes for operation in each.patch]
            try:
                value = apply_patch(document.value, _last_first(document.value, operations))
            except (KeyError, IndexError):
                raise EditRefusedError("another fix changes the same value") from None
            after = read_again(text, document.name, value, self._limits, "edited")
        else:
            after = decode(text.encode(), document.name, self._limits)
            # What is read of faulty YAML ends at the fault.
            is_whole = document.syntax == "json"
            if is_whole and not is_same_data(after.document.value, document.value):
                raise EditRefusedError("the text would have different values")
        return _State(after, self._lint(after))

    def _shows_more(self) -> bool:
        """Return whether a text that still cannot be read has errors that it had not at first."""
        first, now = (
            Counter(each.message for each in state.result.findings if not each.fixes)
            for state in (self._first, self.state)
        )
        return bool(now - first)


class _Brought(NamedTuple):
    """An error or a warning that was not there before fixes, why it may not be, and what then."""

    finding: Finding
    reason: str
    may_be_fixed: bool


def _brought(
    before: Counter[_Subject], state: _State, seen: Sequence[tuple[str, int]]
) -> list[_Brought]:
    """Return the errors and warnings that were not there before, and were not to be fixed.

    What was not judged before, by its name or its type, is `seen` now: what is found there, and
    is not more severe than what was fixed, was hidden and not caused. What a suppression was about
    must stay suppressed, and nothing else may become so.
    """
    subjects = state.subjects()
    more = Counter(subject for subject, _ in subjects)
    more.subtract(before)
    left = Counter[tuple[str, bool]]()
    for subject, count in before.items():
        left[subject[:2]] += count
    found: list[_Brought] = []
    for subject, finding in sorted(subjects, key=lambda each: more[each[0]] > 0):
        rule, is_shown = kind = subject[:2]
        other = subject._replace(is_shown=not is_shown)
        left[kind] -= 1
        is_advice = finding.severity is Severity.INFO and is_shown and subject not in before
        if more[subject] > 0 > more[other]:
            reason = f"another `{rule}` would be suppressed"
            found.append(_Brought(finding, reason, may_be_fixed=False))
        elif more[subject] > 0 and subject in before:
            found.append(_Brought(finding, "the same would be found again", may_be_fixed=False))
        elif is_advice or any(map(partial(_was_hidden, finding), seen)):
            continue
        elif left[kind] < 0 or (finding.related and more[subject] > 0):
            reason = f"it would cause another finding, `{rule}`"
            found.append(_Brought(finding, reason, is_shown))
    return found


def _was_hidden(finding: Finding, seen: tuple[str, int]) -> bool:
    place, rank = seen
    compares = any(not each.path for each in finding.related)  # with what the fix did not change
    is_lighter = rank < 0 or (rank <= finding.severity.rank and not compares)
    return is_lighter and f"{finding.pointer}/".startswith(place)


def _apart(candidates: _Chosen) -> _Chosen:
    """Those that do not meet, in order of place; what several findings ask for alike, once."""
    chosen: _Chosen = []
    end, inserted = -1, False
    for finding, each in sorted(candidates, key=lambda pair: pair[1].edits[0].start):
        start, stop = each.edits[0].start, each.edits[-1].end
        inserts = start == stop
        is_new = not chosen or each.edits != chosen[-1][1].edits
        if is_new and (start > end or (start == end and (inserts or not inserted))):
            chosen.append((finding, each))
            end, inserted = stop, inserts
    return chosen


def _last_first(value: Any, operations: Iterable[Operation]) -> list[Operation]:
    """Return the operations in an order in which none changes where another one belongs.

    Raises:
        KeyError, IndexError: an operation speaks of what is not there.
    """

    def place(operation: Operation) -> list[tuple[bool, Any]]:
        path = path_in(value, operation.get("from", operation["path"]))
        return [(isinstance(token, str), token) for token in path]

    return sorted(operations, key=place, reverse=True)
