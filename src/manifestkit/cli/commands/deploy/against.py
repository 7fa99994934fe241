"""`--against`: what changed since an earlier deploy, a file or a revision in git."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import comparer
from manifestkit.engine import Options, Workspace
from manifestkit.files import is_folder, is_there, read_bytes, shown
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.publish.gate import Checked
from manifestkit.publish.receipts import Earlier, deployed_manifest

_LAST = "last"


def earlier_one(against: str | None, earlier: Earlier, site: str) -> str | Path | None:
    """What to compare with: for `last`, the receipt of the last accepted deploy.

    Raises:
        ConfigurationError: there is none.
    """
    if against != _LAST:
        return against
    if earlier.accepted is None:
        raise ConfigurationError(
            f"--against last: there is no receipt of an accepted deploy to {site} here; leave the "
            "option out for the first deploy, or name a receipt, a file or a revision"
        )
    return earlier.accepted.path


def compared(checked: Checked, against: str | Path | None, options: Options) -> Checked:
    """What the gate has seen, with what changed in the manifest.

    Args:
        checked: what is to be deployed; without one sound manifest nothing is compared.
        against: a receipt or a manifest by its path, or what may be one or a revision of the
            manifest's own file in git; None for no comparison.
        options: how the manifest is judged.

    Raises:
        ConfigurationError: there is no such thing.
        UnreadableFileError: one of the two manifests cannot be read: nothing is compared.
    """
    decoded, manifest = checked.decoded, checked.manifest
    if against is None or checked.problems or decoded is None or manifest is None:
        return checked
    # The configuration is that of the working folder, as it is for the gate; a comment in the
    # manifest comes with what is to be deployed, and cannot allow what it asks for.
    workspace = Workspace(options)
    old = _old(checked.source, manifest, against)
    before = workspace.decode(old.data, old.path, limits=DEFAULT_LIMITS)
    result = comparer(workspace, "", uses_comments=False).compare(
        before, decoded, old.name, decoded.document.name
    )
    return replace(checked, report=checked.report.joined([result]))


class _Old(NamedTuple):
    """The manifest to compare with.

    Attributes:
        name: how findings shall name it.
        path: its path, which tells syntax and format.
        data: its bytes.
    """

    name: str
    path: str
    data: bytes


def _old(source: Path, manifest: str, against: str | Path) -> _Old:
    path = Path(against)
    if is_there(path) or isinstance(against, Path):
        data = read_bytes(path, DEFAULT_LIMITS.bytes)
        deployed = deployed_manifest(data)
        if deployed is None:
            return _Old(shown(path), shown(path), data)
        return _Old(f"{shown(path)}!/{deployed[0]}", deployed[0], deployed[1].encode())
    if not is_folder(source):
        raise ConfigurationError(f"--against: {against}: no such file; archives are not in git")
    try:
        revision = Revision(str(against), source)
    except ConfigurationError as problem:
        raise ConfigurationError(
            f"--against: {against}: no such file, and no revision in git: {problem}"
        ) from None
    place = revision.path_of(source / manifest)
    name = f"{against}:{place}"
    with revision.reader() as reader:
        file = reader.file(place, revision.entries) if place is not None else None
        if file is None:
            raise UnreadableFileError(name, "no such file in this revision")
        data = reader.content(file, name, DEFAULT_LIMITS.bytes)
    return _Old(name, shown(source / manifest), data)
