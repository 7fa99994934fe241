"""`--against`: what changed since the last accepted deploy, a file or a revision in git."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from manifestkit.changes.git import Revision
from manifestkit.changes.pairs import comparer
from manifestkit.cli.commands.deploy.site import Site
from manifestkit.engine import Workspace
from manifestkit.files import is_folder, is_there, posix_name, read_bytes
from manifestkit.model.errors import ConfigurationError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.publish.gate import Checked
from manifestkit.publish.receipts import last_accepted

LAST = "last"


class Former(NamedTuple):
    """The manifest to compare with.

    Attributes:
        name: how findings shall name it.
        path: its path, which tells syntax and format.
        data: its bytes.
    """

    name: str
    path: str
    data: bytes


def last_manifest(folder: Path | None, site: Site, account: str | None) -> Former:
    """Return the manifest of the last accepted deploy to a site.

    Raises:
        ConfigurationError: there is none.
    """
    base_url = site.address.base if site.address else ""
    accepted = last_accepted(folder or Path(), base_url, account, site.domain or "")
    if accepted is None:
        raise ConfigurationError(
            f"--against last: there is no receipt of an accepted deploy to {site.domain} here; "
            "leave the option out for the first deploy, or name a file or a revision"
        )
    if accepted.manifest is None:
        raise ConfigurationError(
            f"--against last: {accepted.shown} does not have the manifest; name a file or a "
            "revision"
        )
    name, text = accepted.manifest
    return Former(f"{accepted.shown}!/{name}", name, text.encode())


def compared(checked: Checked, former: Former | str | None, site: Site) -> Checked:
    """Return what the gate says, with what changed in the manifest.

    Args:
        checked: what is to be deployed; without one sound manifest nothing is compared.
        former: the manifest to compare with, or the name of a file or of a revision of the
            manifest's own file in git; None for no comparison.
        site: what to deploy.

    Raises:
        ConfigurationError: there is no such thing.
        UnreadableFileError: one of the two manifests cannot be read: nothing is compared.
    """
    manifest = checked.manifest
    if former is None or manifest is None:
        return checked
    # The configuration is that of the working folder, as it is for the gate; a comment in the
    # manifest comes with what is to be deployed, and cannot allow what it asks for.
    workspace = Workspace(site.options)
    if isinstance(former, str):
        own = site.manifest.file or (
            site.source / manifest.name if is_folder(site.source) else None
        )
        former = _former(own, former)
    before = workspace.decode(former.data, former.path, limits=DEFAULT_LIMITS)
    result = comparer(workspace, "", uses_comments=False).compare(
        before, manifest.decoded, former.name, manifest.decoded.document.name
    )
    return replace(checked, report=checked.report.joined([result]))


def _former(own: Path | None, against: str) -> Former:
    path = Path(against)
    if is_there(path):
        return Former(posix_name(path), posix_name(path), read_bytes(path, DEFAULT_LIMITS.bytes))
    if own is None:
        raise ConfigurationError(f"--against: {against}: no such file; archives are not in git")
    try:
        revision = Revision(against, own.parent)
    except ConfigurationError as problem:
        raise ConfigurationError(
            f"--against: {against}: no such file, and no revision in git: {problem}"
        ) from None
    place = revision.path_of(own)
    name = f"{against}:{place}"
    with revision.reader() as reader:
        file = reader.file(place, revision.entries) if place is not None else None
        if file is None:
            raise UnreadableFileError(name, "no such file in this revision")
        data = reader.content(file, name, DEFAULT_LIMITS.bytes)
    return Former(name, posix_name(own), data)
