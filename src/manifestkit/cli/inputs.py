"""The manifest and the settings that a command works on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from manifestkit.cli.console import read_stdin
from manifestkit.decode import Decoded
from manifestkit.engine.discovery import Target
from manifestkit.engine.lint import default_policy
from manifestkit.engine.workspace import Workspace
from manifestkit.files import posix_name
from manifestkit.model.errors import ManifestkitError
from manifestkit.model.pointer import format_pointer
from manifestkit.model.report import STDIN
from manifestkit.rendering.escape import visible
from manifestkit.schema.model import Field, Schema

_SHOWN = 3


class _ReadManifest(NamedTuple):
    """A manifest that was read; the configuration of its target's folder applies."""

    target: Target
    decoded: Decoded
    is_piped: bool = False


class _List(NamedTuple):
    """A list of manifests: what an item of it is called, its name, and what an item must be."""

    kind: str
    name: str
    item: Field


def read_manifest(
    workspace: Workspace,
    file: str | Path | None,
    stdin_name: str | None = None,
    *,
    without: Path | None = None,
) -> _ReadManifest:
    """Read a file as one that was named, which is never skipped; ``-`` is standard input.

    Without a file, it is the only manifest of the working folder, besides one that is not meant.
    Standard input with an empty name is JSON or YAML by how it begins.
    """
    if file is None:
        return _only_manifest(workspace, without)
    is_piped = str(file) == "-"
    target = Target(stdin_name or STDIN if is_piped else posix_name(file), found=False)
    folder, name = target.folder, target.name
    most = workspace.policy(folder).limits.bytes
    said = name if stdin_name is None else ""
    data = read_stdin(most, said) if is_piped else workspace.read(target)
    is_yaml = is_piped and stdin_name == "" and data.lstrip()[:1] not in {b"{", b"["}
    decoded = workspace.decode(data, f"{name}.yaml" if is_yaml else name, folder)
    return _ReadManifest(target, decoded, is_piped)


def _only_manifest(workspace: Workspace, without: Path | None) -> _ReadManifest:
    files = (each.path for each in sorted(workspace.find([Path()])) if each.path != without)
    found = (read_manifest(workspace, each) for each in files)
    own = [x for x in found if not workspace.foreign_kind(x.decoded, x.target.folder)]
    if len(own) == 1:
        return own[0]
    if not own:
        raise click.UsageError(
            "no manifest in this folder; give a FILE, or - for standard input; "
            "`manifest new --help` says how to create one"
        )
    names = ", ".join(visible(each.target.name) for each in own[:_SHOWN])
    more = f" and {len(own) - _SHOWN} more" if len(own) > _SHOWN else ""
    raise click.UsageError(f"several manifests in this folder ({names}{more}); give a FILE")


def name_advice(workspace: Workspace, file: Path) -> str:
    """Return what else to say of a manifest that is written where no folder's check finds it."""
    target = Target(posix_name(file), found=False)
    if workspace.finder(target.folder)(file.name):
        return ""
    return f"; to be found in a folder, it needs a name such as `x.manifest{file.suffix}`"


def schemas_here() -> list[Schema]:
    """Return the schemas and profiles for completion; the built-in ones if they are broken."""
    try:
        policy = Workspace(uses_baseline=False).policy("")
    except ManifestkitError:
        policy = default_policy()
    return [policy.of_format(row).described for row, _ in policy.schemas]


def lists_here() -> dict[str, _List]:
    """Return the lists that the schemas here know, each by its name and by that of an item."""
    each_list = ((schema, *each) for schema in schemas_here() for each in schema.kinds.items())
    found = (_List(k, name, schema.field((name, 0)) or Field()) for schema, k, name in each_list)
    return {name: each for each in found for name in (each.kind, each.name)}


def pointers_here() -> dict[str, str | None]:
    """Return the pointers of the members that the schemas here know, each with what it is."""
    fields = (each for schema in schemas_here() for each in schema.fields)
    return {format_pointer(path): field.title for path, field in fields}
