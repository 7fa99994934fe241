"""Members and values that a schema or a profile marks as deprecated."""

from collections.abc import Iterator

from manifestkit.findings.words import label, quoted
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.drafts import frozen
from manifestkit.schema.manifest import Manifest


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each value that is deprecated, and each that has a deprecated member's name."""
    seen = set()
    for schema in (manifest.schema, *manifest.profiles):
        for path, value, field in schema.described(manifest.value):
            notes = [note for old, note in field.deprecated_values if frozen(old) == frozen(value)]
            is_member = field.deprecated is not None
            if path not in seen and (is_member or notes):
                seen.add(path)
                note = field.deprecated if is_member else notes[0]
                about = (note, None if is_member else value)
                on_key = is_member and bool(path) and isinstance(path[-1], str)
                yield rule.violation(path, about, on_key=on_key)


def describe(_: Manifest, violation: Violation) -> Description:
    """Say what is deprecated, and what the schema says to do."""
    note, value = violation.about
    what = label(violation.path)
    message = what if value is None else f"{what} is {quoted(value)}, which"
    return Description(f"{message} is deprecated", note or None)
