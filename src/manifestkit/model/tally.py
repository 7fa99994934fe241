"""The violations of a file where a run counts them, and describes none."""

from typing import NamedTuple

from manifestkit.model.finding import Identity, Severity


class Tallied(NamedTuple):
    """A violation of which nothing is said.

    Attributes:
        rule: the rule.
        severity: the severity that counts.
        pointer: the place.
        identity: what stays of it when the file is reformatted.
        by: what suppresses it: ``configuration`` or ``baseline``; None if it counts.
    """

    rule: str
    severity: Severity
    pointer: str
    identity: Identity | None = None
    by: str | None = None


class Tally(NamedTuple):
    """The violations of a file, of which nothing is said.

    Attributes:
        violations: each of them, those that are suppressed too.
        findings: the rule and the severity of each finding that would be told of them.
    """

    violations: tuple[Tallied, ...] = ()
    findings: tuple[tuple[str, Severity], ...] = ()
