"""Many files, each with the policy of its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from manifestkit.config.configuration import Configuration
from manifestkit.config.lookup import configures_us
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.engine.detail import Detail
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.lint import kind_of_foreign, lint
from manifestkit.engine.options import DEFAULT_OPTIONS, Options
from manifestkit.engine.policies import PolicyCache
from manifestkit.files import absolute, is_file, is_folder, read_bytes
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    ManifestkitError,
)
from manifestkit.model.limits import Limits
from manifestkit.model.report import FileResult
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import packaged_formats

if TYPE_CHECKING:
    from manifestkit.engine.suppressions import SuppressionUse
    from manifestkit.model.document import Document
    from manifestkit.schema.manifest import Occurrences


_ON_PURPOSE = (ManifestkitError, KeyboardInterrupt, SystemExit, GeneratorExit)


class Workspace:
    """Finds and lints files, each by the policy of its folder."""

    def __init__(self, options: Options = DEFAULT_OPTIONS) -> None:
        self.options = options
        self._policies = PolicyCache(self.options)
        self._searched: list[Path] = []
        self._use: SuppressionUse | None = None

    def __reduce__(self) -> tuple[type[Workspace], tuple[Options]]:
        """For another process: the options, from which it reads the rest itself."""
        return Workspace, (self.options,)

    def inputs(self) -> list[Path]:
        """The files that were read beside manifests: schemas, baselines and configuration.

        What schemas refer to is among them, once they are read.
        """
        options = self.options
        named = (
            options.schema,
            *options.profiles,
            *options.change_profiles,
            options.baseline,
            options.config,
        )
        configured = [
            path
            for each in self._policies.configurations
            for path in (
                *(*each.texts, each.schema, *each.profiles, *each.change_profiles, each.baseline),
                *(row.own_schema for row in each.formats),
            )
        ]
        referred = [
            path
            for policy in self._policies.policies.values()
            for each in policy.every_schema
            for path in each.sources.files
        ]
        return [path for path in (*named, *configured, *referred) if isinstance(path, Path)]

    def schema_notes(self) -> list[str]:
        """Return what has no effect in the schemas and profiles that were read, each once."""
        policies = self._policies.policies.values()
        schemas = (each for policy in policies for each in policy.every_schema)
        return list(dict.fromkeys(note for schema in schemas for note in schema.notes))

    def find(self, paths: Iterable[Path]) -> Search:
        """The files to judge, among those named and those in the folders named.

        To go through them raises ConfigurationError where a configuration file cannot be used.
        """
        given = tuple(paths)
        self._searched += [absolute(each) for each in given if is_folder(each)]
        return Search(given, self.excluded, self.finder)

    def read(self, target: Target) -> bytes:
        """The content of one file; of one beyond the limit, a byte more than that.

        Raises:
            UnreadableFileError: its bytes cannot be had.
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return read_bytes(target.name, self.policy(target.folder).limits.bytes)

    def decode(
        self, data: bytes, name: str, folder: str = "", limits: Limits | None = None
    ) -> Decoded:
        """Read a manifest within the limits of a folder's configuration.

        Args:
            data: its bytes.
            name: the file, as findings shall name it; its suffix tells the syntax.
            folder: the folder whose configuration holds.
            limits: bounds that hold beside those that are configured.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        configured = self.policy(folder).limits
        least = Limits(*map(min, configured, limits)) if limits else configured
        return decode(data, name, least)

    def lint(
        self,
        target: Target,
        decoded: Decoded,
        elsewhere: Occurrences | None = None,
        *,
        detail: Detail = Detail.EDITS,
    ) -> FileResult:
        """Lint one file by what reading it gave.

        Args:
            target: the file.
            decoded: what reading it gave.
            elsewhere: where the other manifests of the run have values that must be unique.
            detail: how much to say of what is wrong.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return lint(
            decoded,
            self.policy(target.folder),
            skip_foreign=self.may_skip(target),
            has_file=lambda relative: is_file(target.path.parent / relative),
            elsewhere=elsewhere,
            detail=detail,
        )

    def lint_file(
        self,
        target: Target,
        elsewhere: Occurrences | None = None,
        *,
        detail: Detail = Detail.EDITS,
    ) -> FileResult:
        """Read one file and lint it; the arguments are those of `lint`.

        Raises:
            UnreadableFileError: its bytes cannot be had.
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        decoded = self.decode(self.read(target), target.name, target.folder)
        return self.lint(target, decoded, elsewhere, detail=detail)

    def lint_stdin(
        self,
        decoded: Decoded,
        *,
        has_file: Callable[[str], bool] | None = None,
        detail: Detail = Detail.EDITS,
    ) -> FileResult:
        """Lint what came on standard input, by the configuration of the working folder.

        Args:
            decoded: what reading it gave.
            has_file: whether a file stands at a path relative to the manifest, where that is known.
            detail: how much to say of what is wrong.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        skips = self.options.force_exclude
        return lint(decoded, self.policy(""), skip_foreign=skips, has_file=has_file, detail=detail)

    def limits(self, folder: str) -> Limits:
        """Return the limits for manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.policy(folder).limits

    def policy(self, folder: str) -> Policy:
        """Return which rules count and how for the manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self._policies.of(folder)

    def configuration(self, folder: str) -> Configuration:
        """What is configured for the manifests in a folder.

        Raises:
            ConfigurationError: the configuration file cannot be used.
        """
        return self._policies.configuration(folder)

    def schema_file(self, folder: str, row: Format | None = None) -> Path | None:
        """The file of the schema of the manifests in a folder; None for one of the package.

        Args:
            folder: the folder.
            row: the format that is meant; None for ours.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        own = row.own_schema if row else None
        given = self.options.schema
        configured = self.policy(folder).configuration.schema
        return own or (given if isinstance(given, Path) else configured)

    def schema_of(self, document: Document, folder: str) -> Schema:
        """What a manifest in a folder must be.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.policy(folder).requirements(document).schema

    def finder(self, folder: str) -> Callable[[str], bool]:
        """What tells the names of manifests in a folder, given its own with a ``/`` behind.

        Raises:
            ConfigurationError: the configuration file cannot be used.
        """
        try:
            configured = self.configuration(folder).formats
        except ConfigurationError:
            if self.options.config or configures_us(absolute(Path(folder))):
                raise
            configured = ()  # raised where a manifest is found
        rows = configured if self.options.schema is None else ()
        return Formats((*rows, *packaged_formats().rows)).finder(folder)

    def foreign_kind(self, decoded: Decoded, folder: str = "") -> str | None:
        """What a file is when it is evidently another format's manifest; None when it may be ours.

        Args:
            decoded: what reading it gave.
            folder: the folder whose configuration holds.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return kind_of_foreign(decoded, self.policy(folder))

    def note_use(self, result: FileResult, folder: str) -> None:
        """Keep in mind which suppressions a file had use for.

        Args:
            result: the result of the file; a later one of the same file takes its place.
            folder: the folder whose policy it was linted by.
        """
        policy = self.policy(folder)
        if policy.configuration.suppressions or policy.baseline:
            self._suppression_use().note(result, policy)

    def unused_suppressions(self, *, is_complete: bool) -> list[FileResult]:
        """Return what suppressions and baselines have in them without use, after all is linted.

        Args:
            is_complete: whether every file that was found could be linted.
        """
        return [
            result
            for policy in self._policies.policies.values()
            if policy.configuration.texts or policy.baseline
            for result in self._suppression_use().unused(
                policy, lambda folder: is_complete and self._has_searched(folder)
            )
        ]

    def _suppression_use(self) -> SuppressionUse:
        if self._use is None:
            from manifestkit.engine.suppressions import SuppressionUse  # noqa: PLC0415 - rare

            self._use = SuppressionUse()
        return self._use

    def _has_searched(self, folder: Path) -> bool:
        return any(folder.is_relative_to(each) for each in self._searched)

    def may_skip(self, target: Target) -> bool:
        """Whether a file is left alone when it is excluded, or evidently something else's."""
        return target.found or self.options.force_exclude

    def excluded(self, target: Target) -> Path | None:
        """The configuration file that leaves a file out, if one does.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        configured = self.policy(target.folder).configuration
        if configured.exclude is None or not self.may_skip(target):
            return None
        is_excluded = configured.exclude.covers(target.path)
        return configured.origins[("exclude",)].file if is_excluded else None


def is_manifest_name(name: str) -> bool:
    """Whether a file that stands in no configured folder is named like a manifest."""
    return packaged_formats().finder("")(name)


class crashes_at:  # noqa: N801 - reads as the `with` that it is for
    """Tell by name at which file something unexpected went wrong.

    Raises:
        CrashedFileError: it did; what is raised on purpose goes through.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        # A panic of an extension in Rust is no Exception.
        if error is not None and not isinstance(error, _ON_PURPOSE):
            raise CrashedFileError.of(self._name, error) from error
