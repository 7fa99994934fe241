"""Files named like a manifest that are manifests of something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from manifestkit.rules.messages import named, with_article
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import foreign_kind

if TYPE_CHECKING:
    from manifestkit.model.finding import Finding
    from manifestkit.rules.rule import Manifest, Rule

ID = "not-a-manifest"


def find(rule: Rule, manifest: Manifest) -> Finding | None:
    """The one finding for what is evidently no manifest, or is wrapped in a member; else None."""
    from manifestkit.rules.advice import replace_fix  # noqa: PLC0415 - clean runs go without

    document, schema = manifest.document, manifest.schema
    # A schema that a user brings may describe what has the marks of another format.
    kind = None if schema.goes_deep else foreign_kind(document.value, schema)
    around = _wrapper(document.value, schema)
    if (kind is None and around is None) or schema.is_valid(document.value):
        return None
    if around is None:
        root = schema.field(())
        own = with_article(((root and root.title) or "manifest").lower())
        return rule.finding(document, (), f"this is {kind}, not {own}")
    fix = replace_fix(manifest.editor, (), document.value[around])._replace(safety="unsafe")
    return rule.finding(
        document,
        (),
        f"the manifest is inside {named(around)}",
        location=document.locate_key((around,)),
        fixes=(fix,),
        help=f"keep only the value of {named(around)}",
    )


def _wrapper(value: Any, schema: Schema) -> str | None:
    """The member that holds a whole manifest, or most of one; None where the root is meant."""
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
