"""The surroundings of a manifest: the files beside it, and the project that it is part of."""

from collections.abc import Callable
from typing import NamedTuple

from manifestkit.model.location import Location


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


class Surroundings(NamedTuple):
    """The surroundings of a manifest; each is None where it is not known.

    Attributes:
        has_file: returns whether a file is at a path relative to the manifest.
        project: returns the project that it is part of, if any.
    """

    has_file: Callable[[str], bool] | None = None
    project: Callable[[], Project | None] | None = None


NOWHERE = Surroundings()
"""Surroundings of which nothing is known."""
