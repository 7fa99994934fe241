"""Findings: everything that is reported about a manifest is one of these."""

# Here, as wherever many named tuples are, no `from __future__ import annotations`: typing compiles
# the text of each field's type at each start.
import enum
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

from manifestkit.model.location import Location
from manifestkit.model.printable import printable

_ENCODER = json.JSONEncoder()


class Severity(enum.Enum):
    """The severity of a finding.

    Example:
        >>> manifestkit.Severity("warning")
        <Severity.WARNING: 'warning'>
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @cached_property
    def rank(self) -> int:
        """0 for an error; the larger, the lighter."""
        return list(Severity).index(self)


class Related(NamedTuple):
    """A second location of a finding, such as the first of two equal keys.

    Attributes:
        message: what is there.
        pointer: the JSON Pointer of the value or object there.
        location: the characters to mark.
        path: the file, if it is not the file of the finding.

    Example:
        >>> twice = MANIFEST.replace('"index.js",', '"index.js", "entrypoint": "main.js",')
        >>> (finding,) = manifestkit.lint(twice).findings
        >>> [(each.pointer, each.location.line) for each in finding.related]
        [('/runtime/entrypoint', 9)]
    """

    message: str
    pointer: str
    location: Location
    path: str | None = None


class Edit(NamedTuple):
    """Replace the code points from offset `start` up to `end` with `text`.

    Example:
        >>> (finding,) = manifestkit.lint(MANIFEST.replace('"1.0"', "1.0", 1)).findings
        >>> finding.fixes[0].edits
        (Edit(start=22, end=25, text='"1.0"'),)
    """

    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """One way to fix a finding, as text edits and as the same change of the data.

    Attributes:
        message: what the fix does, as an instruction.
        safety: ``safe`` when nothing the author wrote loses its meaning.
        edits: the text edits, in order of place and not overlapping.
        patch: the same change as RFC 6902 operations on the whole document.

    Example:
        >>> (finding,) = manifestkit.lint(MANIFEST.replace('"1.0"', "1.0", 1)).findings
        >>> finding.fixes[0].safety, finding.fixes[0].patch[0]["value"]
        ('safe', '1.0')
    """

    message: str
    safety: Literal["safe", "unsafe"]
    edits: tuple[Edit, ...]
    patch: tuple[Mapping[str, Any], ...]


class Description(NamedTuple):
    """The texts and fixes about a violation.

    Attributes:
        message: what is wrong.
        help: what to do.
        suggestion: the value or name that was probably meant.
        fixes: ways to fix it, without their edits.
        related: other places that belong to it.
        location: the characters to mark, where these are not the value.
    """

    message: str
    help: str | None = None
    suggestion: str | None = None
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    location: Location | None = None


class Identity(NamedTuple):
    """The part of a finding that stays when its file is reformatted or reordered.

    Attributes:
        rule: the rule.
        pointer: the finding's pointer, with ids and values in place of array indices.
        member: the member that is missing; empty where none is.
        ordinal: how many findings before it in the file have the same of all these.
        requirement: the keyword and what it demands, where a rule may have several of them for one
            value; empty for the rules that have one.
    """

    rule: str
    pointer: str
    member: str
    ordinal: int
    requirement: str = ""

    @property
    def fingerprint(self) -> str:
        """A digest that no other finding of the file has."""
        from hashlib import sha256  # noqa: PLC0415 - most runs compare no findings

        parts = self if self.requirement else self[:-1]
        return sha256(json.dumps(parts).encode()).hexdigest()[:32]


class Finding(NamedTuple):
    """A problem in a manifest, and its location.

    Attributes:
        path: the name of the file in messages.
        rule: the id of the rule, for example ``missing-field``.
        severity: the severity of the finding.
        message: what is wrong, in one line.
        pointer: the JSON Pointer of the value or object (RFC 6901).
        location: the characters to mark.
        property: the name of the missing member, for ``missing-field``.
        related: other places that help to understand the finding.
        fixes: ways to fix it.
        suggestion: the value or name that was probably meant.
        help: what to do about it.
        clause: the clause of the manifest document that the rule is based on.
        profile: the profile that requires it.
        url: the page of the rule.
        identity: the parts of the fingerprint, which reformatting does not change.
        covers: other rules broken at this place, which are not reported separately.

    Example:
        >>> (finding,) = manifestkit.lint(MANIFEST.replace('"1.0"', "1.0", 1)).findings
        >>> finding.rule, finding.pointer, finding.location.line
        ('wrong-type', '/schema_version', 2)
    """

    path: str
    rule: str
    severity: Severity
    message: str
    pointer: str
    location: Location
    property: str | None = None
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    suggestion: str | None = None
    help: str | None = None
    clause: str | None = None
    profile: str | None = None
    url: str | None = None
    identity: Identity | None = None
    covers: tuple[str, ...] = ()

    def only_fix(self) -> Fix | None:
        """Return the fix; None without one, and where only the author can choose from several."""
        return self.fixes[0] if len(self.fixes) == 1 else None

    def size(self) -> int:
        """Return the characters that its texts take as JSON in ASCII, as most formats do."""
        told = self.message, self.help, self.suggestion, self.pointer, self.related, self.fixes
        return len(_ENCODER.encode(told))

    def in_plain_lines(self) -> Self:
        """Return the finding with its quotations shortened to what a line of a message holds."""
        return self._replace(
            message=printable(self.message),
            help=self.help and printable(self.help),
            related=tuple(each._replace(message=printable(each.message)) for each in self.related),
            fixes=tuple(each._replace(message=printable(each.message)) for each in self.fixes),
        )
