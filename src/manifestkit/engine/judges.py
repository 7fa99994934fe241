"""What judges the manifests of a folder, by its configuration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from manifestkit.config.configuration import (
    NOTHING_CONFIGURED,
    Configuration,
    Selection,
    SuppressionUse,
    check_rules,
)
from manifestkit.config.exclude import Ignore
from manifestkit.config.lookup import Configurations
from manifestkit.engine.lint import Linter
from manifestkit.engine.options import Options, change_requirements, own_formats, requirements
from manifestkit.files import absolute
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import FileResult
from manifestkit.schema.model import Schema

if TYPE_CHECKING:
    from manifestkit.engine.suppressions import SuppressionFilter


class Judge(NamedTuple):
    """What one configuration makes of a manifest."""

    linter: Linter
    suppressions: SuppressionFilter | None
    exclude: Ignore | None
    configured: Configuration
    schema_file: Path | None
    change_profiles: tuple[Schema, ...]
    schemas: tuple[Schema, ...]

    def unsuppressed(self, result: FileResult, name: str | None) -> FileResult:
        """A result without what is suppressed."""
        shown = self.suppressions.apply(result, name) if self.suppressions else result
        return shown if shown is result else self.linter.settled(shown)


class Judges:
    """What judges the manifests of each folder, by its configuration, read once."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._configurations = Configurations()
        self._judges: dict[Path | None, Judge] = {}
        self._folders: dict[str, Judge] = {}
        self._use = SuppressionUse()

    @property
    def known(self) -> Collection[Judge]:
        """Those that were asked for."""
        return self._judges.values()

    @property
    def configurations(self) -> Iterable[Configuration]:
        """The configurations that were read."""
        return self._configurations.read

    def of(self, folder: str) -> Judge:
        """What judges the manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        if folder not in self._folders:
            self._folders[folder] = self._judge(self.configuration(folder))
        return self._folders[folder]

    def configuration(self, folder: str) -> Configuration:
        """What is configured for the manifests in a folder.

        Raises:
            ConfigurationError: the configuration file cannot be used.
        """
        if self._options.isolated:
            return NOTHING_CONFIGURED
        if self._options.config is not None:
            return self._configurations.named(self._options.config)
        return self._configurations.of(absolute(folder))

    def _judge(self, configuration: Configuration) -> Judge:
        if configuration.source not in self._judges:
            self._judges[configuration.source] = self._new_judge(configuration)
        return self._judges[configuration.source]

    def _new_judge(self, configured: Configuration) -> Judge:
        options = self._options
        schema, profiles = requirements(options.schema, options.profiles, configured)
        formats = own_formats(options.schema, configured)
        selection = Selection(
            select=options.select if options.select is not None else configured.select,
            ignore=(*configured.ignore, *options.ignore),
            severity={**configured.severity, **options.severity},
            turned_on=options.turned_on,
        )
        of_changes = change_requirements(options.change_profiles, configured)
        schemas = (schema, *profiles, *of_changes, *(own for _, own in formats))
        declared = {rule for each in schemas for rule in each.declared_rules()}
        check_rules(options.select or (), (*options.ignore, *options.severity), declared)
        _check_configured(configured, declared)
        linter = Linter(
            schema,
            profiles,
            selection,
            uses_comments=not options.isolated,
            fail_on=options.fail_on or configured.fail_on,
            limits=DEFAULT_LIMITS._replace(**{**configured.limits, **options.limits}),
            formats=formats,
            of_changes={rule for each in of_changes for rule in each.declared_rules()},
        )
        return Judge(
            linter,
            _suppression_filter(
                configured, options.baseline or configured.baseline, linter.counts, self._use
            ),
            configured.exclude,
            configured,
            options.schema if isinstance(options.schema, Path) else configured.schema,
            of_changes,
            schemas,
        )


def _check_configured(configured: Configuration, declared: set[str]) -> None:
    """Refuse ids that no rule has, in the name of the file that says so."""
    check_rules(configured.select or (), (), declared, configured.file_of("select"))
    check_rules((), configured.ignore, declared, configured.file_of("ignore"))
    for rule in configured.severity:
        check_rules((), (rule,), declared, configured.file_of("severity", rule))
    for each in configured.suppressions:
        check_rules((), (each.rule,), declared, each.source)


def _suppression_filter(
    configured: Configuration,
    baseline_file: Path | None,
    counts: Callable[[str], bool],
    use: SuppressionUse,
) -> SuppressionFilter | None:
    """What suppresses findings, if anything does."""
    if not configured.suppressions and baseline_file is None:
        return None
    from manifestkit.config.baseline import read_baseline  # noqa: PLC0415 - most runs hide nothing
    from manifestkit.engine.suppressions import SuppressionFilter  # noqa: PLC0415 - likewise

    baseline = read_baseline(baseline_file) if baseline_file else None
    return SuppressionFilter(configured.suppressions, configured.texts, baseline, counts, use)
