"""Identifiers that two items share."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.findings.messages import quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.pointer import format_pointer
from manifestkit.model.violation import Violation
from manifestkit.rules.checks.cross_file import values_at
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_ITEM = "*"


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each later item with an identifier that was there before."""
    for place, field in manifest.schema.fields:
        identifier = field.identifier
        if place[-1:] != (0,) or not identifier:
            continue
        tokens = [_ITEM if isinstance(each, int) else each for each in place[:-1]]
        for at, items in values_at(manifest.value, tokens):
            if not isinstance(items, list):
                continue
            ids = [
                (text, index)
                for index, item in enumerate(items)
                if isinstance(item, dict) and isinstance(text := item.get(identifier), str)
            ]
            first_with = dict(reversed(ids))
            if len(first_with) == len(ids):
                continue
            noun = (field.title or "item").lower()
            for text, index in ids:
                if index != first_with[text]:
                    first = manifest.written((*at, first_with[text], identifier))
                    path = manifest.written((*at, index, identifier))
                    yield rule.violation(path, (noun, identifier, text, first))


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which identifier it is, and where it was first."""
    noun, identifier, text, first = violation.about
    place = Related("first used here", format_pointer(first), manifest.document.locate(first))
    message = f"another {noun} has the {identifier} {quoted(text)}"
    return Description(message, f"give each {noun} its own {identifier}", related=(place,))
