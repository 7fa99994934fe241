"""A rule: what it is called, what it says, and how it judges."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from manifestkit.model.finding import Severity
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Violation
from manifestkit.schema.model import Schema

LEVELS: Mapping[str, Severity | None] = {**{each.value: each for each in Severity}, "off": None}
"""The severities by name; a rule that is off has none."""


class Example(NamedTuple):
    """A manifest that shows a rule at work, as an annotation has it."""

    manifest: Mapping[str, Any] | str = ""  # the members in question; as text, the whole of it
    profile: Any = None  # it is checked against that
    suppress: Sequence[Mapping[str, Any]] = ()  # the configured suppressions
    syntax: str = "json"
    old: Mapping[str, Any] | None = None  # for a rule about changes, the members as they were

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the example in an annotation."""
        return cls(**{name: given[name] for name in cls._fields if name in given})


class Rule(NamedTuple):
    """One thing that is looked for, declared once in `schemas/rules/`."""

    id: str  # its name in every output, option and file
    severity: Severity | None  # of its findings by default; None when it is off by default
    title: str  # what it finds, in a few words
    description: str  # why that matters
    clause: str  # of the manifest document, or that the format does not require it
    help: str  # what to do about a finding
    bad: Example  # in which only this rule finds something
    good: Example  # the same manifest, corrected
    schema: Schema | None = None  # what it requires, if JSON Schema can express it
    url: str = ""  # the page that a host gives
    trait: str | None = None  # what a manifest must have for its check; None without a check

    def violation(
        self, path: Path, about: Any = None, *, on_key: bool = False, span: Span | None = None
    ) -> Violation:
        """Return a violation of this rule by the value at a path.

        Args:
            path: the value, or the member.
            about: what `describe` is to know of it.
            on_key: whether its place is the member's name.
            span: its characters, where neither is its place.
        """
        severity = self.severity or Severity.WARNING
        return Violation(self.id, severity, path, about, on_key=on_key, span=span)
