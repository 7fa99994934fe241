"""The one manifest of the working folder, for commands without a FILE."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.decode import Decoded
from manifestkit.engine import Workspace
from manifestkit.engine.discovery import Target
from manifestkit.rendering import visible

_SHOWN = 3


class ReadManifest(NamedTuple):
    """A file, and what reading it gave."""

    target: Target
    decoded: Decoded


def read_manifest(workspace: Workspace, target: Target) -> ReadManifest:
    """Read a file.

    Raises:
        ManifestkitError: it cannot be read, or a configuration not be used.
    """
    return ReadManifest(
        target, workspace.decode(workspace.read(target), target.name, target.folder)
    )


def only_manifest(workspace: Workspace, without: Path | None = None) -> ReadManifest:
    """Return the one manifest of the working folder.

    Args:
        workspace: finds and reads it.
        without: a file that is not meant.

    Raises:
        click.UsageError: there is none, or several.
        ManifestkitError: a file cannot be read, or a configuration not be used.
    """
    files = (each for each in sorted(workspace.find([Path()])) if each.path != without)
    found = (read_manifest(workspace, each) for each in files)
    own = [each for each in found if not workspace.foreign_kind(each.decoded, each.target.folder)]
    if len(own) == 1:
        return own[0]
    if not own:
        raise click.UsageError("no manifest in this folder; give a FILE")
    names = ", ".join(visible(each.target.name) for each in own[:_SHOWN])
    more = f" and {len(own) - _SHOWN} more" if len(own) > _SHOWN else ""
    raise click.UsageError(f"several manifests in this folder ({names}{more}); give a FILE")
