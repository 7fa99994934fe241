"""Violations, and the verdict that is made of them before anything is said of one."""

from typing import Any, NamedTuple

from manifestkit.model.finding import Identity, Severity
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path, format_pointer


class Violation(NamedTuple):
    """A requirement that a manifest breaks.

    Attributes:
        rule: the id of the rule.
        severity: how bad it is: the rule's own severity, until a policy gives it another.
        path: the value; for a member that should not be there or has a wrong name, the member.
        about: what there is to describe: a validation error, what a rule of ours noted, or a
            finding of the reader.
        member: the member that is missing.
        profile: the profile that requires it.
        on_key: whether its place is the member's name and not the value.
        span: its characters, where neither name nor value is its place.
        repeats_own: whether a profile requires by a reference to the manifest's schema what that
            does, under another rule or with another severity.
        is_off: whether the schema that requires it has it turned off.
        is_locked: whether no setting may lower, ignore or suppress it.
        stands_for_others: whether it stands for more violations, which are not known.
        is_ours: whether the package requires it, with one requirement of a rule for a value.
        identity: what stays of it when the file is reformatted; given by a policy.
    """

    rule: str
    severity: Severity
    path: Path
    about: Any = None
    member: str | None = None
    profile: str | None = None
    on_key: bool = False
    span: Span | None = None
    repeats_own: bool = False
    is_off: bool = False
    is_locked: bool = False
    is_ours: bool = True
    stands_for_others: bool = False
    identity: Identity | None = None

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return format_pointer(self.path)


class Verdict(NamedTuple):
    """The violations of a manifest that count by a policy.

    Attributes:
        violations: those that count, each with its severity and its identity.
        suppressed: those that are suppressed, each with what does it (``configuration`` or
            ``baseline``) and the reason, if one was given.
        fails: whether one is severe enough to fail the run.
        is_cut: whether there are more than the limit.
        used: the suppressions and baseline entries that were used.
    """

    violations: tuple[Violation, ...] = ()
    suppressed: tuple[tuple[Violation, str, str | None], ...] = ()
    fails: bool = False
    is_cut: bool = False
    used: tuple[tuple[str, int | str], ...] = ()
