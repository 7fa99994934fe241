"""Ids that two activities share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from manifestkit.pointer import Path, format_pointer
from manifestkit.rules.rule import Manifest, Rule
from manifestkit.rules.wording import quoted

if TYPE_CHECKING:
    from manifestkit.finding import Finding


def check(rule: Rule, manifest: Manifest) -> Iterator[Finding]:
    """One finding for each later activity with an id that was there before."""
    document = manifest.document
    activities = document.value.get("activities") if isinstance(document.value, dict) else None
    ids = [
        (activity["id"], index)
        for index, activity in enumerate(activities if isinstance(activities, list) else ())
        if isinstance(activity, dict) and isinstance(activity.get("id"), str)
    ]
    first_with = dict(reversed(ids))
    if len(first_with) == len(ids):
        return
    from manifestkit.finding import Related  # noqa: PLC0415 - clean runs go without

    for activity_id, index in ids:
        first: Path = ("activities", first_with[activity_id], "id")
        if index != first_with[activity_id]:
            place = Related("first used here", format_pointer(first), document.locate(first))
            message = f"another activity has the id {quoted(activity_id)}"
            path = ("activities", index, "id")
            yield rule.finding(document, path, message, related=(place,))
