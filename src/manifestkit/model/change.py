"""Changes: what is different between two manifests, one by one."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from manifestkit.model.pointer import Path, format_pointer


class _Absent:
    def __reduce__(self) -> str:
        return "ABSENT"  # in each process, the one object


ABSENT: Any = _Absent()
"""Sentinel for a missing value; None means JSON null."""


Kind = Literal["added", "removed", "changed", "renamed"]


class Change(NamedTuple):
    """One difference between two manifests.

    Attributes:
        kind: the kind of change. ``renamed`` means a new identifier of an item or, if `field` is
            the root, a new path of the file.
        field: the pointer of the changed value, with ``*`` for any item of a list.
        old_path: the place in the old manifest; for an added value, its nearest parent there.
        new_path: the place in the new manifest; for a removed value, its nearest parent there.
        old: the old value; ABSENT if the value was added.
        new: the new value; ABSENT if the value was removed.
        meaning: the description of the value in the schema.

    Example:
        >>> newer = MANIFEST.replace('"version": "0.1.0"', '"version": "0.2.0"')
        >>> (change,) = manifestkit.diff(MANIFEST, newer).changes
        >>> change.kind, change.field, change.old, change.new
        ('changed', '/provider/version', '0.1.0', '0.2.0')
    """

    kind: Kind
    field: str
    old_path: Path
    new_path: Path
    old: Any = ABSENT
    new: Any = ABSENT
    meaning: str | None = None

    def contents(self) -> dict[str, Any]:
        """Return the document for the change rules; `change-document.schema.json` describes it."""
        contents = {"kind": self.kind, "field": self.field}
        if self.old is not ABSENT:
            contents["old"] = self.old
        if self.new is not ABSENT:
            contents["new"] = self.new
        return {**contents, "meaning": self.meaning} if self.meaning else contents

    def pointers(self) -> dict[str, str | None]:
        """Return the two places, each None where there is no value."""
        return {
            "old_pointer": None if self.old is ABSENT else format_pointer(self.old_path),
            "new_pointer": None if self.new is ABSENT else format_pointer(self.new_path),
        }
