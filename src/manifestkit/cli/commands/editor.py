"""`manifest editor`."""

from __future__ import annotations

from pathlib import Path

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note
from manifestkit.errors import ConfigurationError, UnreadableFileError
from manifestkit.files import is_there, read_bytes, reason_of, replacing, shown
from manifestkit.limits import DEFAULT_LIMITS
from manifestkit.render.diff import diff
from manifestkit.scaffold.editors import EDITORS, merged_into_vscode
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
    "beside them. For VS Code, in the working folder.",
)
def command(editor: str, write: bool) -> int:  # noqa: FBT001 - click's own call
    """Print settings that make an EDITOR know manifests.

    Files named *.activity-provider.json, .yaml or .yml are meant.
    """
    if not write:
        is_local = editor == "vscode"
        schema = _IN_WORKSPACE if is_local else str(Path(BASE_FILE).absolute())
        file = _FOLDER / BASE_FILE if is_local else BASE_FILE
        click.echo(EDITORS[editor](schema), nl=False)
        note(f"the schema comes from `manifest schema --output {file}`")
        return exit_codes.CLEAN
    if editor != "vscode":
        raise click.UsageError(f"--write is for vscode; what is printed without it is for {editor}")
    return _write()


def _write() -> int:
    name = shown(_SETTINGS)
    before = _content(_SETTINGS) or ""
    after = merged_into_vscode(name, before, _IN_WORKSPACE)
    changes: list[tuple[Path, str | None, str]] = [(_SETTINGS, before, after)]
    if _content(_FOLDER / BASE_FILE) != base_schema_text():
        changes.append((_FOLDER / BASE_FILE, None, base_schema_text()))
    click.echo("".join(diff(name, before, after)), nl=False)
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
