"""Reports about the results of a fleet, and about the differences between two of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from manifestkit.fleet.results import Results
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.fleet import (
    FleetSummary,
    Impact,
    ProviderCount,
    ProviderImpact,
    RuleCount,
    RuleImpact,
)


def summarize(address: str) -> FleetSummary:
    """Summarize the results in a folder.

    Raises:
        ConfigurationError: they are not complete, or there are none.
        UnreadableFileError: they cannot be read.
    """
    results = Results(address)
    counts: Counter[str] = Counter()
    manifests: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    examples: dict[str, str | None] = {}
    providers: Counter[str | None] = Counter()
    for name in results.plan.units:
        for batch in results.batches(name, ("errors", "warnings", *_COLUMNS)):
            counts["manifests"] += batch.num_rows
            counts["errors"] += pc.sum(batch["errors"]).as_py() or 0
            counts["warnings"] += pc.sum(batch["warnings"]).as_py() or 0
            for uri, told in _told(batch):
                if told.fails:
                    providers[told.provider] += 1
                findings.update(told.rules)
                manifests.update(set(told.rules))
                for rule in told.rules:
                    examples.setdefault(rule, uri)
    return FleetSummary(
        results.plan.policy,
        results.plan.detail,
        counts["manifests"],
        providers.total(),
        counts["errors"],
        counts["warnings"],
        tuple(
            RuleCount(rule, count, findings[rule], examples[rule])
            for rule, count in sorted(manifests.items(), key=lambda each: (-each[1], each[0]))
        ),
        tuple(
            ProviderCount(provider, count)
            for provider, count in sorted(
                providers.items(), key=lambda each: (-each[1], each[0] or "")
            )
        ),
    )


_COLUMNS = ("uri", "sha256", "fails", "provider_id", "findings.list.element.rule")


class _Told(NamedTuple):
    """Result of one manifest."""

    digest: str | None
    fails: bool
    provider: str | None
    rules: list[str]


def _told(rows: pa.RecordBatch | pa.Table) -> Iterator[tuple[str | None, _Told]]:
    """Yield the URI of each row, and what it says."""
    for batch in rows.to_batches() if isinstance(rows, pa.Table) else [rows]:
        offsets = batch["findings"].offsets.to_pylist()
        rules = batch["findings"].values.field("rule").to_pylist()
        told = (batch[name].to_pylist() for name in _COLUMNS[:4])
        for *row, start, end in zip(*told, offsets, offsets[1:], strict=False):
            uri, digest, fails, provider = row
            yield uri, _Told(digest, fails, provider, rules[start:end])


def _unit(results: Results, name: str) -> pa.Table | None:
    """Return the rows of a unit; None where there is no such unit."""
    if name not in results.plan.units:
        return None
    batches = list(results.batches(name, _COLUMNS))
    return pa.Table.from_batches(batches) if batches else None


class _Changes:
    """Changes, in the order of the results."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.new: Counter[str] = Counter()
        self.gone: Counter[str] = Counter()
        self.newly_failing: Counter[str] = Counter()
        self.examples: dict[str, str | None] = {}
        self.providers: dict[str | None, Counter[str]] = defaultdict(Counter)
        self.provider_rules: dict[str | None, tuple[set[str], set[str]]] = defaultdict(
            lambda: (set(), set())
        )

    def compare(self, uri: str | None, before: _Told, after: _Told) -> None:
        """Note what is different in one manifest."""
        self.counts["manifests"] += 1
        self.counts["edited"] += before.digest != after.digest
        if before.rules == after.rules and before.fails == after.fails:
            return
        new, gone = (
            set(after.rules) - set(before.rules),
            set(before.rules) - set(after.rules),
        )
        fails, passes = int(after.fails > before.fails), int(before.fails > after.fails)
        if not (new or gone or fails or passes):
            return
        self.counts.update(newly_failing=fails, newly_passing=passes)
        self.providers[after.provider].update(newly_failing=fails, newly_passing=passes)
        self.provider_rules[after.provider][0].update(new)
        self.provider_rules[after.provider][1].update(gone)
        self.new.update(new)
        self.gone.update(gone)
        self.newly_failing.update(new if fails else ())
        for rule in new | gone:
            self.examples.setdefault(rule, uri)

    def rules(self) -> tuple[RuleImpact, ...]:
        """Return the rules, those that most fail by first."""
        found = (
            RuleImpact(rule, self.new[rule], self.gone[rule], self.newly_failing[rule], example)
            for rule, example in self.examples.items()
        )
        return tuple(
            sorted(found, key=lambda each: (-each.newly_failing, -each.new, -each.gone, each.rule))
        )

    def by_provider(self) -> tuple[ProviderImpact, ...]:
        """Return the providers, those with most failing first."""
        found = (
            ProviderImpact(
                name,
                counts["newly_failing"],
                counts["newly_passing"],
                tuple(sorted(self.provider_rules[name][0])),
                tuple(sorted(self.provider_rules[name][1])),
            )
            for name, counts in self.providers.items()
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
        ConfigurationError: the results are not complete, there are none, or no manifest is in both.
        UnreadableFileError: they cannot be read.
    """
    old, new = Results(before), Results(after)
    changes = _Changes()
    left: dict[tuple[str | None, int], _Told] = {}
    added: dict[tuple[str | None, int], _Told] = {}
    seen: tuple[Counter[str | None], Counter[str | None]] = Counter(), Counter()
    for name in dict.fromkeys([*old.plan.units, *new.plan.units]):
        one, two = _unit(old, name), _unit(new, name)
        if one is not None and two is not None and one["uri"].equals(two["uri"]):
            for (uri, was), (_, told) in zip(_told(one), _told(two), strict=True):
                changes.compare(uri, was, told)
            continue
        for rows, held, count in ((one, left, seen[0]), (two, added, seen[1])):
            for uri, told in _told(rows) if rows is not None else ():
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
        changes.by_provider(),
    )
