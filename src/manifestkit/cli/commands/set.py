"""`manifest set`."""

from __future__ import annotations

from pathlib import Path

import click

from manifestkit.authoring.changes import setting
from manifestkit.cli.editing import EXIT_CODES, FILE, FORCE, change_file


@click.command(
    epilog="""\b
Examples:
  manifest set /provider/version 1.2.0               to the one manifest here
  manifest set /activities/box/duration_minutes 5 app/manifest.yaml
  manifest set /activities/0/surfaces '["phone", "watch"]'
  manifest set /presentation/thumbnail images/provider.png

"""
    + EXIT_CODES,
)
@click.argument("pointer")
@click.argument("value")
@FILE
@FORCE
def command(
    pointer: str,
    value: str,
    file: Path | None,
    force: bool,  # noqa: FBT001 - click's signature
) -> int:
    """Give a member of a manifest a value.

    POINTER is a JSON pointer; in an array it names an item by its index, its id or its text, and -
    is a new item. VALUE is taken as it is where a string is due, and read as JSON elsewhere.
    Nothing else in FILE (default: the one manifest in this folder) is touched.
    """
    return change_file(
        file, lambda document, schema: setting(document, schema, pointer, value), force=force
    )
