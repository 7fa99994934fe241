"""Bytes and a name to a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from manifestkit.decode import decode
from manifestkit.engine.comments import apply_comments, has_comments
from manifestkit.engine.foreign import foreign_kind
from manifestkit.engine.gate import Gate
from manifestkit.engine.identity import identified
from manifestkit.engine.report import FileResult, Suppressed
from manifestkit.engine.selection import ALL_RULES, Selection
from manifestkit.finding import Finding, Severity
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.location import Span
from manifestkit.rules.catalogue import find_rule
from manifestkit.rules.rule import Manifest
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema

STDIN = "<stdin>"


@dataclass(frozen=True)
class Linter:
    """Judges manifests, one by one, in the same way.

    Attributes:
        schema: what a manifest must be.
        profiles: what a host demands beyond it.
        selection: which rules count, and how much.
        heeds_comments: whether a comment in a YAML manifest may suppress a finding there.
        fail_on: how much a finding must weigh for a result to fail.
        limits: how much a manifest may demand of its reader.
    """

    schema: Schema = field(default_factory=base_schema)
    profiles: tuple[Schema, ...] = ()
    selection: Selection = ALL_RULES
    heeds_comments: bool = True
    fail_on: Severity = Severity.ERROR
    limits: Limits = DEFAULT_LIMITS

    def lint(
        self,
        source: bytes | str,
        name: str = STDIN,
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
        """
        decoded = decode(source, name, self.limits)
        document = decoded.document
        manifest = Manifest(document, self.schema, has_file)
        heeds_comments = self.heeds_comments and has_comments(document)
        if not decoded.findings and not heeds_comments and self._gate.passes(manifest):
            return FileResult(name)
        if skip_foreign:
            kind = foreign_kind(document.value, self._required())
            if kind:
                return FileResult(name, skipped=kind)
        found = list(decoded.findings)
        if decoded.readable:
            found.extend(self._judge(manifest))
        findings = identified(_ordered(found), document.value)
        suppressed: tuple[Suppressed, ...] = ()
        if heeds_comments and decoded.readable:
            shown, useless, suppressed = apply_comments(document, findings)
            findings = tuple(sorted([*shown, *identified(useless, document.value)], key=_place))
        text = document.text if findings or suppressed else None
        return self.settled(FileResult(name, findings, text, suppressed))

    def settled(self, result: FileResult) -> FileResult:
        """A result with the findings that count, each with its weight, and whether it fails."""
        findings = tuple(filter(None, map(self.selection.weighed, result.findings)))
        worst = min((finding.severity.rank for finding in findings), default=len(Severity))
        return replace(
            result,
            findings=findings,
            text=result.text if findings or result.suppressed else None,
            fails=worst <= self.fail_on.rank,
        )

    def _judge(self, manifest: Manifest) -> Iterator[Finding]:
        from manifestkit.rules.conformance import check_conformance  # noqa: PLC0415 - clean runs

        yield from check_conformance(manifest, self.schema)
        for profile in self.profiles:
            yield from check_conformance(manifest, profile, profile.name)
        for rule in self._gate.suspects(manifest):
            if rule.schema is not None:
                yield from check_conformance(manifest, rule.schema)
            if rule.check is not None:
                yield from rule.check(rule, manifest)

    @cached_property
    def _gate(self) -> Gate:
        return Gate(self.schema, self.profiles, self.selection)

    def _required(self) -> tuple[str, ...]:
        root = self.schema.field(())
        return root.required if root else ()


@cache
def _default_linter() -> Linter:
    return Linter()


def lint(source: bytes | str, name: str = STDIN) -> FileResult:
    """Judge one manifest by section 2 of the manifest document, with advice.

    Args:
        source: the file's bytes, or its text.
        name: the file, as findings shall name it; its suffix tells the syntax.
    """
    return _default_linter().lint(source, name)


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    """By place, then rule; what several schemas say alike of one value, once; with a clause.

    Of a value of the wrong type no advice is given.
    """
    unique: dict[tuple[object, ...], Finding] = {}
    for each in findings:
        unique.setdefault((each.rule, each.pointer, each.property, each.location.span), each)
    mistyped = {each.pointer for each in unique.values() if each.rule == "wrong-type"}
    ordered = sorted(
        (
            each
            for each in unique.values()
            if each.severity is Severity.ERROR or each.pointer not in mistyped
        ),
        key=_place,
    )
    return [each if each.clause or each.profile else _with_clause(each) for each in ordered]


def _place(finding: Finding) -> tuple[Span, str]:
    return finding.location.span, finding.rule


def _with_clause(finding: Finding) -> Finding:
    rule = find_rule(finding.rule)
    return replace(finding, clause=rule.clause) if rule else finding
