"""Findings that somebody has decided to live with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from manifestkit.engine.ignoring import Ignore
from manifestkit.finding import Finding
from manifestkit.location import Location
from manifestkit.rules.catalogue import find_rule


@dataclass(frozen=True, slots=True)
class Suppression:
    """One entry of the configuration's `suppress`.

    Attributes:
        rule: the rule that it silences; `schema-keyword` stands for every `schema-<keyword>`.
        reason: why.
        files: the files that it speaks of; None for all.
        pointer: the places that it speaks of; `*` stands for one name or index, and an array's
            item may be named by its `id` or by itself; None for all.
        expires: the last day on which it holds; None for ever.
        source: the configuration file.
        location: where in that file it stands.
    """

    rule: str
    reason: str
    files: Ignore | None
    pointer: str | None
    expires: date | None
    source: str
    location: Location

    def silences(self, finding: Finding) -> bool:
        """Whether it speaks of a finding in one of its files."""
        known = find_rule(finding.rule)
        if self.rule != finding.rule and (known is None or self.rule != known.id):
            return False
        stable = finding.identity.pointer if finding.identity else finding.pointer
        return self.pointer is None or any(
            _pattern(self.pointer).fullmatch(pointer) for pointer in (finding.pointer, stable)
        )

    def expired(self, today: date) -> bool:
        """Whether it holds no more."""
        return self.expires is not None and self.expires < today


@cache
def _pattern(pointer: str) -> re.Pattern[str]:
    """What a pointer with `*` in it matches, never trying a place in vain again."""
    return re.compile("/".join(map(_token_pattern, pointer.split("/"))))


def _token_pattern(token: str) -> str:
    first, *others = map(re.escape, token.split("*"))
    if not others:
        return first
    *between, last = others
    return f"{first}{''.join(f'(?>[^/]*?{each})' for each in between)}[^/]*{last}"
