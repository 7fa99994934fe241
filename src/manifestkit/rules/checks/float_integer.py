"""Integers that are written with a fraction or an exponent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.rules.messages import label, named
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding

_EXACT = 2**53


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each such number where the schema wants an integer."""
    document = manifest.document
    if not document.has_fractions:
        return
    from manifestkit.rules.advice import replace_fix  # noqa: PLC0415 - clean runs go without

    for path, value, field in manifest.described():
        if not isinstance(value, float) or field.types != ("integer",) or value % 1:
            continue
        spelling = document.spelling(document.node(path)) or json.dumps(value)
        message = f"{label(path)} is the integer {named(spelling)}, written with a fraction"
        if abs(value) > _EXACT:
            yield rule.finding(document, path, message)
            continue
        digits = int(value)
        fix = replace_fix(manifest.editor, path, digits)
        yield rule.finding(
            document, path, message, fixes=(fix,), suggestion=str(digits), help=f"write `{digits}`"
        )
