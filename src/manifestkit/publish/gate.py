"""The gate: what may be published is a clean archive whose manifest passes the linter."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from manifestkit.config.configuration import Publishing
from manifestkit.config.policy import Policy
from manifestkit.decode import Decoded
from manifestkit.engine.beside import finding_of, result_beside
from manifestkit.engine.discovery import Target
from manifestkit.engine.options import Options
from manifestkit.engine.workspace import Workspace
from manifestkit.files import is_folder, posix_name, read_bytes
from manifestkit.model.finding import Finding, Severity
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.model.printable import printable
from manifestkit.model.report import FileResult, Report
from manifestkit.publish.archive import Listing, Packed, Progress, pack
from manifestkit.publish.names import Problem

_RULE = "archive"
_TURNED_ON = ("missing-file",)
_MOST_CANDIDATES = 10
_NOT_JSON = (
    "is not JSON, and the manifest format (section 1) names a JSON object: write it with "
    "`manifest convert` [manifest-not-json]"
)

_NOTHING = Report.of([])


class Site(NamedTuple):
    """A site to publish, and how it is checked.

    Attributes:
        source: a folder or an archive.
        settings: what may be packed.
        options: how to judge the manifest, as in `manifest lint`; the configuration is that of the
            working folder, and never comes out of what is to be published.
        manifest: the manifest's name in the archive; None for the one at its root.
        manifest_file: a manifest outside the archive.
        no_manifest: whether the site has none.
    """

    source: Path
    settings: Publishing
    options: Options
    manifest: str | None = None
    manifest_file: Path | None = None
    no_manifest: bool = False

    def listed(self) -> Listing:
        """Return what would be packed."""
        return pack(self.source, self.settings, only_list=True)[0]

    @contextmanager
    def checked(self, progress: Progress | None = None) -> Iterator[Checked]:
        """Pack the site, lint its manifest, and yield the verdict with the archive open.

        Progress is called for each piece that is packed.
        """
        listing, packed = pack(self.source, self.settings, progress)
        turned_on = (*self.options.turned_on, *_TURNED_ON)
        # What is published as the manifest is checked as one, though it be another format's.
        options = self.options._replace(turned_on=turned_on, locked=True, force_exclude=False)
        workspace = Workspace(options)
        checked = Checked(self.source, listing, packed, workspace.policy(""))
        with ExitStack() as stack:
            if packed is not None:
                stack.callback(packed.file.close)
                if not self.no_manifest:
                    checked = _linted(checked, packed, self, workspace)
            yield checked


class LintedManifest(NamedTuple):
    """The manifest that was linted: its name, the digest of its bytes in hex, and its value."""

    name: str
    sha256: str
    decoded: Decoded


@dataclass(frozen=True, slots=True)
class Checked:
    """Verdict of the gate about a site.

    Attributes:
        source: the folder or archive.
        listing: the files in it, what is left out, and what is wrong with it, warnings included.
        packed: the very bytes that were checked, and the only ones that will be sent; None where
            nothing was packed.
        policy: which warnings about the archive stop it, too.
        manifest: its manifest; None where it has none, or not the one.
        report: what the linter says of the manifest.
    """

    source: Path
    listing: Listing
    packed: Packed | None
    policy: Policy
    manifest: LintedManifest | None = None
    report: Report = _NOTHING

    @property
    def passes(self) -> bool:
        """Return whether it may be sent."""
        is_refused = self.packed is None or any(each.fails for each in self.results_beside())
        return not is_refused and not self.report.fails

    def results_beside(self) -> list[FileResult]:
        """Return the result of the archive, and of each file in it that has a problem."""
        found: dict[str, list[Finding]] = {}
        for each in self.listing.problems:
            path = posix_name(self.source)
            severity = Severity.WARNING if each.is_warning else Severity.ERROR
            if each.member is not None:
                path += f"!/{printable(each.member)}"
            finding = finding_of(_RULE, self.policy, path, str(each), severity=severity)
            found.setdefault(path, []).extend(filter(None, [finding]))
        results = (result_beside(path, each, None, self.policy) for path, each in found.items())
        return [each for each in results if each.findings]


def lint_package(workspace: Workspace, package: Target) -> list[FileResult]:
    """Return what the gate says of an archive, by the settings of the working folder.

    No finding has a fix: what is in an archive is not changed.
    """
    options = workspace.options
    publish = workspace.configuration("").publish
    options = options._replace(fail_on=options.fail_on or publish.fail_on)
    with Site(package.path, publish, options, publish.manifest).checked() as checked:
        results = [
            each._replace(findings=tuple(found._replace(fixes=()) for found in each.findings))
            for each in checked.report.results
        ]
        results += checked.results_beside()
    if not checked.report.results:  # what counts as checked is the archive
        results[0] = results[0]._replace(is_manifest=True)
    return results


def _linted(checked: Checked, packed: Packed, site: Site, workspace: Workspace) -> Checked:
    source, listing = site.source, checked.listing
    names = [name for name, _ in listing.files]
    prefix = f"{posix_name(source)}{'/' if is_folder(source) else '!/'}"
    found = _find(packed, names, site, prefix, workspace)
    if isinstance(found, Problem):
        found = _wrapped(names) or found
        return replace(checked, listing=listing.with_problem(found))
    if found.decoded.document.syntax != "json":
        listing = listing.with_problem(Problem(found.name, _NOT_JSON, is_warning=True))
    folder = "" if site.manifest_file is not None else posixpath.dirname(found.name)
    files = frozenset(names)

    def has_file(relative: str) -> bool:
        return posixpath.normpath(posixpath.join(folder, relative)) in files

    result = workspace.lint_packed(found.decoded, has_file)
    return replace(checked, listing=listing, manifest=found, report=Report.of([result]))


def _find(
    packed: Packed, names: list[str], site: Site, prefix: str, workspace: Workspace
) -> LintedManifest | Problem:
    def decoded(name: str, data: bytes, path: str) -> LintedManifest:
        digest = hashlib.sha256(data).hexdigest()
        return LintedManifest(name, digest, workspace.decode(data, path, limits=DEFAULT_LIMITS))

    def read(name: str) -> LintedManifest:
        return decoded(name, packed.read(name, DEFAULT_LIMITS.bytes + 1), f"{prefix}{name}")

    if site.manifest_file is not None:
        path = posix_name(site.manifest_file)
        return decoded(path, read_bytes(site.manifest_file, DEFAULT_LIMITS.bytes), path)
    if site.manifest is not None:
        if site.manifest not in names:
            return Problem(site.manifest, "is not in the archive; see --list")
        return read(site.manifest)
    own, foreign = [], ""
    candidates = [name for name in names if workspace.is_manifest_name(name)]
    for name in candidates[:_MOST_CANDIDATES]:
        manifest = read(name)
        if kind := workspace.foreign_kind(manifest.decoded):
            foreign = foreign or f": `{name}` is {kind}"
        else:
            own.append(manifest)
    if len(own) == 1 and len(candidates) <= _MOST_CANDIDATES:
        return own[0]
    if own or len(candidates) > _MOST_CANDIDATES:
        shown = [each.name for each in own] or candidates[:_MOST_CANDIDATES]
        return Problem(
            None,
            f"the archive has several manifests: {', '.join(f'`{name}`' for name in shown)}; "
            "choose one with `manifest` under [publish], or --manifest",
        )
    return Problem(
        None,
        f"no manifest at the root of the archive{foreign}; name it with --manifest, or with "
        "--manifest-file if it is elsewhere, or deploy a site that has none with --no-manifest",
    )


def _wrapped(names: list[str]) -> Problem | None:
    folder, *others = {name.partition("/")[0] if "/" in name else "" for name in names}
    if others or not folder:
        return None
    return Problem(
        None,
        f"everything is inside `{printable(folder)}/`, and would be published under that name: "
        "deploy that folder, or zip its contents",
    )
