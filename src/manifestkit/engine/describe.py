"""Findings of a verdict: messages, places and fixes, made for what is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from manifestkit.config.policy import Policy
from manifestkit.findings.advice import describe_error
from manifestkit.findings.fingerprints import demand_of, stable_pointer
from manifestkit.findings.values import describe_swap
from manifestkit.findings.words import label
from manifestkit.model.errors import CrashedFileError, EditRefusedError
from manifestkit.model.finding import Description, Finding, Fix, Identity, Severity
from manifestkit.model.limits import MOST_TEXT
from manifestkit.model.location import Location
from manifestkit.model.pointer import Path
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.catalogue import find_rule, rule_page
from manifestkit.rules.check import describe, too_many
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field
from manifestkit.schema.validation_error import ValidationError

if TYPE_CHECKING:
    from manifestkit.edits.editor import Editor

_T = TypeVar("_T")
_MOST_LISTS = 100  # of allowed values that a format has


def result_of(
    verdict: Verdict,
    manifest: Manifest,
    policy: Policy,
    *,
    only_verdict: bool = False,
) -> FileResult:
    """Return the result of a file by its verdict.

    Args:
        verdict: which violations count.
        manifest: the manifest.
        policy: tells the limits, and whether a rule that only groups applies.
        only_verdict: whether to leave out the findings.
    """
    describer = _Describer(manifest)
    groups = describer.attempt(_groups, verdict, manifest, policy)
    groups = groups or list(map(_ViolationGroup.of, verdict.violations))
    is_empty = not verdict.violations and not verdict.suppressed
    findings: tuple[Finding, ...] = ()
    suppressed: list[Suppressed] = []
    is_cut = verdict.is_cut
    if not is_empty and not only_verdict:
        findings = tuple(describer.findings(groups))
        for each, by, reason in verdict.suppressed:
            found = describer.findings([_ViolationGroup.of(each)])
            suppressed += [Suppressed(finding, by, reason) for finding in found]
        is_cut = is_cut or describer.is_cut
    result = FileResult(
        manifest.document.name,
        findings,
        None if is_empty or only_verdict else manifest.document.text,
        tuple(suppressed),
        fails=verdict.fails,
        is_cut=is_cut,
        used=verdict.used,
        crash=describer.crash,
    )
    if is_empty or not only_verdict:
        return result
    rules = tuple((each.violations[0].rule, each.severity) for each in groups)
    return result._replace(verdict=_without_abouts(verdict), rules=rules)


def described(violations: Iterable[Violation], manifest: Manifest) -> Iterator[Finding]:
    """Return a finding for each violation, whether or not it counts."""
    describer = _Describer(manifest)
    return describer.findings(list(map(_ViolationGroup.of, violations)))


def _without_abouts(verdict: Verdict) -> Verdict:
    """Return a verdict with what counts of each violation, to be kept or sent to a process."""
    return verdict._replace(
        violations=tuple(each._replace(about=None) for each in verdict.violations),
        suppressed=tuple(
            (each._replace(about=None), by, reason) for each, by, reason in verdict.suppressed
        ),
    )


def _groups(verdict: Verdict, manifest: Manifest, policy: Policy) -> list[_ViolationGroup]:
    """Group violations; those of what is evidently no manifest are one group."""
    violations, value = verdict.violations, manifest.document.value
    is_ours = isinstance(value, dict) and not manifest.schema.marks.isdisjoint(value)
    lacks = not is_ours and any(each.member is not None and not each.path for each in violations)
    foreign = not_a_manifest.find(manifest) if lacks else None
    if foreign is None or not policy.counts(foreign.rule):
        return _grouped(violations, manifest)
    is_other = any(foreign.about)  # else it only lacks all members, and may have other faults
    covered = [
        each for each in violations if not _has_own_text(each) and (is_other or _is_of_root(each))
    ]
    others = [each for each in violations if each not in covered]
    lead = foreign._replace(
        severity=_ViolationGroup.of(*covered).severity, identity=Identity(foreign.rule, "", "", 0)
    )
    return [_ViolationGroup.of(lead, *covered), *(_grouped(others, manifest) if others else ())]


def _is_of_root(violation: Violation) -> bool:
    """Return whether a violation is that the root lacks a member, or has one that is unknown."""
    if violation.member is not None:
        return not violation.path
    return len(violation.path) == 1 and _is_about_unknown(violation)


class _Describer:
    """Maker of the findings of one manifest, until they have more text than the limit.

    Attributes:
        is_cut: whether there was more text than the limit.
        crash: the first bug that cost a finding its text: the verdict stands without it.
    """

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._editor: Editor | None = None
        self._size = 0
        self.is_cut = False
        self.crash: CrashedFileError | None = None

    def attempt(self, make: Callable[..., _T], *arguments: object) -> _T | None:
        """Return what a function makes; None where it fails unexpectedly, which is kept."""
        try:
            return make(*arguments)
        except MemoryError:
            raise
        except Exception as bug:  # noqa: BLE001 - whatever fails, it is only a text
            self.crash = self.crash or CrashedFileError.of(self._manifest.document.name, bug)
            return None

    def findings(self, groups: list[_ViolationGroup]) -> Iterator[Finding]:
        """Yield the findings by place, then rule; the last covers what is left out."""
        if self.is_cut:
            return
        document = self._manifest.document
        placed = []
        for index, group in enumerate(groups):
            lead = group.violations[0]
            said = group.said or self.attempt(self._said, lead)
            location = said.location if said else self.attempt(document.locate, lead.path)
            location = location or document.locate(())
            placed.append((location.span, lead.rule, index, said, location))
        placed.sort(key=lambda each: each[:3])
        for rank, (_, _, index, said, location) in enumerate(placed):
            group = groups[index]
            finding = said and self.attempt(self._finding, group, said, location)
            finding = finding or self._without_text(group, location)
            if self._is_too_much(finding):
                self.is_cut = True
                left = [groups[index] for _, _, index, _, _ in placed[rank:]]
                yield self._last(left, location)
                return
            yield finding

    def _is_too_much(self, finding: Finding) -> bool:
        """Return whether one more finding is beyond the limit."""
        self._size += finding.size()
        return self._size > MOST_TEXT

    def _last(self, left: list[_ViolationGroup], location: Location) -> Finding:
        """Return the finding in place of those that would be too much text."""
        lead = too_many(left[0].violations[0], MOST_TEXT, "characters of findings")
        identity = Identity(lead.rule, stable_pointer(self._manifest, lead.path), "", 0)
        lead = lead._replace(identity=identity)
        severity = min((group.severity for group in left), key=lambda each: each.rank)
        return self._finding(_ViolationGroup([lead], severity), lead.about, location)

    def _said(self, violation: Violation) -> Description:
        """Return what there is to say of a violation, and its location."""
        about, document = violation.about, self._manifest.document
        if isinstance(about, Finding):
            return Description(about.message, location=about.location)
        if isinstance(about, ValidationError):
            said = describe_error(self._manifest, about)
        elif isinstance(about, Description):
            said = about
        else:
            said = describe(self._manifest, violation)
        if said.location:
            return said
        if violation.span is not None:
            return said._replace(location=document.lines.locate(violation.span))
        locate = document.locate_key if violation.on_key else document.locate
        return said._replace(location=locate(violation.path))

    def _without_text(self, group: _ViolationGroup, location: Location) -> Finding:
        """Return the finding of a group of which no more can be told than what is broken."""
        lead = group.violations[0]
        return Finding(
            self._manifest.document.name,
            lead.rule,
            group.severity,
            f"{label(lead.path)} does not satisfy `{_keyword_of(lead) or lead.rule}`",
            lead.pointer,
            location,
            lead.member,
            profile=lead.profile,
            identity=lead.identity,
            covers=group.covers,
        )

    def _finding(self, group: _ViolationGroup, said: Description, location: Location) -> Finding:
        lead, covers = group.violations[0], group.covers
        about = lead.about
        if isinstance(about, Finding):
            rule = find_rule(about.rule)
            return about._replace(
                severity=group.severity,
                clause=about.clause or (rule.clause if rule and not about.profile else None),
                url=about.url or rule_page(about.rule),
                identity=lead.identity,
                covers=covers,
            )
        is_schemas = isinstance(about, ValidationError)
        annotations = about.requirement.annotations if is_schemas else {}
        clause = annotations.get("clause")
        # What a schema says is complete; a rule of ours says the rest.
        rule = None if lead.profile or (is_schemas and clause) else find_rule(lead.rule)
        finding = Finding(
            self._manifest.document.name,
            lead.rule,
            group.severity,
            said.message,
            lead.pointer,
            location,
            lead.member,
            said.related,
            tuple(map(self._with_edits, said.fixes)),
            said.suggestion,
            said.help if is_schemas or not rule else said.help or rule.help,
            clause or (rule.clause if rule else None),
            lead.profile,
            annotations.get("url") or rule_page(lead.rule),
            lead.identity,
            covers,
        )
        return finding if is_schemas else finding.in_plain_lines()

    def _with_edits(self, fix: Fix) -> Fix:
        """Return a fix with its edits, where the text can be edited so."""
        if fix.edits or not fix.patch:
            return fix
        if self._editor is None:
            from manifestkit.edits.editor import Editor  # noqa: PLC0415 - many findings have no fixes

            self._editor = Editor(self._manifest.document)
        try:
            edits = self._editor.patch(fix.patch)
        except EditRefusedError:
            edits = ()
        safety = "unsafe" if self._editor.drops_comment(edits) else fix.safety
        own_patch = tuple(map(dict, fix.patch))  # the same fix may be offered in other manifests
        return Fix(fix.message, safety, edits, own_patch)


# -- groups of violations that one finding describes -----------------------------------------------


class _ViolationGroup(NamedTuple):
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
    def of(cls, first: Violation, *others: Violation) -> _ViolationGroup:
        """Return the group of some violations, of which the first is described."""
        if not others:
            return cls([first], first.severity)
        every = [first, *others]
        covers = sorted({each.rule for each in others} - {first.rule})
        severity = min((each.severity for each in every), key=lambda each: each.rank)
        return cls(every, severity, tuple(covers))


def _grouped(violations: Sequence[Violation], manifest: Manifest) -> list[_ViolationGroup]:
    """Group the violations that count by the finding that describes them.

    - Two lists that hold each other's values are one finding.
    - What else is wrong with a value of the wrong type belongs to the finding about the type.
    - One requirement of several schemas is one finding.
    - What a profile requires by a reference to the manifest's schema belongs to what that requires.
    """
    if len(violations) == 1:
        return [_ViolationGroup(list(violations), violations[0].severity)]
    violations = sorted(violations, key=_precedence)
    leads = _Leads.of(violations, manifest)
    found: dict[object, list[Violation]] = {}
    others: list[tuple[object, Violation]] = []
    for each in violations:
        lists = leads.lists_of(each)
        lead = leads.lead_of(each)
        place = lead.path, lead.member, lead.on_key, lead.span
        key: object = lists or (lead.rule, place)
        if _has_own_text(each):
            key = id(each)
        is_lead = each.path[:-1] == lists[0] if lists else lead is each
        if is_lead:
            found.setdefault(key, []).append(each)
        else:
            others.append((key, each))
    leading = {key: list(each) for key, each in found.items()}
    for key, each in others:
        found[key].append(each)
    groups: list[_ViolationGroup] = []
    for key, every in found.items():
        if lists := leads.lists_of(every[0]):
            groups.append(_of_swapped(every, manifest, *lists))
        else:
            groups += (_ViolationGroup.of(*same) for same in _by_demand(leading[key], every))
    return groups


def _by_demand(leading: list[Violation], every: list[Violation]) -> Iterable[list[Violation]]:
    """Return violations of a rule at one place in groups of which each demands one thing.

    Args:
        leading: those that a finding can describe.
        every: the same, and those that it covers.
    """
    if len(leading) == 1:
        return [every]
    found: dict[object, list[Violation]] = {}
    for each in leading:
        found.setdefault(_demand(each), []).append(each)
    groups = [_in_all_profiles(each) for each in found.values()]
    groups[0] += [each for each in every if each not in leading]
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
        mistyped: the values of the wrong type.
        missing: the missing members.
        moved: the members of which a missing one is made, and those around them.
        own: what the manifest's schema requires, where a profile refers to it.
        parts: the items that are the members of one object, each with the first missing member.
    """

    swapped: dict[Path, tuple[Path, Path]]
    mistyped: dict[Path, Violation]
    missing: dict[tuple[Path, str], Violation]
    moved: dict[Path, Violation]
    own: dict[tuple[object, ...], Violation]
    parts: dict[Path, Violation]

    @classmethod
    def of(cls, violations: Sequence[Violation], manifest: Manifest) -> _Leads:
        leads = cls({}, {}, {}, {}, _referred_to(violations), {})
        if any(_keyword_of(each) == "enum" for each in violations):
            for lists in _swapped_lists(manifest, _wrong_items(violations)):
                leads.swapped.update(dict.fromkeys(lists, lists))
        for each in violations:
            if each.is_again and _broken(each) in leads.own:
                continue
            if _keyword_of(each) == "type":
                leads.mistyped.setdefault(each.path, each)
            elif each.member is not None:
                leads.missing.setdefault((each.path, each.member), each)
        leads._note_moved(violations, manifest)
        leads._note_parts(manifest)
        return leads

    def _note_parts(self, manifest: Manifest) -> None:
        for (path, _), each in self.missing.items():
            if path and isinstance(path[-1], int) and path not in self.parts:
                from manifestkit.findings.shapes import joined_items  # noqa: PLC0415 - rare

                _, first, last = joined_items(manifest, path) or ((), 0, -1)
                self.parts.update(((*path[:-1], index), each) for index in range(first, last + 1))

    def _note_moved(self, violations: Sequence[Violation], manifest: Manifest) -> None:
        if self.missing and any(map(_is_about_unknown, violations)):
            from manifestkit.findings.elsewhere import find  # noqa: PLC0415 - off by default

            for (path, member), each in self.missing.items():
                found = find(manifest, path, member)
                for source in found.sources if found else ():
                    for end in range(1, len(source) + 1):
                        self.moved.setdefault(source[:end], each)

    def lists_of(self, violation: Violation) -> tuple[Path, Path] | None:
        """Return the two lists, if a violation is about an item of one of them."""
        return self.swapped.get(violation.path[:-1]) if _keyword_of(violation) == "enum" else None

    def lead_of(self, violation: Violation) -> Violation:
        """Return the violation whose finding describes this one too; itself if it has its own."""
        own = self.own.get(_broken(violation)) if violation.is_again else None
        if own is not None:
            return self.lead_of(own)
        if violation.member is not None:
            return self.parts.get(violation.path, violation)
        if _has_own_text(violation):
            return violation
        if _is_about_unknown(violation):
            return self.moved.get(violation.path, violation)
        lead = self.mistyped.get(violation.path)
        return violation if lead is None or _keyword_of(violation) == "type" else lead


