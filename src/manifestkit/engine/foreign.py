"""Files named like a manifest that are manifests of something else."""

from __future__ import annotations

from typing import Any

from manifestkit.schema.model import Schema

_MARKS = (
    ("a browser extension's manifest", ("manifest_version",)),
    ("a web app manifest", ("start_url", "icons", "short_name", "display", "theme_color")),
    ("an office add-in's or app's manifest", ("manifestVersion",)),
    ("a Kubernetes object", ("apiVersion", "kind")),
    ("a container image manifest", ("schemaVersion", "mediaType")),
    ("a home automation integration's manifest", ("codeowners", "iot_class")),
    ("a note app plugin's manifest", ("minAppVersion",)),
    ("a game add-on's manifest", ("format_version", "minimumCoreVersion")),
    ("a build tool's asset list", ("index.html", "main.js", "main.css")),
)

# Browser extensions request permissions too.
_SHARED = frozenset({"permissions", "capabilities"})


def foreign_kind(value: Any, schema: Schema) -> str | None:
    """What a value is when it is evidently another format's manifest; None when it may be ours.

    Args:
        value: the whole document.
        schema: what a manifest must be. With any member that it requires, but for those that
            other manifests have as well, the value is meant as ours.
    """
    root = schema.field(())
    required = {*root.required} - _SHARED if root else ()
    if not isinstance(value, dict) or any(name in value for name in required):
        return None
    return next((kind for kind, marks in _MARKS if any(mark in value for mark in marks)), None)
