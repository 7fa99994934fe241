"""Integers that are written with a fraction or an exponent."""

import json
from collections.abc import Iterator

from manifestkit.findings.words import label, named
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest

_EXACT = 2**53


def check(rule: Rule, manifest: Manifest) -> Iterator[Violation]:
    """Find each such number where the schema wants an integer."""
    for path, value, field in manifest.schema.described(manifest.value):
        if isinstance(value, float) and field.types == ("integer",) and not value % 1:
            yield rule.violation(path, value)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say how the integer is written, and how to write it."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    document, path, value = manifest.document, violation.path, violation.about
    spelling = document.spelling(path) or json.dumps(value)
    message = f"{label(path)} is the integer {named(spelling)}, written with a fraction"
    if abs(value) > _EXACT:
        return Description(message)
    digits = int(value)
    return Description(message, f"write `{digits}`", str(digits), (replace_fix(path, digits),))
