"""A rule: what it is called, what it says, and how it judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from manifestkit.model.document import Document
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.pointer import Path, format_pointer
from manifestkit.rules.reading import Reading, error_key, with_names
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from manifestkit.edits import Editor
    from manifestkit.model.finding import Fix, Related
    from manifestkit.model.location import Location
    from manifestkit.schema.fields import Field
    from manifestkit.schema.model import Look
    from manifestkit.schema.validation import ValidationError


SITE = "https://manifestkit.github.io/manifestkit/"
"""Where the documentation is."""

_MOST_COMPARED = 10_000
"""Members of one manifest that are compared with known ones, for what they were meant to be."""


class Occurrence(NamedTuple):
    """A value that no other manifest of the run may have.

    Attributes:
        rule: the id of the rule that requires this.
        value: the text; a digest of one longer than people write.
        file: the manifest, as findings name it.
        pointer: the place there.
        location: the characters there.
    """

    rule: str
    value: str
    file: str
    pointer: str
    location: Location


Elsewhere = Mapping[tuple[str, str], tuple[Occurrence, ...]]
"""By rule and value: where other manifests have the value, one place for each of the first few."""


class Manifest:
    """What a rule looks at.

    A misspelt member is judged as the one that is meant. Rules look at `value`, where it has its
    right name; in their findings they tell of places in the document, which `written` gives.

    What makes fixes is imported when there is something to fix: a run over clean manifests never
    pays for it.

    Attributes:
        document: the manifest.
        schema: what a manifest must be.
        has_file: whether a file stands at a path relative to the manifest; None when the
            manifest's surroundings are not known.
        is_too_deep: whether it is nested too deep for the engine to follow.
        elsewhere: where the other manifests of the run have values that must be unique.
        with_edits: whether fixes get their edits at once.
        readings: the value as it is written; then the same with the right names of members that
            are misspelt, and of members below those.
    """

    def __init__(
        self,
        document: Document,
        schema: Schema,
        has_file: Callable[[str], bool] | None = None,
        *,
        is_too_deep: bool = False,
        elsewhere: Elsewhere | None = None,
        with_edits: bool = True,
    ) -> None:
        self.document = document
        self.schema = schema
        self.has_file = has_file
        self.is_too_deep = is_too_deep
        self.elsewhere = elsewhere
        self.with_edits = with_edits
        self.readings = [Reading(document.value, schema)]
        self._meant: dict[Path, str] = {}
        self._written: dict[Path, dict[str | int, str]] = {}
        self._to_compare = _MOST_COMPARED

    def field(self, path: Path) -> Field | None:
        """What the schema says of the value at a path, below a misspelt member too."""
        return self.schema.field(self.as_meant(path))

    @property
    def value(self) -> Any:
        """The value, in which misspelt members have their right names."""
        return self.readings[-1].value

    @property
    def look(self) -> Look:
        """What a quick look at it shows."""
        return self.readings[-1].look

    def understand(self, names: Mapping[Path, str]) -> None:
        """Take misspelt members, by their paths, for those that are meant."""
        here = {(*self.as_meant(path[:-1]), path[-1]): name for path, name in names.items()}
        value = with_names(self.value, here)
        self._meant.update(names)
        for path, name in names.items():
            self._written.setdefault(path[:-1], {})[name] = str(path[-1])
        self.readings.append(Reading(value, self.schema))

    def is_understood(self, path: Path) -> bool:
        """Whether the member at a path is known to be misspelt."""
        return path in self._meant

    def as_meant(self, path: Path) -> Path:
        """A path in the document, with the right names."""
        if not self._meant:
            return path
        return tuple(self._meant.get(path[: index + 1], token) for index, token in enumerate(path))

    def written(self, path: Path) -> Path:
        """A path with right names, as it is in the document."""
        if not self._written:
            return path
        there: Path = ()
        for token in path:
            there = (*there, self._written.get(there, {}).get(token, token))
        return there

    def errors(self, schema: Schema, most: int) -> list[ValidationError]:
        """What breaks a schema as it is meant, and what its misspelt names break.

        The paths are those of the document.

        Args:
            schema: the schema.
            most: how many errors to give at most.

        Raises:
            SchemaError, TooDeepError: see `Schema.errors`.
        """
        *others, last = self.readings
        if not others:
            return last.errors(schema, most)
        found = [each.moved(self.written) for each in last.errors(schema, most)]
        known = set(map(error_key, found))
        for reading in others:
            for each in reading.errors(schema, most):
                error = each.moved(self.written)
                # What else breaks only in this reading is a consequence of the names.
                if error.path in self._written and error_key(error) not in known:
                    known.add(error_key(error))
                    found.append(error)
        return found[:most]

    def described(self) -> Iterator[tuple[Path, Any, Field]]:
        """Each part of the value that the schema describes, with its path in the document."""
        found = self.schema.described(self.value)
        if not self._written:
            return found
        return ((self.written(path), value, field) for path, value, field in found)

    def with_unknown(self) -> Iterator[tuple[Path, dict[str, Any], Field]]:
        """Each object that has a member which is not described, with its path in the document."""
        known: set[Path] = set()
        for reading in self.readings:
            if not reading.look.has_unknown:
                continue
            for path, _, field in self.schema.with_unknown(reading.value):
                there = self.written(path)
                if there not in known:
                    known.add(there)
                    yield there, self.document.value_at(there), field

    def renames(
        self, path: Path, members: Mapping[str, Any], field: Field | None = None
    ) -> Mapping[str, str]:
        """The unknown members of the object at a path that were probably meant as known ones.

        Args:
            path: the object.
            members: its members.
            field: what the schema says of it, where that is known.
        """
        from manifestkit.schema.suggest import renames  # noqa: PLC0415 - see the class

        field = field or self.field(path)
        if field is None:
            return {}
        # Most items of an array have the same members: they are compared once.
        alike = (id(field), tuple(members))
        if alike not in self._renames:
            self._renames[alike] = renames(members, field, self._to_compare)
            self._to_compare = max(0, self._to_compare - len(members))
        return self._renames[alike]

    @cached_property
    def editor(self) -> Editor | None:
        """Makes the edits of fixes; None where they get none yet."""
        if not self.with_edits:
            return None
        from manifestkit.edits import Editor  # noqa: PLC0415 - see the class

        return Editor(self.document)

    @cached_property
    def _renames(self) -> dict[tuple[int, tuple[str, ...]], Mapping[str, str]]:
        return {}


class Example(NamedTuple):
    """A manifest that shows a rule at work.

    Attributes:
        manifest: the members in question, as they stand in an otherwise good manifest; or, as
            text, the whole of a manifest. An empty text where there is no example.
        profile: the profile that it is checked against.
        suppress: the configured suppressions.
        syntax: what the manifest is written in.
        old: for a rule about changes, the members as they were.
        other: for a rule about a run, the members in another manifest.
    """

    manifest: Mapping[str, Any] | str
    profile: Any = None
    suppress: tuple[Mapping[str, Any], ...] = ()
    syntax: str = "json"
    old: Mapping[str, Any] | None = None
    other: Mapping[str, Any] | None = None


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
        check: how the rule looks for findings, if JSON Schema cannot express it; None for findings
            of the reader, the conformance check or the engine.
        compared: the places whose values must be unique among the manifests of a run, as pointers
            in which ``*`` matches each item of a list; empty for a rule about one manifest.
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
    check: Check | None = None
    compared: tuple[str, ...] = ()

    @property
    def page(self) -> str:
        """The page of the documentation about it, if it is ours."""
        return f"{SITE}rules/{self.id}/"

    def finding(
        self,
        document: Document,
        path: Path,
        message: str,
        *,
        location: Location | None = None,
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        suggestion: str | None = None,
        help: str | None = None,
    ) -> Finding:
        """A finding of this rule about the value at a path, or at another place of it."""
        return Finding(
            path=document.name,
            rule=self.id,
            severity=self.severity or Severity.WARNING,
            message=message,
            pointer=format_pointer(path),
            location=location or document.locate(path),
            related=related,
            fixes=fixes,
            suggestion=suggestion,
            help=help or self.help,
            clause=self.clause,
            url=self.page,
        ).in_plain_lines()


Check = Callable[[Rule, Manifest], Iterator["Finding"]]
"""A rule's own way to look at a manifest; pure, and without memory."""
