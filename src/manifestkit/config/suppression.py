"""Findings that somebody has decided to live with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from manifestkit.config.exclude import Ignore
from manifestkit.model.report import STDIN
from manifestkit.rules.catalogue import setting_names
from manifestkit.schema.formats import wildcards


@dataclass(frozen=True)
class Suppression:
    """One entry of the configuration's `suppress`.

    Attributes:
        rule: the rule that it suppresses; `schema-keyword` stands for every `schema-<keyword>`.
        reason: why.
        files: the files that it speaks of; None for all.
        pointer: the places that it speaks of; `*` stands for one name or index, and an array's
            item may be named by its `id` or by itself, with a `=` before what looks like an index;
            None for all.
        expires: the last day on which it holds; None for ever.
        source: the configuration file.
        index: which of the file's entries it is.
    """

    rule: str
    reason: str
    files: Ignore | None
    pointer: str | None
    expires: date | None
    source: str
    index: int

    @property
    def place(self) -> tuple[str, int]:
        """The file and the index, which no other entry has."""
        return self.source, self.index

    def covers(self, name: str) -> bool:
        """Return whether it speaks of a file."""
        return self.files is None or (name != STDIN and self.files.covers(Path(name)))

    @property
    def is_pattern(self) -> bool:
        """Return whether it is for more than one place."""
        return self.pointer is None or "*" in self.pointer

    def applies_to(self, rule: str, pointers: set[str]) -> bool:
        """Return whether it is for a rule at a place, which may be written in several ways."""
        if self.rule not in setting_names(rule):
            return False
        return self.pointer is None or any(map(self._places.fullmatch, pointers))

    @cached_property
    def _places(self) -> re.Pattern[str]:
        tokens = (map(re.escape, each.split("*")) for each in (self.pointer or "").split("/"))
        return re.compile("/".join(map(wildcards, tokens)))

    def expired(self, today: date) -> bool:
        """Return whether it has expired."""
        return self.expires is not None and self.expires < today
