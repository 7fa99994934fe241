"""Which violations one finding describes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

from manifestkit.config.policy import Policy
from manifestkit.findings.fingerprints import demand_of, stable_pointer
from manifestkit.findings.items import describe_merged, odd_items
from manifestkit.findings.values import describe_swap
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Description, Finding, Identity, Severity
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Violation
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

_MOST_LISTS = 100  # whose items are all wrong


class ViolationGroup(NamedTuple):
    """Violations that one finding describes.

    Attributes:
        lead: the one whose rule and place the finding has.
        violations: all of them.
        severity: the highest of theirs.
        covers: their rules, without that of the lead.
        said: what there is to say, where it is about more than the lead.
    """

    lead: Violation
    violations: Sequence[Violation]
    severity: Severity
    covers: tuple[str, ...] = ()
    said: Description | None = None

    @property
    def also_told(self) -> Sequence[Violation]:
        """Those of which the finding of a scalar with two meanings tells too."""
        return self.violations[1:] if isinstance(self.lead.about, Ambiguous) else ()

    @classmethod
    def of(
        cls,
        violations: Sequence[Violation],
        lead: Violation | None = None,
        said: Description | None = None,
    ) -> ViolationGroup:
        """Return the group of some violations; the first leads, unless another one is given."""
        lead = lead or violations[0]
        severity = min(violations, key=attrgetter("severity.rank")).severity
        covers = {*map(attrgetter("rule"), violations)} - {lead.rule}
        return cls(lead, violations, severity, tuple(sorted(covers)), said)


def grouped(
    violations: Sequence[Violation], manifest: Manifest, policy: Policy
) -> list[ViolationGroup]:
    """Group violations; those of what is evidently no manifest are one group.

    The rule that says so, `not-a-manifest`, only groups: it is asked here, and counts nothing.
    """
    value = manifest.document.value
    is_ours = isinstance(value, dict) and not manifest.schema.marks.isdisjoint(value)
    lacks = not is_ours and any(each.member is not None and not each.path for each in violations)
    foreign = not_a_manifest.find(manifest) if lacks else None
    if foreign is None or not policy.counts(foreign.rule):
        return _by_finding(violations, manifest)
    is_other = any(foreign.about)  # else it only lacks all members, and may have other faults
    covered: list[Violation] = []
    others: list[Violation] = []
    for each in violations:
        is_covered = not _has_own_text(each) and (is_other or _is_of_root(each))
        (covered if is_covered else others).append(each)
    lead = foreign._replace(identity=Identity(foreign.rule, "", "", 0))
    return [ViolationGroup.of(covered, lead), *_by_finding(others, manifest)]


def _is_of_root(violation: Violation) -> bool:
    """Return whether a violation is that the root lacks a member, or has one that is unknown."""
    if violation.member is not None:
        return not violation.path
    return len(violation.path) == 1 and violation.on_key


def _by_finding(violations: Sequence[Violation], manifest: Manifest) -> list[ViolationGroup]:
    """Group the violations of a manifest by the finding that describes them.

    In this order, because what one takes is left to no other:

    - Two lists that hold each other's values.
    - Two items that are written as one.
    - One item that is written as several, or with what identifies it as a key.
    - A violation, and those that it leads.
    """
    rest = sorted(
        violations, key=lambda each: (each.severity.rank, each.profile is not None, each.rule)
    )
    groups: list[ViolationGroup] = []
    for find in (_swapped_lists, _merged_items, _odd_items):
        groups += find(rest, manifest)
        taken = {id(each) for group in groups for each in group.violations}
        rest = [each for each in rest if id(each) not in taken]
    is_alone = len(rest) == 1  # as most are: it leads no other
    return [*groups, *([ViolationGroup.of(rest)] if is_alone else _by_lead(rest))]


def _swapped_lists(violations: Sequence[Violation], manifest: Manifest) -> Iterator[ViolationGroup]:
    """Yield two lists in which each item is wrong, and allowed in the other one."""
    wrong: dict[Path, list[Violation]] = {}
    for each in violations:
        if _keyword_of(each) == "enum":
            wrong.setdefault(each.path[:-1], []).append(each)
    lists = []
    for path, field in manifest.schema.lists if wrong else ():
        at, items = path[:-1], manifest.document.value_or_none(path[:-1])
        places = {each.path for each in wrong.get(at, ()) if each.profile is None}
        if path[-1:] == (0,) and isinstance(items, list) and 0 < len(items) == len(places):
            lists.append((at, field, items))
    for (one, own, items), (other, field, others) in combinations(lists[:_MOST_LISTS], 2):
        if _all_of(items, field) and _all_of(others, own) and one in wrong and other in wrong:
            swapped = wrong.pop(one) + wrong.pop(other)  # neither is swapped with another one
            identity = Identity(swapped[0].rule, stable_pointer(manifest, one), "", 0)
            lead = swapped[0]._replace(path=one, identity=identity)
            yield ViolationGroup.of(swapped, lead, describe_swap(manifest, one, other))


def _all_of(items: list[Any], field: Field) -> bool:
    values = {each for each, _ in field.values if isinstance(each, Hashable)}
    return all(isinstance(each, Hashable) and each in values for each in items)


def _merged_items(violations: Sequence[Violation], manifest: Manifest) -> Iterator[ViolationGroup]:
    """Yield the members that an item of a list repeats, as if it were two items."""
    repeated: dict[Path, list[Violation]] = {}
    for each in violations:
        if each.rule == "duplicate-key" and isinstance(each.about, Finding):
            repeated.setdefault(each.path[:-1], []).append(each)
    for path, same in repeated.items():
        same.sort(key=lambda each: each.about.location.span)
        if said := describe_merged(manifest, path, [each.about for each in same]):
            yield ViolationGroup.of(same, same[0]._replace(about=said))


def _odd_items(violations: Sequence[Violation], manifest: Manifest) -> Iterator[ViolationGroup]:
    """Yield what items of a list lack that are the parts of one, or have a key for their id."""
    lacking: dict[Path, list[Violation]] = {}
    for each in violations:
        is_of_item = bool(each.path) and isinstance(each.path[-1], int)
        if each.member is not None and each.profile is None and is_of_item:
            lacking.setdefault(each.path[:-1], []).append(each)
    for path, all_lacking in lacking.items():
        for parts, said in odd_items(manifest, path):
            same = [each for each in all_lacking if each.path[-1] in parts]
            lead = next((each for each in same if each.path[-1] == parts[:2][-1]), None)
            if lead:
                yield ViolationGroup.of(same, lead, said)


def _by_lead(violations: Sequence[Violation]) -> Iterator[ViolationGroup]:
    """Yield the groups of violations with one lead, or with leads that say the same."""
    leads = _Leads(violations)
    alike: dict[object, list[Violation]] = {}  # those that lead, by what their finding says
    led: dict[object, list[Violation]] = {}  # the others
    for each in violations:
        lead = leads.of(each)
        (alike if lead is each else led).setdefault(_what_is_said(lead), []).append(each)
    for what, same in alike.items():
        lead = same[0]
        if lead.profile is not None:  # the finding names all profiles that require the same
            profiles = dict.fromkeys(each.profile for each in same if each.profile)
            lead = lead._replace(profile=", ".join(profiles))
        yield ViolationGroup.of([*same, *led.get(what, ())], lead)


class _Leads:
    """Violations whose findings describe others too."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        backward = violations[::-1]  # of several at one place, the first is kept
        self._own = {_broken(each): each for each in backward if each.profile is None}
        self._types = {each.path: each for each in backward if _keyword_of(each) == "type"}
        scalars = [each for each in backward if isinstance(each.about, Ambiguous)]
        self._scalars = {each.path: each for each in scalars if not each.about.is_key}

    def of(self, violation: Violation) -> Violation:
        """Return the violation that leads another one; that itself, where none does.

        - What a profile requires by a reference to the manifest's schema is led by the same
          requirement of that.
        - What else is wrong with a value of the wrong type is led by that.
        - What form a scalar must have is led by what other readers take it for, unless that is
          less severe.
        """
        lead = self._own.get(_broken(violation)) if violation.repeats_own else None
        if not lead and _is_about_value(violation):
            lead, scalar = self._types.get(violation.path), self._scalars.get(violation.path)
            if not lead and scalar and _keyword_of(violation) == "pattern":
                is_less_severe = scalar.severity.rank > violation.severity.rank
                lead = None if is_less_severe else scalar
        return self.of(lead) if lead else violation


