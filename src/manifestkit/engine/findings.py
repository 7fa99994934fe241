"""All there is to say of a manifest that is not clean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from manifestkit.config.comments import apply_comments
from manifestkit.decode import Decoded
from manifestkit.engine.fingerprint import identified
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.rules.catalogue import find_rule
from manifestkit.rules.conformance import check_conformance
from manifestkit.rules.limit_exceeded import within
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.schema.model import Schema


def findings_of(
    decoded: Decoded,
    manifest: Manifest,
    schemas: Iterable[Schema],
    rules: Iterable[Rule],
    *,
    limits: Limits,
    uses_comments: bool,
) -> FileResult:
    """The findings about a manifest, each with its own severity.

    Args:
        decoded: what reading it gave.
        manifest: the same for the rules.
        schemas: what it must be, and the profiles that it is held to.
        rules: the rules that count.
        limits: how much to tell.
        uses_comments: whether comments in it may suppress findings.

    Raises:
        SchemaError: a schema or a profile cannot be judged by.
    """
    document = decoded.document
    judged = _judge(manifest, schemas, rules, limits.findings) if decoded.readable else ()
    found, is_cut = within(limits, chain(decoded.findings, judged))
    findings = identified(_ordered(found), document.value, manifest.schema)
    suppressed: tuple[Suppressed, ...] = ()
    if uses_comments and decoded.readable:
        shown, useless, suppressed = apply_comments(document, findings)
        told, is_cut_again = within(limits, chain(shown, useless))
        is_cut = is_cut or is_cut_again
        named = identified(told[len(shown) :], document.value, manifest.schema)
        findings = tuple(sorted([*shown, *named], key=_place))
    text = document.text if findings or suppressed else None
    return FileResult(document.name, findings, text, suppressed, is_cut=is_cut)


def _judge(
    manifest: Manifest, schemas: Iterable[Schema], rules: Iterable[Rule], most: int
) -> Iterator[Finding]:
    for schema in schemas:
        profile = None if schema is manifest.schema else schema.name
        yield from check_conformance(manifest, schema, profile, most)
    for rule in rules:
        if rule.schema is not None:
            yield from check_conformance(manifest, rule.schema, most=most)
        if rule.check is not None:
            yield from rule.check(rule, manifest)


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
    return finding._replace(clause=rule.clause) if rule else finding
