"""What may be deployed: a sound archive with one manifest that is in order."""

from __future__ import annotations

import hashlib
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from manifestkit.engine import (
    Decoded,
    FileResult,
    Options,
    Report,
    Workspace,
    is_manifest_name,
)
from manifestkit.files import is_folder, shown
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.publish.archive import (
    DEFAULT_ARCHIVE_LIMITS,
    ArchiveLimits,
    ArchiveProblem,
    inspect_archive,
)
from manifestkit.publish.archive.directory import Entry
from manifestkit.publish.archive.layout import read_content
from manifestkit.publish.packing import IgnoreList, pack
from manifestkit.publish.upload import Progress, Snapshot, take_snapshot

_TURNED_ON = ("missing-file",)
_MOST_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class Checked:
    """An archive that the gate has seen; a context that lets it go.

    Attributes:
        source: the file or folder that it was made from.
        snapshot: the very bytes that were checked, and the only ones that will be sent.
        problems: why the archive is refused.
        entries: how many entries it has.
        manifest: the entry that is the manifest; None where there is not the one.
        manifest_sha256: the digest of that entry's content, in hex.
        decoded: what reading that content gave.
        report: what the linter says of it.
        left_out: how many files and folders were left out of the archive; 0 for a ready archive.
    """

    source: Path
    snapshot: Snapshot
    problems: tuple[ArchiveProblem, ...]
    entries: int
    manifest: str | None
    manifest_sha256: str | None
    decoded: Decoded | None
    report: Report
    left_out: int

    @property
    def passes(self) -> bool:
        """Whether it may be sent."""
        return not self.problems and self.manifest is not None and not self.report.fails

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.snapshot.close()


def check(
    source: Path,
    options: Options,
    manifest: str | None = None,
    limits: ArchiveLimits = DEFAULT_ARCHIVE_LIMITS,
    ignore: IgnoreList | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Look at what is to be deployed, as it is at this moment.

    Args:
        source: an archive, or a folder to make one of.
        options: how to judge the manifest, as in `manifest lint`; the configuration is that of
            the working folder, and never comes out of what is to be deployed.
        manifest: the name of the manifest in the archive; None for the one at its root, where
            manifests of other formats are left alone as they are in a folder.
        limits: bounds on the archive.
        ignore: what the configuration leaves out of a folder.
        progress: is called for each piece that is packed or copied.

    Raises:
        UnreadableFileError: the archive cannot be read, or the folder not be packed.
        ConfigurationError: an option, a configuration file or a schema cannot be used.
    """
    left_out = 0
    unpacked: tuple[ArchiveProblem, ...] = ()
    if is_folder(source):
        snapshot, packing = pack(source, ignore, progress)
        left_out, unpacked = len(packing.left_out), tuple(packing.problems)
    else:
        snapshot = take_snapshot(source, progress)
    try:
        archive = inspect_archive(snapshot.file, snapshot.size, limits)
        problems = (*unpacked, *archive.problems)
        report = Report.of(())
        name = digest = decoded = None
        if not problems:
            workspace = Workspace(options._replace(turned_on=_TURNED_ON, locked=True))
            reader = _Reader(
                snapshot, f"{shown(source)}{'/' if is_folder(source) else '!/'}", workspace
            )
            found = _find(reader, archive.entries, manifest)
            if isinstance(found, ArchiveProblem):
                problems = (found,)
            else:
                name, digest = found.entry.name, hashlib.sha256(found.data).hexdigest()
                decoded = found.decoded
                report = Report.of([_judged(found, archive.entries, workspace)])
        entries = len(archive.entries)
        return Checked(source, snapshot, problems, entries, name, digest, decoded, report, left_out)
    except BaseException:
        snapshot.file.close()
        raise


class _Read(NamedTuple):
    """A manifest of the archive, and what reading it gave."""

    entry: Entry
    data: bytes
    decoded: Decoded


class _Reader(NamedTuple):
    """Reads manifests of an archive, within the limits of all manifests and those configured."""

    snapshot: Snapshot
    prefix: str
    workspace: Workspace

    def read(self, entry: Entry) -> _Read:
        data = read_content(self.snapshot.file, entry, DEFAULT_LIMITS.bytes)
        name = f"{self.prefix}{entry.name}"
        return _Read(entry, data, self.workspace.decode(data, name, limits=DEFAULT_LIMITS))


def _find(
    reader: _Reader, entries: tuple[Entry, ...], wanted: str | None
) -> _Read | ArchiveProblem:
    files = [entry for entry in entries if not entry.is_folder]
    if wanted is not None:
        named = next((entry for entry in files if entry.name == wanted), None)
        if named is None:
            return ArchiveProblem(wanted, "is not in the archive; check --manifest")
        return reader.read(named)
    at_root = [entry for entry in files if is_manifest_name(entry.name)]
    first, own, foreign = None, at_root[_MOST_CANDIDATES:], ""
    for entry in reversed(at_root[:_MOST_CANDIDATES]):
        read = reader.read(entry)
        kind = reader.workspace.foreign_kind(read.decoded)
        if kind:
            foreign = f": `{entry.name}` is {kind}"
        else:
            first, own = read, [entry, *own]
    if len(own) == 1:
        return first or reader.read(own[0])
    if own:
        names = ", ".join(f"`{entry.name}`" for entry in own[:_MOST_CANDIDATES])
        return ArchiveProblem(
            None, f"the archive has several manifests: {names}; choose one with --manifest"
        )
    below = (entry.name for entry in files if "/" in entry.name)
    deeper = [name for name in below if is_manifest_name(posixpath.basename(name))]
    hint = f"; did you mean --manifest {deeper[0]}?" if deeper else ""
    return ArchiveProblem(None, f"no manifest at the root of the archive{foreign}{hint}")


def _judged(manifest: _Read, entries: tuple[Entry, ...], workspace: Workspace) -> FileResult:
    """What the linter says: all that is configured, and the errors that always are some."""
    files = {each.name for each in entries if not each.is_folder}
    folder = posixpath.dirname(manifest.entry.name)

    def has_file(relative: str) -> bool:
        return posixpath.normpath(posixpath.join(folder, relative)) in files

    return workspace.lint_stdin(manifest.decoded, has_file=has_file)
