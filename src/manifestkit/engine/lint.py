"""Bytes and a name to a result."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.config.configuration import ALL_RULES, Selection
from manifestkit.decode import Decoded, decode
from manifestkit.model.document import Document
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEEPEST_JUDGED, DEFAULT_LIMITS, Limits, is_deeper
from manifestkit.model.report import STDIN, FileResult
from manifestkit.rules.catalogue import catalogue, change_rules
from manifestkit.rules.checks.cross_file import occurrences
from manifestkit.rules.rule import Check, Manifest, Rule
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import (
    all_of,
    base_schema,
    foreign_kind,
    packaged_formats,
    packaged_schema,
)
from manifestkit.schema.validation import TooDeepError

if TYPE_CHECKING:
    from manifestkit.rules.rule import Elsewhere, Occurrence


class Requirements(NamedTuple):
    """What a manifest is checked against.

    Attributes:
        schema: what it must be.
        profiles: what a host requires beyond it.
        row: the format that it is of.
    """

    schema: Schema
    profiles: tuple[Schema, ...]
    row: Format


class Linter:
    """Judges manifests, one by one, in the same way.

    Args:
        schema: what a manifest must be: section 2 of the manifest document, if not another. It
            takes the place of the schemas of all formats but those in `formats`.
        profiles: what a host requires beyond it.
        selection: which rules count, and how much.
        uses_comments: whether a comment in a YAML manifest may suppress a finding there.
        fail_on: the least severity that makes a result fail.
        limits: bounds on a manifest.
        formats: those of a configuration, each with its own schema; no profiles hold for them.
        of_changes: rules of a host about what changes, which comments may name.

    Attributes:
        schema, profiles, selection, uses_comments, fail_on, limits: as they were given.
        formats: what a manifest may be of, those of the package included.
    """

    def __init__(
        self,
        schema: Schema | None = None,
        profiles: tuple[Schema, ...] = (),
        selection: Selection = ALL_RULES,
        *,
        uses_comments: bool = True,
        fail_on: Severity = Severity.ERROR,
        limits: Limits = DEFAULT_LIMITS,
        formats: tuple[tuple[Format, Schema], ...] = (),
        of_changes: Collection[str] = (),
    ) -> None:
        self._of_changes = of_changes
        self._base = base_schema()
        self._replaces = schema is not None and schema is not self._base
        self._own = {row.id: own for row, own in formats}
        ours = packaged_formats()
        self.formats = Formats((*(row for row, _ in formats), *ours.rows)) if formats else ours
        self.schema = self._base if schema is None else schema
        self.profiles = profiles
        self.selection = selection
        self.uses_comments = uses_comments
        self.fail_on = fail_on
        self.limits = limits
        self._required: dict[str, Requirements] = {}

    def lint(
        self,
        source: bytes | str,
        name: str = STDIN,
        *,
        skip_foreign: bool = False,
        has_file: Callable[[str], bool] | None = None,
    ) -> FileResult:
        """Read one manifest, and judge it.

        Args:
            source: the file's bytes, or its text.
            name: the file, as findings shall name it; its suffix tells the syntax.
            skip_foreign: see `judge`.
            has_file: likewise.

        Raises:
            SchemaError: a schema or a profile cannot be judged by.
        """
        decoded = decode(source, name, self.limits)
        return self.judge(decoded, skip_foreign=skip_foreign, has_file=has_file)

    def judge(
        self,
        decoded: Decoded,
        *,
        skip_foreign: bool = False,
        has_file: Callable[[str], bool] | None = None,
        elsewhere: Elsewhere | None = None,
        with_edits: bool = True,
    ) -> FileResult:
        """Judge one manifest that has been read.

        Args:
            decoded: what reading it gave.
            skip_foreign: whether to leave alone what is evidently a manifest of something else.
            has_file: whether a file stands at a path relative to the manifest; without it,
                `missing-file` finds nothing.
            elsewhere: where the other manifests of the run have values that must be unique.
            with_edits: whether fixes get their edits; those that rules offer can get them later.

        Raises:
            SchemaError: a schema or a profile cannot be judged by.
        """
        document = decoded.document
        requirements = self.requirements(document)
        manifest = Manifest(
            document,
            requirements.schema,
            has_file,
            is_too_deep=self._is_too_deep(document),
            elsewhere=elsewhere,
            with_edits=with_edits,
        )
        uses_comments = self.uses_comments and _has_comments(document)
        if not decoded.findings and not uses_comments and self._is_clean(manifest, requirements):
            return FileResult(document.name)
        from manifestkit.engine.findings import Counted, findings_of  # noqa: PLC0415 - clean runs

        if skip_foreign and requirements.row.folder is None:
            kind = foreign_kind(document.value, requirements.schema)
            if kind:
                return FileResult(document.name, skipped=kind)
        return self.settled(
            findings_of(
                decoded,
                manifest,
                (requirements.schema, *requirements.profiles),
                Counted(
                    self.rules,
                    self.of_rules,
                    self.counts if elsewhere else self._counts_in_one,
                    self.selection.turns_on,
                ),
                limits=self.limits,
                uses_comments=uses_comments,
            )
        )

    @cached_property
    def compares(self) -> bool:
        """Whether a rule compares the manifests of a run."""
        return any(rule.compared for rule in self.rules)

    def occurrences(self, decoded: Decoded) -> tuple[Occurrence, ...]:
        """The values of a manifest that no other manifest of its run may have."""
        if not self.compares or not decoded.readable:
            return ()
        document = decoded.document
        requirements = self.requirements(document)
        too_deep = self._is_too_deep(document)
        manifest = Manifest(document, requirements.schema, is_too_deep=too_deep)
        compared = [rule for rule in self.rules if rule.compared]
        found = [list(occurrences(rule, manifest)) for rule in compared]
        if not all(found):  # a value may be there under a misspelt name
            from manifestkit.rules.slips import understand  # noqa: PLC0415 - clean runs

            schemas = (requirements.schema, *requirements.profiles)
            understand(manifest, schemas, self.limits.findings + 1)
            found = [list(occurrences(rule, manifest)) for rule in compared]
        return tuple(chain.from_iterable(found))

    def _is_too_deep(self, document: Document) -> bool:
        """Whether a manifest is nested too deep for the engine to follow."""
        return self.limits.depth > DEEPEST_JUDGED and is_deeper(document.value, DEEPEST_JUDGED)

    def counts(self, rule: str) -> bool:
        """Whether a rule applies to manifests; those about changes are for `manifest diff`."""
        is_about_changes = rule in self._of_changes or rule in change_rules()
        return not is_about_changes and self.selection.counts(rule)

    def _counts_in_one(self, rule: str) -> bool:
        """Whether a rule applies to a manifest alone, without the others of a run."""
        known = catalogue().get(rule)
        return self.counts(rule) and not (known and known.compared)

    @property
    def reports_every_error(self) -> bool:
        """Whether it finds all errors that a linter without settings does."""
        selection = self.selection._replace(turned_on=())
        return self.schema is self._base and selection == ALL_RULES

    def foreign_kind(self, decoded: Decoded) -> str | None:
        """What a file is when it is evidently another format's manifest; None when it may be ours.

        Args:
            decoded: what reading it gave.
        """
        document = decoded.document
        requirements = self.requirements(document)
        return (
            foreign_kind(document.value, requirements.schema)
            if requirements.row.folder is None
            else None
        )

    def requirements(self, document: Document) -> Requirements:
        """What a manifest is checked against, by its name and by what it says of itself."""
        return self._requirements_of(self.formats.of(document.name, document.value))

    def of(self, row: Format) -> Linter:
        """The same linter, for manifests of one format only, whatever they say."""
        requirements = self._requirements_of(row)
        linter = Linter(
            requirements.schema,
            requirements.profiles,
            self.selection,
            uses_comments=self.uses_comments,
            fail_on=self.fail_on,
            limits=self.limits,
            of_changes=self._of_changes,
        )
        linter.formats = Formats((row,))
        return linter

    def selecting(self, selection: Selection) -> Linter:
        """The same linter, where other rules count."""
        return self._with(selection, uses_comments=self.uses_comments)

    def without_comments(self) -> Linter:
        """The same linter, where no comment in a manifest suppresses a finding."""
        return self._with(self.selection, uses_comments=False)

    def _with(self, selection: Selection, *, uses_comments: bool) -> Linter:
        return Linter(
            self.schema,
            self.profiles,
            selection,
            uses_comments=uses_comments,
            fail_on=self.fail_on,
            limits=self.limits,
            of_changes=self._of_changes,
            formats=tuple(
                (row, self._own[row.id]) for row in self.formats.rows if row.id in self._own
            ),
        )

    @property
    def schemas(self) -> list[tuple[Format, Schema]]:
        """Each format with its schema, ours first."""
        default = self.formats.default
        rows = [default, *(row for row in self.formats.rows if row is not default)]
        return [(row, self._requirements_of(row).schema) for row in rows]

    def _requirements_of(self, row: Format) -> Requirements:
        if row.id not in self._required:
            own = self._own.get(row.id)
            schema = own or self.schema
            if own is None and len(self.formats.rows) > 1 and not self._replaces:
                schema = packaged_schema(row.schema)
            self._required[row.id] = Requirements(schema, () if own else self.profiles, row)
        return self._required[row.id]

    def settled(self, result: FileResult) -> FileResult:
        """A result with the findings that count, each with its severity, and whether it fails."""
        findings = tuple(filter(None, map(self.selection.with_severity, result.findings)))
        return result._replace(
            findings=findings,
            text=result.text if findings or result.suppressed else None,
            fails=any(finding.severity.rank <= self.fail_on.rank for finding in findings),
        )

    def _is_clean(self, manifest: Manifest, requirements: Requirements) -> bool:
        """Whether there is nothing to say of a manifest."""
        value = manifest.document.value
        schemas = self.at_once(requirements)
        if manifest.is_too_deep and any(schema.goes_deep for schema in schemas):
            return False
        try:
            if not all(schema.is_valid(value) for schema in schemas):
                return False
        except TooDeepError:
            return False
        return not any(True for rule, check in self.checks for _ in check(rule, manifest))

    @cached_property
    def rules(self) -> list[Rule]:
        """The rules that count."""
        return [rule for rule in catalogue().values() if self.selection.runs(rule)]

    @cached_property
    def checks(self) -> list[tuple[Rule, Check]]:
        """Those of the rules that are in Python, each with its check."""
        return [(rule, rule.check) for rule in self.rules if rule.check]

    @cached_property
    def of_rules(self) -> Schema:
        """What the rules hold a manifest to by JSON Schema, as one schema."""
        return all_of(rule.schema for rule in self.rules if rule.schema)

    @cached_property
    def _ours(self) -> Schema:
        """The same, with the schema of a manifest."""
        of_rules = (rule.schema for rule in self.rules if rule.schema)
        return all_of([self._base, *of_rules])

    def at_once(self, requirements: Requirements) -> list[Schema]:
        """The JSON Schemas for a manifest, ours and those of rules as one where that can be."""
        if requirements.schema is self._base:
            return [self._ours, *requirements.profiles]
        return [requirements.schema, *requirements.profiles, self.of_rules]


def _has_comments(document: Document) -> bool:
    """Whether there may be a comment in a manifest that suppresses a finding."""
    if document.syntax != "yaml":
        return False
    from manifestkit.config.comments import has_comments  # noqa: PLC0415 - JSON has no comments

    return has_comments(document)