def _broken(violation: Violation) -> tuple[object, ...]:
    return violation.path, _keyword_of(violation), violation.member


def _is_about_value(violation: Violation) -> bool:
    """Return whether a violation is about a value, and neither its name nor its type."""
    is_of_type = _keyword_of(violation) == "type"
    return not (is_of_type or violation.on_key or _has_own_text(violation))


def _what_is_said(violation: Violation) -> object:
    """Return what tells the finding of a violation from others: one requirement has one."""
    if _has_own_text(violation):
        return id(violation)
    about, demand = violation.about, None
    if isinstance(about, ValidationError):
        texts = (about.requirement.annotations.get(name) for name in ("message", "help"))
        demand = demand_of(about), *texts
        if about.reference is not None:  # it lacks all members for one reason
            violation = violation._replace(member=None)
    place = violation.path, violation.member, violation.on_key, violation.span
    return violation.rule, *place, demand


def _keyword_of(violation: Violation) -> str | None:
    """Return the keyword of a schema that a violation breaks; None for a rule of ours."""
    about = violation.about
    return about.keyword if isinstance(about, ValidationError) else None


def _has_own_text(violation: Violation) -> bool:
    """Return whether a violation brings its text: of a reader, or a limit."""
    return isinstance(violation.about, Finding | Description)
