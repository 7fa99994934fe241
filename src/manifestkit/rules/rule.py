"""A rule: what it is called, what it says, and how it judges."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from manifestkit.model.finding import Severity
from manifestkit.model.location import Span
from manifestkit.model.pointer import Path
from manifestkit.model.violation import Violation
from manifestkit.schema.model import Schema

LEVELS: Mapping[str, Severity | None] = {**{each.value: each for each in Severity}, "off": None}
"""The severities by name; a rule that is off has none."""


class Example(NamedTuple):
    """A manifest that shows a rule at work.

    Attributes:
        manifest: the members in question, as they stand in an otherwise good manifest; or, as
            text, the whole of a manifest. An empty text where there is no example.
        profile: the profile that it is checked against.
        suppress: the configured suppressions.
        syntax: what the manifest is written in.
        old: for a rule about changes, the members as they were.
    """

    manifest: Mapping[str, Any] | str
    profile: Any = None
    suppress: tuple[Mapping[str, Any], ...] = ()
    syntax: str = "json"
    old: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the example in an annotation."""
        return cls(
            given.get("manifest", ""),
            given.get("profile"),
            tuple(given.get("suppress", ())),
            given.get("syntax", "json"),
            given.get("old"),
        )


class Rule(NamedTuple):
    """One thing that is looked for, declared once in `schemas/rules/`.

    Attributes:
        id: its name in every output, option and file.
        severity: the severity of its findings by default; None when it is off by default.
        title: what it finds, in a few words.
        description: why that matters.
        clause: the clause of the manifest document, or that the format does not require it.
        help: what to do about a finding.
        bad: an example in which only this rule finds something.
        good: the same manifest, corrected.
        schema: what the rule requires, if JSON Schema can express it.
        needs: the trait without which a manifest has nothing for its check to find; see
            `rules/check.py`. None for a rule without a check.
    """

    id: str
    severity: Severity | None
    title: str
    description: str
    clause: str
    help: str
    bad: Example
    good: Example
    schema: Schema | None = None
    needs: str | None = None

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
