"""Applying the fixes of findings, until none is left to apply.

What is written is proven first: a round of fixes is applied at once, and the text is read again. If
it does not say what the fixes say, half of them are tried, down to the one at fault. If in the end
there is a finding that was not there before, all is done again without the fix that brought it: the
one at its place, or else one that is found by trying.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from manifestkit.decode import Decoded, decode
from manifestkit.edits.editor import Editor
from manifestkit.edits.patch import (
    Operation,
    apply_edits,
    apply_patch,
    check_size,
    is_same_data,
    verify,
)
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.finding import Finding, Fix, Severity
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.pointer import array_index, parse_pointer, path_in
from manifestkit.model.report import FileResult

_MOST_ROUNDS = 100
_MOST_TRIALS = 30
_MOST_ATTEMPTS = 10

Lint = Callable[[Decoded], FileResult]
_Tokens = tuple[str, ...]  # of a pointer
T = TypeVar("T")


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
    first = lint(decoded)
    if not any(_allowed(each, unsafe=unsafe) for each in first.findings):
        return Fixed(data, first)
    try:
        _check_all_known(first)
        check_size(decoded.document)
    except EditRefusedError as problem:
        fixable = (each for each in first.findings if _allowed(each, unsafe=unsafe))
        return Fixed(data, first, (), tuple(RefusedFix(each, str(problem)) for each in fixable))

    def run(refusals: dict[_Key, str]) -> _FixLoop:
        loop = _FixLoop(lint, (data, decoded, first), refusals, limits, unsafe)
        loop.run()
        return loop

    refusals: dict[_Key, str] = {}
    trials = _Trials(run)
    for _ in range(_MOST_ATTEMPTS):
        loop = run(refusals)
        culprits = loop.culprits() or trials.culprits(loop, refusals)
        if not culprits:
            return loop.outcome()
        refusals.update(culprits)
    return loop.undone()


class _Key(NamedTuple):
    """The identity of a finding.

    Attributes:
        rule: its rule.
        at: where it is.
        property: the member that is missing.
        offset: its place in a text that cannot be read; -1 in others.
    """

    rule: str
    at: _Tokens
    property: str | None
    offset: int


def _check_all_known(result: FileResult) -> None:
    """Refuse to fix a part of the findings: round after round would bring up as many."""
    if result.is_cut:
        raise EditRefusedError(
            "there are more findings than are described: raise the limit `findings`, or fix some "
            "by hand"
        )


@dataclass
class _FixLoop:
    """Round after round of fixes, all but those refused."""

    lint: Lint
    first: tuple[bytes, Decoded, FileResult]
    refusals: dict[_Key, str]
    limits: Limits
    unsafe: bool
    fixed: list[tuple[_Key, Finding, _Tokens]] = field(default_factory=list)
    known: dict[_Key, _Key] | None = None
    start: set[_Key] = field(default_factory=set)
    accepted: set[_Key] = field(default_factory=set)
    replaced: set[_Tokens] = field(default_factory=set)
    found: set[_Tokens] = field(default_factory=set)
    done: dict[tuple[_Key, str], _Key] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.data, self.decoded, self.result = self.first

    def run(self) -> None:
        """Apply fixes until there is nothing more to apply."""
        for _ in range(_MOST_ROUNDS):
            if self.result.is_cut:
                break
            if self.decoded.readable:
                suppressed = {self._key(each.finding) for each in self.result.suppressed}
                if self.known is None:
                    self.start = {self._key(each) for each in self.result.findings}
                    self.known = {key: key for key in self.start | suppressed}
                self.accepted |= {key for key in suppressed if not self._was_shown(key)}
            chosen = _apart(self._candidates())
            if not chosen:
                break
            if self._apply(chosen):
                self.result = self.lint(self.decoded)
        is_unreadable = self.fixed and not self.decoded.readable
        if is_unreadable and (self.decoded.document.syntax == "yaml" or self._shows_more()):
            self._take_back()

    def culprits(self) -> dict[_Key, str]:
        """Return the fixes that are surely at fault, and why they may not be applied.

        A finding remains after its fix, or the fix alone changed what a new finding is about.
        """
        here = {self._key(each) for each in self.result.findings}
        found = {
            key: "the finding would remain" for (now, _), key in self.done.items() if now in here
        }
        by_place: dict[_Tokens, list[_Key]] = {}
        for key, _, at in self.fixed:
            by_place.setdefault(at, []).append(key)
        for each, why in self.brought():
            places = {each.pointer, *(other.pointer for other in each.related if not other.path)}
            there = [key for at in places for key in by_place.get(parse_pointer(at), ())]
            if len(there) == 1:
                found[there[0]] = why
        return found

    def brought(self) -> list[tuple[Finding, str]]:
        """Return the errors and warnings that were not there before, and why none may be brought.

        What a suppression was about must stay suppressed, and nothing else may become so.
        """
        if self.known is None:
            return []
        suppressed = [each.finding for each in self.result.suppressed]
        new = (
            each
            for each in (*self.result.findings, *suppressed)
            if each.severity is not Severity.INFO
            and (self._key(each) not in self.known or self._compares_a_new_value(each))
            and not self._is_in_found_member(each)
        )
        exposed = [each for each in self.result.findings if self._key(each) in self.accepted]
        hidden = [each for each in suppressed if self._was_shown(self._key(each))]
        return [
            *((each, f"it would cause another finding, `{each.rule}`") for each in new),
            *((each, f"another `{each.rule}` would be suppressed") for each in exposed + hidden),
        ]

    def _compares_a_new_value(self, finding: Finding) -> bool:
        return bool(finding.related) and parse_pointer(finding.pointer) in self.replaced

    def _is_in_found_member(self, finding: Finding) -> bool:
        """Return whether a finding is about a member that was missing by its name, and unjudged."""
        at = parse_pointer(finding.pointer)
        return any(at[: len(place)] == place for place in self.found)

    def around(self) -> dict[_Key, str]:
        """All fixes nearest to each finding that was not there before."""
        by_place: dict[_Tokens, list[_Key]] = {}
        for key, _, at in self.fixed:
            for length in range(len(at) + 1):
                by_place.setdefault(at[:length], []).append(key)
        found: dict[_Key, str] = {}
        for each, why in self.brought():
            at = parse_pointer(each.pointer)
            places = (at[:length] for length in range(len(at), -1, -1))
            near = next((by_place[each] for each in places if each in by_place), [])
            found.update(dict.fromkeys(near, why))
        return found

    def from_start(self) -> tuple[list[_Key], set[_Key]]:
        """Of the findings that were there before, those that were fixed, and the others."""
        keys = dict.fromkeys(key for key, _, _ in self.fixed if key in self.start)
        return list(keys), self.start - keys.keys()

    def outcome(self) -> Fixed:
        """Return the file as it is now, with what was fixed and refused."""
        refused = [
            RefusedFix(each, self.refusals.get(self._first_key(each)) or self._reason(each))
            for each in self.result.findings
            if _allowed(each, unsafe=self.unsafe)
        ]
        fixed = tuple(finding for _, finding, _ in self.fixed)
        return Fixed(self.data, self.result, fixed, tuple(refused))

    def undone(self) -> Fixed:
        """Return the file as it was, where no choice of fixes leaves it without new findings."""
        data, _, first = self.first
        fixed = [finding for _, finding, _ in self.fixed]
        why = "its fix and others would cause other findings"
        refused = (RefusedFix(each, why) for each in first.findings if each in fixed)
        return Fixed(data, first, (), tuple(refused))

    def _candidates(self) -> list[tuple[Finding, Fix]]:
        found = []
        for finding in self.result.findings:
            fixes = _allowed(finding, unsafe=self.unsafe)
            usable = next((each for each in fixes if each.edits), None)
            key = self._key(finding)
            is_left = key in self.accepted or self._first_key(finding) in self.refusals
            if usable and not is_left and (key, usable.message) not in self.done:
                found.append((finding, usable))
        return found

    def _apply(self, chosen: list[tuple[Finding, Fix]]) -> bool:
        """Apply as many fixes as prove right; return whether there were any."""
        while True:
            try:
                after = self._applied([each for _, each in chosen])
                break
            except EditRefusedError as error:
                if len(chosen) == 1 or not self.decoded.readable:
                    keys = (self._first_key(finding) for finding, _ in chosen)
                    self.refusals.update(dict.fromkeys(keys, str(error)))
                    return False
                chosen = chosen[: len(chosen) // 2]
        self.data = after.document.text.encode()
        operations = [operation for _, each in chosen for operation in each.patch]
        replaced = (each["path"] for each in operations if each["op"] == "replace")
        self.replaced |= {parse_pointer(str(each)) for each in replaced}
        shift = _Shift(operations)
        for finding, each in chosen:
            key = self._first_key(finding)
            at = parse_pointer(str(each.patch[-1]["path"])) if each.patch else ()
            if finding.property is not None and at and each.patch[-1]["op"] == "move":
                self.found.add(at)
            self.fixed.append((key, finding, at))
            if self.decoded.readable:
                self.done[self._key(finding), each.message] = key
        self._carry(shift)
        self.decoded = after
        return True

    def _applied(self, fixes: list[Fix]) -> Decoded:
        """Return the text with fixes, read; it is refused where it says something else."""
        document = self.decoded.document
        edits = [edit for each in fixes for edit in each.edits]
        if not self.decoded.readable:
            again = decode(apply_edits(document.text, edits).encode(), document.name, self.limits)
            # What is read of faulty YAML ends at the fault.
            is_whole = document.syntax == "json"
            if is_whole and not is_same_data(again.document.value, document.value):
                raise EditRefusedError("the text would have different values")
            return again
        operations = [operation for each in fixes for operation in each.patch]
        try:
            value = apply_patch(document.value, _last_first(document.value, operations))
        except (KeyError, IndexError):
            raise EditRefusedError("another fix changes the same value") from None
        return verify(document, edits, value, self.limits)

    def _shows_more(self) -> bool:
        """Return whether a text that still cannot be read has errors that it had not at first."""
        *_, first = self.first
        left = Counter(each.message for each in self.result.findings if not each.fixes)
        return bool(left - Counter(each.message for each in first.findings if not each.fixes))

    def _take_back(self) -> None:
        """Restore a text of YAML that cannot be read after all fixes, or shows other errors."""
        self.data, self.decoded, self.result = self.first
        self.fixed = []
        for each in self.result.findings:
            self.refusals[self._key(each)] = "the text would still not be readable"

    def _carry(self, shift: _Shift) -> None:
        if self.known is not None:
            self.known = _shifted(self.known, shift)
        self.accepted = set(_shifted(dict.fromkeys(self.accepted), shift))
        places = (shift.tokens(at) for at in self.replaced)
        self.replaced = {at for at in places if at is not None}
        found = (shift.tokens(at) for at in self.found)
        self.found = {at for at in found if at is not None}
        self.done = {
            (key._replace(at=at), message): first
            for (key, message), first in self.done.items()
            if (at := shift.tokens(key.at)) is not None
        }
        self.fixed = [(key, finding, shift.tokens(at) or at) for key, finding, at in self.fixed]

    def _reason(self, finding: Finding) -> str:
        try:
            _check_all_known(self.result)
            first = _allowed(finding, unsafe=self.unsafe)[0]
            Editor(self.decoded.document).patch(first.patch)
        except EditRefusedError as error:
            return str(error)
        return "it overlaps with another fix"

    def _first_key(self, finding: Finding) -> _Key:
        key = self._key(finding)
        return key if self.known is None else self.known.get(key, key)

    def _was_shown(self, key: _Key) -> bool:
        """Return whether a finding was there before, and not suppressed."""
        return self.known is not None and self.known.get(key) in self.start

    def _key(self, finding: Finding) -> _Key:
        offset = -1 if self.decoded.readable else finding.location.span.start
        return _Key(finding.rule, parse_pointer(finding.pointer), finding.property, offset)


class _Trials:
    """Finds the fixes at fault by applying only some: so many attempts for a file, and no more."""

    def __init__(self, run: Callable[[dict[_Key, str]], _FixLoop]) -> None:
        self._run = run
        self._left = _MOST_TRIALS

    def culprits(self, loop: _FixLoop, refusals: dict[_Key, str]) -> dict[_Key, str]:
        """Return the fixes that brought new findings, and why they may not be applied.

        Each is the last of the first so many fixes, of which all but this one bring no finding.
        """
        found: dict[_Key, str] = {}
        fixes, others = loop.from_start()

        def brought(count: int) -> list[tuple[Finding, str]]:
            self._left -= 1
            left_out = dict.fromkeys((*others, *fixes[count:]), "")
            return self._run(left_out | refusals | found).brought()

        came, good = loop.brought(), 0
        while came:
            bad = len(fixes)
            while bad - good > 1 and self._left > 0:
                middle = (good + bad) // 2
                if now := brought(middle):
                    bad, came = middle, now
                else:
                    good = middle
            if bad - good != 1 or self._left <= 0:
                return found or loop.around()
            found[fixes.pop(good)] = came[0][1]
            came = brought(len(fixes))
        return found


def _allowed(finding: Finding, *, unsafe: bool) -> list[Fix]:
    return [each for each in finding.fixes if unsafe or each.safety == "safe"]


def _shifted(keys: dict[_Key, T], shift: _Shift) -> dict[_Key, T]:
    carried = ((key, shift.tokens(key.at), each) for key, each in keys.items())
    return {key._replace(at=at): each for key, at, each in carried if at is not None}


def _apart(candidates: list[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """Those that do not meet, in order of place; what several findings ask for alike, once."""
    chosen: list[tuple[Finding, Fix]] = []
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


class _Shift:
    """Follows places through operations that were each made as if the others were not.

    Args:
        operations: of those that put items into arrays, the ones that do so at the end only.
    """

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._names: dict[_Tokens, str] = {}
        self._gone: set[_Tokens] = set()
        gone_items: dict[_Tokens, list[int]] = {}
        for each in operations:
            at = parse_pointer(each["path"])
            if each["op"] == "move":
                self._names[parse_pointer(each["from"])] = at[-1]
            elif each["op"] == "remove":
                self._gone.add(at)
                index = array_index(at[-1])
                if index is not None:
                    gone_items.setdefault(at[:-1], []).append(index)
        self._gone_items = {owner: sorted(indices) for owner, indices in gone_items.items()}

    def tokens(self, at: _Tokens) -> _Tokens | None:
        """Return the new place of a value by its old one; None if it is gone."""
        now: list[str] = []
        for length, token in enumerate(at):
            here = at[: length + 1]
            if here in self._gone:
                return None
            gone = self._gone_items.get(at[:length])
            index = array_index(token) if gone else None
            if gone and index is not None:
                now.append(str(index - bisect_left(gone, index)))
            else:
                now.append(self._names.get(here, token))
        return tuple(now)
