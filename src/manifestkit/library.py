"""The functions for programs: lint, fix and format a manifest, load a profile."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from manifestkit.config.policy import Policy
from manifestkit.decode import decode
from manifestkit.engine.lint import default_policy
from manifestkit.engine.lint import lint as lint_decoded
from manifestkit.engine.options import Options
from manifestkit.engine.settings import requirements
from manifestkit.engine.workspace import Workspace
from manifestkit.model.document import Document
from manifestkit.model.errors import EditRefusedError
from manifestkit.model.location import Location
from manifestkit.model.pointer import path_in
from manifestkit.model.report import STDIN, FileResult
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import base_schema
from manifestkit.schema.validation_error import TooDeepError

if TYPE_CHECKING:
    from manifestkit.authoring.fixing import Fixed
    from manifestkit.types import ActivityProviderManifest

PathLike = str | os.PathLike[str]


def lint(
    source: bytes | str,
    name: PathLike = STDIN,
    *,
    schema: PathLike | Schema | None = None,
    profile: PathLike | Schema | Iterable[PathLike | Schema] = (),
    config: PathLike | None = None,
) -> FileResult:
    """Check one manifest.

    Only the files that the arguments name are read; configuration files are not searched for.

    Args:
        source: the content of the manifest, as bytes or as text.
        name: the file's name for findings; its suffix selects JSON or YAML.
        schema: a JSON Schema to use instead of the manifest format.
        profile: a profile, or several, with the requirements of a host: files, or
            what `load_profile` returns.
        config: a configuration file, `manifestkit.toml` or `pyproject.toml`.

    Raises:
        ConfigurationError: a schema, a profile or the configuration cannot be used.

    Example:
        >>> result = manifestkit.lint('{"schema_version": 1}', "manifest.json")
        >>> result.fails
        True
        >>> [finding.rule for finding in result.findings if finding.pointer]
        ['wrong-type']
    """
    policy = _policy(schema, profile, config)
    return lint_decoded(decode(_source(source), os.fsdecode(name), policy.limits), policy)


class LoadedManifest(NamedTuple):
    """A manifest that was read and checked.

    Attributes:
        manifest: the manifest; None if it violates section 2 of the manifest document.
        value: the parsed value, valid or not; None if the text cannot be parsed.
        result: the findings, and whether the manifest fails.
        document: the parsed text, which `locate` searches.

    Example:
        >>> loaded = manifestkit.load(MANIFEST, "manifest.json")
        >>> loaded.locate("/provider/id").line
        4
    """

    manifest: ActivityProviderManifest | None
    value: Any
    result: FileResult
    document: Document

    def locate(self, pointer: str) -> Location:
        """Return the place of a value in the text.

        Args:
            pointer: a JSON Pointer; ``""`` is the whole manifest.

        Raises:
            KeyError: there is no value there.
            PointerSyntaxError: it is no JSON Pointer.
        """
        try:
            path = path_in(self.value, pointer)
            self.document.value_at(path)
        except (IndexError, KeyError, TypeError):
            raise KeyError(pointer) from None
        return self.document.locate(path)


def load(
    source: bytes | str,
    name: PathLike = STDIN,
    *,
    profile: PathLike | Schema | Iterable[PathLike | Schema] = (),
    config: PathLike | None = None,
) -> LoadedManifest:
    """Read and check one manifest, for a program that uses its values.

    Problems in the manifest are findings of `result`, not exceptions: accept the manifest only if
    `result.fails` is False.

    Args:
        source: the content of the manifest, as bytes or as text.
        name: the file's name for findings; its suffix selects JSON or YAML.
        profile: a profile, or several, with the requirements of a host: files, or
            what `load_profile` returns.
        config: a configuration file, `manifestkit.toml` or `pyproject.toml`.

    Raises:
        ConfigurationError: a profile or the configuration cannot be used.

    Example:
        >>> loaded = manifestkit.load(MANIFEST, "manifest.json")
        >>> loaded.manifest and loaded.manifest["provider"]["name"]
        'Minimal'
    """
    policy = _policy(None, profile, config)
    decoded = decode(_source(source), os.fsdecode(name), policy.limits)
    value = decoded.document.value if decoded.readable else None
    is_allowed = decoded.readable and _is_allowed(value)
    manifest = cast("ActivityProviderManifest", value) if is_allowed else None
    return LoadedManifest(manifest, value, lint_decoded(decoded, policy), decoded.document)


def _is_allowed(value: Any) -> bool:
    try:
        return base_schema().validator.is_valid(value)
    except TooDeepError:
        return False


def fix(
    source: bytes | str,
    name: PathLike = STDIN,
    *,
    unsafe: bool = False,
    schema: PathLike | Schema | None = None,
    profile: PathLike | Schema | Iterable[PathLike | Schema] = (),
    config: PathLike | None = None,
) -> Fixed:
    """Apply the fixes of a manifest's findings.

    Args:
        source: the content of the manifest, as bytes or as text.
        name: the file's name for findings; its suffix selects JSON or YAML.
        unsafe: whether to apply unsafe fixes too.
        schema: a JSON Schema to use instead of the manifest format.
        profile: a profile, or several, with the requirements of a host: files, or
            what `load_profile` returns.
        config: a configuration file, `manifestkit.toml` or `pyproject.toml`.

    Raises:
        ConfigurationError: a schema, a profile or the configuration cannot be used.

    Example:
        >>> fixed = manifestkit.fix('{"schema_version": "1.0",}')
        >>> fixed.data
        b'{"schema_version": "1.0"}'
        >>> [finding.rule for finding in fixed.fixed]
        ['syntax-error']
    """
    from manifestkit.authoring import fixing  # noqa: PLC0415 - to judge takes no edits

    policy = _policy(schema, profile, config)
    given = _source(source)
    data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
    lint_again = partial(lint_decoded, policy=policy)
    return fixing.fix(lint_again, data, os.fsdecode(name), unsafe=unsafe, limits=policy.limits)


def format(  # noqa: A001 - what it does, and what the command is called
    source: bytes | str,
    name: PathLike = STDIN,
    *,
    schema: PathLike | Schema | None = None,
    config: PathLike | None = None,
) -> bytes:
    r"""Format a manifest: members in the schema's order, two spaces per level.

    Args:
        source: the content of the manifest, as bytes or as text.
        name: the file's name; its suffix selects JSON or YAML.
        schema: a JSON Schema that gives the order of members.
        config: a configuration file, `manifestkit.toml` or `pyproject.toml`.

    Returns:
        The content, for `Path.write_bytes`.

    Raises:
        EditRefusedError: the manifest cannot be read, or cannot be formatted without loss.
        ConfigurationError: the schema or the configuration cannot be used.

    Example:
        >>> manifestkit.format('{"permissions":[],"schema_version":"1.0"}')
        b'{\n  "schema_version": "1.0",\n  "permissions": []\n}\n'
    """
    from manifestkit.edits.formatting import formatted  # noqa: PLC0415 - likewise
    from manifestkit.edits.patch import require_editable  # noqa: PLC0415 - likewise

    policy = _policy(schema, (), config)
    document = require_editable(decode(_source(source), os.fsdecode(name), policy.limits))
    its_schema = policy.requirements(document).schema
    try:
        return formatted(document, its_schema, policy.limits).encode()
    except UnicodeEncodeError:
        raise EditRefusedError(
            "a lone surrogate, which no file in UTF-8 can hold: remove it, or write it as an "
            "escape in JSON"
        ) from None


def load_profile(path: PathLike, *, schema: Schema | None = None) -> Schema:
    """Read a profile once for many calls.

    Args:
        path: the file, JSON or YAML.
        schema: your own schema, if the profile extends it.

    Raises:
        SchemaError: the file cannot be read, is not a JSON Schema that can be used, or requires
            what no manifest can have.

    Example:
        >>> host = manifestkit.load_profile("host.schema.json")
        >>> newer = MANIFEST.replace('"sdk_version": "1.4"', '"sdk_version": "2.0"')
        >>> [finding.rule for finding in manifestkit.lint(newer, profile=host).findings]
        ['host-sdk-version']
    """
    return _load(path, schema or base_schema())


def load_schema(path: PathLike) -> Schema:
    """Read your own schema, which replaces the built-in one, once for many calls.

    Args:
        path: the file, JSON or YAML.

    Raises:
        SchemaError: the file cannot be read, or is not a JSON Schema that can be used.

    Example:
        >>> own = manifestkit.load_schema("host.schema.json")
        >>> own.name
        'host.schema.json'
    """
    return _load(path, None)


def _load(path: PathLike, manifest_schema: Schema | None) -> Schema:
    from manifestkit.schema.loading import load  # noqa: PLC0415 - it imports referencing

    return load.load_schema(Path(path), manifest_schema)


def _policy(
    schema: PathLike | Schema | None,
    profile: PathLike | Schema | Iterable[PathLike | Schema],
    config: PathLike | None,
) -> Policy:
    if schema is None and profile == () and config is None:
        return default_policy()
    given: dict[str, Any] = {"schema": schema, "profiles": profile, "config": config}
    options = Options(**given).normalized()
    if options.config is None:
        return _policy_of(*requirements(options))
    return Workspace(options).policy("")


@lru_cache(maxsize=8)
def _policy_of(schema: Schema, profiles: tuple[Schema, ...]) -> Policy:
    return Workspace(Options(schema=schema, profiles=profiles, isolated=True)).policy("")


def _source(source: bytes | str) -> bytes | str:
    if isinstance(source, str | bytes):
        return source
    kind = type(source).__name__
    raise TypeError(
        f"source: the text or bytes of a manifest, not {kind}; lint_paths takes the paths of files"
    )
