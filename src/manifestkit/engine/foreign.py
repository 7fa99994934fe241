"""Files named like a manifest that are manifests of something else."""

from __future__ import annotations

from typing import Any

from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import foreign_marks


def foreign_kind(value: Any, schema: Schema) -> str | None:
    """What a value is when it is evidently another format's manifest; None when it may be ours.

    Args:
        value: the whole document.
        schema: what a manifest must be. With any member that it requires, but for those that
            other manifests have as well, the value is meant as ours.
    """
    root = schema.field(())
    if not isinstance(value, dict) or any(
        name in value
        for name in (root.required if root else ())
        if not ((member := schema.field((name,))) and member.common)
    ):
        return None
    return next((kind for kind, marks in foreign_marks() if any(m in value for m in marks)), None)
