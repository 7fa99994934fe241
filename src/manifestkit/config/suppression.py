"""Findings that somebody has decided to live with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Generic, TypeVar

from manifestkit.config.exclude import Ignore, wildcards
from manifestkit.model.location import Location
from manifestkit.rules.catalogue import setting_names


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
        location: where in that file it stands.
    """

    rule: str
    reason: str
    files: Ignore | None
    pointer: str | None
    expires: date | None
    source: str
    location: Location

    @property
    def place(self) -> tuple[str, Location]:
        """The file and the place, which no other entry has."""
        return self.source, self.location

    def covers(self, file: Path | None) -> bool:
        """Return whether it speaks of a file; None for what came on standard input."""
        return self.files is None or (file is not None and self.files.covers(file))

    def expired(self, today: date) -> bool:
        """Return whether it has expired."""
        return self.expires is not None and self.expires < today


T = TypeVar("T")


class Suppressions(Generic[T]):
    """Finds the suppressions that speak of a finding, without a look at each of them.

    Args:
        suppressions: each with what is to be known of it.
    """

    def __init__(self, suppressions: Iterable[tuple[Suppression, T]]) -> None:
        self._anywhere: dict[str, list[T]] = {}
        self._places: dict[str, _PointerTree[T]] = {}
        for each, known in suppressions:
            if each.pointer is None:
                self._anywhere.setdefault(each.rule, []).append(known)
                continue
            place = self._places.setdefault(each.rule, _PointerTree())
            for token in each.pointer.split("/"):
                place = place.under(token)
            place.found.append(known)

    def applying_to(self, rule: str, pointers: Iterable[str]) -> Iterator[T]:
        """Find what is known of the suppressions that speak of a place.

        Args:
            rule: the rule that is broken there.
            pointers: the ways to write the place.
        """
        for name in setting_names(rule):
            yield from self._anywhere.get(name, ())
            for pointer in pointers:
                yield from self._at(name, pointer.split("/"))

    def _at(self, rule: str, tokens: list[str]) -> Iterator[T]:
        places = [self._places[rule]] if rule in self._places else []
        for token in tokens:
            places = [found for place in places for found in place.matching(token)]
        for place in places:
            yield from place.found


class _PointerTree(Generic[T]):
    """Tree of the pointers of suppressions, by token."""

    def __init__(self) -> None:
        self.found: list[T] = []
        self._named: dict[str, _PointerTree[T]] = {}
        self._patterns: dict[str, tuple[str, re.Pattern[str], _PointerTree[T]]] = {}

    def under(self, token: str) -> _PointerTree[T]:
        """Return the place that one more token leads to."""
        if "*" not in token:
            return self._named.setdefault(token, _PointerTree())
        if token not in self._patterns:
            self._patterns[token] = (
                token.partition("*")[0],
                wildcards([re.escape(each) for each in token.split("*")]),
                _PointerTree(),
            )
        return self._patterns[token][2]

    def matching(self, token: str) -> Iterator[_PointerTree[T]]:
        """Find the places that a token of a finding's pointer leads to."""
        if token in self._named:
            yield self._named[token]
        for start, pattern, place in self._patterns.values():
            if token.startswith(start) and pattern.fullmatch(token):
                yield place
