"""`manifest editor`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from manifestkit.authoring.editors import EDITORS, merged_into_vscode
from manifestkit.cli import exit_codes
from manifestkit.cli.configured import schema_file_here
from manifestkit.cli.console import error, note, write_document
from manifestkit.files import is_there, read_bytes, reason_of, replacing, shown
from manifestkit.model.errors import ConfigurationError, EditRefusedError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.render.diff import diff
from manifestkit.schema.packaged import BASE_FILE, base_schema_text

_FOLDER = Path(".vscode")
_SETTINGS = _FOLDER / "settings.json"
_IN_WORKSPACE = f"./{_FOLDER}/{BASE_FILE}"


@click.command(
    epilog="""\b
Examples:
  manifest editor vscode            print what belongs into .vscode/settings.json
  manifest editor vscode --write    put it there, and the schema beside it
  manifest editor neovim            print it for init.lua

\b
Exit codes:
  0   printed or written
  2   wrong usage, or settings that cannot be read or written; they are as they were
""",
)
@click.argument("editor", type=click.Choice(list(EDITORS)))
@click.option(
    "--write",
    is_flag=True,
    help="Merge them into the workspace's settings, show what changes, and write the schema "
    "beside them. For VS Code, in the working folder, and for settings in plain JSON: those with "
    "comments are yours to edit.",
)
def command(editor: str, write: bool) -> int:  # noqa: FBT001 - click's own call
    """Print settings that make an EDITOR know manifests.

    Files named *.activity-provider.json, .yaml or .yml are meant. The schema is the one configured
    in this folder, else the manifest document's.
    """
    is_local = editor == "vscode"
    own = schema_file_here()
    if own is not None:
        where = _from_here(own) if is_local else str(own.absolute())
    else:
        where = _IN_WORKSPACE if is_local else str(Path(BASE_FILE).absolute())
    if not write:
        write_document(EDITORS[editor](where))
        if own is None:
            file = _FOLDER / BASE_FILE if is_local else BASE_FILE
            note(f"the schema comes from `manifest schema --output {file}`")
        return exit_codes.CLEAN
    if not is_local:
        raise click.UsageError(f"--write is for vscode; what is printed without it is for {editor}")
    return _write(where, brings_schema=own is None)


def _from_here(file: Path) -> str:
    """A file as VS Code names it: counted from the workspace's folder."""
    relative = Path(os.path.relpath(file)).as_posix()
    return relative if relative.startswith("../") else f"./{relative}"


def _write(schema: str, *, brings_schema: bool) -> int:
    name = shown(_SETTINGS)
    before = _content(_SETTINGS) or ""
    try:
        after = merged_into_vscode(name, before, schema)
    except EditRefusedError as problem:
        write_document(EDITORS["vscode"](schema))
        error(f"{name} is as it was: {problem}; put the members that are printed into its object")
        return exit_codes.USAGE
    changes: list[tuple[Path, str | None, str]] = [(_SETTINGS, before, after)]
    if brings_schema and _content(_FOLDER / BASE_FILE) != base_schema_text():
        changes.append((_FOLDER / BASE_FILE, None, base_schema_text()))
    write_document("".join(diff(name, before, after)))
    file = _FOLDER
    try:
        _FOLDER.mkdir(exist_ok=True)
        for file, old, new in changes:
            if old != new:
                with replacing(file) as opened:
                    opened.write(new)
                note(f"{shown(file)} is written")
    except OSError as problem:
        error(f"{shown(file)}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    if before == after:
        note(f"{name} knows the schema already")
    return exit_codes.CLEAN


def _content(path: Path) -> str | None:
    """A file's text, its line ends as they are; None if there is no such file."""
    if not is_there(path):
        return None
    try:
        return read_bytes(path, DEFAULT_LIMITS.bytes).decode("utf-8")
    except UnreadableFileError as problem:
        raise ConfigurationError(str(problem)) from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{shown(path)}: is not UTF-8") from None
