"""Judging files, each by the configuration of its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from manifestkit.config.configuration import Configuration
from manifestkit.config.lookup import configures_us
from manifestkit.decode import Decoded, decode
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.judges import Judges
from manifestkit.engine.lint import Linter
from manifestkit.engine.options import DEFAULT_OPTIONS, Options
from manifestkit.files import absolute, is_file, is_folder, read_bytes
from manifestkit.model.errors import (
    ConfigurationError,
    CrashedFileError,
    ManifestkitError,
)
from manifestkit.model.limits import Limits
from manifestkit.model.report import STDIN, FileResult
from manifestkit.schema.formats import Format, Formats
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import packaged_formats

if TYPE_CHECKING:
    from manifestkit.model.document import Document
    from manifestkit.rules.rule import Elsewhere


_ON_PURPOSE = (ManifestkitError, KeyboardInterrupt, SystemExit, GeneratorExit)


class Run:
    """Finds and judges files, each by the configuration of its folder."""

    def __init__(self, options: Options = DEFAULT_OPTIONS) -> None:
        self.options = options.checked()
        self._judges = Judges(self.options)
        self._searched: list[Path] = []

    def __reduce__(self) -> tuple[type[Run], tuple[Options]]:
        """For another process: the options, from which it reads the rest itself."""
        return Run, (self.options,)

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
            for each in self._judges.configurations
            for path in (
                *(*each.texts, each.schema, *each.profiles, *each.change_profiles, each.baseline),
                *(row.own_schema for row in each.formats),
            )
        ]
        referred = [
            path
            for judge in self._judges.known
            for each in judge.schemas
            for path in each.sources.files
        ]
        return [path for path in (*named, *configured, *referred) if isinstance(path, Path)]

    def find(self, paths: Iterable[Path]) -> Search:
        """The files to judge, among those named and those in the folders named.

        To go through them raises ConfigurationError where a configuration file cannot be used.
        """
        given = tuple(paths)
        self._searched += [absolute(each) for each in given if is_folder(each)]
        return Search(given, self.excluded, self.finder)

    def lint(self, target: Target) -> FileResult:
        """Judge one file.

        Raises:
            UnreadableFileError: its bytes cannot be had.
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.judge(target, self.decode(self.read(target), target.name, target.folder))

    def read(self, target: Target) -> bytes:
        """The content of one file; of one beyond the limit, a byte more than that.

        Raises:
            UnreadableFileError: its bytes cannot be had.
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return read_bytes(target.name, self.limits(target.folder).bytes)

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
        configured = self.limits(folder)
        least = Limits(*map(min, configured, limits)) if limits else configured
        return decode(data, name, least)

    def judge(
        self,
        target: Target,
        decoded: Decoded,
        elsewhere: Elsewhere | None = None,
        *,
        with_edits: bool = True,
    ) -> FileResult:
        """Judge one file by what reading it gave.

        Args:
            target: the file.
            decoded: what reading it gave.
            elsewhere: where the other manifests of the run have values that must be unique.
            with_edits: see `Linter.judge`.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        found = self.before_suppression(target, decoded, elsewhere, with_edits=with_edits)
        return self.unsuppressed(found, target.folder)

    def limits(self, folder: str) -> Limits:
        """The limits for manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.linter(folder).limits

    def linter(self, folder: str) -> Linter:
        """What judges the manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self._judges.of(folder).linter

    def configuration(self, folder: str) -> Configuration:
        """What is configured for the manifests in a folder.

        Raises:
            ConfigurationError: the configuration file cannot be used.
        """
        return self._judges.configuration(folder)

    def change_profiles(self, folder: str) -> tuple[Schema, ...]:
        """What a host requires of changes in the manifests in a folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self._judges.of(folder).change_profiles

    def unsuppressed(self, result: FileResult, folder: str) -> FileResult:
        """A result, whoever found it, without what is suppressed for the folder.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self._judges.of(folder).unsuppressed(result, result.path)

    def schema_file(self, folder: str, row: Format | None = None) -> Path | None:
        """The file of the schema of the manifests in a folder; None for one of the package.

        Args:
            folder: the folder.
            row: the format that is meant; None for ours.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        own = row.own_schema if row else None
        return own or self._judges.of(folder).schema_file

    def schema_of(self, document: Document, folder: str) -> Schema:
        """What a manifest in a folder must be.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.linter(folder).requirements(document).schema

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
        return self.linter(folder).foreign_kind(decoded)

    def judge_stdin(
        self, decoded: Decoded, *, has_file: Callable[[str], bool] | None = None
    ) -> FileResult:
        """Judge what came on standard input, by the configuration of the working folder.

        Args:
            decoded: what reading it gave.
            has_file: whether a file stands at a path relative to the manifest, where that is known.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        judge = self._judges.of("")
        result = judge.linter.judge(
            decoded, skip_foreign=self.options.force_exclude, has_file=has_file
        )
        name = decoded.document.name
        return judge.unsuppressed(result, None if name == STDIN else name)

    def leftovers(self, *, is_complete: bool) -> list[FileResult]:
        """What suppressions and baselines have in them without use, after all is judged.

        Args:
            is_complete: whether every file that was found could be judged.
        """
        return [
            judge.linter.settled(leftover)
            for judge in self._judges.known
            if judge.suppressions
            for leftover in judge.suppressions.leftovers(
                lambda folder: is_complete and self._has_searched(folder)
            )
        ]

    def _has_searched(self, folder: Path) -> bool:
        return any(folder.is_relative_to(each) for each in self._searched)

    def before_suppression(
        self,
        target: Target,
        decoded: Decoded,
        elsewhere: Elsewhere | None = None,
        *,
        with_edits: bool = True,
    ) -> FileResult:
        """What is found in a file, nothing suppressed yet but by its own comments.

        Args:
            target: the file.
            decoded: what reading it gave.
            elsewhere: where the other manifests of the run have values that must be unique.
            with_edits: see `Linter.judge`.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        return self.linter(target.folder).judge(
            decoded,
            skip_foreign=self.sifts(target),
            has_file=lambda relative: is_file(target.path.parent / relative),
            elsewhere=elsewhere,
            with_edits=with_edits,
        )

    def sifts(self, target: Target) -> bool:
        """Whether a file is left alone when it is excluded, or evidently something else's."""
        return target.found or self.options.force_exclude

    def excluded(self, target: Target) -> Path | None:
        """The configuration file that leaves a file out, if one does.

        Raises:
            ConfigurationError: a configuration file, a schema or a baseline cannot be used.
        """
        judge = self._judges.of(target.folder)
        if judge.exclude is None or not self.sifts(target):
            return None
        is_excluded = judge.exclude.covers(target.path)
        return judge.configured.origins[("exclude",)].file if is_excluded else None


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
