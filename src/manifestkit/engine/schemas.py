"""The schemas that a manifest is held to, from options or from a configuration."""

from __future__ import annotations

from pathlib import Path

from manifestkit.config.configuration import Configuration
from manifestkit.model.errors import SchemaError, UnreadableFileError
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema


def demands(
    schema_file: Path | None, profile_files: tuple[Path, ...], configured: Configuration
) -> tuple[Schema, tuple[Schema, ...]]:
    """What a manifest must be, and a host's own demands.

    Args:
        schema_file: the schema given by an option; None for the one configured.
        profile_files: the profiles given by an option; none for those configured.
        configured: the configuration.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    if schema_file is not None:
        schema = _loaded(schema_file)
    elif configured.schema is not None:
        schema = _as_configured("schema", configured.schema, configured)
    else:
        schema = base_schema()
    if profile_files:
        return schema, tuple(_loaded(each, schema) for each in profile_files)
    return schema, tuple(
        _as_configured("profile", each, configured, schema) for each in configured.profiles
    )


def _as_configured(
    option: str, path: Path, configured: Configuration, manifest_schema: Schema | None = None
) -> Schema:
    try:
        return _loaded(path, manifest_schema)
    except SchemaError as error:
        unread = error.__cause__
        if not isinstance(unread, UnreadableFileError):
            raise
    from manifestkit.config.file import error_at  # noqa: PLC0415 - for this error only

    raise error_at(configured, option, path, unread.reason)


def _loaded(path: Path, manifest_schema: Schema | None = None) -> Schema:
    from manifestkit.schema.load import load_schema  # noqa: PLC0415 - it imports referencing

    return load_schema(path, manifest_schema)
