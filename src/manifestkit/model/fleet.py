"""Report about a fleet: what a change of the policy means for it."""

from __future__ import annotations

from typing import NamedTuple


class RuleImpact(NamedTuple):
    """The effect of a change on one rule, in numbers of manifests."""

    rule: str
    new: int  # in which it finds something now and did not before
    gone: int  # the other way round
    newly_failing: int  # of the new ones, those that fail now and did not before
    example: str | None  # the URI of the first with something new or gone


class ProviderImpact(NamedTuple):
    """The effect of a change on one provider; None for manifests that name none."""

    provider: str | None
    newly_failing: int  # manifests that fail now and did not before
    newly_passing: int
    new: tuple[str, ...]  # rules that find something in a manifest where they did not before
    gone: tuple[str, ...]


class Impact(NamedTuple):
    """The difference between two results of a fleet; what most fail by comes first."""

    before: str  # the digest of the policy
    after: str
    manifests: int  # in both, by their URI
    added: int
    added_failing: int
    removed: int
    edited: int  # of those in both, those with another content
    newly_failing: int
    newly_passing: int
    rules: tuple[RuleImpact, ...]  # for which something changed
    providers: tuple[ProviderImpact, ...]
