"""`manifest remove`."""

from __future__ import annotations

from pathlib import Path

import click

from manifestkit.authoring.changes import removal
from manifestkit.cli.editing import EXIT_CODES, FILE, change_file


@click.command(
    epilog="""\b
Examples:
  manifest remove /permissions/host.timer            from the one manifest here
  manifest remove /activities/box app/manifest.yaml
  manifest remove /presentation

"""
    + EXIT_CODES,
)
@click.argument("pointer")
@FILE
@click.option("--force", is_flag=True, help="Do it though it makes the manifest invalid.")
def command(
    pointer: str,
    file: Path | None,
    force: bool,  # noqa: FBT001 - click's signature
) -> int:
    """Remove a member or an item from a manifest.

    POINTER is a JSON pointer; in an array it names an item by its index, its id or its text. A
    comment behind what goes, on its line, goes with it. Nothing else in FILE (default: the one
    manifest in this folder) is touched.
    """
    return change_file(
        file, lambda document, schema: removal(document, schema, pointer), force=force
    )
