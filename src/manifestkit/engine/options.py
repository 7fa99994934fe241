"""What a caller may ask of a run, and the schemas that it needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from manifestkit.config.configuration import Configuration
from manifestkit.model.errors import SchemaError, UnreadableFileError
from manifestkit.model.finding import Severity
from manifestkit.model.limits import Limits
from manifestkit.model.pointer import Path as Pointer
from manifestkit.schema.formats import Format
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import CHANGE_DOCUMENT, base_schema, packaged_schema


def requirements(
    own: Path | Schema | None, profiles: tuple[Path | Schema, ...], configured: Configuration
) -> tuple[Schema, tuple[Schema, ...]]:
    """What a manifest must be, and a host's own requirements.

    Args:
        own: the schema given by an option; None for the one configured.
        profiles: the profiles given by an option; none for those configured.
        configured: the configuration.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    if own is not None:
        schema = _loaded(own)
    elif configured.schema is not None:
        schema = _as_configured("schema", configured.schema, configured)
    else:
        schema = base_schema()
    if profiles:
        return schema, tuple(_loaded(each, schema) for each in profiles)
    return schema, tuple(
        _as_configured("profile", each, configured, schema) for each in configured.profiles
    )


def own_formats(
    own: Path | Schema | None, configured: Configuration
) -> tuple[tuple[Format, Schema], ...]:
    """The formats of a configuration, each with its schema.

    Args:
        own: the schema given by an option, which is then used for every manifest.
        configured: the configuration.

    Raises:
        ConfigurationError: a schema cannot be used.
    """
    if own is not None:
        return ()
    places = ((index, Path(row.schema)) for index, row in enumerate(configured.formats))
    schemas = [
        _as_configured("schema", path, configured, at=("format", index, "schema"))
        for index, path in places
    ]
    return tuple(zip(configured.formats, schemas, strict=True))


def change_requirements(
    profile_files: tuple[Path, ...], configured: Configuration
) -> tuple[Schema, ...]:
    """A host's own requirements for changes; the arguments are those of `requirements`.

    Raises:
        ConfigurationError: one of them cannot be used.
    """
    schema = packaged_schema(CHANGE_DOCUMENT)
    if profile_files:
        return tuple(_loaded(each, schema) for each in profile_files)
    return tuple(
        _as_configured("change-profile", each, configured, schema)
        for each in configured.change_profiles
    )


def _as_configured(
    option: str,
    path: Path,
    configured: Configuration,
    manifest_schema: Schema | None = None,
    at: Pointer = (),
) -> Schema:
    try:
        return _loaded(path, manifest_schema)
    except SchemaError as error:
        unread = error.__cause__
        if not isinstance(unread, UnreadableFileError):
            raise
    from manifestkit.config.file import error_at  # noqa: PLC0415 - for this error only

    raise error_at(configured, option, path, unread.reason, at)


def _loaded(given: Path | Schema, manifest_schema: Schema | None = None) -> Schema:
    if isinstance(given, Schema):
        return given
    from manifestkit.schema.load import load_schema  # noqa: PLC0415 - it imports referencing

    return load_schema(given, manifest_schema)


_PATH = "a path"
_SCHEMA = "a path or a Schema"
_RULE = "the id of a rule"


