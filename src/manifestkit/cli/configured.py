"""What is configured in the working folder, for commands that judge no file."""

from __future__ import annotations

from pathlib import Path

from manifestkit.engine import Linter, Options, Run
from manifestkit.model.errors import ManifestkitError
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema

_HERE = ""


def linter_here(schema: Path | None = None, profiles: tuple[Path, ...] = ()) -> Linter:
    """What judges manifests here; what is given comes before the configuration.

    Raises:
        ConfigurationError: a configuration file, a schema or a profile cannot be used.
    """
    return Run(Options(schema=schema, profiles=profiles)).linter(_HERE)


def schema_file_here() -> Path | None:
    """The file of the schema that is configured here in place of ours.

    Raises:
        ConfigurationError: a configuration file or a schema cannot be used.
    """
    return Run().schema_file(_HERE)


def schema_here() -> Schema:
    """What a manifest must be here, for completion: ours where the configuration is broken."""
    try:
        return linter_here().schema
    except ManifestkitError:
        return base_schema()
