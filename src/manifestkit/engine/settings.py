"""The settings of each folder: its configuration, and the policy of it and the options together."""

from __future__ import annotations

import os
from pathlib import Path

from manifestkit.config.configuration import OWN_FILE, SHARED_FILE, Configuration, Selection
from manifestkit.config.policy import Policy
from manifestkit.engine.options import Options
from manifestkit.files import relative_name
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.rules.catalogue import named_rules
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema, change_schema


class Configurations:
    """The configurations that were read, each once, by their folders and their own files."""

    def __init__(self) -> None:
        self.read: dict[Path, Configuration] = {}

    def of(self, folder: Path) -> Configuration:
        """Return the nearest configuration at or above an absolute folder; there is no merging."""
        todo, own = [folder], None
        while (at := todo[-1]) not in self.read and not (own := _own(at)) and at.parent != at:
            todo.append(at.parent)
        found = self.read.get(at) or own or Configuration()
        self.read |= dict.fromkeys(todo, found)
        return found

    def named(self, path: Path) -> Configuration:
        """Return the configuration in a file, wherever it stands."""
        place = path.absolute()
        if place not in self.read:
            found = _read(path, Path.cwd())
            if found is None:
                raise ConfigurationError(
                    f"{relative_name(path)}: it has no table [tool.manifestkit]; add it, or name "
                    "another file"
                )
            self.read[place] = found
        return self.read[place]


def _own(folder: Path) -> Configuration | None:
    files = (folder / OWN_FILE, folder / SHARED_FILE)
    # A link to nowhere is an error too: without its rules, all would pass.
    if os.path.lexists(folder / f".{OWN_FILE}"):
        name = relative_name(folder / f".{OWN_FILE}")
        raise ConfigurationError(f"{name}: is not read; rename it to {OWN_FILE}")
    return next((found for each in files if os.path.lexists(each) and (found := _read(each))), None)


def _read(path: Path, folder: Path | None = None) -> Configuration | None:
    from manifestkit.config.file import read_configuration  # noqa: PLC0415 - many runs have none

    return read_configuration(path, folder=folder)


def policy_of(options: Options, configured: Configuration, *, uses_baseline: bool) -> Policy:
    """Return the policy of options and a configuration.

    Raises:
        ConfigurationError: a schema, a baseline, or a rule that one of them names cannot be used.
    """
    schema, profiles = requirements(options, configured)
    rows = configured.formats if options.schema is None else ()
    change_profiles = options.change_profiles or configured.change_profiles
    baseline_file = options.baseline or configured.baseline
    baseline = None
    if baseline_file and uses_baseline and baseline_file != Path("/dev/null"):
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
        change_profiles=tuple(_loaded(each, change_schema()) for each in change_profiles),
        selection=selection,
        baseline=baseline,
        limits=DEFAULT_LIMITS._replace(**{**configured.limits, **options.limits}),
        fail_on=options.fail_on or configured.fail_on,
        own_formats=tuple((row, _loaded(Path(row.schema))) for row in rows),
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
    given = options.schema or configured.schema
    schema = base_schema() if given is None else _loaded(given)
    return schema, tuple(_loaded(each, schema) for each in options.profiles or configured.profiles)


def _loaded(given: Path | Schema, schema: Schema | None = None) -> Schema:
    if isinstance(given, Schema):
        return given
    from manifestkit.schema.loading.load import load_schema  # noqa: PLC0415 - it imports referencing

    return load_schema(given, schema)