class Options(NamedTuple):
    """How a run is to be made; what is given here comes before the configuration.

    Attributes:
        schema: a JSON Schema in place of the manifest document's section 2.
        profiles: JSON Schemas with a host's own requirements; none for those configured.
        change_profiles: the same for what changes between two manifests.
        select: the only rules that count; None for those configured.
        ignore: rules that do not count, besides those configured.
        severity: severities of rules, before those configured; None turns a rule off.
        fail_on: the least severity that fails the run; None for what is configured.
        baseline: a file of findings that are known and not shown; None for the one configured.
        config: the configuration file for every manifest; None for the nearest one of each.
        isolated: whether to leave configuration files alone, and suppressions in comments.
        force_exclude: whether `exclude` and the look for foreign manifests hold for named files
            too, as they do for those found in a folder.
        turned_on: rules that count unless something else is configured, though they are off by
            default.
        limits: bounds on one manifest, by the names of the limits; those
            not named are as configured, or as they are by default.
        locked: whether section 2 of the manifest document and the profiles hold whatever else is
            configured: nothing they require can be lowered, ignored or suppressed.

    Example:
        >>> host = manifestkit.load_profile("host.schema.json")
        >>> options = manifestkit.Options(profiles=(host,), ignore=("version-form",))
        >>> manifestkit.lint_paths("manifest.json", options).fails
        False
    """

    schema: Path | Schema | None = None
    profiles: tuple[Path | Schema, ...] = ()
    change_profiles: tuple[Path, ...] = ()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = {}
    fail_on: Severity | None = None
    baseline: Path | None = None
    config: Path | None = None
    isolated: bool = False
    force_exclude: bool = False
    turned_on: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}
    locked: bool = False

    def checked(self) -> Options:
        """The same, each option of its type: one path or rule where several may be is one of them.

        Raises:
            TypeError: an option is what none can be; the text names it.
        """
        return Options(
            schema=None if self.schema is None else as_schema("schema", self.schema),
            profiles=as_schemas("profiles", self.profiles),
            change_profiles=as_paths("change_profiles", self.change_profiles, "a path or several"),
            select=None if self.select is None else _rules("select", self.select),
            ignore=_rules("ignore", self.ignore),
            severity=_severities(self.severity),
            fail_on=self.fail_on and expected("fail_on", self.fail_on, Severity, "a Severity"),
            baseline=_path_or_none("baseline", self.baseline),
            config=_path_or_none("config", self.config),
            isolated=expected("isolated", self.isolated, bool, "a bool"),
            force_exclude=expected("force_exclude", self.force_exclude, bool, "a bool"),
            turned_on=_rules("turned_on", self.turned_on),
            limits=_limits(self.limits),
            locked=expected("locked", self.locked, bool, "a bool"),
        )


DEFAULT_OPTIONS = Options()


def expected(name: str, value: Any, kind: type | tuple[type, ...], wanted: str) -> Any:
    """The value of an argument, which is of the kind that is due.

    Raises:
        TypeError: it is of another kind.
    """
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name}: {wanted}, not {type(value).__name__}")


def as_paths(name: str, value: Any, wanted: str) -> tuple[Path, ...]:
    """Paths, from one or several.

    Raises:
        TypeError: something else is among them.
    """
    if isinstance(value, str | os.PathLike):
        return (as_path(name, value),)
    if isinstance(value, bytes):
        expected(name, value, str, wanted)
    return tuple(as_path(name, each) for each in expected(name, value, Iterable, wanted))


def as_schemas(name: str, value: Any) -> tuple[Path | Schema, ...]:
    """Schemas or the paths of their files, from one or several.

    Raises:
        TypeError: something else is among them.
    """
    if isinstance(value, str | os.PathLike | Schema):
        return (as_schema(name, value),)
    wanted = f"{_SCHEMA}, or several"
    if isinstance(value, bytes | Mapping):
        expected(name, value, Schema, wanted)
    return tuple(as_schema(name, each) for each in expected(name, value, Iterable, wanted))


def as_schema(name: str, value: Any) -> Path | Schema:
    """A schema, or the path of its file.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, Schema):
        return value
    return as_path(name, value, _SCHEMA)


def as_path(name: str, value: Any, wanted: str = _PATH) -> Path:
    """A path.

    Raises:
        TypeError: it is something else.
    """
    text = os.fspath(expected(name, value, (str, os.PathLike), wanted))
    return Path(expected(name, text, str, wanted))


def _path_or_none(name: str, value: Any) -> Path | None:
    return None if value is None else as_path(name, value)


def _rules(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    given = expected(name, value, Iterable, f"{_RULE} or several")
    return tuple(expected(name, each, str, _RULE) for each in given)


def _severities(value: Any) -> Mapping[str, Severity | None]:
    for rule, each in expected("severity", value, Mapping, "a mapping").items():
        expected("severity", rule, str, _RULE)
        if each is not None:
            expected(f"severity of {rule}", each, Severity, "a Severity or None")
    severities: Mapping[str, Severity | None] = value
    return severities


def _limits(value: Any) -> Mapping[str, int]:
    for name, each in expected("limits", value, Mapping, "a mapping").items():
        if name not in Limits._fields:
            known = ", ".join(Limits._fields)
            raise TypeError(f"limits: unknown limit {name!r}; the limits are {known}")
        if type(each) is not int:
            raise TypeError(f"limits: {name}: an int, not {type(each).__name__}")
    limits: Mapping[str, int] = value
    return limits
