"""The configuration of the working folder, for commands that lint no file."""

from __future__ import annotations

from pathlib import Path

from manifestkit.config.configuration import Configuration
from manifestkit.engine import Options, Policy, Workspace, default_policy
from manifestkit.findings.messages import listed, named
from manifestkit.model.errors import ConfigurationError, ManifestkitError
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_HERE = ""


def policy_here(schema: Path | None = None, profiles: tuple[Path, ...] = ()) -> Policy:
    """Return the policy of the working folder; arguments come before the configuration.

    Raises:
        ConfigurationError: a configuration file, a schema or a profile cannot be used.
    """
    return Workspace(Options(schema=schema, profiles=profiles)).policy(_HERE)


def configuration_here(config: Path | None = None) -> Configuration:
    """Return the configuration of the working folder, or of a file that is named.

    Raises:
        ConfigurationError: the configuration file cannot be used.
    """
    return Workspace(Options(config=config)).configuration(_HERE)


def change_profiles_here() -> tuple[Schema, ...]:
    """Return the requirements here for changes of manifests.

    Raises:
        ConfigurationError: a configuration file, a schema or a profile cannot be used.
    """
    return Workspace().policy(_HERE).change_profiles


def files_here() -> list[tuple[Format, Path | None]]:
    """Each format that there is here, with the file of its schema; None for one of the package.

    Raises:
        ConfigurationError: a configuration file or a schema cannot be used.
    """
    workspace = Workspace()
    return [(row, workspace.schema_file(_HERE, row)) for row, _ in workspace.policy(_HERE).schemas]


def schemas_here() -> list[Schema]:
    """Return the schema for completion: the built-in one if the configuration is broken."""
    try:
        policy = policy_here()
    except ManifestkitError:
        policy = default_policy()
    return [schema for _, schema in policy.schemas]


def format_named(formats: Formats, name: str) -> Format:
    """Return the format of an id.

    Raises:
        ConfigurationError: there is none.
    """
    ids = {row.id: row for row in formats.rows}
    if name not in ids:
        near = nearest(name, ids)
        known = listed([named(each) for each in ids], "and")
        hint = f"did you mean {named(near)}?" if near else f"there are {known}"
        raise ConfigurationError(f"--of: unknown format {named(name)}; {hint}")
    return ids[name]
