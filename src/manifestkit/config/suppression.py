"""Findings that somebody has decided to live with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from manifestkit.config.exclude import Ignore
from manifestkit.model.report import STDIN
from manifestkit.rules.catalogue import setting_names
from manifestkit.schema.formats import wildcards


@dataclass(frozen=True, slots=True)
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

    def expired(self, today: date) -> bool:
        """Return whether it has expired."""
        return self.expires is not None and self.expires < today


class Suppressions:
    """Suppressions by rule and place; only those with a wildcard are tried one by one."""

    def __init__(self, suppressions: Iterable[Suppression]) -> None:
        self._places: dict[tuple[str, str | None], dict[int, Suppression]] = {}
        self._patterns: dict[str, dict[int, tuple[re.Pattern[str], Suppression]]] = {}
        for index, each in enumerate(suppressions):
            if each.pointer and "*" in each.pointer:
                tokens = (map(re.escape, token.split("*")) for token in each.pointer.split("/"))
                pattern = re.compile("/".join(map(wildcards, tokens)))
                self._patterns.setdefault(each.rule, {})[index] = pattern, each
            else:
                self._places.setdefault((each.rule, each.pointer), {})[index] = each

    def applying_to(self, rule: str, pointers: set[str]) -> list[Suppression]:
        """Return the suppressions of a rule at a place, which may be written in several ways."""
        found: dict[int, Suppression] = {}
        for name in setting_names(rule):
            for pointer in (None, *pointers):
                found |= self._places.get((name, pointer), {})
            for index, (pattern, each) in self._patterns.get(name, {}).items():
                if any(map(pattern.fullmatch, pointers)):
                    found[index] = each
        return [found[index] for index in sorted(found)]
