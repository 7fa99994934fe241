"""Identifiers that two items share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from manifestkit.findings.words import quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each later item with an identifier that was there before."""
    for place, field in manifest.schema.fields:
        identifier = field.identifier
        if place[-1:] != (0,) or not identifier:
            continue
        for at, items in _values_at(manifest.value, place[:-1]):
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
                    first = (*at, first_with[text], identifier)
                    path = (*at, index, identifier)
                    yield rule.violation(path, (noun, identifier, text, first))


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which identifier it is, and where it was first."""
    noun, identifier, text, first = violation.about
    place = Related("first used here", format_pointer(first), manifest.document.locate(first))
    message = f"another {noun} has the {identifier} {quoted(text)}"
    return Description(message, f"give each {noun} its own {identifier}", related=(place,))


def _values_at(value: Any, place: Path) -> list[tuple[Path, Any]]:
    """Return the values at a place with their paths; an index stands for each item of a list."""
    found: list[tuple[Path, Any]] = [((), value)]
    for token in place:
        found = [
            ((*path, key), item) for path, each in found for key, item in _children(each, token)
        ]
    return found


def _children(value: Any, token: str | int) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict) and token in value:
        yield token, value[token]
    elif isinstance(value, list) and isinstance(token, int):
        yield from enumerate(value)
