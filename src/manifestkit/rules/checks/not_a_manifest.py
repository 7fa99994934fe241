"""Files named like a manifest that are manifests of something else."""

from __future__ import annotations

from typing import Any

from manifestkit.findings.messages import named, with_article
from manifestkit.model.finding import Description
from manifestkit.model.violation import Violation
from manifestkit.rules.rule import Rule
from manifestkit.schema.manifest import Manifest
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import foreign_kind

ID = "not-a-manifest"


def find(rule: Rule, manifest: Manifest) -> Violation | None:
    """Find what tells of all violations of what is evidently no manifest, or is inside a member."""
    document, schema = manifest.document, manifest.schema
    # A schema that a user brings may describe what has the marks of another format.
    kind = None if schema.is_unbounded else foreign_kind(document.value, schema)
    around = _wrapper(document.value, schema)
    if kind is None and around is None:
        return None
    span = None if around is None else document.key_span((around,))
    return rule.violation((), (kind, around), span=span)


def describe(manifest: Manifest, violation: Violation) -> Description:
    """Say what it is."""
    from manifestkit.findings.fixes import replace_fix  # noqa: PLC0415 - clean runs go without

    kind, around = violation.about
    if around is None:
        root = manifest.schema.field(())
        own = with_article(((root and root.title) or "manifest").lower())
        return Description(f"this is {kind}, not {own}")
    value = manifest.document.value[around]
    fix = replace_fix((), value)._replace(safety="unsafe")
    return Description(
        f"the manifest is inside {named(around)}",
        f"keep only the value of {named(around)}",
        fixes=(fix,),
    )


def _wrapper(value: Any, schema: Schema) -> str | None:
    """Return the member that holds a manifest, or most of one; None where the root is meant."""
    root = schema.field(())
    required = set(root.required) if root else set()
    if not required or not isinstance(value, dict) or required & value.keys():
        return None
    held = (
        name
        for name, each in value.items()
        if isinstance(each, dict) and 2 * len(required & each.keys()) > len(required)
    )
    return next(held, None)
