"""Many files, each with the policy of its folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from manifestkit.config.configuration import Configuration
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.engine.discovery import Search, Target
from manifestkit.engine.lint import lint
from manifestkit.engine.options import Options
from manifestkit.engine.settings import Configurations, policy_of
from manifestkit.files import AS_INPUT, absolute, read_bytes, refuse_link_out
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.report import STDIN, FileResult, Report
from manifestkit.schema.formats import Formats
from manifestkit.schema.manifest import Surroundings
from manifestkit.schema.packaged import foreign_kind, packaged_formats

if TYPE_CHECKING:
    from manifestkit.engine.suppressions import SuppressionUse


class Workspace:
    """Finds and lints files, each by the policy of its folder.

    Args:
        options: the options of the run.
        uses_baseline: whether baselines are read: they hide findings of reports only.

    Every method that needs a configuration raises ConfigurationError where a configuration file, a
    schema or a baseline cannot be used.
    """

    def __init__(
        self,
        options: Options = Options(),  # noqa: B008 - a value
        *,
        uses_baseline: bool = True,
    ) -> None:
        self.options = options
        self._uses_baseline = uses_baseline
        self._configurations = Configurations()
        self._policies: dict[Path | None, Policy] = {}  # by the files that configure them
        self._folders: dict[str, Policy] = {}
        self._around: dict[str | Path, tuple[Configuration, ...]] = {}

    def __reduce__(self) -> tuple[Callable[[], Workspace], tuple[()]]:
        """For another process: the options, from which it reads the rest itself."""
        return partial(Workspace, self.options, uses_baseline=self._uses_baseline), ()

    # -- which files, and their settings ----------------------------------------------------------

    def find(self, paths: Iterable[Path]) -> Search:
        """Return the files to lint among those named and those in the folders named."""
        return Search(tuple(paths), self.excluded, self.finder, is_isolated=self.options.isolated)

    def finder(self, folder: str) -> Callable[[str], bool]:
        """Return a function that tells whether a file in a folder has a manifest's name.

        Args:
            folder: the folder's name, with a ``/`` behind.
        """
        rows = self.configuration(folder).formats if self.options.schema is None else ()
        return Formats((*rows, *packaged_formats().rows)).finder()

    def excluded(self, target: Target) -> Path | None:
        """Return the configuration file that excludes a file or folder; None if none does."""
        around = self._excluding(target.folder)
        for configured in around if self.may_skip(target) else ():
            patterns = configured.exclude
            if patterns is not None and patterns.covers(target.path, is_folder=target.is_folder):
                return configured.origins[("exclude",)][0]
        return None

    def leaves_out(self, folder: str) -> bool:
        """Return whether a folder is excluded: then its configuration is not read."""
        return self.excluded(Target(folder, found=True, is_folder=True)) is not None

    def _excluding(self, folder: str) -> tuple[Configuration, ...]:
        """Return the configurations around a folder from the current folder on, its own last.

        Of a folder that one of them excludes, none is read.
        """
        if folder not in self._around:
            top, todo = Path.cwd(), [absolute(folder)]
            if self.options.isolated or self.options.config is not None:
                self._around[todo[0]] = (self.configuration(folder),)
            while todo[-1] not in self._around and todo[-1] != top:
                if not todo[-1].is_relative_to(top):
                    break
                todo.append(todo[-1].parent)
            known: tuple[Configuration, ...] = ()
            for each in reversed(todo):
                if each not in self._around:
                    self._around[each] = self._with_own(known, each)
                known = self._around[each]
            self._around[folder] = known
        return self._around[folder]

    def _with_own(
        self, around: tuple[Configuration, ...], folder: Path
    ) -> tuple[Configuration, ...]:
        if any(each.exclude and each.exclude.covers(folder, is_folder=True) for each in around):
            return around
        own = self._configurations.of(folder)
        return around if own.source in (each.source for each in around) else (*around, own)

    def may_skip(self, target: Target) -> bool:
        """Return whether a file is skipped when it is excluded, or of a foreign format."""
        return target.found or self.options.force_exclude

    def policy(self, folder: str) -> Policy:
        """Return the policy for the manifests in a folder."""
        if folder not in self._folders:
            configured = self.configuration(folder)
            if configured.source not in self._policies:
                self._policies[configured.source] = policy_of(
                    self.options, configured, uses_baseline=self._uses_baseline
                )
            self._folders[folder] = self._policies[configured.source]
        return self._folders[folder]

    def configuration(self, folder: str) -> Configuration:
        """Return the configuration for the manifests in a folder; it reads no schema."""
        options, known = self.options, self._configurations
        if options.config is not None:
            return known.named(options.config)
        return Configuration() if options.isolated else known.of(absolute(folder))

    def inputs(self) -> list[Path]:
        """Return the files that were read beside manifests: schemas, baselines, configuration."""
        options, read = self.options, self._configurations.read.values()
        settings: list[Options | Configuration] = [options, *read]
        named = [
            path
            for each in settings
            for path in (each.schema, *each.profiles, *each.change_profiles, each.baseline)
        ]
        files = [options.config, *(path for each in read for path in each.files)]
        own = [row.own_schema for each in read for row in each.formats]
        schemas = [each for policy in self._policies.values() for each in policy.every_schema]
        referred = [path for each in schemas for path in each.sources.files]
        return [each for each in (*named, *files, *own, *referred) if isinstance(each, Path)]

    # -- one file ---------------------------------------------------------------------------------

    def most_bytes(self, target: Target) -> int:
        """Return the limit on the bytes of a file; one that is excluded has the usual one."""
        excluded = self.excluded(target)
        return (DEFAULT_LIMITS if excluded else self.policy(target.folder).limits).bytes

    def read(self, target: Target) -> bytes:
        """Read one file; of one beyond the limit, a byte more than that.

        Raises:
            UnreadableFileError: it cannot be read.
        """
        if self.options.isolated and not target.found:
            refuse_link_out(target.path)
        return read_bytes(target.name, self.policy(target.folder).limits.bytes, AS_INPUT)

    def decode(self, data: bytes, name: str, folder: str = "") -> Decoded:
        """Decode a manifest within the limits of a folder; its name's suffix selects the syntax."""
        return decode(data, name, self.policy(folder).limits)

    def lint(self, target: Target, decoded: Decoded, *, only_verdict: bool = False) -> FileResult:
        """Lint one file that has been decoded.

        Args:
            target: the file.
            decoded: what decoding it gave.
            only_verdict: whether to leave out the findings.
        """
        folder = target.folder
        surroundings = Surroundings() if target.name == STDIN else Surroundings.in_folder(folder)
        kind = self.foreign_kind(decoded, folder) if self.may_skip(target) else None
        if kind:
            return FileResult(decoded.document.name, skipped=kind)
        return lint(decoded, self.policy(folder), surroundings, only_verdict=only_verdict)

    def lint_file(self, target: Target, *, only_verdict: bool = False) -> FileResult:
        """Read one file and lint it."""
        decoded = self.decode(self.read(target), target.name, target.folder)
        return self.lint(target, decoded, only_verdict=only_verdict)

    def lint_packed(
        self, decoded: Decoded, lack: Callable[[str], tuple[str, ...] | None]
    ) -> FileResult:
        """Lint what is in a package, by the policy of the working folder."""
        return lint(decoded, self.policy(""), Surroundings(lack))

    def foreign_kind(self, decoded: Decoded, folder: str = "") -> str | None:
        """Return the kind of a file that is evidently a foreign manifest; None for others.

        What cannot be read whole is one only by its name: a part of it may be ours.
        """
        if not decoded.readable:
            named = (each for each in decoded.findings if each.rule == "not-a-manifest")
            return next((each.message.removeprefix("this is ") for each in named), None)
        requirements = self.policy(folder).requirements(decoded.document)
        if requirements.row.folder is not None:
            return None
        document = decoded.document
        return foreign_kind(document.value, requirements.schema, document.name)

    # -- suppressions without use -----------------------------------------------------------------

    def note_use(self, result: FileResult, folder: str) -> None:
        """Record which suppressions a file used; a later result of the file replaces it."""
        policy = self.policy(folder)
        if policy.configuration.suppressions or policy.baseline:
            self._use.note(result, policy)

    def with_unused(self, report: Report, found: Search) -> Report:
        """Add the folders that could not be searched, and the unused suppressions, to a report."""
        is_complete = not (report.errors or found.unreadable)
        unused = self.unused_suppressions(found if is_complete and found.folders else None)
        return report.joined(unused, found.unreadable)

    def unused_suppressions(
        self, found: Search | None, changed: Collection[str] = ()
    ) -> list[FileResult]:
        """Return findings about suppressions and baseline entries that nothing used.

        Args:
            found: the search of folders of which every file was linted, if there was one.
            changed: the rules about changes that found something, for entries about them.
        """
        return [
            result
            for policy in self._policies.values()
            if policy.configuration.files or policy.baseline
            for result in self._use.unused(policy, found, changed)
        ]

    @cached_property
    def _use(self) -> SuppressionUse:
        from manifestkit.engine.suppressions import SuppressionUse  # noqa: PLC0415 - rare

        return SuppressionUse(is_named=self.options.config is not None)