def _precedence(violation: Violation) -> tuple[int, bool, str]:
    return violation.severity.rank, violation.profile is not None, violation.rule


def _referred_to(violations: Sequence[Violation]) -> dict[tuple[object, ...], Violation]:
    """Return what the manifest's schema requires, by what is broken, if a profile refers to it."""
    if not any(each.is_again for each in violations):
        return {}
    return {_broken(each): each for each in violations if each.profile is None}


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


def _wrong_items(violations: Iterable[Violation]) -> dict[Path, set[int]]:
    """Return the lists with items that are not allowed values, and these."""
    wrong: dict[Path, set[int]] = {}
    for each in violations:
        index = each.path[-1] if each.path else None
        if isinstance(index, int) and each.profile is None and _keyword_of(each) == "enum":
            wrong.setdefault(each.path[:-1], set()).add(index)
    return wrong


def _swapped_lists(
    manifest: Manifest, wrong: Mapping[Path, Collection[int]]
) -> Iterator[tuple[Path, Path]]:
    """Yield the pairs of lists in which each item is wrong, and allowed in the other list."""
    for one, other in _exchangeable_lists(manifest):
        sizes = [len(manifest.document.value_at(each)) for each in (one, other)]
        if 0 not in sizes and sizes == [len(wrong.get(each, ())) for each in (one, other)]:
            yield one, other


