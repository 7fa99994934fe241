"""Findings of a verdict: messages, places and fixes, made for what is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from manifestkit.config.policy import Policy
from manifestkit.engine.groups import ViolationGroup, grouped
from manifestkit.findings.advice import describe_error
from manifestkit.findings.fingerprints import identified
from manifestkit.findings.shapes import losses
from manifestkit.findings.syntax import described_by_schema
from manifestkit.model.errors import CrashedFileError, EditRefusedError
from manifestkit.model.finding import Description, Finding, Fix
from manifestkit.model.limits import MOST_TEXT
from manifestkit.model.location import Location
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.catalogue import find_rule, rule_page
from manifestkit.rules.check import implementation, too_many
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.validation_error import ValidationError

if TYPE_CHECKING:
    from manifestkit.edits.editor import Editor

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
    result = FileResult(
        manifest.document.name, fails=verdict.fails, is_cut=verdict.is_cut, used=verdict.used
    )
    if not verdict.violations and not verdict.suppressed:
        return result
    describer = _Describer(manifest)

    def groups_of(violations: Sequence[Violation]) -> list[ViolationGroup]:
        groups = describer.attempt(grouped, violations, manifest, policy)
        return groups or [ViolationGroup.of([each]) for each in violations]

    groups = groups_of(verdict.violations)
    together: dict[tuple[str, str | None], list[Violation]] = {}
    for each, by, reason in verdict.suppressed:
        together.setdefault((by, reason), []).append(each)
    hidden = [(groups_of(some), *why) for why, some in together.items()]
    if only_verdict:
        rules = tuple((each.lead.rule, each.severity) for each in groups)
        leads = ((each.lead, by, reason) for several, by, reason in hidden for each in several)
        kept = _without_abouts(verdict._replace(suppressed=tuple(leads)))
        return result._replace(verdict=kept, rules=rules, crash=describer.crash)
    findings = tuple(describer.findings(groups))
    suppressed = [
        Suppressed(finding, by, reason)
        for several, by, reason in hidden
        for finding in describer.findings(several)
    ]
    return result._replace(
        findings=findings,
        text=manifest.document.text,
        suppressed=tuple(suppressed),
        is_cut=verdict.is_cut or describer.is_cut,
        crash=describer.crash,
    )


def described(violation: Violation, manifest: Manifest) -> tuple[Finding, CrashedFileError | None]:
    """Return the finding of a violation, whether or not it counts, and the bug that it met."""
    describer = _Describer(manifest)
    (finding,) = describer.findings([ViolationGroup.of([violation])])
    return finding, describer.crash


def _without_abouts(verdict: Verdict) -> Verdict:
    """Return a verdict with what counts of each violation, to be kept or sent to a process."""
    return verdict._replace(
        violations=tuple(each._replace(about=None) for each in verdict.violations),
        suppressed=tuple(
            (each._replace(about=None), by, reason) for each, by, reason in verdict.suppressed
        ),
    )


class _PlacedGroup(NamedTuple):
    """Violations, what there is to say of them, if that can be told, and where."""

    group: ViolationGroup
    said: Description | None
    location: Location


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
        self._tagged = {each.pointer for each in manifest.faults if each.rule == "yaml-unsupported"}
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

    def findings(self, groups: list[ViolationGroup]) -> Iterator[Finding]:
        """Yield the findings by place, then rule; the last covers what is left out."""
        placed = [] if self.is_cut else map(self._placed, groups)
        left = sorted(placed, key=lambda each: (each.location.span, each.group.lead.rule))
        for rank, (group, said, location) in enumerate(left):
            finding = said and self.attempt(self._finding, group, said, location)
            finding = finding or self._without_text(group, location)
            self._size += finding.size()
            if self._size > MOST_TEXT:
                self.is_cut = True
                yield self._last([each.group for each in left[rank:]], location)
                return
            yield finding

    def _placed(self, group: ViolationGroup) -> _PlacedGroup:
        document, lead = self._manifest.document, group.lead
        said = group.said or self.attempt(self._said, lead, *group.also_told)
        location = said.location if said else self.attempt(document.locate, lead.path)
        return _PlacedGroup(group, said, location or document.locate(()))

    def _last(self, left: list[ViolationGroup], location: Location) -> Finding:
        """Return the finding in place of those that would be too much text."""
        lead = too_many(left[0].lead, MOST_TEXT, "characters of findings")
        (lead,) = identified([lead], self._manifest)
        severity = min((group.severity for group in left), key=lambda each: each.rank)
        return self._finding(ViolationGroup(lead, [lead], severity), lead.about, location)

    def _said(self, violation: Violation, *others: Violation) -> Description:
        """Return what there is to say of a violation, and of others with it, and its location."""
        about, document = violation.about, self._manifest.document
        if isinstance(about, Finding):
            return Description(about.message, location=about.location)
        if isinstance(about, ValidationError):
            said = describe_error(self._manifest, about)
        elif isinstance(about, Description):
            said = about
        else:
            said = implementation(violation.rule).describe(self._manifest, violation)
        lost = [losses(self._manifest, each) for each in said.fixes]
        if any(lost):
            pairs = zip(said.fixes, lost, strict=True)
            fixes = (fix._replace(message=f"{fix.message}{each}") for fix, each in pairs)
            help_text = said.help and f"{said.help}{lost[0]}"
            said = said._replace(help=help_text, fixes=tuple(fixes))
        for each in filter(attrgetter("help"), map(self._said, others)):
            said = said._replace(help=f"{said.help}, or, as {each.message}, {each.help}")
        if self._tagged and violation.pointer in self._tagged:  # what it tags is not edited
            value = document.value_or_none(violation.path)
            if value is not None and not isinstance(value, dict | list):
                said = said._replace(help=None, suggestion=None, fixes=())
        if said.location:
            return said
        if violation.span is not None:
            return said._replace(location=document.lines.locate(violation.span))
        locate = document.locate_key if violation.on_key else document.locate
        return said._replace(location=locate(violation.path))

    def _without_text(self, group: ViolationGroup, location: Location) -> Finding:
        """Return the finding of a group of which no more can be told than what is broken."""
        lead = group.lead
        broken = lead.about.keyword if isinstance(lead.about, ValidationError) else lead.rule
        message = f"{lead.pointer or 'the manifest'} does not satisfy `{broken}`"
        name = self._manifest.document.name
        found = Finding(
            name, lead.rule, group.severity, message, lead.pointer, location, lead.member
        )
        return found._replace(profile=lead.profile, identity=lead.identity, covers=group.covers)

    def _finding(self, group: ViolationGroup, said: Description, location: Location) -> Finding:
        lead, covers = group.lead, group.covers
        about = lead.about
        if isinstance(about, Finding):
            rule = find_rule(about.rule)
            about = described_by_schema(self._manifest, about)
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
        """Return a fix with its edits, where there is a text and it can be edited so."""
        if fix.edits or not fix.patch or not self._manifest.document.text:
            return fix
        if self._editor is None:
            from manifestkit.edits.editor import Editor  # noqa: PLC0415 - many findings have no fixes

            self._editor = Editor(self._manifest.document)
        try:
            edits = self._editor.patch(fix.patch)
        except EditRefusedError:
            edits = ()
        own_patch = tuple(map(dict, fix.patch))  # the same fix may be offered in other manifests
        fix = fix._replace(edits=edits, patch=own_patch)
        risk = self._editor.comments_at_risk(edits)
        if risk is None:
            return fix
        lost = "; this drops comments" if risk == "dropped" else ""
        return fix._replace(message=f"{fix.message}{lost}", safety="unsafe")
