"""The policy of each folder: what options and configuration say together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manifestkit.config.configuration import (
    ALL_RULES,
    NOTHING_CONFIGURED,
    Configuration,
    Selection,
    check_rules,
)
from manifestkit.config.lookup import Configurations
from manifestkit.config.policy import Policy
from manifestkit.engine.options import Options, change_requirements, own_formats, requirements
from manifestkit.files import absolute
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema


class PolicyCache:
    """The policy of each folder; each configuration is read once.

    Attributes:
        policies: those that were asked for, by the files that configure them.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._configurations = Configurations()
        self.policies: dict[Path | None, Policy] = {}
        self._folders: dict[str, Policy] = {}

    @property
    def configurations(self) -> Iterable[Configuration]:
        """The configurations that were read."""
        return self._configurations.read

    def of(self, folder: str) -> Policy:
        """Return the policy for the manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        if folder not in self._folders:
            configured = self.configuration(folder)
            if configured.source not in self.policies:
                self.policies[configured.source] = policy_of(self._options, configured)
            self._folders[folder] = self.policies[configured.source]
        return self._folders[folder]

    def configuration(self, folder: str) -> Configuration:
        """Return what is configured for the manifests in a folder.

        Raises:
            ConfigurationError: the configuration file cannot be used.
        """
        if self._options.isolated:
            return NOTHING_CONFIGURED
        if self._options.config is not None:
            return self._configurations.named(self._options.config)
        return self._configurations.of(absolute(folder))


def policy_of(options: Options, configured: Configuration) -> Policy:
    """Return the policy of options and a configuration.

    Raises:
        ConfigurationError: a schema, a baseline, or a rule that one of them names cannot be used.
    """
    schema, profiles = requirements(options.schema, options.profiles, configured)
    change_profiles: tuple[Schema, ...] = ()
    if options.change_profiles or configured.change_profiles:
        change_profiles = change_requirements(options.change_profiles, configured)
    baseline_file = options.baseline or configured.baseline
    baseline = None
    if baseline_file:
        from manifestkit.config.baseline import read_baseline  # noqa: PLC0415 - most have none

        baseline = read_baseline(baseline_file)
    selection = Selection(
        select=options.select if options.select is not None else configured.select,
        ignore=(*configured.ignore, *options.ignore),
        severity={**configured.severity, **options.severity},
        turned_on=options.turned_on,
    )
    policy = Policy(
        own_schema=None if schema is base_schema() else schema,
        profiles=profiles,
        change_profiles=change_profiles,
        selection=ALL_RULES if selection == ALL_RULES else selection,
        baseline=baseline,
        limits=DEFAULT_LIMITS._replace(**{**configured.limits, **options.limits}),
        fail_on=options.fail_on or configured.fail_on,
        uses_comments=not options.isolated,
        own_formats=own_formats(options.schema, configured) if configured.formats else (),
        locked=(base_schema(), *profiles) if options.locked else (),
        configuration=configured,
    )
    if policy.selection != ALL_RULES or configured.suppressions:
        declared = {rule for each in policy.every_schema for rule in each.declared_rules()}
        check_rules(options.select or (), (*options.ignore, *options.severity), declared)
        _check_configured(configured, declared)
    return policy


def _check_configured(configured: Configuration, declared: set[str]) -> None:
    """Refuse ids that no rule has, in the name of the file that says so."""
    check_rules(configured.select or (), (), declared, configured.file_of("select"))
    check_rules((), configured.ignore, declared, configured.file_of("ignore"))
    for rule in configured.severity:
        check_rules((), (rule,), declared, configured.file_of("severity", rule))
    for each in configured.suppressions:
        check_rules((), (each.rule,), declared, each.source)
