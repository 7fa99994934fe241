"""The gate: what may be published is a clean archive whose manifest passes the linter."""

import hashlib
import posixpath
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from manifestkit.config.configuration import Publishing
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded, decode
from manifestkit.engine.beside import result_beside, violation_of_file
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, posix_name, read_bytes
from manifestkit.model.finding import Severity
from manifestkit.model.limits import DEFAULT_LIMITS, Limits
from manifestkit.model.printable import printable
from manifestkit.model.report import FileResult, Report
from manifestkit.model.violation import Violation
from manifestkit.publish.archive import Listing, Packed, pack
from manifestkit.publish.names import Problem

_RULE = "archive"
_TURNED_ON = ("missing-file",)
_MOST_CANDIDATES = 10
_MISSING = "see --list, or use --manifest-file for one that is not published"
_NOT_JSON = (
    "is not JSON, and the manifest format (section 1) names a JSON object [manifest-not-json]"
)
_CONVERT = "write it as JSON with `manifest convert`"


class LintedManifest(NamedTuple):
    """The manifest that was linted: its name, the digest of its bytes in hex, and its value."""

    name: str
    sha256: str
    decoded: Decoded


class Checked(NamedTuple):
    """Verdict of the gate about a site."""

    source: Path  # a folder or an archive
    listing: Listing
    packed: Packed | None  # the very bytes that were checked, and the only ones that will be sent
    report: Report  # what is wrong with the archive, and what the linter says of the manifest
    manifest: LintedManifest | None = None  # None where it has none, or not the one

    @property
    def passes(self) -> bool:
        """Return whether it may be sent."""
        return self.packed is not None and not self.report.fails


