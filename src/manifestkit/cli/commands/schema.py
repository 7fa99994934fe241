"""`manifest schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from manifestkit.cli import exit_codes
from manifestkit.cli.configured import files_here, format_named, policy_here
from manifestkit.cli.console import error, note, write_document
from manifestkit.cli.parameters import OF, Choice, FilePath
from manifestkit.files import is_file, posix_name, read_bytes, reason_of, replacing
from manifestkit.model.errors import UnreadableFileError
from manifestkit.model.limits import DEFAULT_LIMITS
from manifestkit.schema.draft7 import as_draft7
from manifestkit.schema.packaged import packaged_text

_DRAFTS = ("2020-12", "7")


@click.command(
    epilog="""\b
Examples:
  manifest schema                                    print it
  manifest schema --output manifest.schema.json      for `$schema` or an editor's settings
  manifest schema --draft 7 --output draft-07.json   for tools without newer drafts

\b
Exit codes:
  0   printed or written
  2   wrong usage, or a file that cannot be written
""",
)
@click.option(
    "--draft",
    type=Choice(_DRAFTS),
    default=_DRAFTS[0],
    show_default=True,
    help="The JSON Schema draft to use; both schemas are equivalent.",
)
@click.option(
    "--output",
    type=FilePath(path_type=Path),
    metavar="FILE",
    help=(
        "Write the schema to this file. An existing file is replaced only if it is an earlier copy."
    ),
)
@OF
def command(draft: str, output: Path | None, of: str | None) -> int:
    """Print the JSON Schema of manifests.

    This is the schema configured in this folder, or else the built-in one; or the schema of the
    format that --of names, which may be configured in this folder.
    """
    text, contents = _meant(of)
    if draft != _DRAFTS[0]:
        text = json.dumps(as_draft7(contents), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        write_document(text)
        return exit_codes.CLEAN
    if is_file(output) and not _is_copy(output, contents):
        raise click.UsageError(
            f"{posix_name(output)} exists and is not a copy of this schema; choose another file"
        )
    try:
        with replacing(output) as file:
            file.write(text)
    except OSError as problem:
        error(f"{posix_name(output)}: cannot be written: {reason_of(problem)}")
        return exit_codes.USAGE
    note(f"the schema is written to {posix_name(output)}")
    return exit_codes.CLEAN


def _meant(of: str | None) -> tuple[str, Any]:
    """Return the text of the schema that is meant, and the schema."""
    policy = policy_here()
    row = policy.formats.default if of is None else format_named(policy.formats, of)
    schema = policy.of_format(row).schema
    own = next(file for each, file in files_here() if each.id == row.id)
    text = read_bytes(own, DEFAULT_LIMITS.bytes).decode() if own else packaged_text(row.schema)
    return text, schema.contents


def _is_copy(path: Path, contents: Any) -> bool:
    """Return whether a file has a version of a schema, by the start of its ``$id``."""
    try:
        written = json.loads(read_bytes(path, DEFAULT_LIMITS.bytes))
    except (UnreadableFileError, ValueError, RecursionError):
        return False
    found, own = (
        each.get("$id") if isinstance(each, dict) else None for each in (written, contents)
    )
    return isinstance(found, str) and isinstance(own, str) and found.startswith(own)