def _of_swapped(
    violations: list[Violation], manifest: Manifest, one: Path, other: Path
) -> _ViolationGroup:
    """Return the group of what is wrong with the items of two lists, at the first of these."""
    identity = Identity(violations[0].rule, stable_pointer(manifest, one), "", 0)
    lead = violations[0]._replace(path=one, identity=identity)
    group = _ViolationGroup.of(lead, *violations[1:])
    return group._replace(said=describe_swap(manifest, one, other))


def _exchangeable_lists(manifest: Manifest) -> Iterator[tuple[Path, Path]]:
    """Yield the pairs of lists in which each item is allowed in the other; one may be empty."""
    lists = [
        (place, field, value)
        for where, field in manifest.schema.lists[:_MOST_LISTS]
        for place in (where[:-1],)
        for value in (manifest.document.value_or_none(place),)
        if where[-1:] == (0,) and isinstance(value, list)
    ]
    for index, (place, own, value) in enumerate(lists):
        for other, field, there in lists[index + 1 :]:
            if len(value) + len(there) > 1 and _all_of(value, field) and _all_of(there, own):
                yield place, other


def _all_of(items: list[Any], field: Field) -> bool:
    values = {each for each, _ in field.values if isinstance(each, Hashable)}
    return all(isinstance(each, Hashable) and each in values for each in items)
