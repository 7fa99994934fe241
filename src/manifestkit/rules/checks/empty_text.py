"""Required texts with nothing in them."""

from collections.abc import Iterator

from manifestkit.findings.words import label
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each required string that is empty or blank."""
    for path, value, field in manifest.schema.described(manifest.value):
        if not isinstance(value, dict):
            continue
        for name in field.required:
            text = value.get(name)
            if isinstance(text, str) and not text.strip():
                yield rule.violation((*path, name), text)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say what is wrong with the text."""
    return Description(f"{label(violation.path)} is {'blank' if violation.about else 'empty'}")
