"""What is configured for the files of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.engine.ignoring import Ignore
from manifestkit.files import is_file
from manifestkit.severity import Severity

if TYPE_CHECKING:
    from manifestkit.engine.suppression import Suppression

_OWN_FILE = "manifestkit.toml"
SHARED_FILE = "pyproject.toml"


class Configuration(NamedTuple):
    """What is configured for the files of a folder.

    Attributes:
        source: the file that says so; None where there is none.
        text: the content of that file.
        exclude: the files to leave out.
        schema: a schema in place of the manifest document's; None for that.
        profiles: a host's own demands.
        select: the only rules that count; None for all that are on by default.
        ignore: rules that do not count.
        severity: what rules weigh in place of their own severity; None turns a rule off.
        fail_on: how much a finding must weigh to fail the run.
        baseline: a file of findings that are known and not shown.
        suppressions: findings to live with.
        limits: how much one manifest may demand of its reader, by the names of the limits.
    """

    source: Path | None = None
    text: str = ""
    exclude: Ignore | None = None
    schema: Path | None = None
    profiles: tuple[Path, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    fail_on: Severity = Severity.ERROR
    baseline: Path | None = None
    suppressions: tuple[Suppression, ...] = ()
    limits: Mapping[str, int] = {}


NOTHING_CONFIGURED = Configuration()


class Configurations:
    """The configuration of each folder, read once."""

    def __init__(self) -> None:
        self._known: dict[Path, Configuration] = {}

    def of(self, folder: Path) -> Configuration:
        """The nearest configuration at or above an absolute folder; there is no merging.

        Raises:
            ConfigurationError: the file cannot be used; the text names file, line and column.
        """
        if folder not in self._known:
            self._known[folder] = self._nearest(folder)
        return self._known[folder]

    @property
    def read(self) -> list[Configuration]:
        """The configurations that were read, one for each folder."""
        return list(self._known.values())

    def named(self, path: Path) -> Configuration:
        """The configuration in a file, wherever it stands.

        Raises:
            ConfigurationError: the file cannot be used; the text names file, line and column.
        """
        absolute = path.absolute()
        if absolute not in self._known:
            self._known[absolute] = _read(path)
        return self._known[absolute]

    def _nearest(self, folder: Path) -> Configuration:
        own = folder / _OWN_FILE
        if is_file(own):
            return _read(own)
        shared = folder / SHARED_FILE
        if is_file(shared) and _speaks(shared):
            return _read(shared)
        return self.of(folder.parent) if folder.parent != folder else NOTHING_CONFIGURED


def _read(path: Path) -> Configuration:
    from manifestkit.engine.configuration_file import (  # noqa: PLC0415 - many runs have none
        read_configuration,
    )

    return read_configuration(path)


def _speaks(shared: Path) -> bool:
    """Whether a file that others share has a part for us."""
    from manifestkit.engine.configuration_file import has_table  # noqa: PLC0415 - likewise

    return has_table(shared)
