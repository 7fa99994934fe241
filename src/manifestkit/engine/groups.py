"""Which violations one finding describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations, filterfalse
from typing import Any, NamedTuple

from manifestkit.config.policy import Policy
from manifestkit.findings.fingerprints import demand_of, stable_pointer
from manifestkit.findings.items import describe_merged, describe_split, split_items
from manifestkit.findings.values import describe_swap
from manifestkit.model.document import Ambiguous
from manifestkit.model.finding import Description, Finding, Identity, Severity
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

_MOST_LISTS = 100  # of allowed values that a format has


class ViolationGroup(NamedTuple):
    """Violations that one finding describes.

    Attributes:
        violations: all of them; the first is the one that is described.
        severity: the highest severity of them.
        covers: the rules of the others, where they are not that of the first.
        said: what there is to say, where it is about more than the first.
    """

    violations: list[Violation]
    severity: Severity
    covers: tuple[str, ...] = ()
    said: Description | None = None

    @property
    def also_told(self) -> list[Violation]:
        """Those that the finding of a scalar tells, which readers take for something else."""
        return self.violations[1:] if isinstance(self.violations[0].about, Ambiguous) else []

    @classmethod
    def of(cls, first: Violation, *others: Violation) -> ViolationGroup:
        """Return the group of some violations, of which the first is described."""
        if not others:
            return cls([first], first.severity)
        every = [first, *others]
        covers = sorted({each.rule for each in others} - {first.rule})
        severity = min((each.severity for each in every), key=lambda each: each.rank)
        return cls(every, severity, tuple(covers))


def grouped(verdict: Verdict, manifest: Manifest, policy: Policy) -> list[ViolationGroup]:
    """Group violations; those of what is evidently no manifest are one group.

    The rule that says so, `not-a-manifest`, only groups: it is asked here, and counts nothing.
    """
    violations, value = verdict.violations, manifest.document.value
    is_ours = isinstance(value, dict) and not manifest.schema.marks.isdisjoint(value)
    lacks = not is_ours and any(each.member is not None and not each.path for each in violations)
    foreign = not_a_manifest.find(manifest) if lacks else None
    if foreign is None or not policy.counts(foreign.rule):
        return _by_lead(violations, manifest)
    is_other = any(foreign.about)  # else it only lacks all members, and may have other faults

    def is_covered(each: Violation) -> bool:
        return not _has_own_text(each) and (is_other or _is_of_root(each))

    covered = list(filter(is_covered, violations))
    identity = Identity(foreign.rule, "", "", 0)
    lead = foreign._replace(severity=ViolationGroup.of(*covered).severity, identity=identity)
    others = list(filterfalse(is_covered, violations))
    return [ViolationGroup.of(lead, *covered), *_by_lead(others, manifest)]


def _is_of_root(violation: Violation) -> bool:
    """Return whether a violation is that the root lacks a member, or has one that is unknown."""
    if violation.member is not None:
        return not violation.path
    return len(violation.path) == 1 and _is_about_unknown(violation)


def _by_lead(violations: Sequence[Violation], manifest: Manifest) -> list[ViolationGroup]:
    """Group the violations that count by the finding that describes them.

    In this order, because what one takes is left to no other:

    - Two lists that hold each other's values are one finding.
    - An item that is written as several, and several that are written as one, are one finding.
    - What else is wrong with a value of the wrong type belongs to the finding about the type.
    - What is also to say of the form of a scalar that readers take for something else, is one.
    - One requirement of several schemas is one finding.
    - What a profile requires by a reference to the manifest's schema belongs to what that requires.
    """
    if len(violations) == 1:
        return [ViolationGroup.of(violations[0])]
    rest = sorted(
        violations, key=lambda each: (each.severity.rank, each.profile is not None, each.rule)
    )
    groups: list[ViolationGroup] = []
    for one, other in _swapped_lists(manifest, rest):
        items, others = ([each for each in rest if _is_in(each, at)] for at in (one, other))
        if items and others:  # else one is swapped with another list
            groups.append(_of_swapped(items, others, manifest))
            rest = [each for each in rest if not (_is_in(each, one) or _is_in(each, other))]
    of_items = [*_merged_items(rest, manifest), *_split_items(rest, manifest)]
    groups += [group for group, _ in of_items]
    told_there = {id(each) for _, same in of_items for each in same}
    rest = [each for each in rest if id(each) not in told_there]
    lead_of = _leads(rest)
    leading: dict[object, list[Violation]] = {}
    for each in rest:
        if lead_of(each) is each:
            leading.setdefault(_told(each), []).append(each)
    found = {told: _in_all_profiles(same) for told, same in leading.items()}
    for each in rest:
        if (lead := lead_of(each)) is not each:
            found[_told(lead)].append(each)
    return [*groups, *(ViolationGroup.of(*same) for same in found.values())]


def _leads(violations: Sequence[Violation]) -> Callable[[Violation], Violation]:
    """Return what tells the violation whose finding describes another too, if not its own."""
    own: dict[object, Violation] = {}
    mistyped: dict[Path, Violation] = {}
    scalars = (each for each in violations if isinstance(each.about, Ambiguous))
    doubted = {each.path: each for each in scalars if not each.about.is_key}
    for each in violations:
        if each.profile is None:
            own.setdefault(_broken(each), each)
    for each in violations:
        if _keyword_of(each) == "type" and not (each.repeats_own and _broken(each) in own):
            mistyped.setdefault(each.path, each)

    def lead_of(violation: Violation) -> Violation:
        if violation.repeats_own:
            violation = own.get(_broken(violation), violation)
        has_own = violation.member is not None or _has_own_text(violation)
        if has_own or _is_about_unknown(violation) or _keyword_of(violation) == "type":
            return violation
        doubt = doubted.get(violation.path, violation)
        if _keyword_of(violation) != "pattern" or violation.severity.rank < doubt.severity.rank:
            doubt = violation
        return mistyped.get(violation.path, doubt)

    return lead_of


def _told(violation: Violation) -> object:
    """Return what the finding of a violation tells: others of the same belong to it."""
    about = violation.about
    if _has_own_text(violation):
        return id(violation)
    demand: object = None
    if isinstance(about, ValidationError):
        texts = (about.requirement.annotations.get(name) for name in ("message", "help"))
        demand = demand_of(about), *texts
        if about.reference is not None:  # it lacks all members for one reason
            violation = violation._replace(member=None)
    place = violation.path, violation.member, violation.on_key, violation.span
    return violation.rule, *place, demand


def _in_all_profiles(same: list[Violation]) -> list[Violation]:
    """Return violations of one demand, of which the first names all profiles that make it."""
    if same[0].profile is None:
        return same
    profiles = dict.fromkeys(each.profile for each in same if each.profile)
    return [same[0]._replace(profile=", ".join(profiles)), *same[1:]]


def _broken(violation: Violation) -> tuple[object, ...]:
    return violation.path, _keyword_of(violation), violation.member


def _keyword_of(violation: Violation) -> str | None:
    """Return the keyword of a schema that a violation breaks; None for a rule of ours."""
    about = violation.about
    return about.keyword if isinstance(about, ValidationError) else None


def _is_about_unknown(violation: Violation) -> bool:
    """Return whether a rule of ours reports the name of a member."""
    return violation.on_key and _keyword_of(violation) is None


def _has_own_text(violation: Violation) -> bool:
    """Return whether a violation brings its text: of a reader, or a limit."""
    return isinstance(violation.about, Finding | Description)


def _is_in(violation: Violation, items: Path) -> bool:
    """Return whether a violation is that a value is not allowed in a list."""
    return violation.path[:-1] == items and _keyword_of(violation) == "enum"


def _swapped_lists(
    manifest: Manifest, violations: Sequence[Violation]
) -> Iterator[tuple[Path, Path]]:
    """Yield the pairs of lists in which each item is wrong, and allowed in the other list."""
    wrong = Counter(
        path[:-1]
        for path in {
            each.path for each in violations if each.profile is None and _keyword_of(each) == "enum"
        }
    )
    lists = [
        (path[:-1], field, value)
        for path, field in manifest.schema.lists[: _MOST_LISTS if wrong else 0]
        for value in (manifest.document.value_or_none(path[:-1]),)
        if path[-1:] == (0,) and isinstance(value, list) and 0 < len(value) == wrong[path[:-1]]
    ]
    for (one, own, items), (other, field, others) in combinations(lists, 2):
        if _all_of(items, field) and _all_of(others, own):
            yield one, other


def _of_swapped(
    items: list[Violation], others: list[Violation], manifest: Manifest
) -> ViolationGroup:
    """Return the group of what is wrong with the items of two lists, at the first of these."""
    one, other = items[0].path[:-1], others[0].path[:-1]
    identity = Identity(items[0].rule, stable_pointer(manifest, one), "", 0)
    lead = items[0]._replace(path=one, identity=identity)
    group = ViolationGroup.of(lead, *items[1:], *others)
    return group._replace(said=describe_swap(manifest, one, other))


def _merged_items(
    violations: Sequence[Violation], manifest: Manifest
) -> Iterator[tuple[ViolationGroup, list[Violation]]]:
    """Yield the group of the members that an item of a list repeats, and its violations."""
    repeated: dict[Path, list[Violation]] = {}
    for each in violations:
        if each.rule == "duplicate-key":
            repeated.setdefault(each.path[:-1], []).append(each)
    for path, same in repeated.items():
        same.sort(key=lambda each: each.about.location.span)
        if said := describe_merged(manifest, path, [each.about for each in same]):
            yield ViolationGroup.of(same[0]._replace(about=said), *same[1:]), same


def _split_items(
    violations: Sequence[Violation], manifest: Manifest
) -> Iterator[tuple[ViolationGroup, list[Violation]]]:
    """Yield the group of what the parts of an item lack that others have, and its violations."""
    lacking: dict[Path, list[Violation]] = {}
    for each in violations:
        is_of_item = bool(each.path) and isinstance(each.path[-1], int)
        if each.member is not None and each.profile is None and is_of_item:
            lacking.setdefault(each.path[:-1], []).append(each)
    for path, all_lacking in lacking.items():
        for parts in split_items(manifest, path):
            same = [each for each in all_lacking if each.path[-1] in parts]
            same.sort(key=lambda each: each.path[-1] != parts[1])
            if same and same[0].path[-1] == parts[1]:
                said = describe_split(manifest, path, parts)
                yield ViolationGroup.of(*same)._replace(said=said), same


def _all_of(items: list[Any], field: Field) -> bool:
    values = {each for each, _ in field.values if isinstance(each, Hashable)}
    return all(isinstance(each, Hashable) and each in values for each in items)
