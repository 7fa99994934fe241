"""Findings in order, each once, with its fingerprint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from manifestkit.config.comments import apply_comments
from manifestkit.decode import Decoded
from manifestkit.model.finding import Finding, Identity, Severity
from manifestkit.model.limits import Limits
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, array_index, format_pointer, parse_pointer
from manifestkit.model.report import FileResult, Suppressed
from manifestkit.rules.catalogue import find_rule, rule_page
from manifestkit.rules.checks import not_a_manifest
from manifestkit.rules.conformance import check_conformance
from manifestkit.rules.limit_exceeded import within
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.slips import understand
from manifestkit.schema.fields import Field
from manifestkit.schema.model import Schema
from manifestkit.schema.validation import TooDeepError

_LONGEST_NAME = 128


def stable_pointer(manifest: Manifest, pointer: str) -> str:
    """A pointer with each array index replaced by the item's identifier, or by the item itself.

    An item with neither an identifier nor a text or number of its own keeps its index.
    """
    tokens: list[str] = []
    here = manifest.value
    path: Path = ()
    for token in parse_pointer(pointer):
        index = array_index(token) if isinstance(here, list) else None
        path = (*path, token if index is None else index)
        if index is not None and index < len(here):
            here = here[index]
            name = item_name(here, manifest.field(path))
            tokens.append(token if name is None else name)
        else:
            here = here.get(manifest.as_meant(path)[-1]) if isinstance(here, dict) else None
            tokens.append(token)
    return format_pointer(tokens)


def identified(findings: Iterable[Finding], manifest: Manifest) -> tuple[Finding, ...]:
    """The findings of a file, each with its identity.

    No two of them are alike.
    """
    return fingerprinted(
        (finding, stable_pointer(manifest, finding.pointer)) for finding in findings
    )


def fingerprinted(findings: Iterable[tuple[Finding, str]]) -> tuple[Finding, ...]:
    """The findings of a file, each with its identity by its stable pointer, and with its page."""
    seen: Counter[tuple[str, str, str]] = Counter()
    marked = []
    for finding, pointer in findings:
        key = (finding.rule, pointer, finding.property or "")
        url = finding.url or rule_page(finding.rule)
        marked.append(finding._replace(identity=Identity(*key, seen[key]), url=url))
        seen[key] += 1
    return tuple(marked)


def item_name(item: Any, field: Field | None) -> str | None:
    """What an item is called: its identifier, or itself; None when it has no name.

    What is longer than an identifier that a person writes is called by a digest.

    Args:
        item: the item.
        field: what the schema says of it.
    """
    if isinstance(item, dict):
        item = item.get(field.identifier) if field else None
    if isinstance(item, str):
        return item if len(item) <= _LONGEST_NAME else _digest(item)
    if isinstance(item, int | float) and not isinstance(item, bool):
        return json.dumps(item)
    return None


@lru_cache(maxsize=64)
def _digest(name: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - names are short

    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Counted(NamedTuple):
    """Which rules count.

    Attributes:
        rules: those of ours.
        schema: their schemas as one schema.
        counts: whether a rule applies, by its id.
        turns_on: whether one that a host turned off does.
    """

    rules: Collection[Rule]
    schema: Schema
    counts: Callable[[str], bool]
    turns_on: Callable[[str], bool]


def findings_of(
    decoded: Decoded,
    manifest: Manifest,
    schemas: Iterable[Schema],
    counted: Counted,
    *,
    limits: Limits,
    uses_comments: bool,
) -> FileResult:
    """The findings about a manifest, each with its own severity.

    Args:
        decoded: what reading it gave.
        manifest: the same for the rules.
        schemas: what it must be, and the profiles that it is checked against.
        counted: the rules that count.
        limits: how much to tell.
        uses_comments: whether comments in it may suppress findings.

    Raises:
        SchemaError: a schema or a profile cannot be judged by.
    """
    document = decoded.document
    judged: Iterable[Finding] = ()
    if decoded.readable:
        judged = _judge(manifest, schemas, counted, limits.findings)
    found, is_cut = within(limits, chain(decoded.findings, judged))
    findings = identified(_ordered(found), manifest)
    suppressed: tuple[Suppressed, ...] = ()
    if uses_comments and decoded.readable:
        shown, useless, suppressed = apply_comments(document, findings, counted.counts)
        reported, is_cut_again = within(limits, chain(shown, useless))
        is_cut = is_cut or is_cut_again
        named = identified(reported[len(shown) :], manifest)
        findings = tuple(sorted([*shown, *named], key=_place))
    text = document.text if findings or suppressed else None
    return FileResult(document.name, findings, text, suppressed, is_cut=is_cut)


def _judge(
    manifest: Manifest,
    schemas: Iterable[Schema],
    counted: Counted,
    most: int,
) -> Iterator[Finding]:
    turns_on = counted.turns_on
    for rule in counted.rules:
        if rule.id == not_a_manifest.ID and (finding := not_a_manifest.find(rule, manifest)):
            yield finding
            return
    schemas = list(schemas)
    understand(manifest, schemas, most + 1)
    for schema in schemas:
        profile = None if schema is manifest.schema else schema.name
        yield from check_conformance(manifest, schema, profile, most, turns_on=turns_on)
    keeps_rules = all(_fits(each.value, counted.schema) for each in manifest.readings)
    for rule in counted.rules:
        if rule.schema is not None and not keeps_rules:
            yield from check_conformance(manifest, rule.schema, most=most, turns_on=turns_on)
        if rule.check is not None:
            yield from rule.check(rule, manifest)


def _fits(value: Any, schema: Schema) -> bool:
    """Whether it is known that a value fits a schema."""
    try:
        return schema.is_valid(value)
    except TooDeepError:
        return False


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
