"""The configuration of each folder."""

from __future__ import annotations

from pathlib import Path

from manifestkit.config.configuration import (
    NOTHING_CONFIGURED,
    OWN_FILE,
    SHARED_FILE,
    Configuration,
)
from manifestkit.files import is_file


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
        self._known.update(dict.fromkeys(passed, found or NOTHING_CONFIGURED))
        return self._known[folder]

    @property
    def read(self) -> list[Configuration]:
        """The configurations that were read, one for each folder."""
        return list(self._known.values())

    def named(self, path: Path) -> Configuration:
        """Return the configuration in a file, wherever it stands."""
        absolute = path.absolute()
        if absolute not in self._known:
            self._known[absolute] = _read(path) or Configuration(source=path)
        return self._known[absolute]


def _own(folder: Path) -> Configuration | None:
    files = (folder / OWN_FILE, folder / SHARED_FILE)
    return next((found for each in files if is_file(each) and (found := _read(each))), None)


def _read(path: Path) -> Configuration | None:
    from manifestkit.config.file import read_configuration  # noqa: PLC0415 - many runs have none

    return read_configuration(path)
