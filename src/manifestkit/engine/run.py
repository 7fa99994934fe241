"""Many files to a report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from manifestkit.engine.baseline import read_baseline
from manifestkit.engine.configuration import (
    NOTHING_CONFIGURED,
    Configuration,
    Configurations,
)
from manifestkit.engine.discovery import Target, discover
from manifestkit.engine.hiding import Hiding
from manifestkit.engine.ignoring import ignored
from manifestkit.engine.lint import STDIN, Linter
from manifestkit.engine.report import FileResult, Report
from manifestkit.engine.selection import Selection, check_rules
from manifestkit.errors import UnreadableFileError
from manifestkit.files import is_file, nearby, read_bytes, shown
from manifestkit.finding import Severity
from manifestkit.limits import DEFAULT_LIMITS, Limits
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is to be made; what is given here comes before the configuration.

    Attributes:
        schema: a JSON Schema in place of the manifest document's section 2.
        profiles: JSON Schemas with a host's own demands; none for those configured.
        select: the only rules that count; None for those configured.
        ignore: rules that do not count, besides those configured.
        severity: what rules weigh, before what is configured; None turns a rule off.
        fail_on: how much a finding must weigh to fail the run; None for what is configured.
        baseline: a file of findings that are known and not shown; None for the one configured.
        config: the configuration file for every manifest; None for the nearest one of each.
        isolated: whether to leave configuration files alone, and suppressions in comments.
        force_exclude: whether `exclude` and the look for foreign manifests hold for named files
            too, as they do for those found in a folder.
        limits: how much one manifest may demand of its reader.
    """

    schema: Path | None = None
    profiles: tuple[Path, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = field(default_factory=dict)
    fail_on: Severity | None = None
    baseline: Path | None = None
    config: Path | None = None
    isolated: bool = False
    force_exclude: bool = False
    limits: Limits = DEFAULT_LIMITS


DEFAULT_OPTIONS = Options()


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


@dataclass(frozen=True, slots=True)
class _Judge:
    """What one configuration makes of a manifest."""

    linter: Linter
    hiding: Hiding


class Run:
    """Finds and judges files, each by the configuration of its folder."""

    def __init__(self, options: Options = DEFAULT_OPTIONS) -> None:
        self.options = options
        self._configurations = Configurations()
        self._judges: dict[Path | None, _Judge] = {}

    def inputs(self, found: Found) -> list[Path]:
        """Every file that the run reads: manifests, schemas, baselines and configuration files."""
        options = self.options
        named = (options.schema, *options.profiles, options.baseline, options.config)
        configured: list[Path | None] = []
        for target in found.targets:
            each = self._configuration(target.path.parent)
            configured += [each.source, each.schema, *each.profiles, each.baseline]
        manifests = [target.path for target in found.targets]
        return [path for path in (*manifests, *named, *dict.fromkeys(configured)) if path]

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
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        judge = self._judge(self._configuration(target.path.parent))
        data = read_bytes(target.path, self.options.limits.bytes)
        result = judge.linter.lint(
            data,
            target.name,
            skip_foreign=self._sifts(target),
            has_file=lambda relative: is_file(target.path.parent / relative),
        )
        return judge.linter.settled(judge.hiding.apply(result, target.path))

    def lint_stdin(self, data: bytes, name: str = STDIN) -> FileResult:
        """Judge what came on standard input, by the configuration of the working folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        judge = self._judge(self._configuration(Path()))
        result = judge.linter.lint(data, name, skip_foreign=self.options.force_exclude)
        path = None if name == STDIN else Path(name)
        return judge.linter.settled(judge.hiding.apply(result, path))

    def lint_all(self, targets: Iterable[Target]) -> Report:
        """Judge files; those that cannot be read are told in the report.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        results, unreadable = [], []
        for target in targets:
            try:
                results.append(self.lint(target))
            except UnreadableFileError as error:
                unreadable.append(UnreadableFileError(target.name, error.reason))
        return Report.of(results, unreadable)

    def leftovers(self) -> list[FileResult]:
        """What suppressions and baselines have in them without use, after all is judged."""
        return [
            judge.linter.settled(leftover)
            for judge in self._judges.values()
            for leftover in judge.hiding.leftovers(partial=self.options.force_exclude)
        ]

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
        if self.options.config is not None:
            return self._configurations.named(self.options.config)
        return self._configurations.of(Path(os.path.abspath(folder)))  # noqa: PTH100 - `..` must go

    def _judge(self, configuration: Configuration) -> _Judge:
        if configuration.source not in self._judges:
            self._judges[configuration.source] = self._new_judge(configuration)
        return self._judges[configuration.source]

    def _new_judge(self, configured: Configuration) -> _Judge:
        options = self.options
        schema_file = options.schema or configured.schema
        schema = _loaded(schema_file) if schema_file else base_schema()
        profiles = tuple(
            _loaded(profile, schema) for profile in options.profiles or configured.profiles
        )
        selection = Selection(
            select=options.select if options.select is not None else configured.select,
            ignore=(*configured.ignore, *options.ignore),
            severity={**configured.severity, **options.severity},
        )
        declared = {rule for each in (schema, *profiles) for rule in each.declared_rules()}
        check_rules(options.select or (), (*options.ignore, *options.severity), declared)
        check_rules(
            configured.select or (),
            (
                *configured.ignore,
                *configured.severity,
                *(each.rule for each in configured.suppressions),
            ),
            declared,
            nearby(configured.source) if configured.source else "",
        )
        baseline_file = options.baseline or configured.baseline
        baseline = read_baseline(baseline_file) if baseline_file else None
        return _Judge(
            Linter(
                schema,
                profiles,
                selection,
                heeds_comments=not options.isolated,
                fail_on=options.fail_on or configured.fail_on,
                limits=options.limits,
            ),
            Hiding(configured.suppressions, configured.text, baseline),
        )


def _loaded(path: Path, manifest_schema: Schema | None = None) -> Schema:
    from manifestkit.schema.loading import load_schema  # noqa: PLC0415 - it imports jsonschema

    return load_schema(path, manifest_schema)


def lint_paths(
    paths: Iterable[str | os.PathLike[str]], options: Options = DEFAULT_OPTIONS
) -> Report:
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
    return Report.of((*report.results, *run.leftovers()), (*report.unreadable, *found.unreadable))
