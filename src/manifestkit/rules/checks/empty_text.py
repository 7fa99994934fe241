"""Required texts with nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.rules.messages import label
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each required string that is empty or blank."""
    if not manifest.look.has_blank:
        return
    for path, value, field in manifest.described():
        if not isinstance(value, dict):
            continue
        for name in field.required:
            text = value.get(name)
            if isinstance(text, str) and not text.strip():
                state = "blank" if text else "empty"
                at = manifest.written((*path, name))
                yield rule.finding(manifest.document, at, f"{label(at)} is {state}")
