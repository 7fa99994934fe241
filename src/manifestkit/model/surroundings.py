"""The surroundings of a manifest: the project that it is part of."""

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
