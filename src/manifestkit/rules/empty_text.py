"""Required texts with nothing in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from manifestkit.rules.messages import label
from manifestkit.rules.rule import Manifest, Rule

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding
    from manifestkit.schema.fields import Description


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each required string that is empty or blank."""
    document = manifest.document
    if document.syntax == "json" and "\\" not in document.text and not _has_blank(document.text):
        return
    if not any(_has_empty_text(*each) for each in manifest.objects):
        return
    for path, value, field in manifest.schema.described(document.value):
        if not isinstance(value, dict):
            continue
        for name in field.required:
            text = value.get(name)
            if isinstance(text, str) and not text.strip():
                state = "blank" if text else "empty"
                at = (*path, name)
                yield rule.finding(document, at, f"{label(at)} is {state}")


def _has_blank(text: str) -> bool:
    """Whether a JSON text without escapes has an empty or blank string, or name."""
    return '""' in text or re.search(r'"\s+"', text) is not None


def _has_empty_text(value: dict[str, Any], described: Description) -> bool:
    for name in described.field.required:
        text = value.get(name)
        if isinstance(text, str) and not text.strip():
            return True
    return False
