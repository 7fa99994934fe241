"""Which violations count in a configured folder, and with which severity."""

from collections.abc import Iterable
from datetime import date
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.config.configuration import ALWAYS, Configuration, Selection, Suppression
from manifestkit.findings.fingerprints import identified
from manifestkit.model.document import Document
from manifestkit.model.finding import Severity
from manifestkit.model.limits import Limits
from manifestkit.model.violation import Verdict, Violation
from manifestkit.rules.catalogue import catalogue, rules_about_changes
from manifestkit.rules.check import LIMIT_EXCEEDED, Required, too_many
from manifestkit.rules.rule import Rule
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import all_of, base_schema, packaged_formats, packaged_schema

if TYPE_CHECKING:
    from manifestkit.config.baseline import Baseline
_Suppressed = tuple[Violation, str, str | None]
"""A violation, what suppresses it, and the reason, if one was given."""


class Requirements(NamedTuple):
    """The schemas that a manifest is checked against.

    Attributes:
        schema: what it must be.
        profiles: what a host requires beyond it.
        row: the format that it is of.
        required: every schema that it is held to.
    """

    schema: Schema
    profiles: tuple[Schema, ...]
    row: Format
    required: list[Required]

    @property
    def described(self) -> Schema:
        """The schema, with what the profiles say of its values."""
        return self.schema.described_with(self.profiles)


class _Settings(NamedTuple):
    """Settings of a policy.

    Attributes:
        own_schema: what a manifest must be, in place of section 2 of the manifest document and of
            the schemas of all formats but those in `own_formats`; None for these.
        profiles: what a host requires beyond it.
        change_profiles: what a host requires of changes.
        selection: the rules that count, and their severities.
        baseline: violations that are known and do not count.
        limits: bounds on a manifest.
        fail_on: the least severity that makes a manifest fail.
        own_formats: formats with schemas of their own; no profiles hold for them.
        locked: what can be neither lowered, ignored nor suppressed; a manifest is held to these
            schemas whatever else it is held to.
        configuration: what the folder is configured with, its suppressions among it.
        only_format: the format that every manifest is of; None where each tells by itself.
        is_about_changes: whether it is for what changed between two manifests.
    """

    own_schema: Schema | None = None
    profiles: tuple[Schema, ...] = ()
    change_profiles: tuple[Schema, ...] = ()
    selection: Selection = Selection()
    baseline: "Baseline | None" = None
    limits: Limits = Limits()
    fail_on: Severity = Severity.ERROR
    own_formats: tuple[tuple[Format, Schema], ...] = ()
    locked: tuple[Schema, ...] = ()
    configuration: Configuration = Configuration()
    only_format: Format | None = None
    is_about_changes: bool = False


