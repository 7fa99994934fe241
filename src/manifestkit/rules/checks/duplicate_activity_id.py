"""Identifiers that two items share."""

import re
from collections.abc import Iterator

from manifestkit.findings.words import quoted
from manifestkit.model.finding import Description, Related
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each later item with an identifier that was there before."""
    for at, items, _ in manifest.schema.described(manifest.value):
        field = manifest.schema.field((*at, 0)) if isinstance(items, list) else None
        if field is None or not field.identifier:
            continue
        noun = (field.title or "item").lower()
        first_with: dict[str, Path] = {}
        for index, item in enumerate(items):
            text = item.get(field.identifier) if isinstance(item, dict) else None
            if isinstance(text, str):
                path = (*at, index, field.identifier)
                first = first_with.setdefault(text, path)
                if first != path:
                    yield rule.violation(path, (noun, field.identifier, text, first))


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say which identifier it is, and where it was first."""
    noun, identifier, text, first = violation.about
    place = Related("first used here", format_pointer(first), manifest.document.locate(first))
    message = f"another {noun} has the {identifier} {quoted(text)}"
    item, field = violation.path[:-1], manifest.schema.field(violation.path[:-1])
    name = manifest.document.value_at(item).get(field.label) if field else None
    own = "-".join(re.findall(r"[a-z0-9]+", name.lower())) if isinstance(name, str) else ""
    such = f", such as {quoted(own)} here" if own not in ("", text) and str(name).isascii() else ""
    return Description(message, f"give each {noun} its own {identifier}{such}", related=(place,))
