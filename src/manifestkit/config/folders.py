"""The configuration of each folder."""

from __future__ import annotations

import os
from pathlib import Path

from manifestkit.config.configuration import OWN_FILE, SHARED_FILE, Configuration
from manifestkit.files import relative_name
from manifestkit.model.errors import ConfigurationError


class Configurations:
    """The configuration of each folder, read once."""

    def __init__(self) -> None:
        self._known: dict[Path, Configuration] = {}

    def of(self, folder: Path) -> Configuration:
        """Return the nearest configuration at or above an absolute folder; there is no merging."""
        if folder in self._known:
            return self._known[folder]
        passed: list[Path] = []
        for each in (folder, *folder.parents):
            passed.append(each)
            found = self._known.get(each) or _own(each)
            if found is not None:
                break
        self._known.update(dict.fromkeys(passed, found or Configuration()))
        return self._known[folder]

    @property
    def read(self) -> list[Configuration]:
        """The configurations that were read, one for each folder."""
        return list(self._known.values())

    def named(self, path: Path) -> Configuration:
        """Return the configuration in a file, wherever it stands."""
        place = path.absolute()
        if place not in self._known:
            found = _read(path, Path.cwd())
            if found is None:
                raise ConfigurationError(
                    f"{relative_name(path)}: it has no table [tool.manifestkit]; add it, or name "
                    "another file"
                )
            self._known[place] = found
        return self._known[place]


def _own(folder: Path) -> Configuration | None:
    files = (folder / OWN_FILE, folder / SHARED_FILE)
    # A link to nowhere is an error too: without its rules, all would pass.
    return next((found for each in files if os.path.lexists(each) and (found := _read(each))), None)


def _read(path: Path, folder: Path | None = None) -> Configuration | None:
    from manifestkit.config.file import read_configuration  # noqa: PLC0415 - many runs have none

    return read_configuration(path, folder=folder)
