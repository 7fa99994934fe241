"""Ids that two activities share."""

from __future__ import annotations

from collections.abc import Iterator

from manifestkit.finding import Finding, Related
from manifestkit.pointer import Path, format_pointer
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.wording import quoted


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each later activity with an id that was there before."""
    document = manifest.document
    activities = document.value.get("activities") if isinstance(document.value, dict) else None
    first_with: dict[str, Path] = {}
    for index, activity in enumerate(activities if isinstance(activities, list) else ()):
        activity_id = activity.get("id") if isinstance(activity, dict) else None
        if not isinstance(activity_id, str):
            continue
        path: Path = ("activities", index, "id")
        first = first_with.setdefault(activity_id, path)
        if first != path:
            place = Related("first used here", format_pointer(first), document.locate(first))
            message = f"another activity has the id {quoted(activity_id)}"
            yield rule.finding(document, path, message, related=(place,))
