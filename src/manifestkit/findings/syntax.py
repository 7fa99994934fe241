"""The findings of the reader, with what a schema adds at the place that each is about."""

from __future__ import annotations

import json
from contextlib import suppress

from manifestkit.findings.words import excerpt
from manifestkit.model.finding import Finding
from manifestkit.model.pointer import parse_pointer
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Field

_LONGEST = 400  # of lists that are shown as one


def described_by_schema(manifest: Manifest, finding: Finding) -> Finding:
    """Return a finding of the reader with what the schema says to write at its place."""
    if finding.rule == "syntax-error" and finding.pointer:
        return _with_value_to_write(manifest, finding)
    if finding.rule == "duplicate-key":
        return _with_both_lists(manifest, finding)
    return finding


def _with_value_to_write(manifest: Manifest, finding: Finding) -> Finding:
    """Return a finding of the reader; of a member without a value, with what to do."""
    schema = manifest.schema
    path, field = schema.find(parse_pointer(finding.pointer)) or ((), Field())
    owner = schema.field(path[:-1]) or Field()
    do = ", or remove it"
    if path and path[-1] in owner.required:
        example = f", such as {excerpt(field.examples[0])}" if field.examples else ""
        do = f"{example} (was a variable empty?)"
    return finding._replace(help=f"{finding.help}{do}", pointer="")


def _with_both_lists(manifest: Manifest, finding: Finding) -> Finding:
    """Return a finding; of a list that is there twice, with one that has the items of both."""
    document, found = manifest.document, manifest.schema.find(parse_pointer(finding.pointer))
    second = document.value_or_none(found[0]) if found else None
    if not isinstance(second, list):
        return finding
    do = "two, or write one list with the items of both:"
    text = document.text[finding.related[0].location.span.end :][:_LONGEST]
    with suppress(ValueError, RecursionError, TypeError):  # the first is long, or YAML
        first, _ = json.JSONDecoder().raw_decode(text.lstrip(" \t\r\n:"))
        both = [*{repr(each): each for each in (*first, *second)}.values()]
        do = f"two, or write one with the items of both, {excerpt(both, _LONGEST)}:"
    return finding._replace(help=str(finding.help).replace("two:", do))
