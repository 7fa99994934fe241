"""The surroundings of a manifest: the other manifests of its run, and its project."""

from collections.abc import Mapping
from typing import NamedTuple

from manifestkit.model.location import Location


class Occurrence(NamedTuple):
    """A value that no other manifest of the run may have.

    Attributes:
        rule: the id of the rule that requires this.
        value: the text; a digest of one longer than people write.
        file: the manifest, as findings name it.
        pointer: the place there.
        location: the characters there.
        owner: whose it is, where the file is a published list and no manifest.
    """

    rule: str
    value: str
    file: str
    pointer: str
    location: Location
    owner: str | None = None


class Project(NamedTuple):
    """The project that a manifest is part of.

    Attributes:
        file: the file that has its version, as findings name it.
        version: the version.
        pointer: its place there.
        location: the characters there.
    """

    file: str
    version: str
    pointer: str
    location: Location


Occurrences = Mapping[tuple[str, str], tuple[Occurrence, ...]]
"""By rule and value: where other manifests have the value, one place for each of the first few."""
