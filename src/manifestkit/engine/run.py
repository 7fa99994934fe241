"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from manifestkit.engine.configuration import (
    NOTHING_CONFIGURED,
    Configuration,
    Configurations,
)
from manifestkit.engine.discovery import Target, discover
from manifestkit.engine.ignoring import ignored
from manifestkit.engine.lint import STDIN, Linter
from manifestkit.engine.report import FileResult, Report
from manifestkit.errors import UnreadableFileError
from manifestkit.files import read_bytes, shown
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.schema import base_schema, load_schema


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is to be made; what is given here comes before the configuration.

    Attributes:
        schema: a JSON Schema in place of the manifest document's section 2.
        isolated: whether to leave configuration files alone.
        force_exclude: whether `exclude` and the look for foreign manifests hold for named files
            too, as they do for those found in a folder.
        limits: how much one manifest may demand of its reader.
    """

    schema: Path | None = None
    isolated: bool = False
    force_exclude: bool = False
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Found:
    """What a search for manifests brought.

    Attributes:
        targets: the files to judge, ordered by name.
        unreadable: the folders that could not be searched.
        excluded: how many files `exclude` left out.
        empty: the folders, as they were named, in which there is no manifest.
    """

    targets: tuple[Target, ...]
    unreadable: tuple[UnreadableFileError, ...] = ()
    excluded: int = 0
    empty: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """Finds and judges files, each by the configuration of its folder."""

    options: Options = Options()
    _configurations: Configurations = field(default_factory=Configurations)
    _linters: dict[Path | None, Linter] = field(default_factory=dict)

    def find(self, paths: Iterable[Path]) -> Found:
        """The files to judge, among those named and those in the folders named.

        Raises:
            ConfigurationError: a configuration file cannot be used.
        """
        targets: list[Target] = []
        unreadable: list[UnreadableFileError] = []
        empty: list[str] = []
        excluded = 0
        for path, found in discover(paths):
            if not found:
                empty.append(shown(path))
            for target in found:
                if isinstance(target, UnreadableFileError):
                    unreadable.append(target)
                elif self._excluded(target):
                    excluded += 1
                else:
                    targets.append(target)
        targets.sort(key=lambda target: target.name)
        return Found(tuple(targets), tuple(unreadable), excluded, tuple(empty))

    def lint(self, target: Target) -> FileResult:
        """Judge one file.

        Raises:
            UnreadableFileError: its bytes cannot be had.
            ConfigurationError: a configuration file or a schema cannot be used.
        """
        linter = self._linter(self._configuration(target.path.parent))
        data = read_bytes(target.path, self.options.limits.bytes)
        return linter.lint(data, target.name, skip_foreign=self._sifts(target))

    def lint_stdin(self, data: bytes, name: str = STDIN) -> FileResult:
        """Judge what came on standard input, by the configuration of the working folder.

        Raises:
            ConfigurationError: a configuration file or a schema cannot be used.
        """
        linter = self._linter(self._configuration(Path()))
        return linter.lint(data, name, skip_foreign=self.options.force_exclude)

    def lint_all(self, targets: Iterable[Target]) -> Report:
        """Judge files; those that cannot be read are told in the report.

        Raises:
            ConfigurationError: a configuration file or a schema cannot be used.
        """
        results, unreadable = [], []
        for target in targets:
            try:
                results.append(self.lint(target))
            except UnreadableFileError as error:
                unreadable.append(UnreadableFileError(target.name, error.reason))
        return Report.of(results, unreadable)

    def _sifts(self, target: Target) -> bool:
        return target.found or self.options.force_exclude

    def _excluded(self, target: Target) -> bool:
        exclude = self._configuration(target.path.parent).exclude
        if exclude is None or not self._sifts(target):
            return False
        return ignored(target.path, (exclude,), is_folder=False)

    def _configuration(self, folder: Path) -> Configuration:
        if self.options.isolated:
            return NOTHING_CONFIGURED
        return self._configurations.of(Path(os.path.abspath(folder)))  # noqa: PTH100 - `..` must go

    def _linter(self, configuration: Configuration) -> Linter:
        schema = self.options.schema or configuration.schema
        if schema not in self._linters:
            loaded = load_schema(schema) if schema else base_schema()
            self._linters[schema] = Linter(loaded, self.options.limits)
        return self._linters[schema]


def lint_paths(paths: Iterable[str | os.PathLike[str]], options: Options = Options()) -> Report:
    """Judge files, and the manifests found in folders.

    Args:
        paths: files and folders. A named file is always judged; in a folder, the files that are
            named like a manifest are, unless they evidently are something else's.
        options: how to judge them.

    Raises:
        ConfigurationError: an option, a configuration file or a schema cannot be used.
    """
    run = Run(options)
    found = run.find([Path(path) for path in paths])
    report = run.lint_all(found.targets)
    return Report.of(report.results, (*report.unreadable, *found.unreadable))
