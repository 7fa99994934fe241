"""The gate: what may be published is a clean archive whose manifest passes the linter."""

import hashlib
import os
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
_TOO_MANY = f"more than {_MOST_CANDIDATES} files at its root are named like a manifest"
_FEWER = "leave out those that are none, by `ignore` under [publish]"
_SEVERAL = "the archive has several manifests"
_CHOOSE = "remove all but one, or choose it with `manifest` under [publish], or --manifest"
_IS_ONE, _LEAVE_OUT = "is a manifest, or cannot be read", "leave out --no-manifest"
_INCLUDED = "in `include` under [publish]"
_TAKE_IN = f"name it {_INCLUDED}, or use --manifest-file or --no-manifest"
_MISSING = "see `manifest deploy --list`, or use --manifest-file for one that is not published"
_NOT_JSON = "is not JSON, and the manifest format (section 1) names a JSON object"
_CONVERT = "write it as JSON with `manifest convert {} --output {}`, and remove the YAML"


class LintedManifest(NamedTuple):
    """The manifest that was linted: its name, the digest of its bytes in hex, and its value."""

    name: str
    sha256: str
    decoded: Decoded
    is_packed: bool = True


class Checked(NamedTuple):
    """Verdict of the gate about a site."""

    source: Path  # a folder or an archive
    listing: Listing
    packed: Packed | None  # the very bytes that were checked, and the only ones that will be sent
    report: Report  # what is wrong with the archive, and what the linter says of the manifest
    manifest: LintedManifest | None = None  # None where it has none, or not the one
    passes_lint: bool = False  # whether settings accept its manifests, which lock nothing in lint

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
        with closing(packed.file) if packed else nullcontext():
            found = self._manifests(packed, listing, workspace) if packed else []
            if isinstance(found, Problem):
                listing, found = listing.with_problem(found), []
            for each in found:
                if each.decoded.document.syntax != "json":
                    is_inside = each.is_packed and is_folder(self.source)
                    file = Path(self.source if is_inside else "", each.name)
                    names = map(posix_name, (file, file.with_suffix(".json")))
                    do = _CONVERT.format(*map(shlex.quote, names))
                    problem = Problem(each.name, _NOT_JSON, is_warning=True, help=do)
                    problem = problem._replace(is_outside=not each.is_packed)
                    listing = listing.with_problem(problem)
            results = [self._linted(each, listing, workspace) for each in found]
            free = Workspace(options._replace(locked=False))
            again = (self._linted(each, listing, free) for each in found)
            passes_lint = Report.of(results).fails and not Report.of(again).fails
            results += self._results_beside(listing, workspace.policy(""))
            if not found:  # what counts as checked is the archive
                results[:1] = [each._replace(is_manifest=True) for each in results[:1]]
            main, report = next(iter(found), None), Report.of(results)
            yield Checked(self.source, listing, packed, report, main, passes_lint)

    @property
    def _prefix(self) -> str:
        return f"{posix_name(self.source)}{'/' if is_folder(self.source) else '!/'}"

    def _manifests(
        self, packed: Packed, listing: Listing, workspace: Workspace
    ) -> list[LintedManifest] | Problem:
        """Return the site's manifest, and whatever else at its root a host may read as that."""

        def read(name: str, file: Path | None = None) -> LintedManifest:
            most = DEFAULT_LIMITS.bytes
            data = read_bytes(file, most) if file else packed.read(name, most + 1)
            path = name if file else f"{self._prefix}{name}"
            limits = Limits(*map(min, workspace.policy("").limits, DEFAULT_LIMITS))
            digest = hashlib.sha256(data).hexdigest()
            return LintedManifest(name, digest, decode(data, path, limits))

        names = [name for name, _ in listing.files]
        is_manifest_name = workspace.finder("")
        # Windows drops dots and spaces at the end of a name.
        at_root = (each for each in names if "/" not in each)
        candidates = [each for each in at_root if is_manifest_name(each.rstrip(". "))]
        if len(candidates) > _MOST_CANDIDATES:
            return Problem(None, _TOO_MANY, help=_FEWER)
        there = list(map(read, candidates))
        own = [each for each in there if not workspace.foreign_kind(each.decoded)]
        marks = workspace.policy("").schema.marks
        for_hosts = [each for each in own if _is_for_hosts(each.decoded, marks)]
        if self.no_manifest:
            return next((Problem(each.name, _IS_ONE, help=_LEAVE_OUT) for each in for_hosts), [])
        if self.manifest_file is not None:
            main = read(posix_name(self.manifest_file), self.manifest_file)
            outside = main._replace(is_packed=False)
            main = next((each for each in there if each.sha256 == main.sha256), outside)
        elif self.manifest in names:
            main = read(self.manifest)
        elif self.manifest is not None:
            by = listing.left_out_by(self.manifest)
            what, do = (str(by), _TAKE_IN) if by else ("is not in the archive", _MISSING)
            return _wrapped(names) or Problem(self.manifest, what, help=do)
        elif own:
            shown = f"{_SEVERAL}: {', '.join(f'`{each.name}`' for each in own)}"
            return own if len(own) == 1 else Problem(None, shown, help=_CHOOSE)
        else:
            below = [each for each in names if is_manifest_name(posixpath.basename(each))]
            inner = map(read, below[:_MOST_CANDIDATES])
            named = (each.name for each in inner if not workspace.foreign_kind(each.decoded))
            return self._none(listing, there, workspace, next(named, None))
        seen = main.decoded.document.name, main.sha256
        others = (each for each in for_hosts if (each.decoded.document.name, each.sha256) != seen)
        return [main, *others]

    def _none(
        self, listing: Listing, foreign: list[LintedManifest], by: Workspace, inner: str | None
    ) -> Problem:
        """Return why none at the root is the manifest, and what may be done."""
        is_manifest_name = by.finder("")
        for each in listing.left_out:
            if "/" not in each.name and is_manifest_name(each.name):
                return Problem(each.name, str(each), help=_TAKE_IN)
        names = [name for name, _ in listing.files]
        folder = posix_name(self.source) if is_folder(self.source) else None
        others = (each.decoded for each in foreign)
        kinds = (f": `{each.document.name}` is {by.foreign_kind(each)}" for each in others)
        what = f"no manifest at the root of {f'`{folder}`' if folder else 'the archive'}"
        beside = dict.fromkeys((self.source.parent, Path()) if folder else ())
        # A folder that cannot be listed has no names, and stops nothing.
        near = ((path, sorted(next(os.walk(path), ("", [], []))[2])) for path in beside)
        named = (path / each for path, found in near for each in filter(is_manifest_name, found))
        there = next(named, None)
        if inner:
            below = posixpath.dirname(inner)
            alone = f"deploy `{folder}/{below}`" if folder else "zip its contents"
            do = f"`{inner}` is below it: if `{below}/` is the whole site, {alone}; if not, add "
            do += f"--manifest {shlex.quote(inner)}"
        elif there:
            outside = posix_name(there)
            to = f"to `{folder}/x.manifest{there.suffix}`"
            to = to if there.name in names else f"into `{folder}`"
            do = f"`{outside}` is outside it: to publish it too, copy it {to}; only to "
            do += f"check it, add --manifest-file {shlex.quote(outside)}"
        elif len(names) == 1 and names[0].lower().endswith(".zip"):
            do = f"its only file is `{names[0]}`: if that is the site, deploy it instead"
        else:
            do = _how_to_name_one(folder, names, by)
        return _wrapped(names) or Problem(None, f"{what}{next(kinds, '')}", help=printable(do))

    def _linted(
        self, manifest: LintedManifest, listing: Listing, workspace: Workspace
    ) -> FileResult:
        """Lint a manifest; no finding has a fix, because what is in an archive is not changed."""
        folder = "" if self.manifest_file is not None else posixpath.dirname(manifest.name)
        files = {name for name, _ in listing.files}

        def lack(relative: str) -> tuple[str, ...] | None:
            path = posixpath.normpath(posixpath.join(folder, relative))
            by = listing.left_out_by(path)
            why = (f"`{by.name}` {by}", f"name `{path}` {_INCLUDED}") if by else ()
            return None if path in files else why

        result = workspace.lint_packed(manifest.decoded, lack)
        return result._replace(findings=tuple(each._replace(fixes=()) for each in result.findings))

    def _results_beside(self, listing: Listing, policy: Policy) -> list[FileResult]:
        """Return the result of the archive, and of each file in it that has a problem."""
        found: dict[str, list[Violation]] = {}
        for each in listing.problems:
            path = posix_name(self.source)
            if each.member is not None:
                path = f"{'' if each.is_outside else self._prefix}{printable(each.member)}"
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


def _is_for_hosts(decoded: Decoded, marks: frozenset[str]) -> bool:
    """Return whether a host may read a file as a manifest, as a member of it shows."""
    value = decoded.document.value
    return not decoded.readable or (isinstance(value, dict) and not marks.isdisjoint(value))


def _wrapped(names: list[str]) -> Problem | None:
    folder, *others = {name.partition("/")[0] if "/" in name else "" for name in names}
    if others or not folder:
        return None
    where = f"everything is inside `{printable(folder)}/`, and would be published under that name"
    do = "deploy that folder, or zip its contents"
    return Problem(None, f"there is nothing at the root: {where}", help=do)


def _how_to_name_one(folder: str | None, names: list[str], by: Workspace) -> str:
    fields = by.policy("").schema.fields
    file = next((str(path[-1]).replace("_", "-") for path, each in fields if each.file), None)
    entry = f" --{file} index.js" if file and "index.js" in names else ""
    create = (
        f"create one with `manifest new {shlex.quote(folder)} --yes{entry}`, " if folder else ""
    )
    name = "name it with --manifest, or with --manifest-file if it is elsewhere, or deploy a site"
    return f"{create}{name} that has none with --no-manifest"
