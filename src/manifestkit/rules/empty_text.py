"""Required texts with nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.wording import label
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from manifestkit.finding import Finding

# What `str.strip` leaves something of: the engine's \s, and four separators that it does not know.
_NOT_BLANK = r"[^\s\x1c-\x1f]"


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each required string that is empty or blank."""
    for path, value, field in manifest.schema.described(manifest.document.value):
        if not isinstance(value, dict):
            continue
        for name in field.required:
            text = value.get(name)
            if isinstance(text, str) and not text.strip():
                state = "blank" if text else "empty"
                at = (*path, name)
                yield rule.finding(manifest.document, at, f"{label(at)} is {state}")


def demand(schema: Schema) -> Any:
    """Every required string with something in it."""
    return schema.shaped(
        lambda field: {"properties": {name: {"pattern": _NOT_BLANK} for name in field.required}}
    )
