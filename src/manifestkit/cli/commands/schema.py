"""`manifest schema` and `editor`: the schema, and the settings of editors that use it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from manifestkit.authoring.editors import (
    SCHEMA_SETTINGS,
    SERVER_SETTINGS,
    Association,
    merged_into_vscode,
)
from manifestkit.authoring.types import LANGUAGES, types
from manifestkit.cli import exit_codes
from manifestkit.cli.console import error, note, write_document, write_file, writing
from manifestkit.cli.inputs import format_named
from manifestkit.cli.options import OF, STDIN_PATH, Choice, argument, manifest_command, option
from manifestkit.engine import Workspace
from manifestkit.files import is_file, is_there, posix_name, read_bytes
from manifestkit.model.errors import ConfigurationError, EditRefusedError, UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.rendering.diff import diff
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.model import Schema
from manifestkit.schema.packaged import packaged_text

_DRAFTS = ("2020-12", "7")
_FOLDER = Path(".vscode")
_SETTINGS = _FOLDER / "settings.json"


@manifest_command(
    """
    manifest schema                                    print it
    manifest schema --output manifest.schema.json      for `$schema` or an editor's settings
    manifest schema --types typescript                 the types of manifests, for programs
    """,
    """
    0   printed or written
    2   wrong usage or configuration, or a file that cannot be read or written
    """,
)
def command(
    *,
    draft: str = option(
        "The JSON Schema draft to use; both schemas are equivalent.",
        type=Choice(_DRAFTS),
        default=_DRAFTS[0],
    ),
    output: Path | None = option(
        "Write the schema to this file. An existing file is replaced only if it is an earlier copy."
    ),
    language: str | None = option(
        "Print types for this language instead.", "--types", type=Choice(LANGUAGES)
    ),
    of: str | None = OF,
) -> None:
    """Print the JSON Schema of manifests.

    This is the schema configured in this folder, or else the built-in one; or the schema of the
    format that --of names, which may be configured in this folder.
    """
    schema, text = _meant(of)
    subject = "schema is"
    if language is not None:
        if draft != _DRAFTS[0]:
            raise click.UsageError("--types and --draft cannot be combined")
        subject, text = "types are", types(schema, language)
    elif draft != _DRAFTS[0]:
        text = json.dumps(as_draft7(schema.contents), indent=2, ensure_ascii=False) + "\n"
    if output is None or str(output) == STDIN_PATH:
        write_document(text)
        return
    if is_file(output) and not _is_earlier(output, schema, text, language):
        raise click.UsageError(
            f"{posix_name(output)} exists and is not what this command writes; choose another file"
        )
    write_file(output, text)
    note(f"the {subject} written to {posix_name(output)}")


def _meant(of: str | None) -> tuple[Schema, str]:
    workspace = Workspace(uses_baseline=False)
    policy = workspace.policy("")
    row = policy.formats.default if of is None else format_named(policy.formats, of)
    schema, own = policy.of_format(row).schema, workspace.schema_file("", row)
    text = read_bytes(own, DEFAULT_LIMITS.bytes).decode() if own else packaged_text(row.schema)
    return schema, text


def _is_earlier(path: Path, schema: Schema, text: str, language: str | None) -> bool:
    """Return whether a file has earlier types, or the schema with the same start of its ``$id``."""
    try:
        written = read_bytes(path, DEFAULT_LIMITS.bytes)
        if language is not None:
            return written.startswith(text.split("\n", 1)[0].encode())
        found, own = (
            each.get("$id") if isinstance(each, dict) else None
            for each in (json.loads(written), schema.contents)
        )
    except (UnreadableFileError, ValueError, RecursionError):
        return False
    return isinstance(found, str) and isinstance(own, str) and found.startswith(own)


class _Editor(Choice):
    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx)
        return f"{said}; for another one, start `manifest lsp`"


@manifest_command(
    """
    manifest editor neovim            print settings for init.lua that start the server
    manifest editor helix             the same for .helix/languages.toml
    manifest editor neovim --schema   print settings for the schema alone
    manifest editor vscode --write    write them to .vscode/settings.json, and the schema
    """,
    """
    0   printed or written
    2   wrong usage, or settings that cannot be read or written; nothing is changed
    """,
)
def editor_settings(
    *,
    editor: str = argument(type=_Editor(list(SERVER_SETTINGS))),
    of_schema: bool = option(
        "For the editor's own JSON and YAML servers: the schema alone, without advice, "
        f"profiles and fixes ({', '.join(SCHEMA_SETTINGS)}).",
        "--schema",
    ),
    write: bool = option(
        "Merge the settings of --schema into those of the workspace, show the changes, and write "
        "the schema next to them. Only for VS Code, in the current folder, and only if the "
        "settings have no comments."
    ),
) -> int:
    """Print editor settings for completion and checks.

    The settings start `manifest lsp`, which shows and fixes the findings of `manifest lint`. With
    --schema, they apply to the file names that `manifest lint` looks for in a folder, and to the
    files of formats configured in this folder. The schema is the configured one, or else the
    built-in one.
    """
    if not (of_schema or write):
        write_document(SERVER_SETTINGS[editor])
        return exit_codes.CLEAN
    if editor not in SCHEMA_SETTINGS:
        raise click.UsageError(
            f"--schema is for {', '.join(SCHEMA_SETTINGS)}; {editor} has the server"
        )
    is_local = editor == "vscode"
    known: list[Association] = []
    brought: list[str] = []
    workspace = Workspace(uses_baseline=False)
    rows = [row for row, _ in workspace.policy("").schemas]
    files = [(row, workspace.schema_file("", row)) for row in rows]
    for row, own in files:
        if own is not None:
            beside = Path(os.path.relpath(own)).as_posix()  # from the workspace's folder
            here = beside if beside.startswith("../") else f"./{beside}"
            where = here if is_local else str(own.absolute())
        else:
            where = f"./{_FOLDER}/{row.schema}" if is_local else str(Path(row.schema).absolute())
            brought.append(row.schema)
        known.append(Association(where, row.patterns))
    if not write:
        write_document(SCHEMA_SETTINGS[editor](known))
        for row, own in files:
            if own is None:
                file = _FOLDER / row.schema if is_local else row.schema
                of = "" if row.schema == brought[0] else f" --of {row.id}"
                note(f"the schema comes from `manifest schema{of} --output {file}`")
        return exit_codes.CLEAN
    if not is_local:
        raise click.UsageError(
            f"--write works only for vscode; without it, the settings for {editor} are printed"
        )
    return _write(known, brought)


def _write(known: Sequence[Association], brought: Sequence[str]) -> int:
    name = posix_name(_SETTINGS)
    before = _content(_SETTINGS) or ""
    try:
        after = merged_into_vscode(name, before, known)
    except EditRefusedError as problem:
        write_document(SCHEMA_SETTINGS["vscode"](known))
        error(f"{name} is unchanged: {problem}; add the printed members to its object")
        return exit_codes.USAGE
    schemas = {_FOLDER / each: packaged_text(each) for each in brought}
    changes = {file: text for file, text in schemas.items() if _content(file) != text}
    if before != after:
        changes = {_SETTINGS: after, **changes}
    with writing(_FOLDER):
        _FOLDER.mkdir(exist_ok=True)
    for file, text in changes.items():
        write_file(file, text)
        if file == _SETTINGS:
            write_document("".join(diff(name, before, after)))
        note(f"{posix_name(file)} is written")
    if before == after:
        note(f"{name} already has the schema")
    return exit_codes.CLEAN


def _content(path: Path) -> str | None:
    """Return a file's text, its line ends as they are; None if there is no such file."""
    if not is_there(path):
        return None
    try:
        return read_bytes(path, DEFAULT_LIMITS.bytes).decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{posix_name(path)}: is not UTF-8") from None
