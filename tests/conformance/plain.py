"""Section 2 of the manifest document, read once more: a plain table, and nothing of the toolkit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

PERMISSION = {
    *("profile.basic", "context.current_state", "context.goals", "context.health_summary"),
    *("context.constraints", "context.session", "activity.complete", "host.haptics", "host.timer"),
}
CAPABILITY = {
    *("activity.start", "activity.complete", "activity.cancel", "activity.outcome"),
    *("context.getCurrent", "context.getGoals", "context.getSession", "context.getSignals"),
    *("context.getConstraints", "profile.getBasic", "host.haptic", "host.timer.start"),
    "host.timer.cancel",
}

MANIFEST: dict[str, Any] = {
    "schema_version": (True, "string"),
    "provider": (True, "provider"),
    "runtime": (True, "runtime"),
    "presentation": (False, "presentation"),
    "activities": (True, ["activity"]),
    "permissions": (True, ["permission"]),
    "capabilities": (True, ["capability"]),
}
OBJECTS: dict[str, dict[str, Any]] = {
    "manifest": MANIFEST,
    "provider": {"id": (True, "string"), "name": (True, "string"), "version": (True, "string")},
    "runtime": {"entrypoint": (True, "string"), "sdk_version": (True, "string")},
    "presentation": {"thumbnail": (False, "string")},
    "activity": {
        "id": (True, "string"),
        "name": (True, "string"),
        "category": (False, "string"),
        "duration_minutes": (False, "integer"),
        "thumbnail": (False, "string"),
        "surfaces": (False, ["string"]),
    },
}


def errors(  # noqa: C901, PLR0912 - a table, read from top to bottom
    value: Any, kind: Any = "manifest", pointer: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the place and the kind of each error."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            yield pointer, "type"
            return
        if kind == ["activity"] and not value:
            yield pointer, "value"
        for index, item in enumerate(value):
            yield from errors(item, kind[0], f"{pointer}/{index}")
    elif kind in OBJECTS:
        if not isinstance(value, dict):
            yield pointer, "type"
            return
        for name, (is_required, inner) in OBJECTS[kind].items():
            if name in value:
                yield from errors(value[name], inner, f"{pointer}/{name}")
            elif is_required:
                yield f"{pointer}/{name}", "missing"
        for name in value:
            if kind == "presentation" and name not in OBJECTS[kind]:
                yield f"{pointer}/{name}", "value"
    elif kind == "integer":
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            yield pointer, "type"
    elif not isinstance(value, str):
        yield pointer, "type"
    elif (kind == "permission" and value not in PERMISSION) or (
        kind == "capability" and value not in CAPABILITY
    ):
        yield pointer, "value"