class Policy(_Settings):
    """The rules that count and how, for a folder."""

    @cached_property
    def of_changes(self) -> "Policy":
        """This policy, for the changes between two manifests."""
        return self._replace(is_about_changes=True)

    @cached_property
    def _selection(self) -> Selection:
        """The selection; a `select` without a rule of the policy's kind leaves all of them on."""
        selected = self.selection.select or ()  # most select none: then no rule is asked for
        kinds = (each in rules_about_changes(self.change_profiles) for each in selected)
        if self.is_about_changes in kinds:
            return self.selection
        return self.selection._replace(select=None)

    # -- what a manifest is checked against -------------------------------------------------------

    @cached_property
    def schema(self) -> Schema:
        """The schema of a manifest of the first format."""
        return self.own_schema or base_schema()

    @cached_property
    def described(self) -> Schema:
        """The schema of a manifest of the first format, with what profiles say of its values."""
        return self.schema.described_with(self.profiles)

    @cached_property
    def formats(self) -> Formats:
        """The formats that a manifest may have, those of the package included."""
        if self.only_format:
            return Formats((self.only_format,))
        ours = packaged_formats()
        own = tuple(row for row, _ in self.own_formats)
        return Formats((*own, *ours.rows)) if own else ours

    @property
    def schemas(self) -> list[tuple[Format, Schema]]:
        """Each format with its schema, ours first."""
        default = self.formats.default
        rows = [default, *(row for row in self.formats.rows if row is not default)]
        return [(row, self._of_format(row).schema) for row in rows]

    @cached_property
    def every_schema(self) -> list[Schema]:
        """Every schema and profile that may declare a rule."""
        own = (schema for _, schema in self.own_formats)
        return [self.schema, *self.profiles, *self.change_profiles, *own]

    def requirements(self, document: Document) -> Requirements:
        """Return what a manifest is checked against, by its name and by what it says of itself."""
        rows = self.formats.rows
        row = rows[0] if len(rows) == 1 else self.formats.of(document.name, document.value)
        return self._requirements.get(row.id) or self._of_format(row)

    def _of_format(self, row: Format) -> Requirements:
        own = next((schema for each, schema in self.own_formats if each.id == row.id), None)
        schema, profiles = own or self.schema, () if own else self.profiles
        if own is None and len(self.formats.rows) > 1 and self.own_schema is None:
            schema = packaged_schema(row.schema)
        required = self._required(schema, profiles)
        self._requirements[row.id] = Requirements(schema, profiles, row, required)
        return self._requirements[row.id]

    def of_format(self, row: Format) -> "Policy":
        """Return the same policy for manifests of one format only, whatever they say."""
        known = self._of_format(row)
        return self._replace(
            own_schema=known.schema, profiles=known.profiles, own_formats=(), only_format=row
        )

    def _required(self, schema: Schema, profiles: tuple[Schema, ...]) -> list[Required]:
        """Return the schemas of a manifest; ours and those of our rules are one, if possible."""
        locked, ours = self.locked, base_schema()
        of_rules = [rule.schema for rule in self.rules if rule.schema]
        if schema is ours and schema not in locked:
            own = [Required(all_of((ours, *of_rules)), is_ours=True)]
        else:
            own = [
                Required(schema, is_ours=schema is ours, is_locked=schema in locked),
                Required(all_of(tuple(of_rules)), is_ours=True),
            ]
        others = [each for each in locked if each not in (schema, *profiles)]
        named = {each: each.name for each in (*self.profiles, *profiles)}
        beside = (*others, *profiles)
        return [*own, *(Required(x, named.get(x), is_locked=x in locked) for x in beside)]

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules that count."""
        return [rule for rule in catalogue().values() if self._selection.counts(rule.id)]

    @cached_property
    def checks(self) -> list[Rule]:
        """Those of the rules that look at a manifest in their own way."""
        return [rule for rule in self.rules if rule.trait]

    # -- which violations count -------------------------------------------------------------------

    def counts(self, rule: str) -> bool:
        """Return whether a rule applies to manifests; rules about changes do not."""
        is_about_changes = rule in rules_about_changes(self.change_profiles)
        return not is_about_changes and self._selection.counts(rule)

    def in_force(self, rule: Rule) -> Rule:
        """Return a rule with the severity that it has here."""
        if not self.is_about_changes and rule.id in rules_about_changes(self.change_profiles):
            return self.of_changes.in_force(rule)
        severity = self._selection.severity_of(rule.id, rule.severity)
        return rule if rule.id in ALWAYS else rule._replace(severity=severity)

    def severity_of(self, violation: Violation) -> Severity | None:
        """Return the severity that counts; None where the violation does not."""
        own = violation.severity
        if violation.rule in ALWAYS:
            return own
        if violation.is_off and not self._selection.turns_on(violation.rule):
            return None
        counted = self._selection.severity_of(violation.rule, own)
        if violation.is_locked and (counted is None or own.rank < counted.rank):
            return own
        return counted

    def verdict(self, found: Iterable[Violation], manifest: Manifest) -> Verdict:
        """Return which violations of a manifest count.

        Args:
            found: the violations, of which no more than the limit are asked for.
            manifest: the manifest.
        """
        counted, is_cut = self._counted(found)
        if not counted:
            return Verdict(is_cut=is_cut)
        counted = identified(counted, manifest)
        suppressed: list[_Suppressed] = []
        used: set[tuple[str, int | str]] = set()
        if self.configuration.suppressions or self.baseline:
            counted, suppressed, used = self._by_settings(counted, manifest)
        fails = any(each.severity.rank <= self.fail_on.rank for each in counted)
        return Verdict(tuple(counted), tuple(suppressed), fails, is_cut, tuple(used))

    def _counted(self, found: Iterable[Violation]) -> tuple[list[Violation], bool]:
        """Those that count, each with its severity, and whether there are more."""
        counted: list[Violation] = []
        most = self.limits.findings
        is_cut = False
        for each in found:
            severity = self.severity_of(each)
            is_cut = is_cut or each.stands_for_others
            if severity is None:
                continue
            if len(counted) < most or each.rule == LIMIT_EXCEEDED:
                is_as_stated = severity is each.severity
                counted.append(each if is_as_stated else each._replace(severity=severity))
            else:
                counted.append(too_many(each, most))
            if len(counted) > most:
                is_cut = True
                break
        return counted, is_cut

    def _by_settings(
        self, counted: list[Violation], manifest: Manifest
    ) -> tuple[list[Violation], list[_Suppressed], set[tuple[str, int | str]]]:
        """Return the violations that are shown, those that settings suppress, and what does so."""
        name = manifest.document.name
        live: dict[str | None, list[Suppression]] = {}  # by place, if they are for one place only
        for entry in self.configuration.suppressions:
            if entry.covers(name) and not entry.expired(self.today):
                live.setdefault(None if entry.is_pattern else entry.pointer, []).append(entry)
        known = self.baseline.entries if self.baseline else {}
        name = self.baseline.name_of(name) if self.baseline else name
        shown: list[Violation] = []
        suppressed: list[_Suppressed] = []
        used: set[tuple[str, int | str]] = set()
        for each in counted:
            stable = each.identity.pointer if each.identity else ""
            fingerprint = each.identity.fingerprint if each.identity and known else ""
            if each.is_locked or each.rule in ALWAYS:
                shown.append(each)
                continue
            places = {each.pointer, stable}
            for_place = chain.from_iterable(live.get(at, ()) for at in (None, *places))
            applying = [entry for entry in for_place if entry.applies_to(each.rule, places)]
            in_baseline = known.keys() & {(name, fingerprint)}
            used.update(in_baseline, (entry.place for entry in applying))
            if applying:
                first = min(applying, key=lambda entry: entry.place)
                suppressed.append((each, "configuration", first.reason))
            elif in_baseline:
                suppressed.append((each, "baseline", None))
            else:
                shown.append(each)
        return shown, suppressed, used

    @cached_property
    def _requirements(self) -> dict[str, Requirements]:
        """The requirements that are known already, by the id of the format."""
        return {}

    @cached_property
    def today(self) -> date:
        """The day by which suppressions expire."""
        return date.today()  # noqa: DTZ011 - `expires` is a day where the user is
