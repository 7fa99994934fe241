"""Bytes and a name to a result."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, cached_property

from manifestkit.config.selection import ALL_RULES, Selection
from manifestkit.decode import decode
from manifestkit.engine.options import expected
from manifestkit.model.document import Document
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEEPEST_JUDGED, DEFAULT_LIMITS, Limits, is_deeper
from manifestkit.model.report import STDIN, FileResult
from manifestkit.rules.catalogue import catalogue
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.validation import TooDeepError


class Linter:
    """Judges manifests, one by one, in the same way.

    Attributes:
        schema: what a manifest must be: section 2 of the manifest document, if not another.
        profiles: what a host demands beyond it.
        selection: which rules count, and how much.
        uses_comments: whether a comment in a YAML manifest may suppress a finding there.
        fail_on: the least severity that makes a result fail.
        limits: how much a manifest may demand of its reader.
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
    ) -> None:
        given = base_schema() if schema is None else schema
        self.schema: Schema = expected("schema", given, Schema, "a Schema")
        hosts = expected("profiles", profiles, (list, tuple), "Schemas")
        self.profiles: tuple[Schema, ...] = tuple(
            expected("profiles", each, Schema, "a Schema") for each in hosts
        )
        self.selection: Selection = expected("selection", selection, Selection, "a Selection")
        self.uses_comments = uses_comments
        self.fail_on: Severity = expected("fail_on", fail_on, Severity, "a Severity")
        self.limits: Limits = expected("limits", limits, Limits, "Limits")

    def lint(
        self,
        source: bytes | str,
        name: str | os.PathLike[str] = STDIN,
        *,
        skip_foreign: bool = False,
        has_file: Callable[[str], bool] | None = None,
    ) -> FileResult:
        """Judge one manifest.

        Args:
            source: the file's bytes, or its text.
            name: the file, as findings shall name it; its suffix tells the syntax.
            skip_foreign: whether to leave alone what is evidently a manifest of something else.
            has_file: whether a file stands at a path relative to the manifest; without it,
                `missing-file` finds nothing.

        Raises:
            SchemaError: a schema or a profile cannot be judged by.
            TypeError: an argument is of another type; the text names it.
        """
        if not isinstance(source, str | bytes):
            wanted = "the text or bytes of a manifest"
            kind = type(source).__name__
            raise TypeError(f"source: {wanted}, not {kind}; lint_paths takes the paths of files")
        named = expected("name", name, (str, os.PathLike), "text or a path")
        file: str = named if isinstance(named, str) else os.fspath(named)
        decoded = decode(source, file, self.limits)
        document = decoded.document
        manifest = Manifest(
            document,
            self.schema,
            has_file,
            is_too_deep=self.limits.depth > DEEPEST_JUDGED
            and is_deeper(document.value, DEEPEST_JUDGED),
        )
        uses_comments = self.uses_comments and _has_comments(document)
        if not decoded.findings and not uses_comments and self._is_clean(manifest):
            return FileResult(file)
        from manifestkit.engine.findings import findings_of  # noqa: PLC0415 - clean runs
        from manifestkit.engine.foreign import foreign_kind  # noqa: PLC0415 - likewise

        if skip_foreign:
            kind = foreign_kind(document.value, self.schema)
            if kind:
                return FileResult(file, skipped=kind)
        return self.settled(
            findings_of(
                decoded,
                manifest,
                (self.schema, *self.profiles),
                self._rules,
                limits=self.limits,
                uses_comments=uses_comments,
            )
        )

    def foreign_kind(self, source: bytes | str, name: str = STDIN) -> str | None:
        """What a text is when it is evidently another format's manifest; None when it may be ours.

        Args:
            source: the file's bytes, or its text.
            name: the file; its suffix tells the syntax.
        """
        from manifestkit.engine.foreign import foreign_kind  # noqa: PLC0415 - clean runs go without

        return foreign_kind(decode(source, name, self.limits).document.value, self.schema)

    def settled(self, result: FileResult) -> FileResult:
        """A result with the findings that count, each with its severity, and whether it fails."""
        findings = tuple(filter(None, map(self.selection.with_severity, result.findings)))
        return result._replace(
            findings=findings,
            text=result.text if findings or result.suppressed else None,
            fails=any(finding.severity.rank <= self.fail_on.rank for finding in findings),
        )

    def _is_clean(self, manifest: Manifest) -> bool:
        """Whether there is nothing to say of a manifest."""
        value = manifest.document.value
        if manifest.is_too_deep and any(schema.goes_deep for schema in self._schemas):
            return False
        try:
            if not all(schema.is_valid(value) for schema in self._schemas):
                return False
        except TooDeepError:
            return False
        return not any(next(rule.check(rule, manifest), None) for rule in self._rules if rule.check)

    @cached_property
    def _rules(self) -> list[Rule]:
        return [rule for rule in catalogue().values() if self.selection.runs(rule)]

    @cached_property
    def _schemas(self) -> list[Schema]:
        """All that a manifest is held to by JSON Schema."""
        of_rules = (rule.schema for rule in self._rules if rule.schema)
        return [self.schema, *self.profiles, *of_rules]


@cache
def _default_linter() -> Linter:
    return Linter()


def lint(source: bytes | str, name: str | os.PathLike[str] = STDIN) -> FileResult:
    """Judge one manifest by section 2 of the manifest document, with advice.

    Args:
        source: the file's bytes, or its text.
        name: the file, as findings shall name it; its suffix tells the syntax.

    Raises:
        TypeError: an argument is of another type; the text names it.
    """
    return _default_linter().lint(source, name)


def _has_comments(document: Document) -> bool:
    """Whether there may be a comment in a manifest that suppresses a finding."""
    if document.syntax != "yaml":
        return False
    from manifestkit.config.comments import has_comments  # noqa: PLC0415 - JSON has none

    return has_comments(document)
