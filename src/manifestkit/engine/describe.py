"""Findings of a verdict: messages, places and fixes, made for what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, TypeVar

from manifestkit.config.policy import Policy
from manifestkit.findings.advice import describe_error, describe_swap, locate
from manifestkit.findings.fingerprints import stable_pointer
from manifestkit.findings.fixes import with_edits
from manifestkit.findings.grouping import (
    Group,
    grouped,
    has_own_text,
    is_about_unknown,
    keyword_of,
)
from manifestkit.findings.words import label
from manifestkit.model.errors import CrashedFileError
from manifestkit.model.finding import Description, Finding, Identity, Severity
from manifestkit.model.limits import MOST_TEXT
from manifestkit.model.location import Location
from manifestkit.model.pointer import format_pointer
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.catalogue import catalogue, find_rule, rule_page
from manifestkit.rules.check import LIMIT_EXCEEDED, around, implementation
from manifestkit.rules.checks import not_a_manifest
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.validation_error import ValidationError

if TYPE_CHECKING:
    from manifestkit.edits.editor import Editor
    from manifestkit.model.tally import Tally

_T = TypeVar("_T")


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
    groups = groups or list(map(Group.of, verdict.violations))
    is_empty = not verdict.violations and not verdict.suppressed
    findings: tuple[Finding, ...] = ()
    suppressed: list[Suppressed] = []
    is_cut = verdict.is_cut
    if not is_empty and not only_verdict:
        findings = tuple(describer.findings(groups))
        for each in verdict.suppressed:
            found = describer.findings([Group.of(each.violation)])
            suppressed += [Suppressed(finding, each.by, each.reason) for finding in found]
        is_cut = is_cut or describer.is_cut
    return FileResult(
        manifest.document.name,
        findings,
        None if is_empty or only_verdict else manifest.document.text,
        tuple(suppressed),
        fails=verdict.fails,
        is_cut=is_cut,
        tally=_tally(verdict, groups) if only_verdict and not is_empty else None,
        used=verdict.used,
        crash=describer.crash,
    )


def described(violations: Iterable[Violation], manifest: Manifest) -> Iterator[Finding]:
    """Return a finding for each violation, whether or not it counts."""
    describer = _Describer(manifest)
    return describer.findings(list(map(Group.of, violations)))


def _tally(verdict: Verdict, groups: list[Group]) -> Tally:
    from manifestkit.model.tally import Tallied, Tally  # noqa: PLC0415 - most runs show findings

    every: list[tuple[Violation, str | None]] = [(each, None) for each in verdict.violations]
    every += [(each.violation, each.by) for each in verdict.suppressed]
    violations = tuple(
        Tallied(each.rule, each.severity, each.pointer, each.identity, by) for each, by in every
    )
    return Tally(violations, tuple((each.violations[0].rule, each.severity) for each in groups))


def _groups(verdict: Verdict, manifest: Manifest, policy: Policy) -> list[Group]:
    """Group violations; those of what is evidently no manifest are one group."""
    violations, value = verdict.violations, manifest.document.value
    rule = catalogue()[not_a_manifest.ID]
    is_ours = isinstance(value, dict) and not manifest.schema.marks.isdisjoint(value)
    lacks = not is_ours and any(each.member is not None and not each.path for each in violations)
    foreign = not_a_manifest.find(rule, manifest) if lacks and policy.counts(rule.id) else None
    if foreign is None:
        return grouped(violations, manifest)
    is_other = any(foreign.about)  # else it only lacks all members, and may have other faults
    covered = [
        each for each in violations if not has_own_text(each) and (is_other or _is_of_root(each))
    ]
    others = [each for each in violations if each not in covered]
    lead = foreign._replace(
        severity=Group.of(*covered).severity, identity=Identity(rule.id, "", "", 0)
    )
    return [Group.of(lead, *covered), *(grouped(others, manifest) if others else ())]


def _is_of_root(violation: Violation) -> bool:
    """Return whether a violation is that the root lacks a member, or has one that is unknown."""
    if violation.member is not None:
        return not violation.path
    return len(violation.path) == 1 and is_about_unknown(violation)


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

    def findings(self, groups: list[Group]) -> Iterator[Finding]:
        """Yield the findings by place, then rule; the last covers what is left out."""
        if self.is_cut:
            return
        placed = []
        for index, group in enumerate(groups):
            location = self.attempt(self._location, group)
            location = location or self._manifest.document.locate(())
            placed.append((location.span, group.violations[0].rule, index, location))
        placed.sort()
        for rank, (_, _, index, location) in enumerate(placed):
            finding = self.attempt(self._finding, groups[index], location)
            finding = finding or self._without_text(groups[index], location)
            if self._is_too_much(finding):
                self.is_cut = True
                left = [groups[index] for _, _, index, _ in placed[rank:]]
                yield self._last(left, location)
                return
            yield finding

    def _is_too_much(self, finding: Finding) -> bool:
        """Return whether one more finding is beyond the limit."""
        self._size += finding.size()
        return self._size > MOST_TEXT

    def _last(self, left: list[Group], location: Location) -> Finding:
        """Return the finding in place of those that would be too much text."""
        lead = left[0].violations[0]
        about = Description(
            f"stopped after {MOST_TEXT:,} characters of findings",
            "fix the first findings; the others may have the same cause",
        )
        lead = lead._replace(
            rule=LIMIT_EXCEEDED, path=around(lead.path), about=about, member=None, profile=None
        )
        identity = Identity(LIMIT_EXCEEDED, stable_pointer(self._manifest, lead.path), "", 0)
        severity = min((group.severity for group in left), key=lambda each: each.rank)
        return self._made(lead._replace(identity=identity), about, location, severity)

    def _location(self, group: Group) -> Location:
        if group.swapped:
            return self._manifest.document.locate_key(group.swapped[0])
        return locate(self._manifest, group.violations[0])

    def _without_text(self, group: Group, location: Location) -> Finding:
        """Return the finding of a group of which no more can be told than what is broken."""
        lead = group.violations[0]
        return Finding(
            self._manifest.document.name,
            lead.rule,
            group.severity,
            f"{label(lead.path)} does not satisfy `{keyword_of(lead) or lead.rule}`",
            lead.pointer,
            location,
            lead.member,
            profile=lead.profile,
            identity=lead.identity,
            covers=group.covers,
        )

    def _finding(self, group: Group, location: Location) -> Finding:
        lead = group.violations[0]
        about, manifest = lead.about, self._manifest
        if isinstance(about, Finding):
            rule = find_rule(about.rule)
            return about._replace(
                severity=group.severity,
                clause=about.clause or (rule.clause if rule and not about.profile else None),
                url=about.url or rule_page(about.rule),
                identity=lead.identity,
                covers=group.covers,
            )
        if group.swapped:
            one, other = group.swapped
            identity = Identity(lead.rule, stable_pointer(manifest, one), "", 0)
            lead = lead._replace(path=one, identity=identity)
            said = describe_swap(manifest, one, other)
        elif isinstance(about, ValidationError):
            said = describe_error(manifest, about)
        elif isinstance(about, Description):
            said = about
        else:
            said = implementation(catalogue()[lead.rule]).describe(manifest, lead)
        return self._made(lead, said, location, group.severity, group.covers)

    def _made(
        self,
        lead: Violation,
        said: Description,
        location: Location,
        severity: Severity,
        covers: tuple[str, ...] = (),
    ) -> Finding:
        is_schemas = isinstance(lead.about, ValidationError)
        annotations = lead.about.requirement.annotations if is_schemas else {}
        clause = annotations.get("clause")
        # What a schema says is complete; a rule of ours says the rest.
        rule = None if lead.profile or (is_schemas and clause) else find_rule(lead.rule)
        fixes = said.fixes
        if fixes:
            if self._editor is None:
                from manifestkit.edits.editor import Editor  # noqa: PLC0415 - many findings have no fixes

                self._editor = Editor(self._manifest.document)
            fixes = tuple(map(with_edits, fixes, repeat(self._editor)))
        finding = Finding(
            self._manifest.document.name,
            lead.rule,
            severity,
            said.message,
            format_pointer(lead.path),
            location,
            lead.member,
            said.related,
            fixes,
            said.suggestion,
            said.help if is_schemas or not rule else said.help or rule.help,
            clause or (rule.clause if rule else None),
            lead.profile,
            annotations.get("url") or rule_page(lead.rule),
            lead.identity,
            covers,
        )
        return finding if is_schemas else finding.in_plain_lines()
