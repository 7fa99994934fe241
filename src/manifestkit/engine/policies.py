"""The policy of a folder: its options and configuration together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manifestkit.config.configuration import Configuration, Selection
from manifestkit.config.policy import Policy
from manifestkit.engine.options import Options
from manifestkit.model.errors import SchemaError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.pointer import Path as Pointer
from manifestkit.rules.catalogue import named_rules
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema, change_schema


def policy_of(options: Options, configured: Configuration, *, uses_baseline: bool = True) -> Policy:
    """Return the policy of options and a configuration.

    Raises:
        ConfigurationError: a schema, a baseline, or a rule that one of them names cannot be used.
    """
    schema, profiles = requirements(options, configured)
    own_formats = () if options.schema is not None else _own_formats(configured)
    change_profiles: tuple[Schema, ...] = ()
    if options.change_profiles or configured.change_profiles:
        changes = change_schema()
        given, paths = options.change_profiles, configured.change_profiles
        change_profiles = _profiles("change-profile", given, paths, configured, changes)
    baseline_file = options.baseline or configured.baseline
    baseline = None
    if baseline_file and uses_baseline:
        from manifestkit.config.baseline import Baseline  # noqa: PLC0415 - most have none

        baseline = Baseline.read(baseline_file)
    selection = Selection(
        select=options.select or configured.select,
        ignore=(*configured.ignore, *options.ignore),
        severity={**configured.severity, **options.severity},
        turned_on=options.turned_on,
    )
    policy = Policy(
        own_schema=None if schema is base_schema() else schema,
        profiles=profiles,
        change_profiles=change_profiles,
        selection=selection,
        baseline=baseline,
        limits=DEFAULT_LIMITS._replace(**{**configured.limits, **options.limits}),
        fail_on=options.fail_on or configured.fail_on,
        own_formats=own_formats,
        locked=(base_schema(), *profiles) if options.locked else (),
        configuration=configured,
    )
    if selection != Selection() or configured.suppressions:
        declared = {rule for each in policy.every_schema for rule in named_rules(each)}
        others = (*options.ignore, *options.severity)
        configured.check(declared, options.select or (), others)
    return policy


def requirements(
    options: Options,
    configured: Configuration = Configuration(),  # noqa: B008 - frozen
) -> tuple[Schema, tuple[Schema, ...]]:
    """Return what a manifest must be, and the profiles.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    schema = base_schema()
    if options.schema is not None:
        schema = _loaded(options.schema)
    elif configured.schema is not None:
        schema = _configured("schema", configured.schema, configured)
    profiles = options.profiles, configured.profiles
    return schema, _profiles("profile", *profiles, configured, schema)


def _own_formats(configured: Configuration) -> tuple[tuple[Format, Schema], ...]:
    return tuple(
        (row, _configured("schema", Path(row.schema), configured, at=("format", index, "schema")))
        for index, row in enumerate(configured.formats)
    )


def _profiles(
    option: str,
    given: Iterable[Path | Schema],
    paths: Iterable[Path],
    configured: Configuration,
    schema: Schema,
) -> tuple[Schema, ...]:
    """Return the profiles that are given, or else those that are configured."""
    return tuple(_loaded(each, schema) for each in given) or tuple(
        _configured(option, each, configured, schema) for each in paths
    )


def _configured(
    option: str,
    path: Path,
    configured: Configuration,
    schema: Schema | None = None,
    at: Pointer = (),
) -> Schema:
    try:
        return _loaded(path, schema)
    except SchemaError as error:
        unread = error.__cause__
        if not isinstance(unread, UnreadableFileError):
            raise
    from manifestkit.config.file import error_at  # noqa: PLC0415 - for this error only

    raise error_at(configured, option, path, unread.reason, at)


def _loaded(given: Path | Schema, schema: Schema | None = None) -> Schema:
    if isinstance(given, Schema):
        return given
    from manifestkit.schema.loading.load import load_schema  # noqa: PLC0415 - it imports referencing

    return load_schema(given, schema)