class Site(NamedTuple):
    """A site to publish, and how it is checked.

    The configuration is that of the working folder, and never comes out of what is to be published.
    """

    source: Path  # a folder or an archive
    settings: Publishing  # what may be packed
    options: Options  # how to judge the manifest, as in `manifest lint`
    manifest: str | None = None  # its name in the archive; None for the one at the root
    manifest_file: Path | None = None  # a manifest outside the archive
    no_manifest: bool = False

    def listed(self) -> Listing:
        """Return what would be packed."""
        return pack(self.source, self.settings, only_list=True)[0]

    @contextmanager
    def checked(self) -> Iterator[Checked]:
        """Pack the site, lint its manifest, and yield the verdict with the archive open."""
        listing, packed = pack(self.source, self.settings)
        turned_on = (*self.options.turned_on, *_TURNED_ON)
        # What is published as the manifest is checked as one, though it be another format's.
        options = self.options._replace(turned_on=turned_on, locked=True, force_exclude=False)
        workspace = Workspace(options)
        manifest: LintedManifest | None = None
        results: list[FileResult] = []
        with closing(packed.file) if packed else nullcontext():
            if packed:
                found = self._manifest(packed, listing, workspace)
                if isinstance(found, Problem):
                    listing = listing.with_problem(found)
                elif found:
                    manifest = found
                    results.append(self._linted(found, listing, workspace))
                    if found.decoded.document.syntax != "json":
                        problem = Problem(found.name, _NOT_JSON, is_warning=True, help=_CONVERT)
                        listing = listing.with_problem(problem)
            results += self._results_beside(listing, workspace.policy(""))
            if manifest is None:  # what counts as checked is the archive
                results[:1] = [each._replace(is_manifest=True) for each in results[:1]]
            yield Checked(self.source, listing, packed, Report.of(results), manifest)

    @property
    def _prefix(self) -> str:
        return f"{posix_name(self.source)}{'/' if is_folder(self.source) else '!/'}"

    def _manifest(
        self, packed: Packed, listing: Listing, workspace: Workspace
    ) -> LintedManifest | Problem | None:
        def decoded(name: str, data: bytes, path: str) -> LintedManifest:
            digest = hashlib.sha256(data).hexdigest()
            limits = Limits(*map(min, workspace.policy("").limits, DEFAULT_LIMITS))
            return LintedManifest(name, digest, decode(data, path, limits))

        def read(name: str) -> LintedManifest:
            data = packed.read(name, DEFAULT_LIMITS.bytes + 1)
            return decoded(name, data, f"{self._prefix}{name}")

        if self.manifest_file is not None:
            path = posix_name(self.manifest_file)
            return decoded(path, read_bytes(self.manifest_file, DEFAULT_LIMITS.bytes), path)
        names = [name for name, _ in listing.files]
        if self.manifest is not None:
            missing = Problem(self.manifest, "is not in the archive", help=_MISSING)
            return read(self.manifest) if self.manifest in names else _wrapped(names) or missing
        own, foreign = [], ""
        is_manifest_name = workspace.finder("")
        candidates = [name for name in names if is_manifest_name(name)]
        for name in candidates[:_MOST_CANDIDATES]:
            manifest = read(name)
            if kind := workspace.foreign_kind(manifest.decoded):
                foreign = foreign or f": `{name}` is {kind}"
            else:
                own.append(manifest)
        if self.no_manifest:
            return _unchecked(own, workspace.policy("").schema.marks)
        has_more = len(candidates) > _MOST_CANDIDATES
        if len(own) == 1 and not has_more:
            return own[0]
        if own or has_more:
            shown = [each.name for each in own] or candidates[:_MOST_CANDIDATES]
            return Problem(
                None,
                f"the archive has several manifests: {', '.join(f'`{name}`' for name in shown)}",
                help="choose one with `manifest` under [publish], or --manifest",
            )
        folder = posix_name(self.source) if is_folder(self.source) else None
        above = (*self.source.parent.iterdir(), *Path().iterdir()) if folder else ()
        near = sorted(map(posix_name, above), key=lambda each: -each.count("/"))
        there = next(filter(lambda each: is_manifest_name(posixpath.basename(each)), near), None)
        return _wrapped(names) or Problem(
            None,
            f"no manifest at the root of {f'`{folder}`' if folder else 'the archive'}{foreign}",
            help=f"`{there}` is outside it: deploy that with --manifest-file {shlex.quote(there)}"
            if there
            else (f"create one with `manifest new {folder} --yes`, " if folder else "")
            + "name it with --manifest, or with --manifest-file if it is elsewhere, or deploy a "
            "site that has none with --no-manifest",
        )

    def _linted(
        self, manifest: LintedManifest, listing: Listing, workspace: Workspace
    ) -> FileResult:
        """Lint a manifest; no finding has a fix, because what is in an archive is not changed."""
        folder = "" if self.manifest_file is not None else posixpath.dirname(manifest.name)
        files = {name for name, _ in listing.files}

        def has_file(relative: str) -> bool:
            return posixpath.normpath(posixpath.join(folder, relative)) in files

        result = workspace.lint_packed(manifest.decoded, has_file)
        return result._replace(findings=tuple(each._replace(fixes=()) for each in result.findings))

    def _results_beside(self, listing: Listing, policy: Policy) -> list[FileResult]:
        """Return the result of the archive, and of each file in it that has a problem."""
        found: dict[str, list[Violation]] = {}
        for each in listing.problems:
            path = posix_name(self.source)
            if each.member is not None:
                path = f"{self._prefix}{printable(each.member)}"
            severity = Severity.WARNING if each.is_warning else Severity.ERROR
            violation = violation_of_file(_RULE, str(each._replace(help=None)), help=each.help)
            found.setdefault(path, []).append(
                violation._replace(severity=severity, is_locked=not each.is_warning)
            )
        results = (result_beside(path, each, policy) for path, each in found.items())
        return list(filter(None, results))


def lint_package(workspace: Workspace, package: Target) -> list[FileResult]:
    """Return what the gate says of an archive, by the settings of the working folder."""
    options = workspace.options
    publish = workspace.configuration("").publish
    options = options._replace(fail_on=options.fail_on or publish.fail_on)
    with Site(package.path, publish, options, publish.manifest).checked() as checked:
        return [*checked.report.results]


def _unchecked(found: list[LintedManifest], marks: frozenset[str]) -> Problem | None:
    """Return that a file is a manifest, as one of its members shows, where there is to be none."""
    for each in found:
        value = each.decoded.document.value
        if isinstance(value, dict) and not marks.isdisjoint(value):
            return Problem(each.name, "is a manifest", help="leave out --no-manifest")
    return None


def _wrapped(names: list[str]) -> Problem | None:
    folder, *others = {name.partition("/")[0] if "/" in name else "" for name in names}
    if others or not folder:
        return None
    return Problem(
        None,
        f"everything is inside `{printable(folder)}/`, and would be published under that name",
        help="deploy that folder, or zip its contents",
    )
