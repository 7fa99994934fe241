"""Files named like a manifest that are manifests of something else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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


def foreign_kind(value: Any, required: Iterable[str]) -> str | None:
    """What a value is when it is no activity provider's manifest; None when it may be one.

    Args:
        value: the whole document.
        required: the members that a manifest must have; with any of them but those that other
            manifests have as well, it is meant as one.
    """
    if not isinstance(value, dict) or any(name in value for name in {*required} - _SHARED):
        return None
    return next((kind for kind, marks in _MARKS if any(mark in value for mark in marks)), None)
