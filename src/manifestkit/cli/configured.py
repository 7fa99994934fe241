"""What is configured in the working folder, for commands that judge no file."""

from __future__ import annotations

from pathlib import Path

from manifestkit.config.configuration import Configuration
from manifestkit.engine import Linter, Options, Run
from manifestkit.model.errors import ConfigurationError, ManifestkitError
from manifestkit.rules.messages import listed, named
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.suggest import nearest

_HERE = ""


def linter_here(schema: Path | None = None, profiles: tuple[Path, ...] = ()) -> Linter:
    """What judges manifests here; what is given comes before the configuration.

    Raises:
        ConfigurationError: a configuration file, a schema or a profile cannot be used.
    """
    return Run(Options(schema=schema, profiles=profiles)).linter(_HERE)


def configuration_here(config: Path | None = None) -> Configuration:
    """What is configured here, or in a file that is named.

    Raises:
        ConfigurationError: the configuration file cannot be used.
    """
    return Run(Options(config=config)).configuration(_HERE)


def change_profiles_here() -> tuple[Schema, ...]:
    """The requirements here for changes of manifests.

    Raises:
        ConfigurationError: a configuration file, a schema or a profile cannot be used.
    """
    return Run().change_profiles(_HERE)


def files_here() -> list[tuple[Format, Path | None]]:
    """Each format that there is here, with the file of its schema; None for one of the package.

    Raises:
        ConfigurationError: a configuration file or a schema cannot be used.
    """
    run = Run()
    return [(row, run.schema_file(_HERE, row)) for row, _ in run.linter(_HERE).schemas]


def schemas_here() -> list[Schema]:
    """What manifests must be here, for completion: ours where the configuration is broken."""
    try:
        linter = linter_here()
    except ManifestkitError:
        linter = Linter()
    return [schema for _, schema in linter.schemas]


def format_named(formats: Formats, name: str) -> Format:
    """The format of an id.

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
