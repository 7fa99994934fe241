"""Differences between two results of a fleet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from manifestkit.fleet.results import Results
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.fleet import (
    Impact,
    ProviderImpact,
    RuleImpact,
)

_COLUMNS = ("uri", "sha256", "fails", "provider_id", "findings.list.element.rule")


class _Told(NamedTuple):
    """Result of one manifest."""

    digest: str | None
    fails: bool
    provider: str | None
    rules: list[str]


def _told(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str | None, _Told]]:
    for batch in batches:
        offsets = batch["findings"].offsets.to_pylist()
        rules = batch["findings"].values.field("rule").to_pylist()
        columns = (batch[name].to_pylist() for name in _COLUMNS[:4])
        for row in zip(*columns, offsets, offsets[1:], strict=False):
            uri, digest, fails, provider, start, end = row
            yield uri, _Told(digest, fails, provider, rules[start:end])


def _unit(results: Results, name: str) -> list[pa.RecordBatch]:
    return list(results.batches(name, _COLUMNS)) if name in results.plan.units else []


def _uris(batches: list[pa.RecordBatch]) -> pa.ChunkedArray:
    return pa.chunked_array([each["uri"] for each in batches], pa.string())


class _Changes:
    """Changes, in the order of the results."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._rules: dict[str, Counter[str]] = defaultdict(Counter)
        self._examples: dict[str, str | None] = {}
        self._providers: dict[str | None, Counter[str]] = defaultdict(Counter)
        self._provider_rules: dict[str | None, tuple[set[str], set[str]]] = defaultdict(
            lambda: (set(), set())
        )

    def compare(self, uri: str | None, before: _Told, after: _Told) -> None:
        self.counts["manifests"] += 1
        self.counts["edited"] += before.digest != after.digest
        if before.rules == after.rules and before.fails == after.fails:
            return
        new, gone = set(after.rules) - set(before.rules), set(before.rules) - set(after.rules)
        fails, passes = int(after.fails > before.fails), int(before.fails > after.fails)
        if not (new or gone or fails or passes):
            return
        for counts in (self.counts, self._providers[after.provider]):
            counts.update(newly_failing=fails, newly_passing=passes)
        for names, own in zip(self._provider_rules[after.provider], (new, gone), strict=True):
            names.update(own)
        for rule in new | gone:
            self._examples.setdefault(rule, uri)
            is_new = int(rule in new)
            self._rules[rule].update(new=is_new, gone=1 - is_new, newly_failing=is_new * fails)

    def rules(self) -> tuple[RuleImpact, ...]:
        found = (
            RuleImpact(rule, each["new"], each["gone"], each["newly_failing"], self._examples[rule])
            for rule, each in self._rules.items()
        )
        return tuple(
            sorted(found, key=lambda each: (-each.newly_failing, -each.new, -each.gone, each.rule))
        )

    def providers(self) -> tuple[ProviderImpact, ...]:
        found = (
            ProviderImpact(
                name,
                counts["newly_failing"],
                counts["newly_passing"],
                *(tuple(sorted(rules)) for rules in self._provider_rules[name]),
            )
            for name, counts in self._providers.items()
        )
        return tuple(
            sorted(
                found,
                key=lambda each: (-each.newly_failing, -each.newly_passing, each.provider or ""),
            )
        )


def impact(before: str, after: str) -> Impact:
    """Compare two results of a fleet.

    Units with the same rows are compared as they are read; the manifests of other units are held in
    memory and found by their URI.

    Raises:
        ConfigurationError: no manifest is in both.
    """
    old, new = Results(before), Results(after)
    changes = _Changes()
    left: dict[tuple[str | None, int], _Told] = {}
    added: dict[tuple[str | None, int], _Told] = {}
    seen: tuple[Counter[str | None], Counter[str | None]] = Counter(), Counter()
    for name in dict.fromkeys([*old.plan.units, *new.plan.units]):
        one, two = _unit(old, name), _unit(new, name)
        if one and two and _uris(one).equals(_uris(two)):
            for (uri, was), (_, told) in zip(_told(one), _told(two), strict=True):
                changes.compare(uri, was, told)
            continue
        for rows, held, count in ((one, left, seen[0]), (two, added, seen[1])):
            for uri, told in _told(rows):
                held[uri, count[uri]] = told
                count[uri] += 1
    for key in [each for each in left if each in added]:
        changes.compare(key[0], left.pop(key), added.pop(key))
    counts = changes.counts
    if added and left and not counts["manifests"]:
        raise ConfigurationError(
            f"no manifest is in both {before} and {after}, by its `uri`; compare results of the "
            "same input"
        )
    return Impact(
        old.plan.policy,
        new.plan.policy,
        counts["manifests"],
        len(added),
        sum(each.fails for each in added.values()),
        len(left),
        counts["edited"],
        counts["newly_failing"],
        counts["newly_passing"],
        changes.rules(),
        changes.providers(),
    )
