"""Reports about a fleet: its results, and what a change of the policy means for it."""

from __future__ import annotations

from typing import NamedTuple


class RuleCount(NamedTuple):
    """The counts of one rule in a fleet.

    Attributes:
        rule: the rule.
        manifests: how many manifests it finds something in.
        findings: how much it finds.
        example: the URI of the first of them.
    """

    rule: str
    manifests: int
    findings: int
    example: str | None


class ProviderCount(NamedTuple):
    """The manifests of one provider that fail; None where a manifest names no provider."""

    provider: str | None
    manifests: int


class FleetSummary(NamedTuple):
    """The results of a fleet.

    Attributes:
        policy: the digest of what it was checked by.
        detail: `findings` or `tally`.
        manifests: how many there are.
        failing: how many of them fail.
        errors: the findings, by severity.
        warnings: likewise.
        rules: what each rule finds, the most frequent first.
        providers: whose manifests fail, those with the most first.
    """

    policy: str
    detail: str
    manifests: int
    failing: int
    errors: int
    warnings: int
    rules: tuple[RuleCount, ...]
    providers: tuple[ProviderCount, ...]


class RuleImpact(NamedTuple):
    """The effect of a change on one rule.

    Attributes:
        rule: the rule.
        new: in how many manifests it finds something now and did not before.
        gone: in how many it is the other way round.
        newly_failing: how many of those with something new fail now and did not before.
        example: the URI of the first manifest with something new or gone.
    """

    rule: str
    new: int
    gone: int
    newly_failing: int
    example: str | None


class ProviderImpact(NamedTuple):
    """The effect of a change on one provider.

    Attributes:
        provider: its id; None for manifests that name none.
        newly_failing: how many of its manifests fail now and did not before.
        newly_passing: how many do not fail now and did before.
        new: the rules that find something in a manifest where they did not before.
        gone: the rules that find nothing in a manifest where they did before.
    """

    provider: str | None
    newly_failing: int
    newly_passing: int
    new: tuple[str, ...]
    gone: tuple[str, ...]


class Impact(NamedTuple):
    """The difference between two results of a fleet.

    Attributes:
        before: the digest of the policy before.
        after: the digest of the policy after.
        manifests: how many are in both, by their URI.
        added: how many are only in the results after.
        added_failing: how many of those fail.
        removed: how many are only in those before.
        edited: how many of those in both have another content.
        newly_failing: how many fail now and did not before.
        newly_passing: how many do not fail now and did before.
        rules: the rules for which something changed, those that most fail by first.
        providers: the providers for which something changed, those with most failing first.
    """

    before: str
    after: str
    manifests: int
    added: int
    added_failing: int
    removed: int
    edited: int
    newly_failing: int
    newly_passing: int
    rules: tuple[RuleImpact, ...]
    providers: tuple[ProviderImpact, ...]
