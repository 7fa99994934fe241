"""Which violations one finding describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from manifestkit.config.policy import Policy
from manifestkit.findings.fingerprints import demand_of, stable_pointer
from manifestkit.findings.values import describe_swap
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
    covered = [
        each for each in violations if not _has_own_text(each) and (is_other or _is_of_root(each))
    ]
    others = [each for each in violations if each not in covered]
    lead = foreign._replace(
        severity=ViolationGroup.of(*covered).severity, identity=Identity(foreign.rule, "", "", 0)
    )
    return [ViolationGroup.of(lead, *covered), *(_by_lead(others, manifest) if others else ())]


def _is_of_root(violation: Violation) -> bool:
    """Return whether a violation is that the root lacks a member, or has one that is unknown."""
    if violation.member is not None:
        return not violation.path
    return len(violation.path) == 1 and _is_about_unknown(violation)


def _by_lead(violations: Sequence[Violation], manifest: Manifest) -> list[ViolationGroup]:
    """Group the violations that count by the finding that describes them.

    - Two lists that hold each other's values are one finding.
    - What else is wrong with a value of the wrong type belongs to the finding about the type.
    - One requirement of several schemas is one finding.
    - What a profile requires by a reference to the manifest's schema belongs to what that requires.
    """
    if len(violations) == 1:
        return [ViolationGroup.of(violations[0])]
    violations = sorted(violations, key=_precedence)
    leads = _Leads.of(violations, manifest)
    found: dict[object, tuple[list[Violation], list[Violation]]] = {}
    for each in violations:
        lists, lead = leads.lists_of(each), leads.lead_of(each)
        key: object = lists or (lead.rule, lead.path, lead.member, lead.on_key, lead.span)
        leading, others = found.setdefault(id(each) if _has_own_text(each) else key, ([], []))
        is_lead = each.path[:-1] == lists[0] if lists else lead is each
        (leading if is_lead else others).append(each)
    groups: list[ViolationGroup] = []
    for leading, others in found.values():
        if lists := leads.lists_of(leading[0]):
            groups.append(_of_swapped([*leading, *others], manifest, *lists))
        else:
            groups += (ViolationGroup.of(*same) for same in _by_demand(leading, others))
    return groups


def _by_demand(leading: list[Violation], others: list[Violation]) -> list[list[Violation]]:
    """Return violations of a rule at one place in groups of which each demands one thing.

    Args:
        leading: those that a finding can describe.
        others: those that it covers.
    """
    found: dict[object, list[Violation]] = {}
    for each in leading:
        found.setdefault(_demand(each), []).append(each)
    groups = [_in_all_profiles(each) for each in found.values()]
    groups[0] += others
    return groups


def _in_all_profiles(same: list[Violation]) -> list[Violation]:
    """Return violations of one demand, of which the first names all profiles that make it."""
    if same[0].profile is None:
        return same
    profiles = dict.fromkeys(each.profile for each in same if each.profile)
    return [same[0]._replace(profile=", ".join(profiles)), *same[1:]]


def _demand(violation: Violation) -> object:
    about = violation.about
    if not isinstance(about, ValidationError):
        return None
    texts = (about.requirement.annotations.get(name) for name in ("message", "help"))
    return demand_of(about), *texts


class _Leads(NamedTuple):
    """The violations whose findings describe others too.

    Attributes:
        swapped: each of two lists that hold each other's values, with the two.
        own: what the manifest's schema requires, by what is broken, where a profile refers to it.
        mistyped: the values of the wrong type.
    """

    swapped: dict[Path, tuple[Path, Path]]
    own: dict[tuple[object, ...], Violation]
    mistyped: dict[Path, Violation]

    @classmethod
    def of(cls, violations: Sequence[Violation], manifest: Manifest) -> _Leads:
        pairs = _swapped_lists(manifest, violations)
        is_referred = any(each.is_again for each in violations)
        own = {_broken(each): each for each in violations if is_referred and each.profile is None}
        mistyped: dict[Path, Violation] = {}
        for each in violations:
            if _keyword_of(each) == "type" and not (each.is_again and _broken(each) in own):
                mistyped.setdefault(each.path, each)
        return cls({each: lists for lists in pairs for each in lists}, own, mistyped)

    def lists_of(self, violation: Violation) -> tuple[Path, Path] | None:
        """Return the two lists, if a violation is about an item of one of them."""
        return self.swapped.get(violation.path[:-1]) if _keyword_of(violation) == "enum" else None

    def lead_of(self, violation: Violation) -> Violation:
        """Return the violation whose finding describes this one too; itself if it has its own."""
        own = self.own.get(_broken(violation)) if violation.is_again else None
        if own is not None:
            return self.lead_of(own)
        has_own = violation.member is not None or _has_own_text(violation)
        if has_own or _is_about_unknown(violation) or _keyword_of(violation) == "type":
            return violation
        return self.mistyped.get(violation.path, violation)


def _precedence(violation: Violation) -> tuple[int, bool, str]:
    return violation.severity.rank, violation.profile is not None, violation.rule


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


def _swapped_lists(
    manifest: Manifest, violations: Iterable[Violation]
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
    violations: list[Violation], manifest: Manifest, one: Path, other: Path
) -> ViolationGroup:
    """Return the group of what is wrong with the items of two lists, at the first of these."""
    identity = Identity(violations[0].rule, stable_pointer(manifest, one), "", 0)
    lead = violations[0]._replace(path=one, identity=identity)
    group = ViolationGroup.of(lead, *violations[1:])
    return group._replace(said=describe_swap(manifest, one, other))


def _all_of(items: list[Any], field: Field) -> bool:
    values = {each for each, _ in field.values if isinstance(each, Hashable)}
    return all(isinstance(each, Hashable) and each in values for each in items)
